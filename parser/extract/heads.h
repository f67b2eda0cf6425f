// Heads: texts that messages begin with. Most lines begin with a byte that none of them begins with.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "parser/scan.h"

namespace ncclwhy {

// Usable as a constant; the heads are borrowed, and none is empty.
class Heads {
 public:
  constexpr explicit Heads(std::span<const std::string_view> heads) : heads_(heads) {
    for (const std::string_view head : heads) first_[static_cast<unsigned char>(head[0])] = true;
  }

  // One load for a body that begins with another byte.
  bool Begin(std::string_view body) const {
    if (body.empty() || !first_[static_cast<unsigned char>(body[0])]) return false;
    for (const std::string_view head : heads_) {
      if (scan::StartsWith(body, head)) return true;
    }
    return false;
  }

 private:
  std::array<bool, 256> first_{};
  std::span<const std::string_view> heads_;
};

}  // namespace ncclwhy
