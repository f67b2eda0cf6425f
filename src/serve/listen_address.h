// ListenAddress: where a server listens, as written on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

struct ListenAddress {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one

  // Only programs of this machine reach it.
  bool IsLoopback() const;
  // "http://127.0.0.1:8080", "http://[::1]:8080"
  std::string Url() const;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", ":8080" and "8080" (both on 127.0.0.1). Port 0 is any free one.
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace ncclwhy
