#include "read/unread_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/counters.h"
#include "base/text.h"
#include "parser/outer_prefix.h"

namespace ncclwhy {
namespace {

// A line in four that holds bytes of no text: nobody's progress bar.
constexpr uint64_t kDamagedShare = 4;
// base64(1) breaks lines at 76 characters, openssl at 64, uuencode at 61, xxd -p at 60.
constexpr size_t kLongWord = 60;
constexpr size_t kEnoughBytes = 240;
constexpr size_t kOneLine = 1024;
constexpr std::ptrdiff_t kManySigns = 12;

// Ends of names that logs do not have.
constexpr std::array<std::string_view, 30> kNoLogs = {
    ".png", ".jpg",  ".jpeg",        ".gif",   ".webp", ".svg",      ".pdf",   ".mp4",     ".wav",      ".pt",
    ".pth", ".ckpt", ".safetensors", ".npy",   ".npz",  ".pkl",      ".bin",   ".so",      ".o",        ".a",
    ".pyc", ".onnx", ".parquet",     ".arrow", ".h5",   ".nsys-rep", ".qdrep", ".ncu-rep", ".tfrecord", ".index"};

// By the name alone, so only asked where other sources tell of the job.
bool NeverALog(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.find("tfevents") != std::string::npos || name.find(".distcp") != std::string::npos) return true;
  return std::any_of(kNoLogs.begin(), kNoLogs.end(), [&](std::string_view end) { return name.ends_with(end); });
}

// Digits in sixteens, letters of both cases and digits as base64 has them, or a percent sign in every twentieth place.
// Tables (a|b|c) and lists of paths have other signs.
bool IsCode(std::string_view line) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF", kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                             kDigits = "0123456789";
  constexpr std::string_view kBase64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=";
  if (line.find_first_of(" \t") != std::string_view::npos) return false;
  if (std::count(line.begin(), line.end(), '%') * 20 >= static_cast<std::ptrdiff_t>(line.size())) return true;
  // base85: signs of many kinds.
  std::array<bool, 128> signs{};
  for (const char c : line) {
    if (c > ' ' && c < 127 && !IsAlnum(c)) signs[static_cast<unsigned char>(c)] = true;
  }
  if (std::count(signs.begin(), signs.end(), true) >= kManySigns) return true;
  const bool varied = line.find_first_not_of(line.substr(0, 1)) != std::string_view::npos;
  if (varied && line.find_first_not_of(kHex) == std::string_view::npos) return true;
  return line.find_first_not_of(kBase64) == std::string_view::npos &&
         line.find_first_of(kUpper) != std::string_view::npos &&
         line.find_first_of(kDigits) != std::string_view::npos &&
         std::count(line.begin(), line.end(), '/') * 10 < static_cast<std::ptrdiff_t>(line.size());
}

// NCCL's words as somebody may write them whom no parser has to understand: backwards, letter by letter, in other
// letters, as numbers.
bool IsNcclInDisguise(std::string_view text) {
  constexpr std::array<std::string_view, 21> kDisguises = {
      "OFNI LCCN",  // the line backwards
      "NRAW LCCN",
      "APPY VASB",  // rot13
      "APPY JNEA",
      "\xEF\xBC\xAE\xEF\xBC\xA3\xEF\xBC\xA3\xEF\xBC\xAC",  // ＮＣＣＬ
      "4e 43 43 4c",                                       // hexdump -C
      "4E 43 43 4C",
      "4e43 434c",        // xxd
      "434e 4c43",        // hexdump
      "041516 046103",    // od
      "116 103 103 114",  // od -b
      "78 67 67 76",      // numbers of bytes
      "78, 67, 67, 76",
      "0x4e, 0x43, 0x43, 0x4c",
      "01001110 01000011 01000011 01001100",  // xxd -b
      "\\u004e\\u0043\\u0043\\u004c",         // JSON
      "\\x4e\\x43\\x43\\x4c",
      "\\116\\103\\103\\114",  // C
      "=4E=43=43=4C",          // quoted-printable
      "&#78;&#67;&#67;&#76;",  // HTML
      "] nccl info "};         // everything in small letters
  if (std::any_of(kDisguises.begin(), kDisguises.end(),
                  [text](std::string_view words) { return text.find(words) != std::string_view::npos; })) {
    return true;
  }
  // N C C L   I N F O
  if (text.find("NCCL ") != std::string_view::npos) return false;
  std::string dense(text);
  std::erase_if(dense, [](char c) { return c == ' ' || c == '\t'; });
  return dense.find("NCCLINFO") != std::string::npos || dense.find("NCCLWARN") != std::string::npos;
}

