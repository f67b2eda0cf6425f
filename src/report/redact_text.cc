#include "report/redact_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/re2_call.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/known_words.h"
#include "report/redact_patterns.h"
#include "report/redact_words.h"

namespace ncclwhy {
namespace {

// In the order of Private: host-1, ip-4, path-2.
constexpr std::array<std::string_view, kPrivateKinds> kNames = {"host",  "ip",  "guid", "user", "path",
                                                                "token", "url", "pod",  "name"};

bool IsWordByte(char c) { return IsAlnum(c) || c == '_'; }

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// host-12, /path-3, https://url-1: what a pass before has put there.
bool IsAlias(std::string_view text) {
  re2::StringPiece found;
  return InRe2([&] { return RE2::FullMatch(Piece(text), AliasPattern(), &found); });
}

// Of China and Japan: kana, ideographs.
bool IsHan(char32_t c) {
  return (c >= 0x3005 && c <= 0x3007) || (c >= 0x3040 && c < 0xA000) || (c >= 0xF900 && c < 0xFB00) ||
         (c >= 0x20000 && c < 0x32000);
}

// Letters of any script that names are written in; signs are none, and ideographs are where `han` says so: our Chinese
// texts are written in them.
bool IsNameLetter(char32_t c, bool han) {
  if (c < 0x80) return IsWordByte(static_cast<char>(c));
  if (han && IsHan(c)) return true;
  return c >= 0xC0 && c != 0xD7 && c != 0xF7 && (c < 0x2000 || (c >= 0xAC00 && c < 0xD7A4));
}

// The end of the word that begins at `at`, which may be `at`.
size_t WordEnd(std::string_view text, size_t at, bool han = false) {
  const auto letter = [&](size_t i) -> size_t {
    char32_t c = 0;
    const size_t length = i < text.size() ? DecodeUtf8(text.substr(i), &c) : 0;
    return length > 0 && IsNameLetter(c, han) ? length : 0;
  };
  size_t end = at;
  for (;;) {
    if (const size_t length = letter(end); length > 0) {
      end += length;
    } else if (end > at && end < text.size() && std::string_view("-.+").find(text[end]) != std::string_view::npos &&
               letter(end + 1) > 0) {
      ++end;
    } else {
      return end;
    }
  }
}

bool HasHan(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    char32_t c = 0;
    const size_t length = std::max<size_t>(DecodeUtf8(text.substr(at), &c), 1);
    if (IsHan(c)) return true;
    at += length;
  }
  return false;
}

// Of a word in which ideographs and other letters stand together, rank3失败, each run for itself.
bool IsKnownMixedWord(std::string_view word) {
  for (size_t at = 0; at < word.size();) {
    const auto han = [&](size_t i, size_t* length) {
      char32_t c = 0;
      *length = std::max<size_t>(DecodeUtf8(word.substr(i), &c), 1);
      return IsHan(c);
    };
    size_t length = 0, end = at;
    const bool ours = han(at, &length);
    while (end < word.size() && han(end, &length) == ours) end += length;
    const std::string_view run = word.substr(at, end - at);
    if (ours ? !IsKnownHan(run) : !IsKnownWord(run)) return false;
    at = end;
  }
  return true;
}

// Whether each word of it is in the list of known words: what everybody's logs say tells nothing of anybody.
bool AllKnown(std::string_view run) {
  // Signs between the words say nothing: `mlx5_0/ports/1` is as known as its words are.
  for (size_t at = 0; at < run.size();) {
    const size_t end = std::max(WordEnd(run, at), at + 1);
    if (IsWordByte(run[at]) && !IsKnownWord(run.substr(at, end - at))) return false;
    at = end;
  }
  return true;
}

// A path of the system whose every part is known: /dev/shm, /sys/class/infiniband/mlx5_0, /proc/812/environ.
bool IsSystemPath(std::string_view path) {
  constexpr std::string_view kRoots = " dev sys proc usr lib lib64 etc tmp run opt var bin sbin ";
  bool first = true;
  for (size_t at = 1; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (first && kRoots.find(" " + std::string(part) + " ") == std::string_view::npos) return false;
    first = false;
    if (!AllKnown(part)) return false;
    at = end + 1;
  }
  return true;
}

// Said by every log, and needed to read it.
bool IsKept(Private kind, std::string_view text) {
  switch (kind) {
    case Private::kIp:
      return text == "127.0.0.1" || text == "0.0.0.0" || text == "::" || text == "::1";
    case Private::kHost:
      return text == "localhost" || IsKnownPlace(text);
    case Private::kUrl:
      return IsKnownPlace(text);
    case Private::kPath:
      return text == "/" || IsKnownPlace(text) || (text[0] == '/' && IsSystemPath(text));
    case Private::kToken:  // `auth: failed`, `token: expected`, `session 3`
      return text.size() < 24 && IsKnownWord(text) && !IsDigit(text[0]);
    default:
      return false;
  }
}

// `commId 0x6782fe585c992cf7`, `comm 0x000055d0f1a2b3c4`: NCCL's hashes and addresses look like GUIDs. An address of a
// process has at most 12 digits behind its zeros.
bool IsNcclsOwn(Private kind, std::string_view found, std::string_view before) {
  if (kind != Private::kId || !found.starts_with("0x") || found.size() > 18) return false;
  if (found.size() == 18 && (found.starts_with("0x0000") || found.starts_with("0xffff"))) return true;
  const size_t end = before.find_last_not_of(" =:") + 1;
  const size_t begin = before.find_last_of(" \t,;([", end == 0 ? 0 : end - 1) + 1;
  const std::string word = Lowered(before.substr(begin, end - begin));
  constexpr std::array<std::string_view, 4> kOwn = {"comm", "hash", "magic", "opcount"};
  return std::any_of(kOwn.begin(), kOwn.end(),
                     [&](std::string_view own) { return word.find(own) != std::string::npos; });
}

// Keys and hashes: letters of both cases and digits in one long run, with the signs that base64 adds.
size_t KeyEnd(std::string_view text, size_t at) {
  size_t end = at;
  bool lower = false, upper = false, digit = false;
  while (end < text.size() &&
         (IsWordByte(text[end]) || std::string_view("+/=~-").find(text[end]) != std::string_view::npos)) {
    lower |= text[end] >= 'a' && text[end] <= 'z';
    upper |= text[end] >= 'A' && text[end] <= 'Z';
    digit |= IsDigit(text[end]);
    ++end;
  }
  // What is shorter, or lacks one of the three, is more often a name of a program (`GPUDirectRDMA2`): the words decide.
  return end - at >= 20 && lower && upper && digit ? end : at;
}

}  // namespace

