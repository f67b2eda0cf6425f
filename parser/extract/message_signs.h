// MessageSigns: which texts by which families know their messages, wherever they stand, are in the body of one of
// NCCL's lines. One pass for those of all families: nearly every body has none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class MessageSign : uint8_t { kIb, kSocket, kGdr, kNvls, kNoColor };

class MessageSigns {
 public:
  MessageSigns() = default;
  explicit MessageSigns(std::string_view body) : signs_(Find(body)) {}

  bool Has(MessageSign sign) const { return (signs_ >> static_cast<uint8_t>(sign) & 1) != 0; }

 private:
  static uint32_t Find(std::string_view body);

  uint32_t signs_ = 0;
};

}  // namespace ncclwhy
