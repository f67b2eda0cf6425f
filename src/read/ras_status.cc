#include "read/ras_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "parser/facts_builder.h"
#include "read/document_witness.h"

namespace ncclwhy {
namespace {

class StatusReader {
 public:
  explicit StatusReader(SourceFacts* facts) : builder_(facts) {}

  bool Read(Document::Value root) {
    const Document::Value communicators = root["communicators"];
    for (size_t i = 0; i < communicators.size(); ++i) ReadCommunicator(communicators[i]);
    if (const Document::Value peer = root["peer"]; peer.is_dict()) {
      const std::string_view event = root["event"].Text();
      Tell(event, event == "PEER_DEAD" ? "dead" : event, {}, 1);
      List(peer);
    }
    builder_.facts().counters.Add(Counter::kRecords, records_);
    return records_ > 0;
  }

 private:
  // A heading. `count`: of how many it speaks.
  EventWriter Tell(std::string_view text, std::string_view phase, std::string_view value, size_t count) {
    ParsedLine line;
    line.number = ++records_;
    line.body = text;
    EventWriter event = builder_.Begin(EventKind::kRas, line, kNoProcess);
    event.Set(FieldId::kPhase, phase).Set(FieldId::kValue, value).Set(FieldId::kCount, static_cast<int64_t>(count));
    return event;
  }

  void List(Document::Value rank) {
    const std::string_view host = rank["host"].Text();
    const auto pid = rank["pid"].Integer();
    const auto number = rank["rank"].Integer();
    const std::string who =
        fmt::format("{}process {} on node {}", number ? fmt::format("rank {}, ", *number) : "", pid.value_or(-1), host);
    ParsedLine line;
    line.number = ++records_;
    line.body = who;
    EventWriter event = builder_.Begin(EventKind::kRas, line, kNoProcess);
    event.Set(FieldId::kPhase, "listed").Set(FieldId::kHost, host);
    if (number) event.Set(FieldId::kRank, *number);
    if (pid) event.Set(FieldId::kPid, *pid);
  }

  void ReadCommunicator(Document::Value communicator) {
    const Document::Value ranks = communicator["ranks"];
    const Document::Value missing = communicator["missing_ranks"];
    if (ranks.kind() == Document::Kind::kNothing && missing.kind() == Document::Kind::kNothing) return;
    const std::string_view hash = communicator["hash"].Text();
    Tell(
        fmt::format("communicator {}, {} of {} ranks", hash, ranks.size(), communicator["size"].Integer().value_or(-1)),
        "communicator", hash, ranks.size());
    for (const bool dead : {true, false}) {
      std::vector<Document::Value> listed;
      for (size_t i = 0; i < missing.size(); ++i) {
        if (missing[i]["status"]["considered_dead"].True() == dead) listed.push_back(missing[i]);
      }
      if (listed.empty()) continue;
      Tell(fmt::format("{} ranks {}", listed.size(), dead ? "are considered dead" : "did not answer"),
           dead ? "dead" : "missing", {}, listed.size());
      for (const Document::Value rank : listed) List(rank);
    }
    CompareCounts(ranks);
  }

  // As the text does: for each collective how many ranks have launched how many, and who the fewer ones are.
  // The ranks that have launched most come first, and the majority is not listed: it is everybody else.
  //    7 ranks have launched up to AllReduce operation 64
  //    1 ranks have launched up to AllReduce operation 60
  //    rank 5, process 4711 on node node07
  void CompareCounts(Document::Value ranks) {
    std::map<std::string_view, std::map<int64_t, std::vector<Document::Value>>> launched;
    for (size_t i = 0; i < ranks.size(); ++i) {
      const Document::Value counts = ranks[i]["collective_counts"];
      for (size_t k = 0; k < counts.size(); ++k) {
        launched[counts.Key(k).Text()][counts.At(k).Integer().value_or(0)].push_back(ranks[i]);
      }
    }
    for (const auto& [operation, by_count] : launched) {
      if (by_count.size() < 2) continue;
      size_t most = 0;
      for (const auto& [count, who] : by_count) most = std::max(most, who.size());
      bool majority = true;
      for (auto it = by_count.rbegin(); it != by_count.rend(); ++it) {
        const auto& [count, who] = *it;
        Tell(fmt::format("{} ranks have launched up to {} operation {}", who.size(), operation, count), "launched",
             std::to_string(count), who.size());
        if (majority && who.size() == most) {
          majority = false;
          continue;
        }
        for (const Document::Value rank : who) List(rank);
      }
    }
  }

  FactsBuilder builder_;
  uint32_t records_ = 0;
};

}  // namespace

bool LooksLikeRasStatus(std::string_view first) {
  if (!BeginsObject(first)) return false;
  const auto key = [&](std::string_view name) { return first.find(name) != std::string_view::npos; };
  return key("\"communicators_count\"") || (key("\"communicators\"") && key("\"nccl_version\"")) ||
         (key("\"event\"") && key("\"peer\"") && key("\"cuda_devs\""));
}

std::unique_ptr<Witness> NewRasStatus(const WitnessContext& context) {
  return NewDocumentWitness(
      context, [](const Document& document, SourceFacts* facts) { return StatusReader(facts).Read(document.root()); });
}

}  // namespace ncclwhy