std::string_view NameOf(Private kind) { return kNames[static_cast<size_t>(kind)]; }

// A name of one byte, or of digits, would be found all over the text: such are left to the patterns.
void Redactor::Learn(Private kind, const std::string& text) {
  const bool name = text.size() > 1 && text.find_first_not_of("0123456789") != std::string::npos;
  if (!name || text == "localhost" || text == "127.0.0.1" || IsAlias(text) || IsOwnWord(text)) return;
  Alias(kind, text);
  if (IsCommon(text)) marked_.insert(text);
}

void Redactor::Keep(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = WordEnd(text, at);
    if (end > at) kept_.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
}

// Learned names are replaced again after the patterns, which may have learned some in this very text.
void Redactor::Text(std::string* text) {
  if (text->empty()) return;
  ReplaceLearned(text);
  ReplacePatterns(text);
  ReplaceLearned(text);
  ReplaceUnknownWords(text);
}

void Redactor::Line(std::string* text) {
  const bool han = std::exchange(han_, true);
  Text(text);
  han_ = han;
}

void Redactor::Sentence(std::string* text) {
  // The host that a command is for, and no sentence at all: `rank$ dmesg -T`.
  if (const auto host = here_.find("host=" + *text); host != here_.end()) {
    *text = host->second;
    return;
  }
  ours_ = true;
  Text(text);
  ours_ = false;
}

