#include "kb/loader/message_index.h"

#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

using M = MessageLevel;

const std::vector<MessageFormat> kFormats = {
    {M::kInfo, "%s:%d -> %d"},                                     // 0
    {M::kWarn, "Call to %s failed : %s"},                          // 1
    {M::kInfo, "Call to %s returned %s, retrying"},                // 2
    {M::kInfo, "NET/Plugin: Loaded net plugin %s"},                // 3
    {M::kInfo, "NET/Plugin: Loaded net plugin %s (v4)"},           // 4
    {M::kInfo, "%s"},                                              // 5
    {M::kInfo, "%d:%d"},                                           // 6: no four literal bytes
    {M::kWarn, "NET/IB : Got completion from peer %s status=%d"},  // 7
    {M::kVersion, "NCCL version %s"},                              // 8
    {M::kPrint, "Usage: %s"},                                      // 9
    {M::kWarn, "%s:%d -> %d [Proxy thread error]"},                // 10
};

int Find(LogLevel level, const std::string& body) {
  static const MessageTablesOwner kTables = BuildMessageTables(kFormats);
  return FindMessage(kTables.View(), level, body);
}

TEST_CASE("the most exact format of the line's level wins", "[kb]") {
  const struct {
    LogLevel level;
    const char* body;
    int message;
  } kCases[] = {
      {LogLevel::kInfo, "transport/net.cc:687 -> 6", 0},
      {LogLevel::kWarn, "transport/net.cc:687 -> 6", -1},  // INFO text at WARN is another thing
      {LogLevel::kWarn, "proxy.cc:12 -> 3 [Proxy thread error]", 10},
      {LogLevel::kWarn, "Call to connect failed : Connection refused", 1},
      {LogLevel::kInfo, "Call to connect failed : Connection refused", 1},  // a WARN demoted to INFO
      {LogLevel::kTrace, "Call to connect failed : Connection refused", -1},
      {LogLevel::kInfo, "NET/Plugin: Loaded net plugin AWS Libfabric (v4)", 4},
      {LogLevel::kInfo, "NET/Plugin: Loaded net plugin AWS Libfabric", 3},
      {LogLevel::kInfo, "anything else", -1},
      {LogLevel::kInfo, "12:34", 6},
      {LogLevel::kInfo, "NCCL version 2.28.9+cuda13.0", 8},
      {LogLevel::kNone, "NCCL version 2.21.5+cuda12.4", 8},
      {LogLevel::kNone, "transport/net.cc:687 -> 6", -1},
      {LogLevel::kInfo, "", -1},
      {LogLevel::kInfo, "  \r\n", -1},
  };
  for (const auto& c : kCases) {
    INFO(c.body);
    CHECK(Find(c.level, c.body) == c.message);
  }
}

TEST_CASE("a cut line is recognised only when it is long enough to have been cut by NCCL", "[kb]") {
  const std::string peer(1000, 'p');
  CHECK(Find(LogLevel::kWarn, "NET/IB : Got completion from peer " + peer) == 7);
  CHECK(Find(LogLevel::kWarn, "NET/IB : Got completion from peer 10.0.0.1") == -1);
  CHECK(Find(LogLevel::kWarn, peer) == -1);
}

TEST_CASE("empty tables recognise nothing", "[kb]") {
  CHECK(FindMessage(MessageTables{}, LogLevel::kInfo, "text") == -1);
  const MessageTablesOwner none = BuildMessageTables({});
  CHECK(FindMessage(none.View(), LogLevel::kInfo, "text text text") == -1);
}

}  // namespace
}  // namespace ncclwhy
