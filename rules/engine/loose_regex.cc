#include "rules/engine/loose_regex.h"

#include "base/numbers.h"

namespace ncclwhy {
namespace {

constexpr int kFew = 8;  // so many states more are no burden

// Behind the class that begins at `at`: [^|\n] []a] [[:alpha:]_]
size_t BehindClass(std::string_view regex, size_t at) {
  ++at;
  if (at < regex.size() && regex[at] == '^') ++at;
  for (bool first = true; at < regex.size() && (first || regex[at] != ']'); first = false) {
    const size_t named = regex.substr(at).starts_with("[:") ? regex.find(":]", at) : std::string_view::npos;
    at = named != std::string_view::npos ? named + 2 : at + (regex[at] == '\\' ? 2 : 1);
  }
  return at + 1;
}

}  // namespace

// Whoever leaves a count out matches more, wherever that stands: no expression of RE2 asks for what is not there.
std::string LooseRegex(std::string_view regex) {
  std::string loose;
  bool loosened = false;
  for (size_t at = 0; at < regex.size();) {
    size_t end = at + 1;
    if (regex[at] == '\\') {
      end = at + 2;
    } else if (regex[at] == '[') {
      end = BehindClass(regex, at);
    } else if (regex[at] == '{') {
      //    {0,60}
      const size_t comma = regex.find(',', at);
      const size_t close = regex.find('}', at);
      if (comma < close && close != std::string_view::npos) {
        const auto least = ParseInt<int>(regex.substr(at + 1, comma - at - 1));
        const auto most = ParseInt<int>(regex.substr(comma + 1, close - comma - 1));
        if (least && most && *most - *least > kFew) {
          loosened = true;
          loose += *least == 0 ? '*' : '+';
          at = close + 1;
          continue;
        }
      }
    }
    loose += regex.substr(at, end - at);
    at = end;
  }
  return loosened ? loose : std::string();
}

}  // namespace ncclwhy
