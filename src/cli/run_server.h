// RunServer: what `ncclwhy serve` does once its options are known.
//
// Two forms, of which the build takes one (NCCLWHY_SERVE_INSIDE): run_server.cc serves in this process; exec_server.cc
// becomes the program ncclwhy-serve, which has run_server.cc inside and is linked with what HTTP needs, so that the
// other commands need not load that.
#pragma once

#include "serve/server.h"

namespace ncclwhy {

struct ServeArguments {
  ServerOptions server;
  std::string listen = "127.0.0.1:8471";
  bool quiet = false;
};

// The exit status.
int RunServer(const ServeArguments& arguments);

}  // namespace ncclwhy
