#include "sample_reports.h"

#include <string>

namespace ncclwhy::testing {
namespace {

std::string Hex(int value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 15];
  return out;
}

Coverage FourRankCoverage() {
  Coverage c;
  c.lines = 512;
  c.nccl = 480;
  c.recognised = 475;
  c.unrecognised = 5;
  c.foreign = 30;
  c.damaged = 2;
  c.sources = 4;
  c.bytes = 65536;
  c.notes = {{"glued_records", 1}};
  return c;
}

Job FourRankJob(const std::string& stage) {
  Job job;
  job.nccl_versions = {"2.28.9"};
  job.hosts = 2;
  job.processes = 4;
  job.transports = {{"SHM", 4}, {"NET/Socket", 4}, {"P2P", 0}};
  ReportCommunicator comm;
  comm.id = 1;
  comm.comm_id = "0x6b8c9a30ffee1122";
  comm.nranks = 4;
  comm.ranks_seen = 4;
  comm.stage = stage;
  for (int r = 0; r < 4; ++r) {
    ReportRank rank;
    rank.rank = r;
    rank.host = r < 2 ? "gpu-a16" : "gpu-a17";
    rank.pid = 4239 + r;
    rank.gpu = r % 2;
    rank.stage = r == 3 && stage != "running" ? "channels" : stage == "running" ? "destroyed" : "connected";
    rank.file = "rank" + std::to_string(r) + ".log";
    rank.last_line = 100 + static_cast<uint64_t>(r);
    rank.last_text = "NCCL INFO last words";
    comm.ranks.push_back(rank);
  }
  job.communicators.push_back(comm);
  job.edges = {{0, 1, "SHM", 2}, {1, 0, "SHM", 2}, {1, 2, "NET/Socket", 2}, {2, 3, "SHM", 2}, {3, 0, "NET/Socket", 2}};
  return job;
}

}  // namespace

