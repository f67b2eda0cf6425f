// Lines behind which what follows is of another host or pod: what somebody collected on several machines, in one file.
//   ### gfx-mi250-09   (re-imaged)        --- kv-b14 show_gids ---        == node3 ==
//   root@node3:~# dmesg -T | tail         [ops@node3 ~]$ nvidia-smi       atlas-14$ hccn_tool -i 5 -link -g
//   Name:         trainer-worker-2        of `kubectl describe`            $ ssh node3 cat /sys/…/gids/0
//   node3 | CHANGED | rc=0 >>             node3 | SUCCESS => {             of Ansible
#include <algorithm>

#include "base/host_name.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr size_t kLongest = 200;
constexpr size_t kPrompt = 64;

bool IsMark(char c) { return scan::IsAnyOf(c, "#=->*+"); }

std::string_view HostAt(std::string_view text) {
  const size_t end = scan::NameSize(text);
  const std::string_view word = text.substr(0, end);
  // `### h100-80gb x 8`: what goes on with a letter or a slash is more than a name.
  const bool whole = end == text.size() || scan::IsAnyOf(text[end], " :,(;=#>*");
  return whole && LooksLikeHost(word) ? word : std::string_view();
}

std::string_view BetweenMarks(std::string_view text) {
  size_t marks = 0;
  while (marks < text.size() && IsMark(text[marks])) ++marks;
  if (marks < 2 || marks == text.size()) return {};
  std::string_view name = scan::Trim(text.substr(marks));
  for (const std::string_view word : {"host ", "Host ", "node ", "Node ", "pod ", "Pod ", "HOST ", "NODE "}) {
    if (scan::StartsWith(name, word)) name.remove_prefix(word.size());
  }
  return HostAt(name);
}

// A whole line of the word behind the first bar: `node3 | FAILED | rc=127 >>`. What stands in front of it may have been
// taken for the label of a container, as of `trainer-1 | text`.
std::string_view OfAnsible(const Extraction& x) {
  std::string_view text = x.body(), host = x.line.outer.pod;
  if (!(scan::EndsWith(text, " >>") || scan::EndsWith(text, " => {"))) return {};
  if (const size_t bar = host.empty() ? text.find(" | ") : std::string_view::npos; bar != std::string_view::npos) {
    host = text.substr(0, bar);
    text.remove_prefix(bar + 3);
  }
  for (const std::string_view word : {"CHANGED", "SUCCESS", "FAILED", "UNREACHABLE"}) {
    if (scan::StartsWith(text, word)) return scan::NameSize(host) == host.size() ? host : std::string_view();
  }
  return {};
}

// $ ssh node3 cat /sys/class/infiniband/mlx5_0/ports/1/gids/0      $ ssh ds-b py-spy dump --pid 7703
std::string_view OfRemoteShell(std::string_view text) {
  const std::string_view words = scan::After(text.substr(0, kPrompt), "$ ssh ");
  const size_t end = scan::NameSize(words);
  const bool named = end > 1 && scan::IsAlpha(words[0]) && end < words.size() && words[end] == ' ';
  const std::string_view host = named ? words.substr(0, end) : std::string_view();
  return host.size() + 6 < text.size() ? host : std::string_view();
}

// Behind `user@`, or the host alone.
std::string_view OfPrompt(std::string_view text) {
  const std::string_view begin = text.substr(0, kPrompt);
  const size_t end = std::min(scan::Find(begin, "$ "), scan::Find(begin, "# "));
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view prompt = text.substr(0, end);
  const size_t user = prompt.find('@');
  if (user != std::string_view::npos) {
    const bool named =
        user > 0 && std::all_of(prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(user), [](char c) {
          return scan::IsHostChar(c) || c == '[' || c == '(' || c == ')' || c == ' ' || c == '.';
        });
    std::string_view rest = prompt.substr(user + 1);
    return named ? HostAt(rest.substr(0, rest.find_first_of(": ]"))) : std::string_view();
  }
  const std::string_view host = prompt.substr(0, prompt.find(':'));
  return HostAt(host);
}

}  // namespace

bool ExtractHostHeading(const Extraction& x) {
  const std::string_view text = x.body();
  if (text.size() < 3 || text.size() > kLongest) return false;
  std::string_view host, form;
  if (IsMark(text[0]) && !scan::StartsWith(text, "==> ")) {  // a file of tail: read/headed_files.h
    host = BetweenMarks(text);
    form = "marks";
  } else if (text[0] == 'N' && scan::StartsWith(text, "Name:  ")) {
    host = HostAt(scan::Trim(text.substr(5)));
    form = "described";
  } else if (scan::StartsWith(text, "$ ssh ")) {
    host = OfRemoteShell(text);
    form = "ssh";
  } else if (scan::IsAlnum(text[0]) || text[0] == '[' || text[0] == '(') {
    host = OfPrompt(text);
    form = "prompt";
    if (host.empty() && !(host = OfAnsible(x)).empty()) form = "ansible";
  }
  if (host.empty()) return false;
  x.Begin(EventKind::kHostHeading).Set(FieldId::kHost, host).Set(FieldId::kPhase, form);
  return true;
}

}  // namespace ncclwhy
