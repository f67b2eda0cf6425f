#include "parser/fast/known_labels.h"

#include <string>

#include "catch.h"
#include "parser/outer_prefix.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kHeader =
    "gpu000:7000:7400 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f92265b1f5 recvbuff 0x7fcd8f16adf";

// What the stripper says of `label` in front of a header; it knows srun's labels.
StrippedLine Stripped(const std::string& line) {
  static OuterPrefixStripper stripper;
  stripper.Strip("7: " + std::string(kHeader));
  return stripper.Strip(line);
}

void Learn(const std::string& label, KnownLabels* labels) {
  const std::string line = label + std::string(kHeader);
  const StrippedLine stripped = Stripped(line);
  REQUIRE(stripped.prefix.fixed);
  REQUIRE(stripped.text == kHeader);
  labels->Add(line, label.size(), stripped.prefix);
}

TEST_CASE("labels are fixed where nothing but the digits of a time may differ", "[known_labels]") {
  const auto is_fixed = [](const std::string& label) { return Stripped(label + std::string(kHeader)).prefix.fixed; };
  for (const char* label :
       {"3: ", "[1,3]<stdout>: ", "[1,3]<stderr>:", "[rank3]: ", "[default12]:", "Oct  4 07:00:00 gpu000 train[600]: ",
        "2026-10-04T07:00:00.5Z stdout F ", "2026-10-04 07:00:00,123 3: ", "2026-10-04T07:00:00Z ", "gpu000: "}) {
    INFO(label);
    CHECK(is_fixed(label));
  }
  // Who is named in a JSON or behind a quote is looked at each time; nothing hides a task's number.
  for (const char* label : {"> ", "(Actor pid=812, ip=10.1.62.31) ", "3: [1,4]<stdout>:", ""}) {
    INFO(label);
    CHECK(!is_fixed(label));
  }
}

TEST_CASE("a label is known in front of other lines, with another time", "[known_labels]") {
  KnownLabels labels;
  Learn("Oct  4 07:00:00 gpu000 train[600]: ", &labels);
  Learn("[1,3]<stdout>: ", &labels);
  const auto find = [&](std::string line) {
    line += kHeader;
    return labels.Find(line.c_str());
  };
  const KnownLabels::Label* const timed = find("Oct  4 19:59:07 gpu000 train[600]: ");
  REQUIRE(timed != nullptr);
  CHECK(timed->outer.host == "gpu000");
  CHECK(timed->outer.pid == 600);
  CHECK(timed->time_end == 15);
  CHECK(find("Oct 14 19:59:07 gpu000 train[600]: ") == nullptr);  // a blank was there
  CHECK(find("Oct  4 19:59:07 gpu000 train[601]: ") == nullptr);
  CHECK(find("Nov  4 19:59:07 gpu000 train[600]: ") == nullptr);
  const KnownLabels::Label* const mpi = find("[1,3]<stdout>: ");
  REQUIRE(mpi != nullptr);
  CHECK(mpi->outer.rank == 3);
  CHECK(find("[1,4]<stdout>: ") == nullptr);
  CHECK(find("") == nullptr);
}

TEST_CASE("a copy has texts of its own", "[known_labels]") {
  KnownLabels labels;
  Learn("[1,mpirank:3,algo-1]<stdout>:", &labels);
  const KnownLabels copy(labels);
  labels.Clear();
  const std::string line = "[1,mpirank:3,algo-1]<stdout>:" + std::string(kHeader);
  CHECK(labels.Find(line.c_str()) == nullptr);
  KnownLabels again(copy);
  const KnownLabels::Label* const label = again.Find(line.c_str());
  REQUIRE(label != nullptr);
  CHECK(label->outer.pod == "algo-1");
  CHECK(label->outer.pod.data() == label->text.data() + 13);
}

}  // namespace
}  // namespace ncclwhy
