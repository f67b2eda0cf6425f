// scale_test: generated jobs of a thousand and more ranks, each with one fault, against their labels; and how time and
// memory grow with the number of ranks.
//
//   scale_test --fault KIND GEN NCCLWHY    one fault, all versions that differ for it
//   scale_test --growth GEN NCCLWHY        time and memory from 1,024 ranks on
//   scale_test --repeatable GEN NCCLWHY    the generator is deterministic
//   scale_test --list GEN NCCLWHY FILE     every fault that GEN knows must be named in FILE
//
// NCCLWHY_SCALE=full adds 16,384 ranks (brief start-up lines) with three seeds, and to --growth the same size.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "child.h"
#include "gen/fault.h"

namespace ncclwhy::bench {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxLogBytes = 500'000'000;     // of one generated job in the small test
constexpr uint64_t kMaxPeakBytes = 1'000'000'000;  // at 16,384 ranks
// A rank more must not cost more than this times what the first thousand cost each; 1 is exactly linear.
constexpr double kMaxGrowth = 2.0;

struct Tools {
  std::string gen, ncclwhy;
};

struct Case {
  int ranks = 1024;
  std::string version = "2.28.9", fault = "none", layout = "rank", launcher = "none";
  int seed = 1;
  bool brief = false;
};

bool FullScale() {
  const char* value = std::getenv("NCCLWHY_SCALE");
  return value != nullptr && std::string_view(value) == "full";
}

int failures = 0;

void Fail(const Case& c, const std::string& what) {
  ++failures;
  fmt::print("FAILED  {} ranks, {}, {}, seed {}, one file per {}: {}\n", c.ranks, c.version, c.fault, c.seed, c.layout,
             what);
}

json ReadJson(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
}

// The label of what was generated into `directory`, moved out of the way of the logs.
bool GenerateCase(const Tools& tools, const Case& c, const std::string& directory, json* label, json* written) {
  std::vector<std::string> argv = {tools.gen,
                                   "--out",
                                   directory,
                                   "--ranks",
                                   std::to_string(c.ranks),
                                   "--hosts",
                                   std::to_string(c.ranks / 8),
                                   "--version",
                                   c.version,
                                   "--fault",
                                   c.fault,
                                   "--seed",
                                   std::to_string(c.seed),
                                   "--layout",
                                   c.layout,
                                   "--steps",
                                   "12"};
  if (c.brief) argv.emplace_back("--brief");
  const auto made = RunChild(argv);
  if (!made.ok() || made.value().exit_status != 0) {
    Fail(c, "the generator failed: " + (made.ok() ? made.value().err : made.status().message()));
    return false;
  }
  *written = json::parse(made.value().out);
  *label = ReadJson(directory + "/incident.json");
  std::filesystem::remove(directory + "/incident.json");
  return true;
}

// "rank 3 on node07" or "node07".
bool NamesCulprit(const std::string& wanted, const json& cause) {
  int rank = -1;
  char host[256] = "";
  const bool is_rank = std::sscanf(wanted.c_str(), "rank %d on %255s", &rank, host) == 2;
  for (const json& culprit : cause.value("culprits", json::array())) {
    if (is_rank ? culprit.value("rank", -1) == rank : culprit.value("host", "") == wanted) return true;
  }
  return false;
}

void Judge(const Case& c, const json& label, const json& written, const Outcome& outcome) {
  const json report = json::parse(outcome.out, nullptr, false);
  if (outcome.exit_status != 0 && outcome.exit_status != 1 && outcome.exit_status != 3) {
    return Fail(c, fmt::format("exit status {}: {}", outcome.exit_status, outcome.err));
  }
  if (report.is_discarded()) return Fail(c, "the report is no JSON");
  if (report.at("coverage").at("lines") != written.at("lines")) {
    Fail(c, fmt::format("{} lines written, {} read", written.at("lines").dump(),
                        report.at("coverage").at("lines").dump()));
  }
  std::set<std::string> accepted = label.at("also_acceptable");
  accepted.insert(label.at("root_cause").get<std::string>());
  const json causes = report.value("causes", json::array());
  const std::string first = causes.empty() ? "none" : causes[0].at("id").get<std::string>();
  if (!label.at("determinable_from_log")) return;
  if (accepted.count(first) == 0) {
    return Fail(c, fmt::format("named {}, the cause is {}", first, label.at("root_cause").get<std::string>()));
  }
  if (!label.at("culprit").is_null() && !NamesCulprit(label.at("culprit"), causes[0])) {
    const json named = causes[0].value("culprits", json::array());
    Fail(c, fmt::format("named {}, the culprit is {}", named.dump().substr(0, 300),
                        label.at("culprit").get<std::string>()));
  }
}

// Generates, analyses, judges. Returns what the analysis cost.
Outcome RunCase(const Tools& tools, const Case& c) {
  const ScratchDirectory scratch;
  json label;
  json written;
  if (scratch.path().empty() || !GenerateCase(tools, c, scratch.path(), &label, &written)) return {};
  const uint64_t bytes = written.at("bytes");
  if (!c.brief && bytes > kMaxLogBytes) Fail(c, fmt::format("{} bytes of logs", bytes));
  const auto run = RunChild({tools.ncclwhy, "--format", "json", scratch.path()});
  if (!run.ok()) {
    Fail(c, run.status().message());
    return {};
  }
  Judge(c, label, written, run.value());
  if (run.value().peak_bytes > kMaxPeakBytes) Fail(c, fmt::format("peak memory {} bytes", run.value().peak_bytes));
  fmt::print("{:>6} ranks  {}  {:<20} seed {} {:<6} {:>6.1f} MB  {:>6.2f} s wall  {:>6.2f} s CPU  {:>5.0f} MB\n",
             c.ranks, c.version, c.fault, c.seed, c.layout, static_cast<double>(bytes) / 1e6, run.value().wall_seconds,
             run.value().cpu_seconds, static_cast<double>(run.value().peak_bytes) / 1e6);
  return run.value();
}

void TestFault(const Tools& tools, const std::string& fault) {
  for (const Era& era : Eras()) {
    RunCase(tools, {.version = std::string(era.version), .fault = fault});
  }
  RunCase(tools, {.fault = fault, .layout = "host", .seed = 2});
  RunCase(tools, {.version = "2.21.5", .fault = fault, .layout = "single", .launcher = "srun", .seed = 3});
  if (!FullScale()) return;
  for (int seed = 1; seed <= 3; ++seed) {
    RunCase(tools,
            {.ranks = 16384, .fault = fault, .layout = seed == 3 ? "host" : "rank", .seed = seed, .brief = true});
  }
}

void TestGrowth(const Tools& tools) {
  const int most = FullScale() ? 16384 : 4096;
  for (const char* fault : {"none", "killed", "rank-absent"}) {
    const Case small = {.fault = fault, .brief = true};
    Case large = small;
    large.ranks = most;
    const Outcome first = RunCase(tools, small), last = RunCase(tools, large);
    const double factor = static_cast<double>(most) / small.ranks;
    // What a run costs before it reads a byte is in both.
    const double allowed_seconds = kMaxGrowth * factor * first.cpu_seconds + 0.1;
    if (last.cpu_seconds > allowed_seconds) {
      Fail(large, fmt::format("{:.2f} s CPU; {} ranks took {:.2f} s, so at most {:.2f} s is roughly linear",
                              last.cpu_seconds, small.ranks, first.cpu_seconds, allowed_seconds));
    }
  }
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same options give the same bytes, another seed gives others.
void TestRepeatable(const Tools& tools) {
  const ScratchDirectory scratch;
  std::vector<std::string> texts;
  for (const char* seed : {"7", "7", "8"}) {
    const std::string directory = scratch.path() + "/" + std::to_string(texts.size());
    const auto made =
        RunChild({tools.gen, "--out", directory, "--layout", "single", "--mix", "torn,foreign", "--ranks", "64",
                  "--hosts", "8", "--fault", "stall", "--tensor", "8", "--subsys", "trace", "--seed", seed});
    if (!made.ok() || made.value().exit_status != 0) return Fail({}, "the generator failed");
    texts.push_back(ReadAll(directory + "/job.log"));
  }
  if (texts[0].empty() || texts[0] != texts[1]) Fail({.seed = 7}, "two runs of the generator differ");
  if (texts[0] == texts[2]) Fail({.seed = 8}, "another seed gives the same log");
}

void TestList(const std::string& path) {
  const std::string text = ReadAll(path);
  std::set<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find_first_of(" \n\t()", begin);
    words.insert(text.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  for (const FaultKind& kind : FaultKinds()) {
    if (words.count(std::string(kind.name)) == 0) {
      Fail({.fault = std::string(kind.name)}, "is not in the list of tests");
    }
  }
}

int Run(const std::vector<std::string>& args) {
  if (args.size() == 4 && args[0] == "--fault") {
    TestFault({args[2], args[3]}, args[1]);
  } else if (args.size() == 3 && args[0] == "--growth") {
    TestGrowth({args[1], args[2]});
  } else if (args.size() == 3 && args[0] == "--repeatable") {
    TestRepeatable({args[1], args[2]});
  } else if (args.size() == 4 && args[0] == "--list") {
    TestList(args[3]);
  } else {
    fmt::print(
        stderr,
        "usage: scale_test --fault KIND GEN NCCLWHY | --growth|--repeatable GEN NCCLWHY | --list GEN NCCLWHY FILE\n");
    return 2;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ncclwhy::bench

int main(int argc, char** argv) {
  // What was measured before a test is stopped should be seen.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  try {
    return ncclwhy::bench::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print("FAILED  unexpected report or label: {}\n", error.what());
    return 1;
  }
}