void Redactor::Host(std::string* text) {
  if (!IsOwnWord(*text)) return Line(text);
  *text = AliasHere(Private::kHost, *text);
}

// A word that everybody uses is not learned but where it is a host: it would be replaced wherever it says something.
std::string Redactor::AliasHere(Private kind, std::string_view text) {
  const bool learned = kind == Private::kHost ? !IsOwnWord(text) : !IsCommon(text);
  if (learned) return Alias(kind, text);
  std::string& alias = here_[std::string(NameOf(kind)) + "=" + std::string(text)];
  if (alias.empty()) alias = std::string(NameOf(kind)) + "-" + std::to_string(++counts_[static_cast<size_t>(kind)]);
  return alias;
}

std::string Redactor::Alias(Private kind, std::string_view text) {
  const std::string key(text);
  const auto fresh = [&] {
    return std::string(NameOf(kind)) + "-" + std::to_string(++counts_[static_cast<size_t>(kind)]);
  };
  // Ours are found again word by word. One of ideographs has no ends by which it could be, and is none of our texts.
  if (kind == Private::kName && !HasHan(text)) {
    std::string& alias = names_[key];
    return alias.empty() ? alias = fresh() : alias;
  }
  std::string& alias = learned_.AliasOf(text);
  if (!alias.empty()) return alias;
  alias = fresh();
  if (kind == Private::kPath && text[0] == '/') alias = "/" + alias;
  if (kind == Private::kUrl) alias = "https://" + alias;
  return alias;
}

// Of two names that begin at one place the longer one: gpu-10 is not taken for gpu-1.
void Redactor::ReplaceLearned(std::string* text) const {
  std::string out;
  size_t kept = 0;  // up to here it is in `out`
  for (size_t at = 0; at < text->size();) {
    const bool inside = at > 0 && IsWordByte((*text)[at - 1]);
    const auto stands_here = [&](std::string_view name) {
      const size_t end = at + name.size();
      // In a sentence of ours a known word is a host's name only where the job has that host.
      if (ours_ && IsCommon(name) && !marked_.contains(name)) return false;
      if (inside && IsWordByte(name.front())) return false;
      if (end < text->size() && IsWordByte(name.back()) && IsWordByte((*text)[end])) return false;
      // A piece of an alias is no name: `host` learned as a host stands in host-1, too.
      const bool made = end + 1 < text->size() && (*text)[end] == '-' && IsDigit((*text)[end + 1]);
      return !made || std::find(kNames.begin(), kNames.end(), name) == kNames.end();
    };
    const LearnedNames::Found found = learned_.At(*text, at, stands_here);
    if (found.name.empty()) {
      ++at;
      continue;
    }
    out.append(*text, kept, at - kept).append(found.alias);
    at += found.name.size();
    kept = at;
  }
  if (kept > 0) *text = out.append(*text, kept);
}

