// RuleMatcher for lines that differ from earlier ones in their numbers alone: what the numbers of a line decide.
#include <algorithm>
#include <tuple>

#include "base/swar.h"
#include "parser/parsed_line.h"
#include "rules/engine/matcher.h"

namespace ncclwhy {
namespace {

// False: `literal` begins nowhere from `begin` to `end`; told for most numbers at once.
bool MayBeginWithin(std::string_view body, size_t begin, size_t end, std::string_view literal) {
  constexpr size_t kAtOnce = 16;
  if (literal.size() < sizeof(uint32_t) || end - begin > kAtOnce || body.size() - begin < kAtOnce + 3) return true;
  uint32_t four = 0;
  for (uint32_t i = 0; i < sizeof four; ++i) four |= uint32_t{static_cast<uint8_t>(literal[i])} << (8 * i);
  return swar::HoldsFour(body.data() + begin, four);
}

}  // namespace

// A place is worked out once for all literals that may stand there, and most numbers begin as none of them does.
void RuleMatcher::SortByPlace(Alike* alike) {
  std::vector<Alike::Asked>& asked = alike->asked_now;
  std::sort(asked.begin(), asked.end(), [](const Alike::Asked& a, const Alike::Asked& b) {
    return std::tie(a.number, a.behind) < std::tie(b.number, b.behind);
  });
  alike->places.clear();
  for (size_t i = 0; i < asked.size(); ++i) {
    const bool same = i > 0 && asked[i].number == asked[i - 1].number && asked[i].behind == asked[i - 1].behind;
    if (!same) alike->places.push_back({static_cast<uint32_t>(i), 0, {}});
    alike->places.back().end = static_cast<uint32_t>(i + 1);
    alike->places.back().first.set(static_cast<unsigned char>(asked[i].literal[0]));
  }
}

// What the numbers of this body decide.
void RuleMatcher::AskNumbers(const ParsedLine& line, Alike* alike) {
  const std::string_view body = line.body;
  // Lines of a shape hardly come twice: to keep them would cost more than to ask again.
  if (!alike->shape) alike->latest.assign(body);
  for (const uint32_t i : alike->fitting) {
    Candidate& c = alike->candidates[i];
    if (c.regex_decides) c.regex = Candidate::Regex::kUnknown;
  }
  for (const uint32_t i : alike->held) alike->candidates[i].has_literal = false;
  alike->held.clear();
  for (const Alike::Place& place : alike->places) {
    const Alike::Asked& where = alike->asked_now[place.begin];
    const NumberPlace number = where.number == 0 ? NumberPlace{} : line.numbers[where.number - 1];
    const bool within = where.behind == Alike::kWithin;
    const size_t begin = within ? number.begin : size_t{number.end} + where.behind;
    const size_t end = std::min(within ? number.end : begin + 1, body.size());
    if (begin >= end || (!within && !place.first[static_cast<unsigned char>(body[begin])])) continue;
    for (uint32_t i = place.begin; i < place.end; ++i) {
      const Alike::Asked& asked = alike->asked_now[i];
      if (within && !MayBeginWithin(body, begin, end, asked.literal)) continue;
      for (size_t at = begin; at < end; ++at) {
        if (body[at] != asked.literal[0] || !body.substr(at).starts_with(asked.literal)) continue;
        alike->candidates[asked.candidate].has_literal = true;
        alike->held.push_back(asked.candidate);
        break;
      }
    }
  }
  for (Alike::ByNumbers& by : alike->by_numbers) {
    Candidate& c = alike->candidates[by.candidate];
    if (!c.has_literal || !c.fits) continue;
    const RegexOverKind::Says says = by.over->OfLine(line.shape, body, line.numbers, &by.way);
    if (says != RegexOverKind::Says::kDepends) {
      c.regex = says == RegexOverKind::Says::kYes ? Candidate::Regex::kYes : Candidate::Regex::kNo;
    }
  }
}

}  // namespace ncclwhy