Report FailureReport() {
  Report report;
  report.verdict = Verdict::kFailure;
  Cause cause;
  cause.id = "shm.too-small";
  cause.title = "/dev/shm is too small";
  cause.confidence = 0.934;
  cause.summary = "/dev/shm on gpu-a17 has no room for NCCL's segment of 33.0 MB.";
  cause.meaning =
      "Ranks on one host talk through files in /dev/shm. The file system is full, so NCCL cannot make the next one. "
      "Containers get 64 MB unless told otherwise.";
  cause.mistaken_for = "It is not a lack of GPU or host memory: /dev/shm has a size of its own.";
  cause.culprits = {{3, "gpu-a17", 4242, 1, "", "the first rank that could not allocate"}};
  cause.evidence = {
      {"direct", "rank3.log", 41,
       "gpu-a17:4242:4242 [1] 2025-11-20 10:00:00 misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
       "/dev/shm/nccl-x8Gh2k to 33030532 bytes, error: No space left on device (28)",
       "shm-create-enospc", "the kernel refused to make room for the segment"},
      {"supporting", "rank3.log", 44, "gpu-a17:4242:4242 [1] NCCL INFO transport/shm.cc:590 -> 2", "result-trace",
       "the call that failed is SHM's"},
      {"absent", "", 0, "", "no-shm-mount", "no line shows a larger /dev/shm"},
  };
  cause.fixes = {{"docker", "Give the container a larger /dev/shm.", "docker run --shm-size=1g ...", "none"},
                 {"kubernetes", "Mount a memory-backed volume at /dev/shm.",
                  "volumes:\n- name: shm\n  emptyDir: {medium: Memory, sizeLimit: 1Gi}", ""},
                 {"any", "Remount it larger.", "mount -o remount,size=8G /dev/shm", "needs root"}};
  cause.confirm = {{"df -h /dev/shm", "Size and use of the file system on gpu-a17."}};
  cause.references = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"};
  cause.fixes_elsewhere = {{"slurm", "Ask for a node with a larger /dev/shm.", "srun --tmp=8G ...", ""}};
  cause.sure = "2 independent lines on rank 3, nothing after them went on";
  report.causes.push_back(cause);
  Cause rival;
  rival.id = "shm.permission";
  rival.title = "/dev/shm cannot be written to";
  rival.confidence = 0.04;
  rival.why_not = "the error is ENOSPC, not EACCES";
  report.causes.push_back(rival);
  report.consequences = {
      {"rank0.log", 88, "NCCL WARN Call to connect returned Connection refused, retrying", "shm.too-small", 12},
      {"rank1.log", 90, "NCCL INFO [Service thread] Connection closed by localRank 3", "shm.too-small", 1}};
  report.collect = {{"The mount options of /dev/shm in the container.", "findmnt /dev/shm"}};
  report.warnings = {{"env.unknown-variable",
                      "NCCL_IB_RETRYCNT is not read by any NCCL; NCCL_IB_RETRY_CNT is",
                      {{"direct", "rank0.log", 3, "NCCL INFO NCCL_IB_RETRYCNT set to 7", "env", ""}}}};
  report.outcome = Outcome::kFailed;
  report.outcome_evidence = {
      {"rank3.log", 50, "srun: error: gpu-a17: task 3: Exited with exit code 1", "task 3 failed"}};
  report.progress = "it ended during initialisation";
  report.attempts = {{Outcome::kFailed, "net.refused", "rank0.log", 1, 20, "gpu-a16 refused the connection"},
                     {Outcome::kFailed, "shm.too-small", "rank0.log", 21, 90, ""}};
  report.candidates = {{"shm.permission", "/dev/shm cannot be written to", "who may write there", "ls -ld /dev/shm"}};
  report.seen_before = {{"example-tool-7",
                         "https://github.com/example/tool/issues/7",
                         "shm.too-small",
                         "A container with the default /dev/shm",
                         "Started it with --shm-size=8g.",
                         {{"nccl", "2.18.3"}}}};
  report.decision = Decision{Action::kFixFirst, {"gpu-a17"}, {}, 0.9, "/dev/shm stays as small as it is.", ""};
  report.timeline = {
      {"start", "10:00:00", 0, 0, "gpu-a16", "NCCL started", "rank0.log", 1, "NCCL INFO Bootstrap", 4},
      {"root", "10:00:02", 2, 3, "gpu-a17", "/dev/shm is full", "rank3.log", 41, "No space left on device", 1},
      {"consequence", "10:00:03", 3, 0, "gpu-a16", "lost its peer", "rank0.log", 88, "Connection refused", 12},
      {"ending", "10:00:05", 5, 3, "gpu-a17", "exited with code 1", "rank3.log", 50, "Exited with exit code 1", 1}};
  report.job = FourRankJob("init");
  report.job.environment = {{"container", "docker", "rank0.log", 2}, {"launcher", "srun", "rank3.log", 50}};
  report.job.communicators[0].ranks[3].culprit = true;
  report.coverage = FourRankCoverage();
  return report;
}

Report HealthyReport() {
  Report report;
  report.verdict = Verdict::kHealthy;
  report.outcome = Outcome::kSucceeded;
  report.progress = "1,000 steps in 12 min";
  report.outcome_evidence = {{"rank0.log", 120, "training done", "it says that it is done"}};
  report.job = FourRankJob("running");
  report.coverage = FourRankCoverage();
  return report;
}

Report DegradedReport() {
  Report report = HealthyReport();
  report.verdict = Verdict::kDegraded;
  Cause cause;
  cause.id = "perf.socket-fallback";
  cause.title = "NCCL fell back to TCP sockets";
  cause.confidence = 0.9;
  cause.summary = "NCCL talks TCP between gpu-a16 and gpu-a17 although mlx5_0 is there.";
  cause.evidence = {{"direct", "rank0.log", 12, "NCCL INFO Using network Socket", "net-socket", "no RDMA is used"}};
  cause.fixes = {{"any", "Let NCCL use the cards.", "unset NCCL_IB_DISABLE", ""}};
  report.causes.push_back(cause);
  return report;
}

