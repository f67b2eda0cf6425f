// ncclwhy_gen: writes the logs of an imaginary NCCL job, with one fault, for benchmarks and scale tests.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "gen/fault.h"
#include "gen/incident.h"
#include "gen/job.h"
#include "gen/log_files.h"
#include "gen/measure.h"
#include "gen/options.h"

namespace ncclwhy::bench {
namespace {

int Fail(const Status& status) {
  fmt::print(stderr, "ncclwhy_gen: {}\n", status.message());
  return status.code() == ErrorCode::kInvalidArgument ? 2 : 1;
}

int Generate(Spec spec) {
  if (spec.size > 0 && !FitToSize(&spec)) {
    return Fail(Status::InvalidArgument("nothing repeats in this scenario: --size cannot be met"));
  }
  std::error_code error;
  std::filesystem::create_directories(spec.out, error);
  if (error) return Fail(Status::Io(spec.out + ": " + error.message()));
  const Job job(spec, *FindEra(spec.version));
  std::unique_ptr<Fault> fault;
  for (const FaultKind& kind : FaultKinds()) {
    if (kind.name == spec.fault) fault = kind.make(job);
  }
  const auto written = WriteLogs(job, *fault);
  if (!written.ok()) return Fail(written.status());
  if (Status status = WriteIncident(job, fault->MakeLabel(), spec.out + "/incident.json"); !status.ok())
    return Fail(status);
  fmt::print("{{\"files\":{},\"lines\":{},\"bytes\":{},\"steps\":{},\"repeats\":{}}}\n", written.value().files,
             written.value().lines, written.value().bytes, spec.steps, spec.repeats);
  return 0;
}

}  // namespace
}  // namespace ncclwhy::bench

int main(int argc, char** argv) {
  using namespace ncclwhy::bench;  // NOLINT(google-build-using-namespace)
  if (argc < 2 || std::string_view(argv[1]) == "--help") {
    fmt::print("{}", Usage());
    return argc < 2 ? 2 : 0;
  }
  const auto spec = ParseOptions({argv + 1, argv + argc});
  if (!spec.ok()) {
    fmt::print(stderr, "ncclwhy_gen: {}\n", spec.status().message());
    return 2;
  }
  return Generate(spec.value());
}
