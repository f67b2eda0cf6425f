// Build step: collects the words that --redact keeps.
//
//   embed_words OUTPUT.cc INPUT...
//
// Of knowledge (.json, .jsonl, .txt) every word, path and URL, and every two ideographs that stand together; of sources
// (.cc, .h) the words between quotes. The output is touched only when it changes.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

// Examples of hosts: gpu-a17, node3. Their words are no more known than any other host's.
bool IsExample(const std::string& word) {
  if (word.find_first_of("0123456789") == std::string::npos) return false;
  for (const char* begin : {"gpu", "node", "host", "worker", "dgx", "rank", "pod", "ip-"}) {
    if (word.rfind(begin, 0) == 0) return true;
  }
  return false;
}

void Collect(std::string_view text, std::set<std::string>* out) {
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\\' && i + 1 < text.size()) {  // \n of JSON, \d of a pattern
      i += 2;
      continue;
    }
    if (text[i] == '/' || text.substr(i, 8) == "https://") {
      const size_t close = std::min(text.find_first_of(" \t\n\"'<>\\,;)]|{}*$`", i + 1), text.size());
      std::string_view found = text.substr(i, close - i);
      while (!found.empty() && std::string_view("./:").find(found.back()) != std::string_view::npos)
        found.remove_suffix(1);
      if (found.size() > 2) out->insert(std::string(found));
    }
    if (!IsWord(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() &&
           (IsWord(text[end]) || (std::string_view("-.+").find(text[end]) != std::string_view::npos &&
                                  end + 1 < text.size() && IsWord(text[end + 1])))) {
      ++end;
    }
    const std::string word = Lower(text.substr(i, end - i));
    if (IsLetter(text[i]) && !IsExample(word)) out->insert(word);
    // Its parts, too: `net_ib.cc` is net_ib and cc.
    for (size_t at = i; at < end;) {
      size_t stop = at;
      while (stop < end && IsLetter(text[stop])) ++stop;
      if (stop > at) out->insert(Lower(text.substr(at, stop - at)));
      at = stop + 1;
    }
    i = end;
  }
}

// 失败了 is 失败 and 败了: where words of Chinese end nobody says. UTF-8 of U+4E00 to U+9FFF has three bytes.
void CollectHan(std::string_view text, std::set<std::string>* out) {
  constexpr size_t kBytes = 3;
  const auto is_han = [&](size_t i) {
    return i + kBytes <= text.size() && text[i] >= '\xE4' && text[i] <= '\xE9' &&
           (text[i] != '\xE4' || text[i + 1] >= '\xB8');
  };
  for (size_t i = 0; i < text.size(); i += is_han(i) ? kBytes : 1) {
    if (is_han(i) && is_han(i + kBytes)) out->insert(std::string(text.substr(i, 2 * kBytes)));
  }
}

// What stands between double quotes, which is what people read of a source.
void CollectQuoted(std::string_view text, std::set<std::string>* out) {
  for (size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    size_t end = at + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return;
    Collect(text.substr(at + 1, end - at - 1), out);
    at = end + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string> words;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    std::ifstream in(name, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.empty()) {
      std::cerr << name << ": cannot be read\n";
      return 1;
    }
    const bool source = name.ends_with(".cc") || name.ends_with(".h");
    source ? CollectQuoted(text, &words) : Collect(text, &words);
    CollectHan(text, &words);
  }
  // One text and no table of places in it: that would have to be relocated at each start of the program.
  std::string made =
      "// Made by embed_words. Do not edit.\n#include \"report/known_words_table.h\"\n\nnamespace ncclwhy {\n\n"
      "std::string_view KnownWordsText() {\n  return\n";
  for (const std::string& word : words) made += "\"" + word + "\\n\"\n";
  made += ";\n}\n\n}  // namespace ncclwhy\n";
  std::ifstream old(argv[1], std::ios::binary);
  if (std::string((std::istreambuf_iterator<char>(old)), {}) == made) return 0;
  std::ofstream(argv[1], std::ios::binary) << made;
  return 0;
}