Report SeveralJobsReport() {
  Report report = FailureReport();
  JobAnswer failed{"job 17",
                   Outcome::kFailed,
                   Verdict::kFailure,
                   "shm.too-small",
                   "/dev/shm is too small",
                   report.causes[0].culprits,
                   {"17/rank0.log", "17/rank3.log"},
                   1};
  JobAnswer open{"job 18",
                 Outcome::kHung,
                 Verdict::kUndetermined,
                 "",
                 "Something failed, the logs do not say why.",
                 {},
                 {"18/rank0.log"},
                 3};
  JobAnswer fine{
      "job 19", Outcome::kSucceeded, Verdict::kHealthy, "", "Nothing failed in these logs.", {}, {"19/rank0.log"}, 0};
  report.jobs = {failed, open, fine};
  return report;
}

Report UndeterminedReport() {
  Report report;
  report.verdict = Verdict::kUndetermined;
  report.outcome = Outcome::kHung;
  report.outcome_evidence = {
      {"rank0.log", 9, "NCCL WARN socketProgress: Connection closed by remote peer", "the last word of rank 0"}};
  report.candidates = {{"net.peer-died", "A peer died", "its own log, or the kernel's of its host", "dmesg -T"},
                       {"net.unreachable", "A host cannot be reached", "", "nc -zv gpu-a17 40000"}};
  report.seen_before = {{"example-tool-8",
                         "https://github.com/example/tool/issues/8",
                         "net.peer-died",
                         "A rank left early",
                         "Fixed it.",
                         {}},
                        {"example-tool-9",
                         "https://github.com/example/tool/issues/9",
                         "net.peer-died",
                         "Another did",
                         "So did they.",
                         {}}};
  report.decision = Decision{Action::kUndecided, {}, {}, 0.5, "The logs do not say which rank went first.", ""};
  Cause cause;
  cause.id = "net.peer-died";
  cause.title = "A peer died";
  cause.confidence = 0.3;
  cause.evidence = {{"supporting", "rank0.log", 9, "NCCL WARN socketProgress: Connection closed by remote peer",
                     "socket-closed", "somebody else went first"}};
  report.causes.push_back(cause);
  cause.id = "net.unreachable";
  cause.title = "A host cannot be reached";
  cause.confidence = 0.2;
  cause.evidence.clear();
  report.causes.push_back(cause);
  report.collect = {{"The logs of ranks 2 and 3.", ""},
                    {"The same run with more output.", "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET python train.py"}};
  report.job = FourRankJob("init");
  report.coverage = FourRankCoverage();
  return report;
}

Report NoNcclReport() {
  Report report;
  report.coverage.lines = 7;
  report.coverage.foreign = 7;
  report.coverage.sources = 1;
  report.coverage.bytes = 99;
  return report;
}

