#include "report/redact.h"

#include "catch.h"
#include "kb/loader/kb.h"
#include "report/redact_patterns.h"
#include "report/renderer.h"
#include "rules/engine/rule_set.h"
#include "sample_reports.h"

namespace ncclwhy {
namespace {

bool HasText(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// What becomes of one log line.
std::string Line(const std::string& text) {
  Report report;
  report.consequences.push_back({"", 1, text, "", 1});
  return Redact(report, Language::kEnglish).consequences[0].text;
}

TEST_CASE("what is private gets an alias, what is not stays", "[report]") {
  const std::pair<std::string, std::string> cases[] = {
      {"gpu-a17:4242:4250 [1] NCCL WARN socketStartConnect: Connect to 10.1.2.3<40000> failed : Connection refused",
       "host-1:4242:4250 [1] NCCL WARN socketStartConnect: Connect to ip-1<40000> failed : Connection refused"},
      {"12:34:56 NCCL WARN x", "12:34:56 NCCL WARN x"},
      {"bound to 127.0.0.1", "bound to 127.0.0.1"},
      {"NCCL version 2.28.9+cuda12.9", "NCCL version 2.28.9+cuda12.9"},
      {"driver 535.129.03", "driver 535.129.03"},
      {"localGid fe80::ae1f:6bff:fe2a:1 remoteGid ::ffff:10.0.0.9", "localGid ip-1 remoteGid ::ffff:ip-2"},
      {"c10d::ProcessGroupNCCL at::cuda", "c10d::ProcessGroupNCCL at::cuda"},
      {"GUID 0xb8599f03002a1f3c", "GUID guid-1"},
      {"port 0xc42a1030065f8a4, addr 0xb8599f03002a1f3c", "port guid-1, addr guid-2"},
      {"comm 0x6782fe585c992cf7 buff 0x7fc754200000 ptr 0x00007fc754200000",
       "comm 0x6782fe585c992cf7 buff 0x7fc754200000 ptr 0x00007fc754200000"},
      {"GID 3 (80FE/1D47B2FEFF4C7A0C)", "GID 3 (guid-1)"},
      {"0000:3b:00.0 and mlx5_0:1/RoCE", "0000:3b:00.0 and mlx5_0:1/RoCE"},
      {"failed to open /dev/shm/nccl-x8Gh2k", "failed to open /dev/shm/nccl-x8Gh2k"},
      {"File \"/home/alice/train.py\", line 3, by alice", "File \"/path-1\", line 3, by user-1"},
      {"in /mnt/secret-project/run.sh and /mnt/secret-project/run.sh", "in /path-1 and /path-1"},
      {"HF_TOKEN=hf_abcdefghijklmnopqrst", "HF_TOKEN=token-1"},
      {"password: hunter22", "password: token-1"},
      {"pull from https://registry.corp.example/x", "pull from https://url-1"},
      {"node42.cluster.local is down", "host-1 is down"},
      {"transport/net_ib/connect.cc:12 NCCL WARN", "transport/net_ib/connect.cc:12 NCCL WARN"},
      {"Channel 00/0 : 0[0] -> 1[1] via NET/IB/0/GDRDMA", "Channel 00/0 : 0[0] -> 1[1] via NET/IB/0/GDRDMA"},
      {"hostname: connection refused", "hostname: connection refused"},
      {"TORCH_NCCL_TRACE_BUFFER_SIZE=2000 SLURM_TASKS_PER_NODE=8",
       "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 SLURM_TASKS_PER_NODE=8"},
      {"signal=9 mapping=1", "signal=9 mapping=1"},
      {"AC0123456789abcdef0123456789abcdef and ?sig=qzvkhw%3D", "token-1 and ?sig=token-2"},
  };
  for (const auto& [input, expected] : cases) CHECK(Line(input) == expected);
}

// Digits and words that everybody uses: only the place tells that they are secrets.
TEST_CASE("behind a key that names a secret no value stays", "[report]") {
  const std::pair<std::string, std::string> cases[] = {
      {"http_proxy=root:12345678@node:8080", "http_proxy=token-1@node:8080"},
      {"root:12345678@10.1.2.3", "token-1@ip-1"},
      {"password := 12345678", "password := token-1"},
      {"PASSWORD is set to 12345678", "PASSWORD is set to token-1"},
      {"password was changed to 12345678: retry", "password was changed to token-1: retry"},
      {"password=a,12345678", "password=token-1"},
      {"password=a\"12345678", "password=token-1"},
      {"password=\"a\\\"12345678\"", "password=\"token-1\""},
      {"password=12 345678", "password=token-1"},
      {"password 12345678", "password token-1"},
      {"secret key: 12345678", "secret key: token-1"},
      {"Password for 'root': 12345678", "Password for 'root': token-1"},
      {"passphrase for key 'id_rsa': 12345678", "name-1 for key 'id_rsa': token-1"},
      {"password: \"failed\"", "password: \"token-1\""},
      {"password 'memory' was wrong", "password 'token-1' was wrong"},
      {"password (12345678) rejected", "password (token-1) rejected"},
      {"password -> 12345678", "password -> token-1"},
      {"Password is: 12345678", "Password is: token-1"},
      {"root:p@ss12345678@node", "token-1@node"},
      {"SN 1320123456789", "SN guid-1"},
      {"sshpass -p 12345678 ssh node", "sshpass -p token-1 ssh node"},
      {"identified by '12345678'", "identified by 'token-1'"},
      {R"({"password": "failed"})", R"({"password": "token-1"})"},
      {"{'token': 'rank'}", "{'token': 'token-1'}"},
      {"secret=error, rank 3", "secret=token-1, rank 3"},
      {"private key = memory", "private key = token-1"},
      {"SN: 1320123456789", "SN: guid-1"},
      {"--job-name=network", "--job-name=pod-1"},
      {"srun --job-name network run", "srun --job-name pod-1 run"},
      // What says that there is none, and what only sounds like a key.
      {"password: missing", "password: missing"},
      {"the password is not set", "the password is not set"},
      {"Password authentication failed", "Password authentication failed"},
      {"secret=none, password=null", "secret=none, password=null"},
      {"tokens per second: 3000", "tokens per second: 3000"},
      {"auth: failed, secret: no", "auth: failed, secret: no"},
  };
  for (const auto& [input, expected] : cases) CHECK(Line(input) == expected);
}

// `srun: error: rank: …` once made "host-2 0" of each rank 0, `pwd=rank` token-1.
TEST_CASE("a word of ours that a log has for a name is replaced there alone", "[report]") {
  Report report = testing::FailureReport();
  report.consequences.push_back({"", 1, "srun: error: rank: task 3: Killed", "", 1});
  report.consequences.push_back({"", 2, "pwd=rank user=spark", "", 1});
  report.consequences.push_back({"", 3, "rank 0 waits for storage", "", 1});
  report.consequences.push_back({"", 4, "srun: error: storage: task 3: Killed", "", 1});
  report.causes[0].summary = "rank 0 lost its storage";
  Culprit& culprit = report.causes[0].culprits.emplace_back();
  culprit.host = "rank";
  report.causes[0].fixes[0].host = "rank";
  const Report out = Redact(report, Language::kEnglish);
  CHECK(out.causes[0].summary == "rank 0 lost its storage");
  const auto line = [&](size_t from_end) { return out.consequences[out.consequences.size() - from_end].text; };
  const std::string host = out.causes[0].culprits.back().host;
  CHECK(host.starts_with("host-"));
  CHECK(out.causes[0].fixes[0].host == host);
  CHECK(line(4) == "srun: error: " + host + ": task 3: Killed");
  CHECK(line(3) == "pwd=token-1 user=user-1");
  CHECK(line(2).starts_with("rank 0 waits for host-"));
}

TEST_CASE("every pattern of redaction is one", "[report]") {
  CHECK(AliasPattern().ok());
  for (const PrivatePattern& pattern : PrivatePatterns()) {
    CAPTURE(pattern.regex->pattern());
    CHECK(pattern.regex->ok());
    CHECK(pattern.regex->NumberOfCapturingGroups() == 1);
  }
}

// What a person is told to do is copied into a terminal: TORCH_NCCL_TRACE_BUFFER_SIZE=2000 once became
// TORCH_NCCL_TRtoken-1.
TEST_CASE("what the knowledge says without a value stays as it is", "[report]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  size_t looked = 0;
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const std::string& id : kb.CauseIds()) {
      const auto known = kb.FindCause(id, language);
      Report report;
      Cause& cause = report.causes.emplace_back();
      cause.id = id;
      const auto same = [&](const std::string& text) {
        if (text.find('{') == std::string::npos) cause.fixes.push_back({"any", text, text, ""});
      };
      for (const Fix& fix : known->fixes) same(fix.text), same(fix.command);
      for (const Confirm& confirm : known->confirm) same(confirm.text), same(confirm.command);
      for (const Collect& collect : known->collect) same(collect.what), same(collect.command);
      const Report out = Redact(report, language);
      for (size_t i = 0; i < cause.fixes.size(); ++i, ++looked) {
        CHECK(out.causes[0].fixes[i].text == cause.fixes[i].text);
        CHECK(out.causes[0].fixes[i].command == cause.fixes[i].command);
      }
    }
  }
  CHECK(looked > 1000);
}

// A rule that judges a line closer brings fixes of its own: '^[0-9a-f]' once became '^[name-4]'.
TEST_CASE("what a rule says without a value stays as it is", "[report]") {
  size_t looked = 0;
  for (const Rule& rule : RuleSet::Embedded().rules()) {
    const std::string command(rule.fix_command);
    if (command.empty() || command.find('{') != std::string::npos) continue;
    Report report;
    Cause& cause = report.causes.emplace_back();
    cause.evidence.emplace_back().rule = std::string(rule.id);
    cause.fixes.push_back({"any", "", command, ""});
    CHECK(Redact(report, Language::kEnglish).causes[0].fixes[0].command == command);
    ++looked;
  }
  CHECK(looked > 30);
}

TEST_CASE("the words between the values of a command are no names", "[report]") {
  Report report;
  Cause& cause = report.causes.emplace_back();
  cause.evidence.emplace_back().rule = "kernel-pcie-atomics";
  cause.fixes.push_back({"any", "", "ssh gpu-a17 lspci -vvv | grep -E '^[0-9a-f]|AtomicOps'", ""});
  const Report out = Redact(report, Language::kEnglish);
  CHECK(out.causes[0].fixes[0].command == "ssh name-1 lspci -vvv | grep -E '^[0-9a-f]|AtomicOps'");
}

TEST_CASE("one name has one alias everywhere, a longer name its own", "[report]") {
  Report report = testing::FailureReport();
  report.job.communicators[0].ranks[0].host = "gpu-a1";
  report.causes[0].evidence[0].file = "logs/gpu-a17.log";
  report.causes[0].fixes[0].command = "ssh gpu-a17 df -h; ssh gpu-a1 df -h";
  const Report out = Redact(report, Language::kEnglish);
  const std::string alias = out.causes[0].culprits[0].host;
  CHECK(alias == "host-1");
  CHECK(out.job.communicators[0].ranks[3].host == alias);
  CHECK(out.causes[0].evidence[0].text.starts_with(alias + ":4242:4242 [1]"));
  CHECK(out.causes[0].evidence[0].file == "logs/" + alias + ".log");
  CHECK(out.causes[0].summary == "/dev/shm on " + alias + " has no room for NCCL's segment of 33.0 MB.");
  const std::string other = out.job.communicators[0].ranks[0].host;
  CHECK(other != alias);
  CHECK(out.causes[0].fixes[0].command == "ssh " + alias + " df -h; ssh " + other + " df -h");
  for (const std::string& format : FormatNames()) {
    CAPTURE(format);
    CHECK_FALSE(HasText(FindFormat(format)->render(out, {}), "gpu-a1"));
  }
}

TEST_CASE("a line teaches the lines before it, and the job its hosts", "[report]") {
  Report report;
  report.consequences.push_back({"", 1, "waiting for storage", "", 1});
  report.consequences.push_back({"", 2, "srun: error: storage: task 2: Killed", "", 1});
  report.consequences.push_back({"", 3, "login left, node stays", "", 1});
  const Report out = Redact(report, Language::kEnglish, {"login", "gpu-a17"});
  CHECK(out.consequences[0].text == "waiting for host-2");
  CHECK(out.consequences[1].text == "srun: error: host-2: task 2: Killed");
  CHECK(out.consequences[2].text == "host-1 left, node stays");
}

TEST_CASE("a Chinese report keeps its own words and those of the knowledge, and no name", "[report]") {
  Report report;
  report.consequences.push_back({"王小明/rank0.log", 1, "rank3失败: 用户 王小明", "", 1});
  report.problems = {"王小明/rank0.log: cannot be read"};
  report.attempts.push_back({Outcome::kFailed, "", "王小明/rank0.log", 1, 2, "失败于王小明的作业"});
  const Report out = Redact(report, Language::kChinese);
  CHECK(out.consequences[0].file == "name-1/rank0.log");
  CHECK(out.consequences[0].text == "rank3失败: 用户 name-1");
  CHECK(out.problems[0] == "name-1/rank0.log: cannot be read");
  CHECK(out.attempts[0].sentence == "失败于name-1的作业");
}

TEST_CASE("what a network plug-in calls itself is a name", "[report]") {
  Report report = testing::FailureReport();
  report.job.transports = {{"NET/IB/GDRDMA", 2}, {"NET/qzvkhw", 1}};
  report.job.edges = {{0, 1, "NET/qzvkhw", 1}};
  report.job.communicators[0].calls_differ.columns = {{{0}, {"qzvkhw 5"}}};
  const Report out = Redact(report, Language::kEnglish);
  CHECK(out.job.transports == std::map<std::string, int64_t>{{"NET/IB/GDRDMA", 2}, {"NET/name-1", 1}});
  CHECK(out.job.edges[0].transport == "NET/name-1");
  CHECK(out.job.communicators[0].calls_differ.columns[0].calls[0] == "name-1 5");
}

TEST_CASE("redaction keeps what decides and is idempotent", "[report]") {
  const Report once = Redact(testing::FailureReport(), Language::kEnglish);
  CHECK(once.causes[0].id == "shm.too-small");
  CHECK(once.causes[0].evidence[0].line == 41);
  CHECK(once.coverage.lines == 512);
  CHECK(RenderJson(Redact(once, Language::kEnglish), {}) == RenderJson(once, {}));
}

TEST_CASE("no text of the outcome keeps a name", "[report]") {
  const std::string leak = "gpu-a17 by /home/alice/run.sh";
  Report report = testing::FailureReport();
  report.jobs = testing::SeveralJobsReport().jobs;
  for (OutcomeEvidence& item : report.outcome_evidence) item.file = item.text = item.note = leak;
  report.progress = leak;
  for (Attempt& item : report.attempts) item.file = item.sentence = leak;
  for (JobAnswer& item : report.jobs) {
    item.name = item.title = leak;
    item.files = {leak};
    for (Culprit& culprit : item.culprits) culprit.why = leak;
  }
  for (PossibleCause& item : report.candidates) item.title = item.tells = item.command = leak;
  report.decision = Decision{Action::kRerunWithout, {"gpu-a17"}, {leak}, 0.9, leak, "srun --exclude=gpu-a17 alice"};
  for (TimelineStep& item : report.timeline) item.what = item.file = item.text = leak;
  for (EnvironmentFact& item : report.job.environment) item.value = item.file = leak;
  for (Fix& fix : report.causes[0].fixes_elsewhere) fix.text = fix.command = leak;
  report.causes[0].sure = leak;
  const Report out = Redact(report, Language::kEnglish);
  const std::string document = RenderJson(out, {});
  CHECK_FALSE(HasText(document, "gpu-a1"));
  CHECK_FALSE(HasText(document, "alice"));
  CHECK(out.decision->command == "srun --exclude=" + out.decision->hosts[0] + " user-1");
}

}  // namespace
}  // namespace ncclwhy
