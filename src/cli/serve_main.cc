// ncclwhy-serve: what `ncclwhy serve` becomes where the server is not inside ncclwhy. See run_server.h.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>

#include "cli/output.h"
#include "cli/subcommand.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::unique_ptr<ncclwhy::Subcommand> command = ncclwhy::NewServeCommand();
    CLI::App app("", "ncclwhy-serve");
    command->AddOptions(&app);
    app.parse(argc, argv);
    return command->Run();
  } catch (const std::exception& error) {
    ncclwhy::Complain(error.what());
    return ncclwhy::kExitTrouble;
  }
}
