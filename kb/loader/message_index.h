// MessageIndex: which of some thousand printf formats printed a line?
//
// Every format is filed under grams of its literal text (base/gram_index.h). A line is looked through once, and only
// formats that have a gram in it are tried. Of a line that was cut the grams may be gone: it is looked through again,
// with four bytes for each format (its anchor). Nothing is built at start-up: the tables are embedded, or made once
// when a knowledge directory is loaded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/gram_index.h"
#include "parser/event.h"

namespace ncclwhy {

// Levels of the catalogue: LogLevel plus what is printed without a header.
enum class MessageLevel : uint8_t { kInfo, kWarn, kVersion, kAbort, kTrace, kCall, kPrint, kAssert, kRasOut };
inline constexpr std::array<std::string_view, 9> kMessageLevelNames = {"INFO", "WARN",  "VERSION", "ABORT", "TRACE",
                                                                       "CALL", "PRINT", "ASSERT",  "RASOUT"};

// One for each message, also for those that cannot be recognised, so that the number of a pattern is that of its
// message.
struct MessagePattern {
  uint32_t code = 0;       // offset into MessageTables::code
  uint16_t code_size = 0;  // 0: cannot be recognised
  uint16_t message = 0;    // index of the message
  MessageLevel level = MessageLevel::kInfo;
  char end = 0;   // what every whole text of it ends with; kEndsWithDigit: a digit; 0: anything
  char sure = 0;  // one that has no gram: a byte that is in every whole text of it; 0: not known
};
inline constexpr char kEndsWithDigit = 1;

// Borrowed tables; trivially constant-initialised.
struct MessageTables {
  static constexpr int kSlotBits = 14;
  std::string_view code;  // FormatCode of all patterns
  std::span<const MessagePattern> patterns;
  std::span<const uint16_t> slots;     // 2^kSlotBits + 1 ends: slot s is anchored[slots[s] .. slots[s + 1])
  std::span<const uint64_t> occupied;  // one bit a slot
  std::span<const uint16_t> anchored;  // patterns by slot
  std::span<const uint16_t> loose;     // patterns without an anchor: always tried
  std::span<const uint16_t> unfiled;   // patterns without a gram: always tried, where nothing was cut
  GramTable longs, shorts;             // of the others
};

// Owns what MessageTables borrows.
// A View is valid while the owner lives and is not changed.
struct MessageTablesOwner {
  std::string code;
  std::vector<MessagePattern> patterns;
  std::vector<uint16_t> slots, anchored, loose, unfiled;
  std::vector<uint64_t> occupied;
  GramIndexStorage grams;
  MessageTables View() const {
    return {code, patterns, slots, occupied, anchored, loose, unfiled, grams.longs.View(), grams.shorts.View()};
  }
};

struct MessageFormat {
  MessageLevel level = MessageLevel::kInfo;
  std::string format;
};
inline constexpr size_t kMaxMessages = 60'000;  // numbers are 16 bits wide

// Message i of the result is formats[i]. At most kMaxMessages.
MessageTablesOwner BuildMessageTables(const std::vector<MessageFormat>& formats);

// How well the level of a line fits that of a format: 2 the same, 1 a known shift, 0 not at all.
int LevelFit(LogLevel line, MessageLevel format);

// The message that printed `body` at `level`, or -1. Of several the one with the most literal text wins, then the
// first. A WARN format that NCCL demoted to INFO is found when no INFO format fits.
int FindMessage(const MessageTables& tables, LogLevel level, std::string_view body);

}  // namespace ncclwhy
