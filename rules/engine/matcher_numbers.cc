// RuleMatcher for lines that differ from earlier ones in their numbers alone: what the numbers of a line decide.
#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "base/swar.h"
#include "parser/parsed_line.h"
#include "rules/engine/matcher.h"
#include "rules/engine/numbers_alike.h"

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

// Which of the named numbers stand where, as one number; and how long the others are, where that counts.
//   `status=(12|5)\b`:   with status=12 opcode=0 len=5 vendor err 129   →   12 at the first place, 5 at the third
RuleMatcher::Candidate::Regex RuleMatcher::AskNamed(const ParsedLine& line, uint32_t pattern, const BySign& by_sign,
                                                    Alike::Named* named) const {
  const std::vector<std::string>& numbers = named->by->numbers;
  const bool lengths = named->by->lengths;
  const uint64_t ways = numbers.size() + 1 + kMostLength;
  const uint64_t all = ways * (line.numbers.size() + 1);
  uint64_t key = 0;
  // Most numbers are none of those that are named.
  uint64_t may = 0;
  for (uint64_t signs = named->by->signs; signs != 0; signs &= signs - 1)
    may |= by_sign.of[static_cast<size_t>(std::countr_zero(signs))];
  // More numbers than one key can hold: asked each time.
  if (line.numbers.size() > 64) return AskRegex(pattern, line.body);
  const uint64_t each = line.numbers.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << line.numbers.size()) - 1;
  for (uint64_t rest = lengths ? each : may; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rest));
    const NumberPlace& place = line.numbers[i];
    const std::string_view number(line.body.data() + place.begin, place.end - place.begin);
    size_t which = numbers.size();
    if ((may >> i & 1) != 0) {
      which = static_cast<size_t>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin());
    }
    if (which == numbers.size()) {
      if (!lengths) continue;
      which += number.size();
    }
    if (key > UINT64_MAX / (2 * all) || number.size() > kMostLength) return AskRegex(pattern, line.body);
    key = key * all + i * ways + which + 1;
  }
  // A program that counts through them would fill the memory.
  if (named->said.size() >= kMostSaid) named->said.clear();
  const auto [it, inserted] = named->said.try_emplace(key, Candidate::Regex::kUnknown);
  if (inserted) it->second = AskRegex(pattern, line.body);
  return it->second;
}

// What the numbers of this body decide.
void RuleMatcher::AskNumbers(const ParsedLine& line, Alike* alike) const {
  const std::string_view body = line.body;
  // Lines of a shape hardly come twice: to keep them would cost more than to ask again.
  if (line.shape.empty()) alike->latest.assign(body);
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
  if (alike->named.empty()) return;
  // Of each number once, for all that name some.
  BySign by_sign;
  for (size_t i = 0; i < std::min<size_t>(line.numbers.size(), 64); ++i) {
    const NumberPlace& place = line.numbers[i];
    const uint64_t sign = NumbersNamed::SignOf(body.substr(place.begin, place.end - place.begin));
    by_sign.of[static_cast<size_t>(std::countr_zero(sign))] |= uint64_t{1} << i;
  }
  for (Alike::Named& named : alike->named) {
    Candidate& c = alike->candidates[named.candidate];
    if (c.has_literal && c.fits) c.regex = AskNamed(line, c.pattern, by_sign, &named);
  }
}

}  // namespace ncclwhy
