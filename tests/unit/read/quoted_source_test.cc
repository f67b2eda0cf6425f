#include "read/quoted_source.h"

#include "catch.h"

namespace ncclwhy {
namespace {

ParsedLine Line(uint32_t number, std::string_view body) {
  ParsedLine line;
  line.number = number;
  line.body = body;
  return line;
}

}  // namespace

TEST_CASE("what a program would say is no message where Python quotes it") {
  QuotedSource source;
  CHECK_FALSE(source.IsSource(Line(1, "  File \"/opt/train/train.py\", line 8, in training_step"), 0));
  CHECK(source.IsSource(
      Line(2, "    raise RuntimeError(\"CUDA error: out of memory\") if full else KeyError(\"labels\")"), 0));
  CHECK_FALSE(source.IsSource(Line(3, "               ^^^^^^^^^^^^^"), 0));
  CHECK_FALSE(source.IsSource(Line(4, "KeyError: 'labels'"), 0));
  // The message itself, not below a frame, or not deeper than it.
  CHECK_FALSE(source.IsSource(Line(5, "    raise RuntimeError(\"CUDA error: out of memory\")"), 0));
  CHECK_FALSE(source.IsSource(Line(6, "  File \"/opt/train/train.py\", line 8, in training_step"), 0));
  CHECK_FALSE(source.IsSource(Line(7, "RuntimeError: CUDA error: out of memory, raise the limit"), 0));
}

TEST_CASE("a statement that says nothing tells where the program stands, and each process has its own frames") {
  QuotedSource source;
  CHECK_FALSE(source.IsSource(Line(1, "  File \"/opt/train/data.py\", line 9, in load"), 3));
  CHECK_FALSE(source.IsSource(Line(2, "    with accelerator.main_process_first():"), 3));
  CHECK_FALSE(source.IsSource(Line(3, "  File \"/opt/train/data.py\", line 9, in load"), 3));
  CHECK_FALSE(source.IsSource(Line(4, "    print(\"Connection refused\")"), 4));
  CHECK_FALSE(source.IsSource(Line(5, "  File \"/opt/train/data.py\", line 9, in load"), 3));
  CHECK(source.IsSource(Line(6, "    print(\"Connection refused\")"), 3));
}

}  // namespace ncclwhy
