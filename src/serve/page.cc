#include "serve/page.h"

#include <fmt/format.h>

#include <string_view>

#include "base/escape.h"
#include "base/sha256.h"
#include "ncclwhy/version.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --mark: #0a66c2; --bad: #b3261e; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
p { margin: .4rem 0 1rem; }
label, legend { font-weight: 600; display: block; margin: 1rem 0 .3rem; }
textarea, input[type=file], input[type=password] { width: 100%; font: inherit; border: 1px solid var(--line);
  border-radius: 6px; background: var(--soft); padding: .6rem; }
textarea { font: 13px/1.4 ui-monospace, monospace; height: 13rem; resize: vertical; white-space: pre; }
input[type=file] { border-style: dashed; border-width: 2px; padding: 2rem 1rem; cursor: pointer; }
.row { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: center; margin: 1rem 0; }
.row label { font-weight: 400; display: inline; margin: 0; }
button { font: inherit; font-weight: 600; color: #fff; background: var(--mark); border: 0; border-radius: 6px;
  padding: .6rem 1.6rem; cursor: pointer; }
.problem { border-left: 4px solid var(--bad); background: var(--soft); padding: .6rem 1rem; }
small { opacity: .75; }
)";

std::string Size(uint64_t bytes) {
  if (bytes >= 1ull << 30) return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= 1ull << 20) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{} bytes", bytes);
}

}  // namespace

std::string FrontPage(const PageFacts& facts) {
  std::string out = fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ncclwhy</title>
<style>{}</style>
</head>
<body>
<h1>Why did the NCCL job fail?</h1>
<p>Paste its output or drop its logs: all ranks at once, with what the program itself printed.</p>
)",
                                kStyle);
  if (!facts.problem.empty()) out += "<p class=\"problem\" role=\"alert\">" + EscapeHtml(facts.problem) + "</p>\n";
  out += "<form method=\"post\" action=\"/\" enctype=\"multipart/form-data\">\n";
  // First, so that it is known before the logs come.
  if (facts.needs_token) {
    out +=
        "<label for=\"token\">Token</label>\n<input type=\"password\" id=\"token\" name=\"token\" required "
        "autocomplete=\"current-password\">\n";
  }
  return out + fmt::format(R"(<label for="text">Paste</label>
<textarea id="text" name="text" spellcheck="false" autocomplete="off" placeholder="node3:4711:4801 [2] NCCL WARN …"></textarea>
<label for="logs">Or choose files, or drop them here</label>
<input type="file" id="logs" name="logs" multiple>
<div class="row">
<span><input type="checkbox" id="redact" name="redact" value="1"> <label for="redact">aliases for hosts, addresses, users and paths</label></span>
<span><input type="radio" id="en" name="lang" value="en" checked> <label for="en">English</label>
<input type="radio" id="zh" name="lang" value="zh"> <label for="zh" lang="zh">中文</label></span>
<button type="submit">Why?</button>
</div>
<p><small>Logs, or archives of them (.gz .xz .zst .bz2 .zip .tar.*): {} in all, after decompression; an answer comes within {} s or not at
all. Nothing is kept: what you send is read, answered and forgotten. Programs: POST /analyze, <a href="/openapi.json">openapi.json</a>.
ncclwhy {}.</small></p>
</form>
</body>
</html>
)",
                           Size(facts.max_bytes), facts.timeout_seconds, NCCLWHY_VERSION);
}

// The hash is that of what stands between <style> and </style>, to the byte, with the line ends around it.
std::string FrontPagePolicy() {
  return "default-src 'none'; style-src 'sha256-" + Sha256Base64(kStyle) +
         "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
}

}  // namespace ncclwhy
