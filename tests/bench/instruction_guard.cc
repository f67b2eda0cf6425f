// instruction_guard: counts the instructions of ncclwhy on fixed inputs with callgrind and compares them with
// instructions.json. Counts hold for one compiler; with another the test is skipped. NCCLWHY_BLESS=1 rewrites the file.
//
//   instruction_guard VALGRIND GEN NCCLWHY INSTRUCTIONS.JSON COMPILER
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "child.h"

namespace ncclwhy::bench {
namespace {

using nlohmann::ordered_json;

// Slower than this much over the stored count fails; faster by as much asks for a new count.
constexpr double kTolerance = 0.05;
constexpr int kSkipped = 77;

struct Input {
  std::string_view name;
  std::vector<std::string> options;
};

const std::array<Input, 5>& Inputs() {
  static const std::array<Input, 5> kInputs = {{
      {"pasted-25-lines", {"--ranks", "1", "--hosts", "1", "--steps", "2", "--brief", "--channels", "1"}},
      {"info", {"--subsys", "init", "--size", "1M"}},
      {"coll", {"--subsys", "coll", "--size", "1M"}},
      {"trace", {"--subsys", "trace", "--size", "1M"}},
      {"warn-storm", {"--mix", "warn", "--size", "1M", "--fault", "killed", "--version", "2.21.5"}},
  }};
  return kInputs;
}

// "==12== Collected : 123456"
int64_t Collected(const std::string& text) {
  const size_t at = text.find("Collected : ");
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + 12);
}

int64_t Count(const std::string& valgrind, const std::string& gen, const std::string& ncclwhy, const Input& input) {
  const ScratchDirectory scratch;
  std::vector<std::string> make = {gen, "--out", scratch.path(), "--layout", "single", "--seed", "1"};
  make.insert(make.end(), input.options.begin(), input.options.end());
  const auto made = RunChild(make);
  if (!made.ok() || made.value().exit_status != 0) return -1;
  const auto run = RunChild({valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", ncclwhy, "--jobs", "1",
                             "--format", "json", scratch.path() + "/job.log"});
  return run.ok() ? Collected(run.value().err) : -1;
}

}  // namespace

int Guard(const std::vector<std::string>& args) {
  const std::string& path = args[3];
  const bool bless = std::getenv("NCCLWHY_BLESS") != nullptr;
  ordered_json stored;
  if (std::ifstream file(path); file) stored = ordered_json::parse(file, nullptr, false);
  if (!bless && (!stored.is_object() || stored.value("compiler", "") != args[4])) {
    fmt::print("skipped: the stored counts are of another compiler than {}\n", args[4]);
    return kSkipped;
  }
  ordered_json counts;
  int failures = 0;
  for (const Input& input : Inputs()) {
    const int64_t count = Count(args[0], args[1], args[2], input);
    if (count <= 0) {
      fmt::print("{}: nothing was counted; did the generator, valgrind or ncclwhy fail?\n", input.name);
      return 1;
    }
    counts[std::string(input.name)] = count;
    const int64_t before =
        stored.is_object() ? stored.value("instructions", ordered_json::object()).value(input.name, int64_t{-1}) : -1;
    const double ratio = before > 0 ? static_cast<double>(count) / static_cast<double>(before) : 0;
    fmt::print("{:<16} {:>14} instructions, stored {:>14}, ratio {:.3f}\n", input.name, count, before, ratio);
    if (ratio > 1 + kTolerance || ratio < 1 - kTolerance) ++failures;
  }
  if (bless) {
    std::ofstream(path) << ordered_json{{"compiler", args[4]}, {"instructions", counts}}.dump(1) << '\n';
    return 0;
  }
  if (failures > 0)
    fmt::print("{} of the counts moved by more than {:.0f} %; if that is wanted, NCCLWHY_BLESS=1\n", failures,
               100 * kTolerance);
  return failures == 0 ? 0 : 1;
}

}  // namespace ncclwhy::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: instruction_guard VALGRIND GEN NCCLWHY INSTRUCTIONS.JSON COMPILER\n");
    return 2;
  }
  return ncclwhy::bench::Guard({argv + 1, argv + argc});
}
