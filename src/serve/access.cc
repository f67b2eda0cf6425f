#include "serve/access.h"

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr size_t kTokenLeast = 16;
constexpr size_t kTokenMost = 4096;

//    node07:8471     node07
//    [::1]:8471      [::1]
//    [::1]           [::1]: the last colon stands within the brackets
std::string_view WithoutPort(std::string_view host) {
  const size_t port = host.rfind(':');
  if (port == std::string_view::npos || host.find(']', port) != std::string_view::npos) return host;
  return host.substr(0, port);
}

}  // namespace

Access::Access(const ListenAddress& address, const std::string& token, std::vector<std::string> names)
    : own_(address.host), names_(std::move(names)), needs_token_(!token.empty()), token_(Sha256(token)) {}

bool Access::IsOurs(std::string_view host_header) const {
  // Who listens for this machine alone is reached by its names alone. A page of a stranger whose name was made to mean
  // 127.0.0.1 asks under that name (DNS rebinding):
  //    Host: evil.example.org:8471
  const bool loopback = own_ == "localhost" || own_.starts_with("127.") || own_ == "::1";
  if (!loopback && names_.empty()) return true;
  const std::string_view host = WithoutPort(host_header);
  // `127.evil.example.org` is a name, not an address: behind 127. there are digits and points only.
  return host.empty() || SameButCase(host, own_) || SameButCase(host, "[" + own_ + "]") ||
         SameButCase(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos) ||
         std::any_of(names_.begin(), names_.end(), [&](const std::string& name) { return SameButCase(host, name); });
}

bool Access::IsSameOrigin(std::string_view origin_header, std::string_view host_header) {
  if (origin_header.empty()) return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin_header.starts_with(scheme)) return SameButCase(origin_header.substr(scheme.size()), host_header);
  }
  return false;
}

bool Access::IsToken(std::string_view shown) const {
  // Of what is shown, whatever its length: comparing the texts would tell, by its time, how many of the first letters
  // are right.
  const Sha256Digest digest = Sha256(shown);
  unsigned differ = 0;
  for (size_t i = 0; i < digest.size(); ++i) differ |= static_cast<unsigned>(digest[i] ^ token_[i]);
  return !needs_token_ || differ == 0;
}

bool Access::IsAuthorised(std::string_view authorization_header) const {
  constexpr std::string_view kBearer = "bearer ";
  if (!needs_token_) return true;
  return SameButCase(authorization_header.substr(0, kBearer.size()), kBearer) &&
         IsToken(authorization_header.substr(kBearer.size()));
}

Result<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // Room for the longest token and CRLF; what does not fit is too long, however long the file is.
  std::string line(kTokenMost + 2, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.bad() || !file.is_open()) return Status::Io(path + ": the token cannot be read");
  line.resize(static_cast<size_t>(file.gcount()));
  line.resize(std::min(line.size(), line.find_first_of("\r\n")));
  if (line.size() < kTokenLeast || line.size() > kTokenMost) {
    return Status::InvalidArgument(path + ": a token has 16 to 4096 bytes, in one line");
  }
  return line;
}

}  // namespace ncclwhy
