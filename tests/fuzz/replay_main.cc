// Runs a fuzz target without a fuzzer: every file below the given directories once, each also with some mutations of
// nccl_mutator.h when the first argument is --mutate=N. Fails when a directory holds no file, so that a corpus cannot
// get lost unnoticed. A crash prints which input did it; --keep=FILE holds the input that ran last.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/nccl_mutator.h"

namespace {

namespace fs = std::filesystem;

char current[4096];
std::string keep;

void Say(int signal_number) {
  (void)!write(STDERR_FILENO, current, std::strlen(current));
  (void)!write(STDERR_FILENO, "\n", 1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void Run(const std::string& input, const std::string& what) {
  std::snprintf(current, sizeof current, "while running %s", what.c_str());
  if (!keep.empty()) std::ofstream(keep, std::ios::binary) << input;
  // A copy of exactly this size: one byte beyond it is seen by the address sanitizer.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const int s : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(s, Say);
  size_t mutations = 0;
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--mutate=", 0) == 0) {
      mutations = std::stoul(argument.substr(9));
      continue;
    }
    if (argument.rfind("--keep=", 0) == 0) {
      keep = argument.substr(7);
      continue;
    }
    std::vector<fs::path> inputs;
    if (fs::is_directory(argument)) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument)) {
        if (entry.is_regular_file()) inputs.push_back(entry.path());
      }
    } else if (fs::is_regular_file(argument)) {
      inputs.emplace_back(argument);
    }
    if (inputs.empty()) {
      std::fprintf(stderr, "%s: no inputs\n", argument.c_str());
      return 1;
    }
    std::sort(inputs.begin(), inputs.end());
    for (const fs::path& path : inputs) {
      const std::string input = Slurp(path);
      Run(input, path.string());
      ++runs;
      for (size_t n = 0; n < mutations; ++n, ++runs) {
        ncclwhy::fuzz::Dice dice(uint64_t{n});
        std::string mutated = input;
        for (size_t k = 0; k <= n % 4; ++k) mutated = ncclwhy::fuzz::MutateLog(mutated, 64 * 1024, dice);
        Run(mutated, path.string() + ", mutation " + std::to_string(n));
      }
    }
  }
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
