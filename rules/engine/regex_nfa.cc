#include "rules/engine/regex_nfa.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr int kMostDepth = 50;
constexpr uint32_t kForever = UINT32_MAX;
constexpr uint32_t kMostRepeats = 1000;  // RE2 takes no more either

// A part of the expression. An empty sequence takes no byte.
struct Part {
  enum class Kind : uint8_t { kSequence, kEither, kRepeat, kOne } kind = Kind::kSequence;
  RegexNfa::Step one;  // of kOne
  uint32_t least = 0, most = 0;
  std::vector<Part> parts;
};

class RegexParser {
 public:
  explicit RegexParser(std::string_view text) : text_(text) {}

  std::optional<Part> Read() {
    Part whole = Alternatives(0);
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return whole;
  }
  std::vector<RegexNfa::Bytes> TakeClasses() { return std::move(classes_); }

 private:
  using Bytes = RegexNfa::Bytes;
  using Op = RegexNfa::Op;

  bool More() const { return at_ < text_.size(); }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Part Fail() {
    failed_ = true;
    at_ = text_.size();
    return {};
  }

  Part Alternatives(int depth) {
    if (depth > kMostDepth) return Fail();
    Part either;
    either.kind = Part::Kind::kEither;
    do {
      either.parts.push_back(Sequence(depth));
    } while (Take("|"));
    if (either.parts.size() > 1) return either;
    return std::move(either.parts[0]);
  }

  Part Sequence(int depth) {
    Part sequence;
    while (More() && text_[at_] != '|' && text_[at_] != ')') {
      sequence.parts.push_back(Repeated(Atom(depth)));
    }
    return sequence;
  }

  // *, +, ?, {2,5}; whether the longest or the shortest is taken decides about no match.
  Part Repeated(Part part) {
    Part repeat;
    repeat.kind = Part::Kind::kRepeat;
    if (Take("*")) {
      repeat.most = kForever;
    } else if (Take("+")) {
      repeat.least = 1;
      repeat.most = kForever;
    } else if (Take("?")) {
      repeat.most = 1;
    } else if (More() && text_[at_] == '{') {
      ++at_;
      const auto least = Number();
      if (!least) return Fail();
      repeat.least = repeat.most = *least;
      if (Take(",")) repeat.most = More() && text_[at_] == '}' ? kForever : Number().value_or(0);
      const bool counts = repeat.least <= kMostRepeats && (repeat.most == kForever || repeat.most <= kMostRepeats);
      if (!Take("}") || !counts || repeat.most < repeat.least) return Fail();
    } else {
      return part;
    }
    Take("?");
    if (More() && IsAnyOf(text_[at_], "*+?{")) return Fail();
    repeat.parts.push_back(std::move(part));
    return repeat;
  }

  std::optional<uint32_t> Number() {
    const size_t begin = at_;
    uint32_t number = 0;
    while (More() && IsDigit(text_[at_]) && at_ - begin < 6)
      number = 10 * number + static_cast<uint32_t>(text_[at_++] - '0');
    if (at_ == begin) return std::nullopt;
    return number;
  }

  Part Atom(int depth) {
    const auto one = [](Op op) {
      Part part;
      part.kind = Part::Kind::kOne;
      part.one.op = op;
      return part;
    };
    if (Take("(")) {
      if (Take("?P<")) {
        at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
      } else if (!Take("?:") && More() && text_[at_] == '?') {
        return Fail();  // flags
      }
      Part group = Alternatives(depth + 1);
      if (!Take(")")) return Fail();
      return group;
    }
    if (Take("^")) return one(Op::kBegin);
    if (Take("$")) return one(Op::kEnd);
    if (Take("\\b")) return one(Op::kBorder);
    if (Take("\\B")) return one(Op::kNoBorder);
    if (IsAnyOf(text_[at_], "*+?{")) return Fail();
    // Nearly all stand for themselves.
    const char c = text_[at_];
    uint16_t* const known = IsAnyOf(c, "[.\\") ? nullptr : &class_of_byte_[static_cast<unsigned char>(c)];
    Part part = one(Op::kBytes);
    if (known != nullptr && *known != 0) {
      ++at_;
      part.one.arg = static_cast<uint16_t>(*known - 1);
      return part;
    }
    std::optional<Bytes> bytes = c == '[' ? Class() : c == '.' ? Any() : One();
    if (!bytes) return Fail();
    part.one.arg = static_cast<uint16_t>(std::find(classes_.begin(), classes_.end(), *bytes) - classes_.begin());
    if (part.one.arg == classes_.size()) classes_.push_back(*bytes);
    if (known != nullptr) *known = static_cast<uint16_t>(part.one.arg + 1);
    return part;
  }

  std::optional<Bytes> Any() {
    ++at_;
    return Bytes().set().reset('\n');
  }

  std::optional<Bytes> Class() { return ReadRegexClass(text_, &at_); }

  // A byte, or what is written with a backslash.
  std::optional<Bytes> One() { return ReadRegexByte(text_, &at_); }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
  std::vector<Bytes> classes_;
  std::array<uint16_t, 256> class_of_byte_{};  // and one; 0: not known yet
};

// Writes the steps of a part behind those that are there. What is counted stands there so many times.
class StepWriter {
 public:
  StepWriter(std::vector<RegexNfa::Step>* steps, size_t longest) : steps_(*steps), longest_(longest) {}

