#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/run_server.h"
#include "cli/subcommand.h"

namespace ncclwhy {
namespace {

std::vector<std::string> CommandLine(const ServeArguments& arguments) {
  const ServerOptions& server = arguments.server;
  std::vector<std::string> out = {"ncclwhy-serve", "--listen", arguments.listen};
  const auto add = [&out](const char* name, const std::string& value) { out.insert(out.end(), {name, value}); };
  add("--max-bytes", std::to_string(server.max_bytes));
  add("--timeout", std::to_string(server.timeout_seconds));
  if (server.workers > 0) add("--workers", std::to_string(server.workers));
  add("--queue", std::to_string(server.queue));
  for (const std::string& directory : server.analyzer.kb_directories) add("--kb", directory);
  for (const std::string& directory : server.analyzer.rule_directories) add("--rules", directory);
  if (arguments.quiet) out.emplace_back("--quiet");
  return out;
}

}  // namespace

int RunServer(const ServeArguments& arguments) {
  const std::vector<std::string> words = CommandLine(arguments);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // Beside this program, or where installations put programs that are not for users.
  std::error_code error;
  const std::filesystem::path home = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  int reason = ENOENT;
  for (const char* place : {"ncclwhy-serve", "../libexec/ncclwhy/ncclwhy-serve"}) {
    ::execv((home / place).c_str(), argv.data());
    if (errno != ENOENT) reason = errno;
  }
  Complain("cannot start ncclwhy-serve, which belongs beside ncclwhy: " + std::string(std::strerror(reason)));
  return kExitTrouble;
}

}  // namespace ncclwhy
