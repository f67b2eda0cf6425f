#include "rules/engine/regex_over_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kDecimals = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

}  // namespace

RegexOverKind::RegexOverKind(RegexNfa nfa)
    : nfa_(std::move(nfa)), decimal_(Different(kDecimals)), hex_(Different(kHexDigits)), visited_(nfa_.steps.size()) {}

uint32_t RegexOverKind::Begin() {
  if (places_.size() > kMostPlaces) {
    ++forgotten_;
    numbers_.clear();
    places_.clear();
    next_.clear();
    ends_.clear();
  }
  // Of kMatched nobody asks for the steps.
  if (places_.empty()) NumberOf({Behind::kBegin, {UINT16_MAX}});
  return NumberOf({});
}

std::vector<unsigned char> RegexOverKind::Different(std::string_view digits) const {
  std::vector<unsigned char> different;
  for (const char digit : digits) {
    const auto byte = static_cast<unsigned char>(digit);
    const auto same = [&](unsigned char other) { return nfa_.group[other] == nfa_.group[byte]; };
    if (std::none_of(different.begin(), different.end(), same)) different.push_back(byte);
  }
  return different;
}

uint32_t RegexOverKind::NumberOf(Place place) {
  const auto [it, is_new] = numbers_.try_emplace(std::move(place), static_cast<uint32_t>(places_.size()));
  if (is_new) {
    places_.push_back(&it->first);
    next_.resize(next_.size() + nfa_.groups, kUnknown);
    ends_.push_back(0);
  }
  return it->second;
}

bool RegexOverKind::Reach(const Place& place, bool word_ahead, bool end) {
  using Op = RegexNfa::Op;
  ++visit_;
  reached_.clear();
  open_.assign(place.steps.rbegin(), place.steps.rend());
  open_.insert(open_.begin(), 0);
  const bool border = (place.behind == Behind::kWord) != word_ahead;
  while (!open_.empty()) {
    ++work_;
    const uint16_t at = open_.back();
    open_.pop_back();
    if (std::exchange(visited_[at], visit_) == visit_) continue;
    const auto [op, arg] = nfa_.steps[at];
    const auto behind = static_cast<uint16_t>(at + 1);
    bool goes_on = true;
    switch (op) {
      case Op::kMatch:
        return true;
      case Op::kBytes:
        reached_.push_back(at);
        continue;
      case Op::kEither:
        open_.push_back(arg);
        break;
      case Op::kJump:
        open_.push_back(arg);
        continue;
      case Op::kBegin:
        goes_on = place.behind == Behind::kBegin;
        break;
      case Op::kEnd:
        goes_on = end;
        break;
      case Op::kBorder:
        goes_on = border;
        break;
      case Op::kNoBorder:
        goes_on = !border;
        break;
    }
    if (goes_on) open_.push_back(behind);
  }
  return false;
}

uint32_t RegexOverKind::Next(uint32_t place, unsigned char byte) {
  if (place == kMatched) return kMatched;
  const size_t at = size_t{place} * nfa_.groups + nfa_.group[byte];
  if (next_[at] != kUnknown) return next_[at];
  uint32_t next = kMatched;
  const bool word = IsWordChar(static_cast<char>(byte));
  if (!Reach(*places_[place], word, /*end=*/false)) {
    Place to;
    to.behind = word ? Behind::kWord : Behind::kOther;
    for (const uint16_t step : reached_) {
      if (nfa_.classes[nfa_.steps[step].arg][byte]) to.steps.push_back(static_cast<uint16_t>(step + 1));
    }
    std::sort(to.steps.begin(), to.steps.end());
    next = NumberOf(std::move(to));
  }
  return next_[at] = next;
}

bool RegexOverKind::TakeOneOf(std::span<const unsigned char> bytes, const Ways& from, Ways* to) {
  to->clear();
  for (const unsigned char byte : bytes) {
    for (const uint32_t place : from) to->push_back(Next(place, byte));
  }
  if (places_.size() > kMostPlaces) return false;
  std::sort(to->begin(), to->end());
  to->erase(std::unique(to->begin(), to->end()), to->end());
  return to->size() <= kMostWays;
}