// {"a": …   [{"a": …   ["…   <html …, and not `[rank5]:[W819 …` or `[2026-11-26 …`.
bool BeginsDocument(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '{' || text[0] == '<') return true;
  const size_t next = text.find_first_not_of(" \t\r\n", 1);
  constexpr std::string_view kItems = "{[\"";
  return text[0] == '[' && next != std::string_view::npos && kItems.find(text[next]) != std::string_view::npos;
}

// Where the next record of NCCL stands.
size_t FindRecord(std::string_view text, size_t from) {
  size_t first = std::string_view::npos;
  if (from > text.size()) return first;
  for (const std::string_view words : {"NCCL INFO", "NCCL WARN", "NCCL version"}) {
    first = std::min(first, text.find(words, from));
  }
  return first;
}

bool Told(const SourceDigest& d) { return !d.hits.hits.empty() || !d.messages.empty() || !d.catalog.empty(); }

}  // namespace

bool IsLogOfNccl(const SourceDigest& digest) {
  return digest.facts.counters.Get(Counter::kNccl) > 0 && digest.facts.counters.Get(Counter::kLines) > 2;
}

bool LooksEncoded(std::string_view first) {
  if (first.size() < kEnoughBytes) return false;
  if (IsNcclInDisguise(first)) return true;
  // Records of NCCL that nobody set apart: two and more. One alone is a collector's `{"log": "…"}`.
  const size_t begin = first.find_first_not_of(" \t\r\n");
  if (BeginsDocument(first.substr(std::min(begin, first.size()))) && first.size() > kOneLine &&
      first.find('\n', begin) >= first.size() - 1) {
    // A collector's object of one line, whatever that holds; an answer with many lines of many has other members as
    // well.
    OuterPrefixStripper stripper;
    const std::string_view object = first.substr(begin);
    if (const StrippedLine line = stripper.Strip(object);
        line.prefix.any && line.text.size() * 4 >= object.size() * 3) {
      return false;
    }
    const size_t record = FindRecord(first, 0);
    return FindRecord(first, record + 1) != std::string_view::npos;
  }
  // Four fifths of the bytes: a certificate or a token within a log is none.
  size_t coded = 0, all = 0;
  while (!first.empty()) {
    const size_t end = std::min(first.find('\n'), first.size());
    std::string_view line = first.substr(0, end);
    first.remove_prefix(std::min(end + 1, first.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    all += line.size();
    if (line.size() >= kLongWord && IsCode(line)) coded += line.size();
  }
  return all >= kEnoughBytes && coded * 5 >= all * 4;
}

void TellUnreadTexts(const std::vector<SourceDigest>& digests, std::vector<std::string>* problems) {
  for (const SourceDigest& d : digests) {
    if (d.facts.counters.Get(Counter::kRefusedRecords) > 0) {
      problems->push_back(d.facts.name +
                          ": this pickle was not read: it is larger than 64 MiB, damaged, or holds more than plain "
                          "values, which nothing may run");
    } else if (d.facts.counters.Get(Counter::kCutRecords) > 0) {
      problems->push_back(d.facts.name + ": this dump is cut: what stands in front of the cut was read");
    }
  }
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
          ": looks encoded, as base64, a dump or a document on one line; not all of it was read: decode it first");
    }
  }
}

}  // namespace ncclwhy
