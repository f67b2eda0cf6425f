#include "gen/incident.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ncclwhy::bench {
namespace {

std::string_view Form(const Spec& spec) {
  if (spec.layout == Layout::kRank) return "files";
  switch (spec.launcher) {
    case Launcher::kMpirun:
      return "mpirun";
    case Launcher::kSrun:
      return "srun";
    case Launcher::kNone:
      break;
  }
  return "plain";
}

}  // namespace

Status WriteIncident(const Job& job, const Label& label, const std::string& path) {
  nlohmann::ordered_json json;
  json["source"] = "generated";
  json["scenario"] = job.spec().fault;
  json["nccl_version"] = job.era().version;
  json["environment"] = fmt::format("{} hosts x {} ranks", job.hosts(), job.per_host());
  json["root_cause"] = label.root_cause;
  json["also_acceptable"] = label.also_acceptable;
  json["wrong_if_named_first"] = {"secondary.peer-closed"};
  json["confidence"] = "injected";
  json["culprit"] = label.culprit.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(label.culprit);
  json["note"] = label.note;
  json["determinable_from_log"] = label.determinable;
  json["form"] = Form(job.spec());
  json["seed"] = job.spec().seed;
  std::ofstream file(path, std::ios::binary);
  file << json.dump(1) << '\n';
  file.close();
  return file ? Status::Ok() : Status::Io("cannot write " + path);
}

}  // namespace ncclwhy::bench
