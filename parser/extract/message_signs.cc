#include "parser/extract/message_signs.h"

#include <array>

#include "base/word_finder.h"

namespace ncclwhy {
namespace {

struct Text {
  std::string_view text;
  MessageSign sign;
};

constexpr Text kTexts[] = {
    {"async event", MessageSign::kIb},          {"async fatal event", MessageSign::kIb},
    {"async error event", MessageSign::kIb},    {"GID table changed", MessageSign::kIb},
    {"ibv_modify_qp failed", MessageSign::kIb}, {"onnection closed by remote peer", MessageSign::kSocket},
    {"Call to ", MessageSign::kSocket},         {"onnect to ", MessageSign::kSocket},
    {"onnect returned ", MessageSign::kSocket}, {"exceeded ", MessageSign::kSocket},
    {"Accept failed", MessageSign::kSocket},    {"wrong magic", MessageSign::kSocket},
    {"valid magic from", MessageSign::kSocket}, {"magic mismatch", MessageSign::kSocket},
    {"wrong type", MessageSign::kSocket},       {"ocket creation failed", MessageSign::kSocket},
    {"bind on ", MessageSign::kSocket},         {"abort called", MessageSign::kSocket},
    {"GPU Direct RDMA ", MessageSign::kGdr},    {"NVLS", MessageSign::kNvls},
    {"NVLink SHARP", MessageSign::kNvls},       {"NCCL_SPLIT_NOCOLOR", MessageSign::kNoColor},
};

struct Sought {
  std::array<std::string_view, std::size(kTexts)> texts;
  std::array<WordFinder::Sign, std::size(kTexts)> signs;
  constexpr Sought() {
    for (size_t i = 0; i < std::size(kTexts); ++i) {
      texts[i] = kTexts[i].text;
      signs[i] = {static_cast<uint8_t>(kTexts[i].sign)};
    }
  }
};
constexpr Sought kSought;
constexpr WordFinder kFinder(kSought.texts, kSought.signs);

}  // namespace

uint32_t MessageSigns::Find(std::string_view body) { return static_cast<uint32_t>(kFinder.Find(body)); }

}  // namespace ncclwhy
