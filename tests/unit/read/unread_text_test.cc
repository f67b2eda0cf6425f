#include "read/unread_text.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

const std::string kRecord = "node1:71:90 [0] NCCL INFO Channel 00/02 : 0 1 2 3 4 5 6 7 ";

std::string Many(size_t records) {
  std::string text;
  for (size_t i = 0; i < records; ++i) text += kRecord;
  return text;
}

TEST_CASE("records of NCCL inside of a document on one line are told as not read", "[unread]") {
  CHECK(LooksEncoded("{\"out\": \"" + Many(30) + "\"}\n"));
  CHECK(LooksEncoded("[\"" + Many(30) + "\"]\n"));
  CHECK(LooksEncoded("<pre>" + Many(30) + "</pre>\n"));
}

TEST_CASE("a long line of a log is no document", "[unread]") {
  CHECK_FALSE(LooksEncoded("[rank5]:[W819 07:35:29.372 ProcessGroupNCCL.cpp:4721] " + Many(30) + "\n"));
  CHECK_FALSE(LooksEncoded("[2026-11-26 10:00:00,000] " + Many(30) + "\n"));
  CHECK_FALSE(LooksEncoded("{\"log\": \"" + kRecord + std::string(2000, '.') + "\"}\n"));  // one record of a collector
  CHECK_FALSE(LooksEncoded("{\"log\": \"" + Many(30) + "\", \"stream\": \"stderr\"}\n"));  // several of them, glued
  CHECK_FALSE(LooksEncoded(Many(30)));
}

}  // namespace
}  // namespace ncclwhy