void Redactor::ReplacePatterns(std::string* text) {
  for (const PrivatePattern& pattern : PrivatePatterns()) {
    size_t at = 0;
    re2::StringPiece groups[2];
    const auto match = [&] { return pattern.regex->Match(*text, at, text->size(), RE2::UNANCHORED, groups, 2); };
    while (at <= text->size() && InRe2(match)) {
      size_t begin = static_cast<size_t>(groups[1].data() - text->data());
      std::string_view found(groups[1].data(), groups[1].size());
      // Quotes stay where they are.
      while (found.size() > 1 && (found[0] == '"' || found[0] == '\'' || (found[0] == '\\' && found[1] == '"'))) {
        found.remove_prefix(1);
        ++begin;
      }
      while (!found.empty() && (found.back() == '"' || found.back() == '\'')) found.remove_suffix(1);
      if (begin > 0 && (*text)[begin - 1] == '"' && found.ends_with('\\')) found.remove_suffix(1);  // \"password\"
      // What closes or goes on behind the value: {password=missing, …}
      while ((pattern.sure != Sure::kNo || pattern.kind == Private::kToken) && found.size() > 1 &&
             std::string_view(",;:)}].").find(found.back()) != std::string_view::npos) {
        found.remove_suffix(1);
      }
      while (pattern.kind == Private::kPath && found.ends_with('.')) found.remove_suffix(1);  // the end of a sentence
      const bool number = std::all_of(found.begin(), found.end(), [](char c) { return IsDigit(c) || c == '.'; });
      // 10.4.17.2, a password, a serial number or a MAC of digits alone: 7714.1361.1476
      const bool plain =
          number && pattern.kind != Private::kIp && pattern.kind != Private::kToken && pattern.kind != Private::kId;
      const bool kept =
          pattern.sure != Sure::kNo ? SaysNothing(found, pattern.sure) : plain || IsKept(pattern.kind, found);
      if (found.empty() || kept || IsAlias(found) ||
          IsNcclsOwn(pattern.kind, found, std::string_view(*text).substr(0, begin))) {
        at = begin + std::max<size_t>(found.size(), 1);
        continue;
      }
      const size_t size = found.size();
      const std::string alias = AliasHere(pattern.kind, found);
      text->replace(begin, size, alias);
      at = begin + alias.size();
    }
  }
}

// The last resort, and the rule: what is not known to be harmless goes. A name that no pattern finds is no worse than
// an odd word.
void Redactor::ReplaceUnknownWords(std::string* text) {
  std::string out;
  out.reserve(text->size());
  std::string_view rest(*text);
  while (!rest.empty()) {
    // Up to the next alias, which stays.
    re2::StringPiece found[2];
    const bool alias =
        InRe2([&] { return AliasPattern().Match(Piece(rest), 0, rest.size(), RE2::UNANCHORED, found, 2); });
    const size_t stop = alias ? static_cast<size_t>(found[1].data() - rest.data()) : rest.size();
    const std::string_view plain = rest.substr(0, stop);
    for (size_t at = 0; at < plain.size();) {
      const size_t key = KeyEnd(plain, at);
      if (key > at && !AllKnown(plain.substr(at, key - at))) {
        out += Alias(Private::kToken, plain.substr(at, key - at));
        at = key;
        continue;
      }
      const size_t end = WordEnd(plain, at, han_);
      if (end == at) {
        out += plain[at++];
      } else if (const std::string_view word = plain.substr(at, end - at);
                 (ours_ && kept_.contains(word)) || (HasHan(word) ? IsKnownMixedWord(word) : IsKnownWord(word))) {
        out += word;
        at = end;
      } else {
        out += Alias(Private::kName, word);
        at = end;
      }
    }
    rest.remove_prefix(stop);
    if (!alias) break;
    out += std::string_view(found[1].data(), found[1].size());
    rest.remove_prefix(found[1].size());
    // Below a folder of packages stands what everybody has: /path-1/torch/distributed/distributed_c10d.py
    static const RE2* const kPackage = [] {
      return InRe2([] {
               return std::make_unique<RE2>(
                   R"(((?:/torch|/deepspeed|/transformers|/accelerate|/lightning|/pytorch_lightning|/vllm|/ray|/numpy|/nvidia|/megatron)(?:/[A-Za-z0-9_]+)*(?:/[A-Za-z0-9_]+\.[a-z]{1,3})))");
             })
          .release();
    }();
    re2::StringPiece package;
    const bool below = InRe2([&] {
      re2::StringPiece groups[2];
      const bool hit = kPackage->Match(Piece(rest), 0, rest.size(), RE2::ANCHOR_START, groups, 2);
      if (hit) package = groups[1];
      return hit;
    });
    if (!below) continue;
    out.append(package.data(), package.size());
    rest.remove_prefix(package.size());
  }
  *text = std::move(out);
}

}  // namespace ncclwhy
