#include "analyze/gid_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

std::optional<uint64_t> Hex(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The bytes of one half in the order of the wire: NCCL prints them as a little-endian machine reads them.
// NCCL prints the two halves as numbers: `GID 0 (80FE/1B00…)`.
std::array<unsigned, 8> Bytes(uint64_t half) {
  std::array<unsigned, 8> out{};
  for (unsigned& byte : out) {
    byte = static_cast<unsigned>(half & 0xFF);
    half >>= 8;
  }
  return out;
}

Gid FromHalves(uint64_t prefix, uint64_t interface) {
  if (prefix == 0 && interface == 0) return {GidKind::kEmpty, {}};
  const std::array<unsigned, 8> high = Bytes(prefix);
  const std::array<unsigned, 8> low = Bytes(interface);
  // ::ffff:a.b.c.d: an address of version 4, as RoCE uses it.
  if (prefix == 0 && low[0] == 0 && low[1] == 0 && low[2] == 0xFF && low[3] == 0xFF) {
    return {GidKind::kAddress, fmt::format("{}.{}.{}.{}", low[4], low[5], low[6], low[7])};
  }
  std::string text;
  for (size_t i = 0; i < 8; i += 2) text += fmt::format("{:x}:", high[i] << 8 | high[i + 1]);
  for (size_t i = 0; i < 8; i += 2) text += fmt::format("{}{:x}", i == 0 ? "" : ":", low[i] << 8 | low[i + 1]);
  // fe80::/10.
  const bool local = high[0] == 0xFE && (high[1] & 0xC0) == 0x80;
  return {local ? GidKind::kLinkLocal : GidKind::kAddress, text};
}

std::string Use(const GidUse& use, bool zh) {
  std::string out =
      fmt::format(fmt::runtime(zh ? "{} 使用 GID index {}" : "{} uses GID index {}"), use.host, use.index);
  switch (use.gid.kind) {
    case GidKind::kEmpty:
      return out + (zh ? "（空）" : ", which is empty");
    case GidKind::kLinkLocal:
      return out + (zh ? "（链路本地）" : ", a link-local one");
    case GidKind::kAddress:
      return out + fmt::format(fmt::runtime(zh ? "（{}）" : " ({})"), use.gid.text);
    case GidKind::kUnknown:
      break;
  }
  return out;
}

}  // namespace

// As two numbers with a slash between, or as an address.
Gid ReadGid(std::string_view words) {
  if (const size_t slash = words.find('/'); slash != std::string_view::npos) {
    const auto prefix = Hex(words.substr(0, slash));
    const auto interface = Hex(words.substr(slash + 1));
    return prefix && interface ? FromHalves(*prefix, *interface) : Gid{};
  }
  if (words.empty()) return {};
  if (words == "::" || words == "0:0:0:0:0:0:0:0") return {GidKind::kEmpty, {}};
  for (const std::string_view mapped : {"::ffff:", "::FFFF:"}) {
    if (words.starts_with(mapped)) return {GidKind::kAddress, std::string(words.substr(mapped.size()))};
  }
  const bool local = words.starts_with("fe80:") || words.starts_with("FE80:");
  if (words.find(':') == std::string_view::npos) return {};
  return {local ? GidKind::kLinkLocal : GidKind::kAddress, std::string(words)};
}

std::vector<GidUse> GidsOfHosts(const JobModel& model) {
  std::vector<GidUse> out;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kIbQp) continue;
      const auto index = ParseInt<int>(facts.Get(e, FieldId::kGidIndex));
      const ProcessId id = model.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      if (!index || *index < 0 || !id.valid()) continue;
      const std::string_view host = model.processes[id.value].host;
      // A process without a host cannot be compared with others.
      if (host.empty()) continue;
      GidUse use{
          host, *index, ReadGid(facts.Get(e, FieldId::kGid)), {SourceId{s}, e.line, e.offset, facts.Str(e.text)}};
      // The first place of each use; another kind of GID at the same index is another use.
      const bool known = std::any_of(out.begin(), out.end(), [&](const GidUse& o) {
        return o.host == host && o.index == use.index && o.gid.kind == use.gid.kind;
      });
      if (!known) out.push_back(std::move(use));
    }
  }
  return out;
}

std::optional<GidDifference> CompareGids(const JobModel& model, std::string_view host, Language language) {
  const bool zh = language == Language::kChinese;
  const std::vector<GidUse> uses = GidsOfHosts(model);
  const auto own = std::find_if(uses.begin(), uses.end(), [&](const GidUse& u) { return u.host == host; });
  if (own == uses.end()) return std::nullopt;
  for (const GidUse& other : uses) {
    // Alike, index and kind: no difference to tell.
    if (other.host == host || (other.index == own->index && other.gid.kind == own->gid.kind)) continue;
    const bool addresses = own->gid.kind == GidKind::kAddress && other.gid.kind == GidKind::kAddress;
    const bool better = other.gid.kind == GidKind::kAddress && !addresses;
    // Only a difference that may be the reason: an address there and none here, or two addresses.
    if (!better && !addresses && own->gid.kind != GidKind::kUnknown) continue;
    GidDifference out{Use(*own, zh) + (zh ? "，而 " : ", ") + Use(other, zh), other};
    // Index 2 and 3 hold one address, as version 1 and as version 2.
    if (!better && own->index != other.index) {
      out.clause += zh ? "：同一地址的前一项一般是 RoCE v1，后一项是 v2，两者互不相通"
                       : ": of one address the first entry is mostly RoCE v1, the next v2, and these do not meet";
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace ncclwhy