bool RegexOverKind::TakeNumber(char mark, Ways* ways) {
  const bool hex = mark == skeleton::kHex;
  const std::span<const unsigned char> digits = hex ? hex_ : decimal_;
  const size_t most = hex ? skeleton::kMostHexDigits : skeleton::kMostDigits;
  Ways all, from = *ways, to;
  for (size_t i = 0; i < most; ++i) {
    if (!TakeOneOf(digits, from, &to)) return false;
    Ways with;
    std::set_union(all.begin(), all.end(), to.begin(), to.end(), std::back_inserter(with));
    if (with.size() > kMostWays) return false;
    // One digit more leads nowhere else, and so does each that follows.
    if (to == from) {
      all = std::move(with);
      break;
    }
    all = std::move(with);
    from.swap(to);
  }
  *ways = std::move(all);
  return true;
}

RegexOverKind::Says RegexOverKind::AtEnd(const Ways& ways) {
  bool yes = false, no = false;
  for (const uint32_t place : ways) {
    if (place != kMatched && ends_[place] == 0) ends_[place] = Reach(*places_[place], false, /*end=*/true) ? 2 : 1;
    (place == kMatched || ends_[place] == 2 ? yes : no) = true;
  }
  return yes == no ? Says::kDepends : yes ? Says::kYes : Says::kNo;
}

RegexOverKind::Says RegexOverKind::OfShape(std::string_view shape) {
  if (IsLost() || shape.find('\n') != std::string_view::npos) return Says::kDepends;
  const Way::Jump whole = JumpFrom(shape, 0, Begin());
  if (whole.number != kEndOfLine || places_.size() > kMostPlaces) return Says::kDepends;
  return whole.to == kMatched ? Says::kYes : Says::kNo;
}

// A number need not be read where all ways behind it are one again before the end, or end alike.
RegexOverKind::Way::Jump RegexOverKind::JumpFrom(std::string_view shape, uint32_t numbers, uint32_t place) {
  size_t at = 0;
  for (uint32_t left = numbers; left > 0; ++at) left -= skeleton::IsNumber(shape[at]) ? 1 : 0;
  Ways ways{place}, to;
  Way::Jump latest{place, kNoMatch, kEndOfLine};  // where there was one way for the last time
  for (; at < shape.size(); ++at) {
    if (ways.size() == 1 && ways[0] == kMatched) return {place, kMatched, kEndOfLine};
    const char c = shape[at];
    if (skeleton::IsNumber(c)) {
      if (ways.size() == 1) latest = {place, ways[0], numbers};
      ++numbers;
      if (!TakeNumber(c, &ways)) return latest;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    // Where the first byte is one too many, so is the place in front.
    if (!TakeOneOf({&byte, 1}, ways, &to)) return latest;
    ways.swap(to);
  }
  const Says says = AtEnd(ways);
  if (says == Says::kDepends) return latest;
  return {place, says == Says::kYes ? kMatched : kNoMatch, kEndOfLine};
}

RegexOverKind::Says RegexOverKind::OfLine(std::string_view shape, std::string_view body,
                                          std::span<const NumberPlace> numbers, Way* way) {
  if (IsLost() || shape.find('\n') != std::string_view::npos) return Says::kDepends;
  uint32_t place = Begin();
  if (way->of != forgotten_) {
    way->of = forgotten_;
    way->by_number.assign(numbers.size() + 1, {});
  }
  for (uint32_t number = 0;;) {
    std::vector<Way::Jump>& known = way->by_number[number];
    auto jump = std::find_if(known.begin(), known.end(), [&](const Way::Jump& j) { return j.from == place; });
    if (jump == known.end()) {
      if (known.size() >= kMostJumps) return Says::kDepends;
      const Way::Jump found = JumpFrom(shape, number, place);
      if (places_.size() > kMostPlaces) return Says::kDepends;
      jump = known.insert(known.end(), found);
    }
    if (jump->number == kEndOfLine) return jump->to == kMatched ? Says::kYes : Says::kNo;
    place = jump->to;
    number = jump->number;
    for (size_t at = numbers[number].begin; at < numbers[number].end; ++at) {
      place = Next(place, static_cast<unsigned char>(body[at]));
    }
    if (place == kMatched) return Says::kYes;
    ++number;
  }
}

RegexOverKind::Says RegexOverKind::OfMasked(std::string_view masked) {
  if (IsLost() || masked.find('\n') != std::string_view::npos) return Says::kDepends;
  Ways ways{Begin()}, to;
  for (const char c : masked) {
    if (ways.size() == 1 && ways[0] == kMatched) return Says::kYes;
    const auto byte = static_cast<unsigned char>(c);
    const std::span<const unsigned char> one_of = IsDigit(c) ? std::span(decimal_) : std::span(&byte, 1);
    if (!TakeOneOf(one_of, ways, &to)) return Says::kDepends;
    ways.swap(to);
  }
  return AtEnd(ways);
}

}  // namespace ncclwhy