  // False: there are too many.
  bool Write(const Part& part) {
    switch (part.kind) {
      case Part::Kind::kOne:
        return Put(part.one);
      case Part::Kind::kSequence:
        return std::all_of(part.parts.begin(), part.parts.end(), [&](const Part& each) { return Write(each); });
      case Part::Kind::kEither:
        return WriteEither(part);
      case Part::Kind::kRepeat:
        return WriteRepeat(part);
    }
    return false;
  }
  bool Put(RegexNfa::Step step) {
    if (steps_.size() >= RegexNfa::kMostSteps) return false;
    steps_.push_back(step);
    return true;
  }

 private:
  using Op = RegexNfa::Op;

  uint16_t Here() const { return static_cast<uint16_t>(steps_.size()); }

  bool WriteEither(const Part& part) {
    std::vector<size_t> jumps;
    for (size_t i = 0; i < part.parts.size(); ++i) {
      const size_t fork = steps_.size();
      const bool last = i + 1 == part.parts.size();
      if (!last && !Put({Op::kEither, 0})) return false;
      if (!Write(part.parts[i])) return false;
      if (last) break;
      jumps.push_back(steps_.size());
      if (!Put({Op::kJump, 0})) return false;
      steps_[fork].arg = Here();
    }
    for (const size_t jump : jumps) steps_[jump].arg = Here();
    return true;
  }

  bool WriteRepeat(const Part& part) {
    const Part& what = part.parts[0];
    for (uint32_t i = 0; i < part.least; ++i) {
      if (!Write(what)) return false;
    }
    std::vector<size_t> forks;
    const bool forever = part.most >= longest_;
    const uint32_t perhaps = forever ? 1 : part.most - part.least;
    for (uint32_t i = 0; i < perhaps; ++i) {
      forks.push_back(steps_.size());
      if (!Put({Op::kEither, 0}) || !Write(what)) return false;
    }
    if (forever && !Put({Op::kJump, static_cast<uint16_t>(forks[0])})) return false;
    for (const size_t fork : forks) steps_[fork].arg = Here();
    return true;
  }

  std::vector<RegexNfa::Step>& steps_;
  const size_t longest_;
};

// Whether a step takes no byte and comes to a match at the end of a line.
bool EndsAt(const RegexNfa& nfa, size_t at) {
  using Op = RegexNfa::Op;
  while (nfa.steps[at].op == Op::kEnd || nfa.steps[at].op == Op::kJump) {
    at = nfa.steps[at].op == Op::kJump ? nfa.steps[at].arg : at + 1;
  }
  return nfa.steps[at].op == Op::kMatch;
}

}  // namespace

// Most classes are of one letter, which only has to be taken out of its group.
void RegexNfa::GroupBytes() {
  groups = 1;
  const auto divide = [&](const auto& is_in) {
    std::array<uint32_t, 256> other{};  // by group: that of its bytes that are in, if not all are
    std::array<uint32_t, 256> in{}, all{};
    for (size_t c = 0; c < group.size(); ++c) {
      ++all[group[c]];
      in[group[c]] += is_in(c) ? 1 : 0;
    }
    const uint32_t before = groups;
    for (uint32_t g = 0; g < before; ++g) other[g] = in[g] == 0 || in[g] == all[g] ? g : groups++;
    for (size_t c = 0; c < group.size(); ++c) {
      if (is_in(c)) group[c] = static_cast<uint8_t>(other[group[c]]);
    }
  };
  divide([](size_t c) { return IsWordChar(static_cast<char>(static_cast<unsigned char>(c))); });
  Bytes single;
  for (const Bytes& bytes : classes) {
    if (bytes.count() == 1) {
      single |= bytes;
    } else {
      divide([&](size_t c) { return bytes[c]; });
    }
  }
  std::array<uint16_t, 256> members{};
  for (const uint8_t g : group) ++members[g];
  for (size_t c = 0; c < group.size(); ++c) {
    if (!single[c] || members[group[c]] == 1) continue;
    --members[group[c]];
    group[c] = static_cast<uint8_t>(groups);
    members[groups++] = 1;
  }
}

// `.*` in front of the end takes all that may follow.
//   ^(?P<exception>[A-Z]\w*Error)(?:: (?P<text>.{0,160}).*)?$   →   … `: ` is enough
void RegexNfa::MatchEarly() {
  const Bytes all_but_end = Bytes().set().reset('\n');
  for (size_t at = 0; at + 2 < steps.size(); ++at) {
    const Step body = steps[at + 1], back = steps[at + 2];
    const bool loop = steps[at].op == Op::kEither && body.op == Op::kBytes && back.op == Op::kJump && back.arg == at;
    if (!loop || (classes[body.arg] | ~all_but_end) != Bytes().set() || !EndsAt(*this, steps[at].arg)) continue;
    steps[at] = {Op::kMatch, 0};
  }
}

std::optional<RegexNfa> NfaOf(std::string_view regex, size_t longest) {
  RegexParser parser(regex);
  const std::optional<Part> whole = parser.Read();
  if (!whole) return std::nullopt;
  RegexNfa nfa;
  nfa.classes = parser.TakeClasses();
  StepWriter writer(&nfa.steps, longest);
  if (!writer.Write(*whole) || !writer.Put({RegexNfa::Op::kMatch, 0})) return std::nullopt;
  nfa.GroupBytes();
  nfa.MatchEarly();
  return nfa;
}

}  // namespace ncclwhy
