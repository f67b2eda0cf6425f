#include "analyze/word_reading.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr size_t kMostTold = 3;
constexpr size_t kLongestNumber = 3;
// A further sentence that says as much for the cause as this share of the most telling one is shown, too.
constexpr double kTellsToo = 0.5;

bool IsOther(char c) { return (c & 0x80) != 0; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool IsOfWord(char c) { return IsLetter(c) || IsDigit(c) || IsOther(c); }

// U+3000 to U+D7FF: three bytes, of which the first says so.
bool IsEastAsian(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  return text.size() >= 3 && first >= 0xE3 && first <= 0xED && IsOther(text[1]) && IsOther(text[2]) &&
         (first != 0xED || static_cast<unsigned char>(text[1]) < 0xA0);
}

template <typename Is>
size_t EndOf(std::string_view text, size_t at, const Is& is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

// `10.0.0.7:29500`, `12:03:44`, `2.28`: a part of something that is no number.
bool IsPart(std::string_view text, size_t begin, size_t end) {
  const auto joins = [](char c) { return c == '.' || c == ':'; };
  const bool before = begin >= 2 && joins(text[begin - 1]) && IsDigit(text[begin - 2]);
  return before || (end + 1 < text.size() && joins(text[end]) && IsDigit(text[end + 1]));
}

// `socket.cc:484`.
bool IsLineOfFile(std::string_view text, size_t begin) {
  constexpr size_t kLongestEnd = 4;
  if (begin < 3 || text[begin - 1] != ':') return false;
  size_t at = begin - 1;
  while (at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') --at;
  const size_t letters = begin - 1 - at;
  return letters >= 1 && letters <= kLongestEnd && at > 0 && text[at - 1] == '.';
}

// One sentence's words and pairs of words.
std::vector<std::string> FeaturesOf(std::string_view sentence) {
  std::vector<std::string> words = WordsOf(sentence);
  const size_t single = words.size();
  for (size_t i = 0; i + 1 < single; ++i) words.push_back(words[i] + " " + words[i + 1]);
  return words;
}

struct Feature {
  double count = 0;
  WordKnowledge known;
  std::vector<size_t> sentences;  // in which it stands
};

using Features = std::map<std::string, Feature>;

Features KnownFeatures(const std::vector<std::string_view>& sentences, const KnowledgeBase& kb) {
  Features out;
  std::set<std::string> unknown;
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (const std::string& word : FeaturesOf(sentences[i])) {
      if (unknown.contains(word)) continue;
      auto it = out.find(word);
      if (it == out.end()) {
        std::optional<WordKnowledge> known = kb.FindWord(word);
        if (!known) {
          unknown.insert(word);
          continue;
        }
        it = out.emplace(word, Feature{0, std::move(*known), {}}).first;
      }
      ++it->second.count;
      std::vector<size_t>& there = it->second.sentences;
      if (there.empty() || there.back() != i) there.push_back(i);
    }
  }
  return out;
}

// The first few of `scores`, best first: those that are worth as much as a share of the best.
template <typename Key>
std::vector<Key> Best(const std::map<Key, double>& scores, double share) {
  std::vector<std::pair<Key, double>> sorted(scores.begin(), scores.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Key> out;
  for (const auto& [key, score] : sorted) {
    if (out.size() >= kMostTold || score <= 0 || score < share * sorted[0].second) break;
    out.push_back(key);
  }
  return out;
}

// A word that comes ten times says not ten times as much.
double Value(const Feature& f) { return (1 + std::log(f.count)) * f.known.rarity; }

// Which sentences and words say most for the cause.
void Explain(const Features& features, WordReading* reading) {
  std::map<size_t, double> by_sentence;
  std::map<std::string, double> by_word;
  for (const auto& [word, f] : features) {
    for (const auto& [cause, weight] : f.known.causes) {
      if (cause != reading->cause) continue;
      by_word[word] += weight * Value(f);
      for (const size_t i : f.sentences) by_sentence[i] += weight * Value(f);
    }
  }
  reading->telling = Best(by_sentence, kTellsToo);
  reading->words = Best(by_word, 0);
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = IsUpper(c) ? static_cast<char>(c | 0x20) : c;
  const std::string_view all = lower;
  std::vector<std::string> out;
  for (size_t at = 0; at < all.size();) {
    if (IsLetter(all[at])) {
      const size_t end = EndOf(all, at, IsLetter);
      if (end - at >= 2) out.emplace_back(all.substr(at, end - at));
      at = end;
    } else if (IsDigit(all[at])) {
      const size_t end = EndOf(all, at, IsDigit);
      const bool alone = (at == 0 || !IsOfWord(all[at - 1])) && (end == all.size() || !IsOfWord(all[end]));
      if (alone && end - at <= kLongestNumber && !IsPart(all, at, end) && !IsLineOfFile(all, at))
        out.emplace_back(all.substr(at, end - at));
      at = end;
    } else if (IsEastAsian(all.substr(at))) {
      out.emplace_back(all.substr(at, 3));
      at += 3;
    } else {
      ++at;
    }
  }
  return out;
}

std::vector<WordReading> ReadWords(const std::vector<std::string_view>& sentences, const KnowledgeBase& kb) {
  const std::optional<WordKnowledge> before = kb.FindWord("");
  const Features features = KnownFeatures(sentences, kb);
  if (!before || features.empty()) return {};
  double squares = 0;
  for (const auto& [word, f] : features) squares += Value(f) * Value(f);
  if (squares <= 0) return {};
  std::map<std::string, double> margins(before->causes.begin(), before->causes.end());
  for (const auto& [word, f] : features) {
    for (const auto& [cause, weight] : f.known.causes) margins[cause] += weight * Value(f) / std::sqrt(squares);
  }
  std::vector<WordReading> out;
  for (const auto& [cause, margin] : margins) out.push_back({cause, margin, {}, {}});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.margin > b.margin; });
  if (out.size() > kMostTold) out.resize(kMostTold);
  for (WordReading& reading : out) Explain(features, &reading);
  std::erase_if(out, [](const WordReading& reading) { return reading.telling.empty(); });
  return out;
}

}  // namespace ncclwhy
