#include "cli/run_server.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

#include "cli/output.h"
#include "cli/subcommand.h"
#include "serve/access.h"

namespace ncclwhy {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

int Failed(const Status& status) {
  Complain(status.message());
  return kExitTrouble;
}

// The server runs in a thread of its own; this one waits for signals.
int Serve(Server& server, const sigset_t& signals) {
  Status status;
  std::atomic<bool> ending = false;  // whoever sets it first decides what the signal means
  std::thread runner;
  try {
    runner = std::thread([&] {
      status = server.Run();
      // The thread that waits for signals learns of it by one.
      if (!status.ok() && !ending.exchange(true)) kill(getpid(), SIGTERM);
    });
  } catch (const std::system_error& e) {
    return Failed(Status::Io(std::string("no thread to serve with: ") + e.code().message()));
  }
  int signal = 0;
  sigwait(&signals, &signal);
  // The next one is not waited for: it ends the program. Where the server failed, that may be its own, which stays
  // blocked: the sentence is still to come.
  if (!ending.exchange(true)) {
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
  server.Stop();
  runner.join();
  return status.ok() ? 0 : Failed(status);
}

}  // namespace

int RunServer(const ServeArguments& arguments) {
  ServerOptions options = arguments.server;
  Result<ListenAddress> address = ParseListenAddress(arguments.listen);
  if (!address.ok()) return Failed(address.status());
  options.address = address.take();
  if (!arguments.token_file.empty()) {
    Result<std::string> token = ReadToken(arguments.token_file);
    if (!token.ok()) return Failed(token.status());
    options.token = token.take();
  }
  const bool open = options.token.empty();
  if (!arguments.quiet) options.log = [](const std::string& line) { Complain(line); };

  // Before any thread starts, so that all of them leave the signals to the one that waits.
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Result<std::unique_ptr<Server>> server = Server::Create(std::move(options));
  if (!server.ok()) return Failed(server.status());
  const ListenAddress& bound = server.value()->address();
  if (!bound.IsLoopback() && open) {
    Complain("other machines may reach this address, and nothing asks them who they are; see --token");
  }
  // A script reads the port from here when it asked for port 0.
  if (WriteStandardOutput("listening on " + bound.Url() + "\n") == Written::kFailed) return kExitTrouble;
  return Serve(*server.value(), signals);
}

}  // namespace ncclwhy
