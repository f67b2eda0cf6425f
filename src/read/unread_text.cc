#include "read/unread_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/counters.h"

namespace ncclwhy {
namespace {

// A line in four that holds bytes of no text: nobody's progress bar.
constexpr uint64_t kDamagedShare = 4;
// base64(1) breaks lines at 76 characters, openssl at 64, uuencode at 61, xxd -p at 60.
constexpr size_t kLongWord = 60;
constexpr size_t kEnoughBytes = 240;
constexpr size_t kOneLine = 1024;

// Ends of names that logs do not have.
constexpr std::array<std::string_view, 30> kNoLogs = {
    ".png", ".jpg",  ".jpeg",        ".gif",   ".webp", ".svg",      ".pdf",   ".mp4",     ".wav",      ".pt",
    ".pth", ".ckpt", ".safetensors", ".npy",   ".npz",  ".pkl",      ".bin",   ".so",      ".o",        ".a",
    ".pyc", ".onnx", ".parquet",     ".arrow", ".h5",   ".nsys-rep", ".qdrep", ".ncu-rep", ".tfrecord", ".index"};

bool NeverALog(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.find("tfevents") != std::string::npos || name.find(".distcp") != std::string::npos) return true;
  return std::any_of(kNoLogs.begin(), kNoLogs.end(), [&](std::string_view end) { return name.ends_with(end); });
}

bool Told(const SourceDigest& d) { return !d.hits.hits.empty() || !d.messages.empty() || !d.catalog.empty(); }

}  // namespace

bool LooksEncoded(std::string_view first) {
  if (first.size() < kEnoughBytes) return false;
  // A document on one line: its reader wants records on lines.
  const size_t begin = first.find_first_not_of(" \t\r\n");
  const bool document =
      begin != std::string_view::npos && (first[begin] == '{' || first[begin] == '[' || first[begin] == '<');
  if (document && first.size() > kOneLine && first.find('\n', begin) >= first.size() - 1) return true;
  size_t wordless = 0, all = 0;
  while (!first.empty()) {
    const size_t end = std::min(first.find('\n'), first.size());
    std::string_view line = first.substr(0, end);
    first.remove_prefix(std::min(end + 1, first.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    all += line.size();
    // One sign again and again is a rule or a bar, not a code.
    const bool word = line.size() >= kLongWord && line.find_first_of(" \t") == std::string_view::npos;
    if (word && line.find_first_not_of(line.substr(0, 1)) != std::string_view::npos &&
        std::count(line.begin(), line.end(), line[line.size() / 2]) * 2 < static_cast<std::ptrdiff_t>(line.size())) {
      wordless += line.size();
    }
  }
  return all >= kEnoughBytes && wordless * 5 >= all * 4;
}

void TellUnreadTexts(const std::vector<SourceDigest>& digests, std::vector<std::string>* problems) {
  const bool nccl = std::any_of(digests.begin(), digests.end(),
                                [](const SourceDigest& d) { return d.facts.counters.Get(Counter::kNccl) > 0; });
  for (const SourceDigest& d : digests) {
    const uint64_t lines = d.facts.counters.Get(Counter::kLines);
    // A document whose records nobody set apart: what was found in it is by chance.
    const bool whole = d.encoded && lines <= 2;
    const bool from_nccl = d.facts.counters.Get(Counter::kNccl) > 0;
    if (lines == 0 || (from_nccl && !whole) || (nccl && !from_nccl && NeverALog(d.facts.name))) continue;
    if (d.facts.counters.Get(Counter::kDamaged) * kDamagedShare >= lines && !Told(d)) {
      problems->push_back(d.facts.name + ": is not a text; what it holds was not read: unpack or decode it first");
    } else if (d.encoded) {
      problems->push_back(
          d.facts.name +
          ": looks encoded, as base64 or a document on one line; not all of it was read: decode it first");
    }
  }
}

}  // namespace ncclwhy
