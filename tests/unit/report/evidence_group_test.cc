#include "report/evidence_group.h"

#include "catch.h"

namespace ncclwhy {
namespace {

Evidence Line(const char* file, const char* text, const char* note = "no acknowledgement") {
  Evidence e;
  e.file = file;
  e.line = 7;
  e.rule = "ib-retry";
  e.role = "direct";
  e.text = text;
  e.note = note;
  return e;
}

TEST_CASE("the same story of several ranks is one group, in order of its first line", "[report]") {
  Evidence other = Line("rank2.log", "NET/IB: async fatal event on mlx5_0");
  other.rule = "ib-async";
  const std::vector<EvidenceGroup> groups = GroupEvidence({
      Line("rank0.log", "completion from peer 10.0.0.7<51264> with status=12 opcode=129 hca mlx5_0"),
      other,
      Line("rank1.log", "completion from peer 10.0.0.7<50684> with status=12 opcode=129 hca mlx5_0"),
  });
  CHECK(groups == std::vector<EvidenceGroup>{{0, 2}, {1}});
}

TEST_CASE("lines of one rule that differ in what they say stand alone", "[report]") {
  // Another peer, by the note; other words; a line that is missing from the log.
  Evidence absent = Line("", "");
  absent.line = 0;
  const std::vector<Evidence> evidence = {
      Line("rank0.log", "completion from peer 10.0.0.7 with status=12"),
      Line("rank1.log", "completion from peer 10.0.0.9 with status=12", "no acknowledgement from the ninth"),
      Line("rank2.log", "RuntimeError: loss is nan"),
      Line("rank3.log", "ValueError: shapes do not match"),
      absent,
      absent,
  };
  CHECK(GroupEvidence(evidence).size() == evidence.size());
}

TEST_CASE("no evidence, no group", "[report]") { CHECK(GroupEvidence({}).empty()); }

}  // namespace
}  // namespace ncclwhy