Report HostileReport() {
  const std::string attack =
      std::string(kGithubAttack) + " " + kEscape + kHtmlAttack + kBidi + kZeroWidth +
      "\n::error::owned\n]]> --> `x` ``` \"' onload=x ![a](http://b/c) @team #1 ##[error]x \xff\xfe " +
      "</details></pre><img src=x onerror=alert(1)>";
  Report report = FailureReport();
  Cause& cause = report.causes[0];
  cause.summary = attack;
  cause.title = attack;
  cause.culprits[0].host = attack;
  cause.culprits[0].device = attack;
  cause.culprits[0].why = attack;
  for (Evidence& item : cause.evidence) item.file = item.text = item.note = attack;
  for (Fix& fix : cause.fixes) fix.text = fix.command = attack;
  cause.confirm[0].command = attack;
  cause.references.push_back("javascript:alert(1)//" + attack);
  report.causes[1].why_not = attack;
  for (Consequence& item : report.consequences) item.file = item.text = attack;
  for (Collect& item : report.collect) item.what = item.command = attack;
  for (Warning& item : report.warnings) {
    item.text = attack;
    item.evidence[0].file = attack;
  }
  report.job.nccl_versions = {attack};
  report.job.transports[attack] = 3;
  for (TransportEdge& edge : report.job.edges) edge.transport = attack;
  ReportCommunicator& comm = report.job.communicators[0];
  comm.comm_id = comm.stage = attack;
  for (ReportRank& rank : comm.ranks) rank.host = rank.stage = rank.file = rank.last_text = attack;
  report.problems = {attack};
  cause.fixes_elsewhere[0].text = cause.fixes_elsewhere[0].command = cause.sure = attack;
  for (OutcomeEvidence& item : report.outcome_evidence) item.file = item.text = item.note = attack;
  report.progress = attack;
  for (Attempt& item : report.attempts) item.file = item.sentence = attack;
  report.jobs = SeveralJobsReport().jobs;
  for (JobAnswer& item : report.jobs) {
    item.name = item.title = attack;
    item.files = {attack};
    for (Culprit& culprit : item.culprits) culprit.host = culprit.why = attack;
  }
  for (PossibleCause& item : report.candidates) item.title = item.tells = item.command = attack;
  for (SeenIncident& item : report.seen_before) item.url = item.cause = item.title = item.solved = attack;
  report.decision = Decision{Action::kRerunWithout, {attack}, {attack}, 0.9, attack, attack};
  for (TimelineStep& item : report.timeline) item.time = item.host = item.what = item.file = item.text = attack;
  report.clocks = {{attack, attack, 37.2, 0.4, 3, 1, true}, {attack, attack, {}, -1, 0, 2, true}};
  for (EnvironmentFact& item : report.job.environment) item.name = item.value = item.file = attack;
  return report;
}

Report LargeReport(int ranks) {
  Report report = FailureReport();
  report.job.hosts = (ranks + 7) / 8;
  report.job.processes = ranks - 1;
  report.job.edges.clear();
  ReportCommunicator& comm = report.job.communicators[0];
  comm.nranks = ranks;
  comm.ranks_seen = ranks - 1;
  comm.ranks.clear();
  for (int r = 0; r < ranks; ++r) {
    ReportRank rank;
    rank.rank = r;
    rank.host = "gpu-" + Hex(r / 8);
    rank.pid = 1000 + r;
    rank.gpu = r % 8;
    rank.stage = "bootstrap";
    rank.file = "rank" + std::to_string(r) + ".log";
    rank.last_line = 77;
    rank.last_text = "NCCL INFO Bootstrap : Using eth0";
    if (r == ranks - 1) {
      rank.seen = false;
      rank.culprit = true;
      rank.stage = "none";
      rank.pid = -1;
      rank.file.clear();
    }
    comm.ranks.push_back(rank);
    report.job.edges.push_back({r, (r + 1) % ranks, r % 8 == 7 ? "NET/IB" : "P2P/IPC", 16});
  }
  Cause& cause = report.causes[0];
  cause.culprits[0].rank = ranks - 1;
  for (int i = 0; i < 9; ++i) {
    cause.culprits.push_back({i, "gpu-0000", 1000 + i, i, "", "waits"});
    cause.evidence.push_back({"supporting", "rank" + std::to_string(i) + ".log", 50,
                              "gpu-0000:1000:1000 [0] NCCL WARN something that is long " + std::string(400, 'x'),
                              "rule", "it waits"});
  }
  for (uint64_t i = 0; i < 48; ++i) {
    report.consequences.push_back({"rank9.log", 60 + i, "NCCL WARN timeout " + std::string(400, 'y'), cause.id, i + 1});
    report.warnings.push_back({"env.x", "A warning about something " + std::string(90, 'z'), {}});
  }
  return report;
}

}  // namespace ncclwhy::testing
