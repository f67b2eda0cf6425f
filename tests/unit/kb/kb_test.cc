#include "kb/loader/kb.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "catch.h"

namespace ncclwhy {
namespace {

bool Has(const KnowledgeBase& kb, std::string_view cause) {
  return kb.FindCause(cause, Language::kEnglish).has_value();
}

const std::string kKnowledge = NCCLWHY_SOURCE_DIR "/tests/unit/kb/data/";

// The taxonomy: ids are stable, an id that is missing here breaks reports that people keep.
const std::set<std::string> kCauses = {"shm.too-small",
                                       "stopped.time-limit",
                                       "stopped.preempted",
                                       "stopped.cancelled",
                                       "stopped.node-failure",
                                       "stopped.evicted",
                                       "boot.stale-store",
                                       "boot.rank-layout",
                                       "ib.device-fatal",
                                       "ib.no-privilege",
                                       "ib.gpu-initiated",
                                       "gpu.interposed",
                                       "gpu.pcie-atomics",
                                       "env.foreign-variable",
                                       "app.own-allreduce",
                                       "app.missing-input",
                                       "app.wrong-device",
                                       "version.no-nccl",
                                       "shm.permission",
                                       "shm.not-shared",
                                       "shm.cuda-register",
                                       "shm.cumem-host",
                                       "host.fd-limit",
                                       "host.thread-limit",
                                       "host.memlock",
                                       "host.oom",
                                       "host.disk-full",
                                       "host.page-pinning",
                                       "net.wrong-interface",
                                       "net.interface-missing",
                                       "net.unreachable",
                                       "net.connection-refused",
                                       "net.port-in-use",
                                       "net.foreign-connection",
                                       "net.link-flap",
                                       "net.transport-mismatch",
                                       "net.dns-or-hostname",
                                       "boot.rank-missing",
                                       "boot.unique-id-misuse",
                                       "boot.mpi-hcoll",
                                       "boot.launcher",
                                       "ib.no-device",
                                       "ib.link-down",
                                       "ib.retry-exceeded",
                                       "ib.rnr-retry",
                                       "ib.wrong-gid",
                                       "ib.qp-setup",
                                       "ib.local-error",
                                       "ib.memory-registration",
                                       "ib.gdr-unavailable",
                                       "ib.rail-isolated",
                                       "ib.virtualisation",
                                       "net.plugin-load",
                                       "net.efa",
                                       "net.sharp",
                                       "gpu.invalid-device",
                                       "gpu.duplicate",
                                       "gpu.device-not-set",
                                       "gpu.handle-import",
                                       "gpu.imex",
                                       "gpu.fabric-manager",
                                       "gpu.nvls",
                                       "gpu.p2p-unsupported",
                                       "gpu.nvlink-error",
                                       "gpu.xid",
                                       "gpu.oom",
                                       "gpu.illegal-access",
                                       "gpu.driver-too-old",
                                       "gpu.arch-unsupported",
                                       "gpu.mig",
                                       "gpu.exclusive-mode",
                                       "gpu.graph-capture",
                                       "version.nccl-mismatch",
                                       "version.library-conflict",
                                       "version.library-missing",
                                       "version.known-bug",
                                       "version.cuda-mismatch",
                                       "app.collective-mismatch",
                                       "app.p2p-unmatched",
                                       "app.rank-crashed",
                                       "app.rank-stalled",
                                       "app.timeout-too-short",
                                       "app.concurrent-comms",
                                       "app.teardown-order",
                                       "app.invalid-argument",
                                       "app.fork-or-thread",
                                       "app.numerics",
                                       "env.unknown-variable",
                                       "env.bad-value",
                                       "env.differs-across-ranks",
                                       "env.degrading",
                                       "topo.detection",
                                       "topo.graph-search",
                                       "perf.socket-fallback",
                                       "perf.no-p2p",
                                       "perf.slow-fabric"};
// What a line may mean without being a cause: nothing to fix.
const std::set<std::string> kNotCauses = {"none", "secondary.peer-closed", "secondary.abort", "benign"};

TEST_CASE("every cause can be explained and fixed in both languages", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  for (const std::string& id : kCauses) {
    INFO(id);
    REQUIRE(Has(kb, id));
    for (const Language language : {Language::kEnglish, Language::kChinese}) {
      const auto cause = kb.FindCause(id, language);
      REQUIRE(cause);
      CHECK(cause->id == id);
      CHECK(!cause->title.empty());
      CHECK(!cause->meaning.empty());
      CHECK(!cause->summary.empty());
      CHECK(!cause->fixes.empty());
      CHECK(!cause->confirm.empty());
      CHECK(!cause->references.empty());
      for (const Fix& fix : cause->fixes) CHECK(!fix.text.empty());
      // Nothing known: every name has a fallback or stands in a section.
      std::string summary = cause->summary.back().text;
      for (size_t at; (at = summary.find("|?}")) != std::string::npos;) summary[at + 1] = '-';
      const std::string sentence = ExpandTemplate(summary, {});
      CHECK(sentence.find('?') == std::string::npos);
      // "[[{variable} ]]breaks what NCCL needs" would begin in the middle.
      INFO(sentence);
      CHECK_FALSE((language == Language::kEnglish && IsLower(sentence.front())));
    }
    CHECK(kb.FindCause(id, Language::kEnglish)->meaning != kb.FindCause(id, Language::kChinese)->meaning);
  }
  for (const std::string& id : kNotCauses) {
    INFO(id);
    CHECK(Has(kb, id));
  }
  for (const std::string& id : kb.CauseIds()) {
    INFO(id);
    CHECK((kCauses.count(id) == 1 || kNotCauses.count(id) == 1));
  }
  CHECK_FALSE(Has(kb, "shm.too"));
  CHECK_FALSE(kb.FindCause("", Language::kEnglish));
}

TEST_CASE("variables", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  const auto variable = kb.FindVariable("NCCL_IB_DISABLE", Language::kEnglish);
  REQUIRE(variable);
  CHECK(variable->name == "NCCL_IB_DISABLE");
  CHECK(!variable->effect.empty());
  CHECK(!kb.FindVariable("NCCL_IB_DISABLED", Language::kEnglish));
  CHECK(kb.NearestVariable("NCCL_IB_DISABLED") == "NCCL_IB_DISABLE");
  CHECK(kb.NearestVariable("EDITOR").empty());
  const auto never = kb.NeverRead("NCCL_SHM_USE_CUDA_MEMORY", Language::kChinese);
  REQUIRE(never);
  CHECK(never->second == "NCCL_SHM_USE_CUDA_MEMCPY");
  CHECK(!kb.NeverRead("NCCL_DEBUG", Language::kEnglish));
  const std::vector<std::string> names = kb.VariableNames();
  CHECK(names.size() > 200);
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) CHECK(!kb.NeverRead(name, Language::kEnglish));
}

TEST_CASE("codes", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  const auto code = kb.FindCode("errno", 28, Language::kEnglish);
  REQUIRE(code);
  CHECK(code->name == "ENOSPC");
  CHECK(code->code == 28);
  CHECK(!code->meaning.empty());
  CHECK(kb.FindCode("ib_wc_status", 12, Language::kChinese));
  CHECK(kb.FindCode("xid", 79, Language::kEnglish)->more.count("action") == 1);
  CHECK(kb.FindCode("mlx5_syndrome", "0x01", Language::kEnglish));
  CHECK(kb.FindCode("mlx5_syndrome", 1, Language::kEnglish));
  CHECK(kb.FindCode("slurm_state", "OUT_OF_MEMORY", Language::kEnglish)->key == "OUT_OF_MEMORY");
  CHECK(!kb.FindCode("errno", 9999, Language::kEnglish));
  CHECK(!kb.FindCode("no such table", 1, Language::kEnglish));
}

TEST_CASE("a code by any of its words", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  for (const char* const word : {"9", "SIGKILL", "Killed"}) {
    INFO(word);
    const auto signal = kb.FindCodeByWord("signal", word, Language::kChinese);
    REQUIRE(signal);
    CHECK(signal->code == 9);
    CHECK(signal->name == "SIGKILL");
  }
  CHECK(kb.FindCodeByWord("signal", "Segmentation fault", Language::kEnglish)->code == 11);
  CHECK(kb.FindCodeByWord("slurm_state", "OUT_OF_MEMORY", Language::kEnglish));
  CHECK(!kb.FindCodeByWord("signal", "ENOSPC", Language::kEnglish));  // of another table
  CHECK(!kb.FindCodeByWord("signal", "", Language::kEnglish));
  CHECK(!kb.FindCodeByWord("no such table", "Killed", Language::kEnglish));
}

TEST_CASE("public incidents: what a person may be shown", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  REQUIRE(kb.IncidentCount() > 0);
  std::set<std::string> told;  // whoever describes two threads in the same words has copied one of them
  for (size_t i = 0; i < kb.IncidentCount(); ++i) {
    const IncidentKnowledge incident = kb.Incident(i, Language::kEnglish);
    const IncidentKnowledge chinese = kb.Incident(i, Language::kChinese);
    INFO(incident.id);
    CHECK(incident.url.starts_with("https://"));
    CHECK(Has(kb, incident.cause));
    CHECK(told.insert(incident.title + "\n" + incident.solved).second);
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    CHECK_FALSE(std::all_of(chinese.title.begin(), chinese.title.end(), is_ascii));
    CHECK_FALSE(std::all_of(chinese.solved.begin(), chinese.solved.end(), is_ascii));
  }
  CHECK(kb.Incident(kb.IncidentCount(), Language::kEnglish).id.empty());
}

TEST_CASE("a directory adds incidents and replaces those of the same id", "[kb]") {
  const auto kb = KnowledgeBase::Load({kKnowledge + "good"});
  REQUIRE(kb.ok());
  CHECK(kb.value()->IncidentCount() == KnowledgeBase::Embedded().IncidentCount() + 1);
  const auto again = KnowledgeBase::Load({kKnowledge + "good", kKnowledge + "good"});
  REQUIRE(again.ok());
  CHECK(again.value()->IncidentCount() == kb.value()->IncidentCount());
  IncidentKnowledge found;
  for (size_t i = 0; i < kb.value()->IncidentCount() && found.id != "site-tool-7"; ++i) {
    found = kb.value()->Incident(i, Language::kEnglish);
  }
  CHECK(found.title == "A link {was} tired");  // no template
  CHECK(found.products.at("nccl") == "2.18.3");
  CHECK(found.looked_like.size() == 1);
}

TEST_CASE("known bugs", "[kb]") {
  const std::vector<BugKnowledge> bugs = KnowledgeBase::Embedded().Bugs(Language::kEnglish);
  CHECK(bugs.size() > 20);
  for (const BugKnowledge& bug : bugs) {
    INFO(bug.id);
    CHECK(!bug.title.empty());
    CHECK(Has(KnowledgeBase::Embedded(), bug.cause));
  }
}

TEST_CASE("messages", "[kb]") {
  const KnowledgeBase& kb = KnowledgeBase::Embedded();
  const int index = kb.Recognize(LogLevel::kInfo, "Connected all rings");
  REQUIRE(index >= 0);
  CHECK(kb.Message(index, "2.21.5", Language::kEnglish).format == "Connected all rings");
  CHECK(kb.Message(index, "2.21.5", Language::kEnglish).index == index);
  CHECK(kb.Message(-1, "", Language::kEnglish).index == -1);
  CHECK(kb.Message(1 << 20, "", Language::kEnglish).index == -1);
}

TEST_CASE("a directory overrides and adds", "[kb]") {
  auto loaded = KnowledgeBase::Load({kKnowledge + "good"});
  REQUIRE(loaded.ok());
  const KnowledgeBase& kb = *loaded.value();
  CHECK(kb.FindCause("shm.too-small", Language::kEnglish)->title == "overridden title");
  CHECK(kb.FindCause("shm.permission", Language::kEnglish)->title ==
        KnowledgeBase::Embedded().FindCause("shm.permission", Language::kEnglish)->title);
  CHECK(Has(kb, "site.local-rule"));
  CHECK(kb.MessageCount() == KnowledgeBase::Embedded().MessageCount() + 2);

  const int index = kb.Recognize(LogLevel::kWarn, "SITE/Plugin: link 3 of mlx5_0 is tired");
  REQUIRE(index >= 0);
  const MessageKnowledge old = kb.Message(index, "2.20.3", Language::kEnglish);
  CHECK(old.meaning == MessageMeaning::kSymptom);
  CHECK(old.product == "site-plugin");
  REQUIRE(old.causes.size() == 1);
  CHECK(old.causes[0].second == 2.5);
  CHECK(old.note == "call the operator");
  CHECK(kb.Message(index, "2.24.3+cuda12.4", Language::kEnglish).meaning == MessageMeaning::kBenign);
  CHECK(kb.Message(index, "", Language::kEnglish).meaning == MessageMeaning::kSymptom);
  CHECK(KnowledgeBase::Embedded().Recognize(LogLevel::kWarn, "SITE/Plugin: link 3 of mlx5_0 is tired") == -1);
  // What was embedded is still recognised.
  const int known = kb.Recognize(LogLevel::kInfo, "Connected all rings");
  REQUIRE(known >= 0);
  CHECK(kb.Message(known, "", Language::kEnglish).format == "Connected all rings");

  const auto knob = kb.FindVariable("NCCL_SITE_KNOB", Language::kChinese);
  REQUIRE(knob);
  CHECK(knob->default_value == "4");
  CHECK(knob->values == "0, 4");
  CHECK(knob->effect == "调节");
  CHECK(knob->degrading_when == "0");
  CHECK((knob->must_agree && knob->numeric));
  CHECK(kb.NeverRead("NCCL_SITE_NOB", Language::kEnglish)->first == "Misspelt.");
}

TEST_CASE("bad directories are refused with a reason", "[kb]") {
  const auto missing = KnowledgeBase::Load({kKnowledge + "nothing-here"});
  REQUIRE(!missing.ok());
  CHECK(missing.status().code() == ErrorCode::kNotFound);
  const auto bad = KnowledgeBase::Load({kKnowledge + "good", kKnowledge + "bad"});
  REQUIRE(!bad.ok());
  CHECK(bad.status().code() == ErrorCode::kCorrupt);
  CHECK(bad.status().message().find("causes/shm.json:2: shm.first: \"title\" has no \"zh\"") != std::string::npos);
  CHECK(bad.status().message().find("more") != std::string::npos);
  const auto none = KnowledgeBase::Load({});
  REQUIRE(none.ok());
  CHECK(Has(*none.value(), "shm.too-small"));
}

}  // namespace
}  // namespace ncclwhy
