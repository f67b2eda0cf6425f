// LiteralAutomaton: finds which of many literals occur in a line (Aho-Corasick over bytes, case-sensitive).
//
// The tables are flat arrays of plain numbers, so they can be constexpr data made at build time (rules/engine/
// embed_rules.cc) or come from LiteralAutomatonBuilder at run time. Transitions are a double array: the child of state
// s for byte class c is state base[s] + c if its check is s. Bytes that occur in no literal have class 0 and lead back
// to the root. In most places of most lines no literal begins: there the first four bytes are looked up among those of
// the literals, and the automaton is not asked.
//
// Thread safety: a LiteralAutomaton is an immutable view; the tables must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// One state; a multiple of these fits a cache line.
struct LiteralState {
  uint32_t base = 0;
  uint32_t check = UINT32_MAX;  // parent state; UINT32_MAX = no such state
  uint32_t fail = 0;            // longest proper suffix that is a state
  uint32_t output = 0;          // index into outputs of a list (count, pattern numbers …); 0 = nothing ends here
};

struct LiteralTables {
  std::span<const uint8_t> classes;      // 256 entries: byte -> class
  std::span<const LiteralState> states;  // padded, so that base + class is always inside; empty = no literals
  std::span<const uint32_t> outputs;     // [0] is an empty list
  std::span<const uint64_t> heads;       // one bit for each HeadSlot that a literal of four bytes and more begins with
  std::span<const uint8_t> short_heads;  // 256 entries: 1 where a shorter literal begins with the byte

  static constexpr uint32_t kHeadBits = 15;
  static uint32_t HeadSlot(const char* p) {
    const auto byte = [p](int i) { return static_cast<uint32_t>(static_cast<uint8_t>(p[i])); };
    const uint32_t gram = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    return (gram * 2654435761u) >> (32 - kHeadBits);
  }
};

class LiteralAutomaton {
 public:
  LiteralAutomaton() = default;
  explicit LiteralAutomaton(const LiteralTables& tables) : tables_(tables) {}

  // Calls report(pattern) for every pattern with a literal in `text`; a pattern may be reported several times.
  template <typename Report>
  void Scan(std::string_view text, Report&& report) const {
    if (tables_.states.empty()) return;
    const LiteralState* states = tables_.states.data();
    const uint8_t* classes = tables_.classes.data();
    uint32_t state = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      if (state == 0) at = NextHead(text, at);
      const uint32_t byte_class = classes[static_cast<uint8_t>(text[at])];
      if (byte_class == 0) {
        state = 0;
        continue;
      }
      for (;;) {
        const uint32_t next = states[state].base + byte_class;
        if (states[next].check == state) {
          state = next;
          break;
        }
        if (state == 0) break;
        state = states[state].fail;
      }
      if (const uint32_t output = states[state].output; output != 0) {
        const uint32_t count = tables_.outputs[output];
        for (uint32_t i = 1; i <= count; ++i) report(tables_.outputs[output + i]);
      }
    }
  }

 private:
  // The first place at or behind `at` where a literal may begin; one of the last three bytes if there is none before.
  size_t NextHead(std::string_view text, size_t at) const {
    const uint64_t* heads = tables_.heads.data();
    const uint8_t* short_heads = tables_.short_heads.data();
    for (; at + 3 < text.size(); ++at) {
      const uint32_t slot = LiteralTables::HeadSlot(text.data() + at);
      if ((heads[slot >> 6] >> (slot & 63) & 1) != 0 || short_heads[static_cast<uint8_t>(text[at])] != 0) break;
    }
    return at;
  }

  LiteralTables tables_;
};

// Owns the tables that a builder made.
struct LiteralTablesStorage {
  std::array<uint8_t, 256> classes{};
  std::vector<LiteralState> states;
  std::vector<uint32_t> outputs;
  std::vector<uint64_t> heads;
  std::array<uint8_t, 256> short_heads{};
  LiteralTables View() const { return {classes, states, outputs, heads, short_heads}; }
};

class LiteralAutomatonBuilder {
 public:
  // An empty literal or one with a NUL byte is ignored.
  void Add(std::string_view literal, uint32_t pattern);
  LiteralTablesStorage Build() const;

 private:
  std::map<std::string, std::vector<uint32_t>, std::less<>>
      literals_;  // sorted: the tables do not depend on call order
};

}  // namespace ncclwhy
