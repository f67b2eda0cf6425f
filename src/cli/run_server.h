// RunServer: what `ncclwhy serve` does once its options are known.
#pragma once

#include "serve/server.h"

namespace ncclwhy {

// The options of `serve` as they were given; RunServer opens what they name.
struct ServeArguments {
  ServerOptions server;
  std::string listen = "127.0.0.1:8471";
  std::string token_file;  // empty: no token
  bool quiet = false;
};

// The exit status.
int RunServer(const ServeArguments& arguments);

}  // namespace ncclwhy
