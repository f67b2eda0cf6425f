#include "serve/listen_address.h"

#include "base/numbers.h"

namespace ncclwhy {

bool ListenAddress::IsLoopback() const { return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0; }

std::string ListenAddress::Url() const {
  // A colon is only in addresses of IPv6, which a URL has in brackets.
  const bool six = host.find(':') != std::string::npos;
  return "http://" + (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const Status wrong = Status::InvalidArgument("'" + std::string(text) +
                                               "' is no address to listen on; write HOST:PORT, such as 127.0.0.1:8471");
  ListenAddress out;
  std::string_view port = text;
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      return wrong;  // ::1:8080 could be read in two ways
    }
    if (!host.empty()) out.host = std::string(host);
  }
  const std::optional<uint16_t> number = ParseInt<uint16_t>(port);
  if (!number) return wrong;
  out.port = *number;
  return out;
}

}  // namespace ncclwhy
