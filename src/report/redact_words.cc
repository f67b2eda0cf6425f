#include "report/redact_words.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "report/known_words.h"

namespace ncclwhy {

std::string Lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool SaysNothing(std::string_view text, Sure sure) {
  constexpr std::string_view kNoValue = " none null nil true false empty unset 0 1 ";
  constexpr std::string_view kProse =
      " missing required invalid expired wrong incorrect yes no not set now being changed denied rejected error failed "
      "localhost 127.0.0.1 ";
  if (text.find_first_not_of("*.xX-_<>{}()[]") == std::string_view::npos) return true;
  const std::string word = " " + Lowered(text) + " ";
  return kNoValue.find(word) != std::string_view::npos ||
         (sure == Sure::kPlace && kProse.find(word) != std::string_view::npos);
}

bool IsOwnWord(std::string_view text) {
  constexpr std::string_view kOwn =
      " a address all and application cluster communicator device devices error exit failed failure file files fix for "
      "gpu gpus host hosts in interface is it job jobs line lines log logs memory message nccl network node nodes of "
      "on "
      "one other others peer port process processes program rank ranks run signal socket step switch task tasks thread "
      "time timeout to training transport version worker workers ";
  return kOwn.find(" " + Lowered(text) + " ") != std::string_view::npos;
}

bool IsCommon(std::string_view text) {
  constexpr size_t kTellingDigits = 6;
  return IsKnownWord(text) && (!IsDigit(text.back()) || text.size() < kTellingDigits);
}

}  // namespace ncclwhy
