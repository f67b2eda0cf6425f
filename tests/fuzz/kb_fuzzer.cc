// The knowledge loader: the first byte says which file of a knowledge directory the rest is. What is accepted can be
// asked for everything.
#include <algorithm>
#include <filesystem>
#include <string>

#include "fuzz/check.h"
#include "fuzz/scratch.h"
#include "kb/loader/kb.h"
#include "kb/loader/kb_data.h"
#include "kb/loader/kb_tables.h"

namespace ncclwhy::fuzz {
namespace {

constexpr const char* kFiles[] = {"causes/x.json", "messages/x.jsonl", "env.json",
                                  "codes.json",    "known_bugs.json",  "incidents/x.jsonl"};

void AskForAll(const KbData& own, const KnowledgeBase& kb) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    for (const auto& [id, json] : own.causes) {
      const auto cause = kb.FindCause(id, language);
      FUZZ_CHECK(cause.has_value());
      for (const FittingText& each : cause->summary) (void)ExpandTemplate(each.text, {{"rank", "3"}, {"host", "a"}});
    }
    for (const auto& [name, json] : own.variables) FUZZ_CHECK(kb.FindVariable(name, language).has_value());
    for (const auto& [name, json] : own.never_read) FUZZ_CHECK(kb.NeverRead(name, language).has_value());
    if (!own.bugs.empty()) (void)kb.Bugs(language);
    (void)kb.FindCode("errno", 28, language);
    if (own.incidents.empty()) continue;
    size_t found = 0;
    for (size_t i = 0; i < kb.IncidentCount(); ++i) {
      const IncidentKnowledge incident = kb.Incident(i, language);
      FUZZ_CHECK(!incident.looked_like.empty() && !incident.cause.empty());
      found += own.incidents.contains(incident.id) ? 1 : 0;
    }
    FUZZ_CHECK(found == own.incidents.size());
  }
  // Those of its own are the last, unless they replace others.
  const size_t messages = kb.MessageCount();
  for (size_t i = messages - std::min(messages, own.messages.size()); i < messages; ++i) {
    (void)kb.Message(static_cast<int>(i), "2.28.9", Language::kEnglish);
  }
  for (const char* body :
       {"", "Call to connect failed : Connection refused", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "x"}) {
    FUZZ_CHECK(kb.Recognize(LogLevel::kWarn, body) < static_cast<int>(messages));
  }
  (void)kb.NearestVariable("NCCL_IB_HCAS");
}

// With the embedded knowledge below it, an input takes a hundred times as long: all of a replay, some of a long run.
bool Chosen() {
  constexpr size_t kFirst = 32;
  constexpr size_t kEvery = 256;
  static size_t accepted = 0;
  ++accepted;
  return accepted <= kFirst || accepted % kEvery == 0;
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  if (size == 0) return 0;
  fuzz::Scratch& scratch = fuzz::Scratch::Get();
  const std::string root = scratch.root() + "/kb";
  std::error_code ignored;
  std::filesystem::remove_all(root, ignored);
  const std::string_view text = fuzz::View(data + 1, size - 1);
  (void)scratch.Write(std::string("kb/") + fuzz::kFiles[data[0] % std::size(fuzz::kFiles)], text);

  KbData own;
  std::vector<std::string> complaints;
  FUZZ_CHECK(ReadKnowledge(root, &own, &complaints));
  for (const std::string& complaint : complaints) FUZZ_CHECK(!complaint.empty());
  if (!complaints.empty()) return 0;
  (void)BuildTables(own);
  if (!fuzz::Chosen()) return 0;
  const Result<std::unique_ptr<KnowledgeBase>> kb = KnowledgeBase::Load({root});
  FUZZ_CHECK(kb.ok() || !kb.status().message().empty());
  if (kb.ok()) fuzz::AskForAll(own, *kb.value());
  return 0;
}
