#include "store/incident_words.h"

#include <algorithm>

#include "base/text.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

// <n>, <path>, <bus id>: what differs from job to job, in the words of whoever described the incident.
constexpr size_t kPlaceholder = 24;

std::string WithoutPlaceholders(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = text[at] == '<' ? text.find('>', at) : std::string_view::npos;
    const auto plain = [](char c) { return IsAlnum(c) || c == ' ' || c == '_' || c == '-'; };
    const bool is = end != std::string_view::npos && end - at <= kPlaceholder &&
                    std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                text.begin() + static_cast<std::ptrdiff_t>(end), plain);
    out += is ? ' ' : text[at];
    if (is) at = end;
  }
  return out;
}

void AddWord(std::string_view shape, std::vector<std::string>* words) {
  std::string word(shape);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  // What is left of `0x7f32` is `0x`, of `12` nothing: numbers are marks in the skeleton, which are no letters.
  const bool number = word == "0x" || std::none_of(word.begin(), word.end(), IsAlpha);
  if (word.size() < 2 || word.size() > kIncidentWordBytes || number || words->size() == kIncidentWords) return;
  if (std::find(words->begin(), words->end(), word) == words->end()) words->push_back(std::move(word));
}

}  // namespace

std::vector<std::string> IncidentWords(std::string_view line) {
  const std::string text = WithoutPlaceholders(line);
  std::vector<std::string> words;
  std::string shape;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    shape.clear();
    if (skeleton::Append(std::string_view(text).substr(at, end - at), &shape)) {
      for (size_t begin = 0; begin < shape.size();) {
        size_t stop = begin;
        while (stop < shape.size() && IsWordChar(shape[stop])) ++stop;
        if (stop > begin) AddWord(std::string_view(shape).substr(begin, stop - begin), &words);
        begin = stop + 1;
      }
    }
    at = end + 1;
  }
  return words;
}

}  // namespace ncclwhy
