// Which fixes are offered where.
#include "analyze/fit_fixes.h"

#include "catch.h"

namespace ncclwhy {
namespace {

FixKnowledge Known(const char* environment, const char* command, std::vector<std::string> needs = {}) {
  return {{environment, std::string("text for ") + environment, command, ""}, std::move(needs)};
}

std::vector<std::string> Commands(const std::vector<Fix>& fixes) {
  std::vector<std::string> out;
  for (const Fix& fix : fixes) out.push_back(fix.command);
  return out;
}

Cause Fitted(const JobEnvironment& environment, const std::vector<FixKnowledge>& known,
             const TemplateValues& values = {}) {
  Cause cause;
  FitFixes(environment, KnowledgeBase::Embedded(), known, values, values, &cause);
  KeepFirstFixes(&cause);
  return cause;
}

TEST_CASE("fixes of an environment that the logs contradict stand elsewhere, those that they show first", "[analyze]") {
  JobEnvironment slurm;
  slurm.words = {"slurm", "bare-metal"};
  const std::vector<FixKnowledge> known = {Known("docker", "docker run"), Known("kubernetes", "kubectl"),
                                           Known("bare-metal", "mount"),  Known("slurm", "srun"),
                                           Known("vllm", "vllm serve"),   Known("any", "last")};
  const Cause fitted = Fitted(slurm, known);
  CHECK(Commands(fitted.fixes) == std::vector<std::string>{"mount", "srun", "last"});
  CHECK(Commands(fitted.fixes_elsewhere) == std::vector<std::string>{"docker run", "kubectl", "vllm serve"});
  // Nothing is known: the order of the knowledge, without what is no guess.
  CHECK(Commands(Fitted({}, known).fixes) == std::vector<std::string>{"docker run", "kubectl", "mount"});
}

TEST_CASE("a fix does not repeat what is set, and unsets only what is set", "[analyze]") {
  JobEnvironment job;
  job.variables["NCCL_IB_GID_INDEX"] = {"3"};
  job.variables["NCCL_ALGO"] = {"Tree"};
  const Cause fitted =
      Fitted(job, {Known("any", "export NCCL_IB_GID_INDEX=3"), Known("any", "unset NCCL_PROTO"),
                   Known("any", "unset NCCL_ALGO NCCL_PROTO; ./run"), Known("any", "export NCCL_IB_GID_INDEX=1")});
  CHECK(Commands(fitted.fixes) == std::vector<std::string>{"unset NCCL_ALGO; ./run", "export NCCL_IB_GID_INDEX=1"});
  CHECK(fitted.fixes_elsewhere.size() == 2);
}

TEST_CASE("a fix names only interfaces and devices that the logs show", "[analyze]") {
  JobEnvironment job;
  job.interfaces = {"eth1", "mlx5_2"};
  const Cause fitted = Fitted(job, {Known("any", "export NCCL_SOCKET_IFNAME=eth0"), Known("any", "NCCL_IB_HCA=^mlx5_2"),
                                    Known("any", "export NCCL_SOCKET_IFNAME=IFNAME")});
  CHECK(Commands(fitted.fixes) == std::vector<std::string>{"NCCL_IB_HCA=^mlx5_2", "export NCCL_SOCKET_IFNAME=IFNAME"});
}

TEST_CASE("a value may be like one of several", "[analyze]") {
  const std::vector<FixKnowledge> known = {Known("code", "index", {"{error=*out of range*|*out of bounds*}"}),
                                           Known("code", "key", {"{error=*KeyError*|*no such key*}"}),
                                           Known("code", "else", {"!{error=*KeyError*|*out of bounds*}"})};
  CHECK(Commands(Fitted({}, known, {{"error", "IndexError: 7 is out of bounds"}}).fixes) ==
        std::vector<std::string>{"index"});
  CHECK(Commands(Fitted({}, known, {{"error", "KeyError: 3"}}).fixes) == std::vector<std::string>{"key"});
  CHECK(Commands(Fitted({}, known, {{"error", "ValueError"}}).fixes) == std::vector<std::string>{"else"});
}

TEST_CASE("a fix that the evidence asks for comes first", "[analyze]") {
  JobEnvironment job;
  job.variables["NCCL_IB_PKEY"] = {"200"};
  const std::vector<FixKnowledge> known = {Known("any", "first"), Known("any", "device", {"{device}"}),
                                           Known("any", "pkey", {"NCCL_IB_PKEY"}), Known("any", "roce", {"roce"}),
                                           Known("any", "not roce", {"!roce"})};
  CHECK(Commands(Fitted(job, known).fixes) == std::vector<std::string>{"pkey", "first", "not roce"});
  job.words = {"roce"};
  CHECK(Commands(Fitted(job, known, {{"device", "mlx5_1"}}).fixes) ==
        std::vector<std::string>{"device", "pkey", "roce"});
}

TEST_CASE("machines with AMD's GPUs are told no tool, driver or wheel of NVIDIA", "[analyze]") {
  const auto rocm = KnowledgeBase::Embedded().FindCode("environment", "rocm", Language::kEnglish);
  REQUIRE(rocm.has_value());
  const char* const foreign[] = {"nvidia-smi",     "nvidia-imex", "nvidia-peermem", "nvidia_peermem", "fabricmanager",
                                 "nvidia-nccl-cu", "nvcr.io",     "cuda-drivers",   "whl/cu",         "dcgmi"};
  JobEnvironment amd;
  amd.words = {"other-gpu", "rocm"};  // one implies the other
  for (const std::string& id : KnowledgeBase::Embedded().CauseIds()) {
    const auto known = KnowledgeBase::Embedded().FindCause(id, Language::kEnglish);
    for (const std::string& command : Commands(Fitted(amd, known->fixes).fixes)) {
      INFO(id << ": " << command);
      for (const char* const word : foreign) CHECK(command.find(word) == std::string::npos);
    }
  }
  const auto arch = KnowledgeBase::Embedded().FindCause("gpu.arch-unsupported", Language::kEnglish);
  CHECK(Commands(Fitted(amd, arch->fixes).fixes).front().starts_with("rocminfo"));
  CHECK(!Commands(Fitted({}, arch->fixes).fixes).front().starts_with("rocminfo"));
}

TEST_CASE("a question is asked only of a job that it fits, those of its kind before guesses", "[analyze]") {
  const auto ask = [](const char* environment, const char* command, std::vector<std::string> needs = {}) {
    return ConfirmKnowledge{{command, std::string("text for ") + environment}, environment, std::move(needs)};
  };
  const std::vector<ConfirmKnowledge> known = {
      ask("kubernetes", "kubectl describe pod {pod|POD}"), ask("any", "dmesg"), ask("slurm", "sacct -j {job_id|JOBID}"),
      ask("any", "cat {path}", {"{path}"}), ask("any", "env | grep PKEY", {"NCCL_IB_PKEY"})};
  const auto commands = [&](const JobEnvironment& job, const TemplateValues& values) {
    std::vector<std::string> out;
    for (const Confirm& c : FitConfirms(job, KnowledgeBase::Embedded(), known, values, values)) {
      out.push_back(c.command);
    }
    return out;
  };
  JobEnvironment slurm;
  slurm.words = {"slurm", "bare-metal"};
  CHECK(commands(slurm, {{"job_id", "17"}}) == std::vector<std::string>{"dmesg", "sacct -j 17"});
  slurm.variables["NCCL_IB_PKEY"] = {"200"};
  CHECK(commands(slurm, {{"path", "/dev/shm"}}) ==
        std::vector<std::string>{"dmesg", "sacct -j JOBID", "cat /dev/shm", "env | grep PKEY"});
  // Nothing is known of the job: what fits any is asked before what is a guess.
  CHECK(commands({}, {}).front() == "dmesg");
}

TEST_CASE("every cause says whether it comes back and what it is about", "[analyze]") {
  for (const std::string& id : KnowledgeBase::Embedded().CauseIds()) {
    INFO(id);
    const auto known = KnowledgeBase::Embedded().FindCause(id, Language::kEnglish);
    CHECK(!known->recurs.empty());
    CHECK(!known->about.empty());
  }
}

}  // namespace
}  // namespace ncclwhy
