#include "rules/engine/literal_automaton.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace ncclwhy {
namespace {

struct TrieNode {
  std::map<uint8_t, uint32_t> children;  // by byte class, ascending
  std::vector<uint32_t> patterns;
};

// Slots of the double array. Slot 0 is the root and is never given away again.
class SlotAllocator {
 public:
  // The smallest base at which all `children` find a free slot; takes those slots.
  uint32_t Place(const std::map<uint8_t, uint32_t>& children) {
    const uint32_t first_class = children.begin()->first;
    while (Taken(first_free_)) ++first_free_;
    for (uint32_t slot = std::max(first_free_, first_class);; ++slot) {
      if (Taken(slot)) continue;
      const uint32_t base = slot - first_class;
      const bool fits =
          std::all_of(children.begin(), children.end(), [&](const auto& child) { return !Taken(base + child.first); });
      if (!fits) continue;
      for (const auto& child : children) Take(base + child.first);
      return base;
    }
  }

 private:
  bool Taken(uint32_t slot) const { return slot < taken_.size() && taken_[slot]; }
  void Take(uint32_t slot) {
    if (slot >= taken_.size()) taken_.resize(std::max<size_t>(slot + 1, taken_.size() * 2), false);
    taken_[slot] = true;
  }

  std::vector<bool> taken_{true};
  uint32_t first_free_ = 1;
};

}  // namespace

void LiteralAutomatonBuilder::Add(std::string_view literal, uint32_t pattern) {
  if (literal.empty() || literal.find('\0') != std::string_view::npos) return;
  std::vector<uint32_t>& patterns = literals_[std::string(literal)];
  const auto at = std::lower_bound(patterns.begin(), patterns.end(), pattern);
  if (at == patterns.end() || *at != pattern) patterns.insert(at, pattern);
}

LiteralTablesStorage LiteralAutomatonBuilder::Build() const {
  LiteralTablesStorage tables;
  tables.outputs.push_back(0);
  if (literals_.empty()) return tables;

  tables.heads.assign((size_t{1} << LiteralTables::kHeadBits) / 64, 0);
  for (const auto& [literal, patterns] : literals_) {
    if (literal.size() < 4) {
      tables.short_heads[static_cast<uint8_t>(literal[0])] = 1;
    } else {
      const uint32_t slot = LiteralTables::HeadSlot(literal.data());
      tables.heads[slot >> 6] |= uint64_t{1} << (slot & 63);
    }
  }

  std::array<bool, 256> used{};
  for (const auto& [literal, patterns] : literals_) {
    for (const char c : literal) used[static_cast<uint8_t>(c)] = true;
  }
  // Class 0 means "in no literal", so 255 classes are left for 255 bytes: Add() refuses NUL.
  uint32_t class_count = 1;
  for (size_t byte = 1; byte < 256; ++byte) {
    if (used[byte]) tables.classes[byte] = static_cast<uint8_t>(class_count++);
  }

  std::vector<TrieNode> trie(1);
  for (const auto& [literal, patterns] : literals_) {
    uint32_t node = 0;
    for (const char c : literal) {
      const uint8_t byte_class = tables.classes[static_cast<uint8_t>(c)];
      const auto [child, inserted] = trie[node].children.try_emplace(byte_class, static_cast<uint32_t>(trie.size()));
      node = child->second;
      if (inserted) trie.emplace_back();
    }
    trie[node].patterns = patterns;
  }

  // Breadth first: a state's suffix is always shorter, so it is complete when the state is reached.
  std::vector<uint32_t> slot_of(trie.size(), 0);
  std::vector<uint32_t> fail_of(trie.size(), 0);    // trie nodes
  std::vector<uint32_t> output_of(trie.size(), 0);  // index into tables.outputs
  SlotAllocator slots;
  std::deque<uint32_t> queue{0};
  tables.states.resize(1);
  while (!queue.empty()) {
    const uint32_t node = queue.front();
    queue.pop_front();
    if (trie[node].patterns.empty()) {
      output_of[node] = output_of[fail_of[node]];
    } else {
      std::vector<uint32_t> all = trie[node].patterns;
      if (node != 0) {
        const uint32_t inherited = output_of[fail_of[node]];
        for (uint32_t i = 1; i <= tables.outputs[inherited]; ++i) all.push_back(tables.outputs[inherited + i]);
      }
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      output_of[node] = static_cast<uint32_t>(tables.outputs.size());
      tables.outputs.push_back(static_cast<uint32_t>(all.size()));
      tables.outputs.insert(tables.outputs.end(), all.begin(), all.end());
    }
    LiteralState& state = tables.states[slot_of[node]];
    state.fail = slot_of[fail_of[node]];
    state.output = output_of[node];
    if (trie[node].children.empty()) continue;
    const uint32_t base = slots.Place(trie[node].children);
    state.base = base;
    const uint32_t self = slot_of[node];
    for (const auto& [byte_class, child] : trie[node].children) {
      const uint32_t slot = base + byte_class;
      if (slot >= tables.states.size()) tables.states.resize(slot + 1);
      tables.states[slot].check = self;
      slot_of[child] = slot;
      uint32_t suffix = node == 0 ? 0 : fail_of[node];
      while (node != 0) {
        const auto next = trie[suffix].children.find(byte_class);
        if (next != trie[suffix].children.end()) {
          fail_of[child] = next->second;
          break;
        }
        if (suffix == 0) break;
        suffix = fail_of[suffix];
      }
      queue.push_back(child);
    }
  }
  tables.states.resize(tables.states.size() + class_count);
  return tables;
}

}  // namespace ncclwhy
