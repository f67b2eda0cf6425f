#include "collect/without_credentials.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ncclwhy {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::array<std::string_view, 9> kSecret = {"token", "key",  "secret", "passw",  "pwd",
                                                     "sig",   "auth", "cred",   "session"};

// What stands between two blanks, quotes or commas.
constexpr std::string_view kBetween = " \t\r\n\"'<>,";

bool IsSecret(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(kSecret.begin(), kSecret.end(),
                     [&](std::string_view each) { return lower.find(each) != std::string::npos; });
}

// http://user:password@node1/x and user:password@node1; of mlx5_0:1 and a@b nothing is hidden.
std::string WithoutUser(std::string_view word) {
  const size_t scheme = word.find("://");
  const size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::string_view host = word.substr(begin, word.find_first_of("/?#", begin) - begin);
  // A password may hold any of those signs, unescaped: the last @ counts when none stands before the path.
  size_t at = host.rfind('@');
  if (at == std::string_view::npos && scheme != std::string_view::npos) at = word.substr(begin).rfind('@');
  if (at == std::string_view::npos) return std::string(word);
  if (scheme == std::string_view::npos && host.substr(0, at).find(':') == std::string_view::npos) {
    return std::string(word);
  }
  return std::string(word.substr(0, begin)) + std::string(kHidden) + std::string(word.substr(begin + at));
}

// …?token=abc&x=1, token=abc;x=1
std::string WithoutParameters(std::string_view word) {
  std::string out;
  while (!word.empty()) {
    const size_t end = std::min(word.find_first_of("?&;#"), word.size());
    const std::string_view part = word.substr(0, end);
    const size_t equals = part.find('=');
    const bool secret = equals != std::string_view::npos && IsSecret(part.substr(0, equals));
    out += secret ? std::string(part.substr(0, equals + 1)) + std::string(kHidden) : std::string(part);
    if (end < word.size()) out += word[end];
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return out;
}

}  // namespace

std::string WithoutCredentials(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const size_t end = std::min(value.find_first_of(kBetween), value.size());
    out += WithoutParameters(WithoutUser(value.substr(0, end)));
    if (end < value.size()) out += value[end];
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return out;
}

}  // namespace ncclwhy
