// ListenAddress: where a server listens, as written on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

// An address, or a name that the system resolves when the server opens it; nothing is resolved here.
struct ListenAddress {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one

  // Only programs of this machine reach it.
  // By its text: a name that means 127.0.0.1 in /etc/hosts is not known as that.
  bool IsLoopback() const;
  // "http://127.0.0.1:8080", "http://[::1]:8080"
  std::string Url() const;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", ":8080" and "8080" (both on 127.0.0.1). Port 0 is any free one.
// kInvalidArgument, with a sentence, for all else: `::1:8080` without brackets, a port beyond 65535.
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace ncclwhy
