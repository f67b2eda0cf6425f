#include "rules/engine/regex_texts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/find_text.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// Looking for more than so many takes as long as the regex.
constexpr size_t kMostProofs = 4;
constexpr size_t kMostOfAny = 48;
// A shorter text is in most lines.
constexpr size_t kLeastOfAny = 2;
constexpr size_t kMostRanks = 2;  // of demands
constexpr int kMostDepth = 50;

using AnyOf = std::vector<std::string>;

// What a part of a regex asks for.
struct Part {
  std::optional<std::string> exact;  // it is this text; an assertion is the empty one
  bool asserts = false;              // there is more to it: ^, $, \b
  std::vector<std::string> required;
  std::vector<AnyOf> any_of;
};

struct Demand {
  std::span<const std::string> texts;  // one of them; they stand in the part
  size_t least = SIZE_MAX;             // bytes of one
};

// What an alternative asks for: of each list one text. Those that say most come first.
std::vector<Demand> DemandsOf(const Part& part) {
  std::vector<Demand> demands;
  const auto add = [&](std::span<const std::string> texts) {
    Demand demand{texts};
    for (const std::string& text : texts) demand.least = std::min(demand.least, text.size());
    demands.push_back(demand);
  };
  for (const std::string& text : part.required) add({&text, 1});
  for (const AnyOf& any : part.any_of) add(any);
  std::stable_sort(demands.begin(), demands.end(), [](const auto& a, const auto& b) { return a.least > b.least; });
  return demands;
}

// The texts of which a match of one of several alternatives has one, if these are few and tell anything.
std::optional<AnyOf> Joined(std::vector<std::string_view> texts) {
  std::stable_sort(texts.begin(), texts.end(), [](auto a, auto b) { return a.size() < b.size(); });
  if (texts[0].size() < kLeastOfAny) return std::nullopt;
  // Where a shorter one is in it, that is looked for.
  std::vector<std::string_view> shortest;
  for (const std::string_view text : texts) {
    const auto in = [&](std::string_view known) { return text.find(known) != std::string_view::npos; };
    if (std::any_of(shortest.begin(), shortest.end(), in)) continue;
    if (shortest.size() == kMostOfAny) return std::nullopt;
    shortest.push_back(text);
  }
  return AnyOf(shortest.begin(), shortest.end());
}

// A match of one of these parts: it meets the first demand of one of them, and the second one of that. If one asks for
// nothing, there is nothing to look for.
//   `MPI.*(?:rror|fail)|(?:rror|fail).*MPI`   one of "rror" and "fail", and "MPI"
Part EitherOf(const std::vector<Part>& parts) {
  Part either;
  std::vector<std::vector<Demand>> demands;
  size_t most = 0;
  for (const Part& part : parts) {
    demands.push_back(DemandsOf(part));
    if (demands.back().empty()) return either;
    most = std::max(most, demands.back().size());
  }
  for (size_t rank = 0; rank < std::min(most, kMostRanks); ++rank) {
    std::vector<std::string_view> texts;
    for (const auto& own : demands) {
      const auto demand = own[std::min(rank, own.size() - 1)].texts;
      texts.insert(texts.end(), demand.begin(), demand.end());
    }
    auto joined = Joined(std::move(texts));
    if (joined && (either.any_of.empty() || either.any_of[0] != *joined)) either.any_of.push_back(*std::move(joined));
  }
  return either;
}

// Reads a regex of the forms that rules have: groups, classes, escapes, repetitions.
class RegexReader {
 public:
  // `text` must live as long as the reader: alternatives() are views of it.
  explicit RegexReader(std::string_view text) : text_(text) {}

  // Nothing: the regex has a form that is not known here (flags, `\pN`). That is no error: it is then simply asked each
  // time.
  std::optional<Part> Read() {
    std::optional<Part> part = Alternatives(0);
    if (at_ != text_.size()) return std::nullopt;
    return part;
  }
  // The regex is one of these; known behind Read.
  const std::vector<std::string_view>& alternatives() const { return alternatives_; }

 private:
  bool More() const { return at_ < text_.size(); }
  // One that stands for itself, once.
  bool IsBareByte() const {
    return !IsAnyOf(text_[at_], "()[\\.^$*+?{|") && (at_ + 1 == text_.size() || !IsAnyOf(text_[at_ + 1], "*+?{"));
  }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::optional<Part> Alternatives(int depth) {
    if (depth > kMostDepth) return std::nullopt;
    std::vector<Part> parts;
    do {
      const size_t begin = at_;
      std::optional<Part> part = Sequence(depth);
      if (!part) return std::nullopt;
      if (depth == 0) alternatives_.push_back(text_.substr(begin, at_ - begin));
      parts.push_back(*std::move(part));
    } while (Take("|"));
    return parts.size() == 1 ? std::move(parts[0]) : EitherOf(parts);
  }

  std::optional<Part> Sequence(int depth) {
    Part all;
    all.exact = std::string();
    std::string run;
    const auto end_run = [&] {
      if (!run.empty()) all.required.push_back(std::exchange(run, {}));
    };
    while (More() && text_[at_] != '|' && text_[at_] != ')') {
      if (IsBareByte()) {  // nearly all are: no part for each
        run += text_[at_];
        if (all.exact) *all.exact += text_[at_];
        ++at_;
        continue;
      }
      std::optional<Part> item = Item(depth);
      if (!item) return std::nullopt;
      const Repeated repeated = Repetition();
      if (repeated == Repeated::kUnknown) return std::nullopt;
      all.asserts = all.asserts || item->asserts;
      if (repeated == Repeated::kOnce && item->exact) {
        run += *item->exact;
        if (all.exact) *all.exact += *item->exact;
        continue;
      }
      all.exact.reset();
      // `ab+c` has "ab" for sure. That it has "bc" as well is not made use of.
      if (repeated == Repeated::kOftener && item->exact) {
        run += *item->exact;
        item->required.clear();
      }
      end_run();
      if (repeated == Repeated::kPerhaps) continue;
      all.required.insert(all.required.end(), item->required.begin(), item->required.end());
      all.any_of.insert(all.any_of.end(), item->any_of.begin(), item->any_of.end());
    }
    end_run();
    return all;
  }

  std::optional<Part> Item(int depth) {
    const char c = text_[at_++];
    switch (c) {
      case '(':
        return Group(depth);
      case '[':
        return Class();
      case '\\':
        return Escape();
      case '.':
        return Part{};
      case '^':
      case '$':
        return Assertion();
      case '*':
      case '+':
      case '?':
      case '{':
        return std::nullopt;
      default:
        return Text(c);
    }
  }

  static Part Text(char c) {
    Part part;
    part.exact = std::string(1, c);
    return part;
  }
  static Part Assertion() {
    Part part;
    part.exact = std::string();
    part.asserts = true;
    return part;
  }

  std::optional<Part> Group(int depth) {
    if (Take("?P<")) {
      at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
    } else if (!Take("?:") && More() && text_[at_] == '?') {
      return std::nullopt;  // flags: case may be ignored from here on
    }
    std::optional<Part> part = Alternatives(depth + 1);
    if (!Take(")")) return std::nullopt;
    return part;
  }

  // [^|\n] []a] [[:alpha:]_]
  // Never a text, not even `[.]`: a rule writes that for one byte, too short to look for.
  std::optional<Part> Class() {
    Take("^");
    for (bool first = true; More(); first = false) {
      if (Take("[:")) {
        const size_t end = text_.find(":]", at_);
        if (end == std::string_view::npos) return std::nullopt;
        at_ = end + 2;
        continue;
      }
      const char c = text_[at_++];
      if (c == ']' && !first) return Part{};
      if (c == '\\') ++at_;
    }
    return std::nullopt;
  }

  std::optional<Part> Escape() {
    if (!More()) return std::nullopt;
    const char c = text_[at_++];
    if (IsAnyOf(c, "dDwWsS")) return Part{};
    if (c == 'b' || c == 'B') return Assertion();
    if (IsAlnum(c)) return std::nullopt;
    return Text(c);
  }

  enum class Repeated : uint8_t { kOnce, kPerhaps, kOftener, kUnknown };
  Repeated Repetition() {
    if (!More() || !IsAnyOf(text_[at_], "*+?{")) return Repeated::kOnce;
    Repeated repeated = text_[at_] == '+' ? Repeated::kOftener : Repeated::kPerhaps;
    if (text_[at_] != '{') {
      ++at_;
    } else {  // {2} {1,3} {0,60}
      const size_t end = text_.find('}', at_);
      if (end == std::string_view::npos || !IsDigit(text_[at_ + 1])) return Repeated::kUnknown;
      repeated = text_[at_ + 1] == '0' ? Repeated::kPerhaps : Repeated::kOftener;
      at_ = end + 1;
    }
    Take("?");  // the shortest one
    const bool again = More() && IsAnyOf(text_[at_], "*+?{");
    return again ? Repeated::kUnknown : repeated;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::string_view> alternatives_;
};

// `\bstatus=12\b`: a line with "status=12" as words of its own matches, without asking RE2. Nothing where an
// alternative is more than a plain text between borders of words.
std::optional<RegexProof> ProofOf(std::string_view alternative) {
  RegexProof proof;
  if (alternative.starts_with("\\b")) {
    proof.begins_word = true;
    alternative.remove_prefix(2);
  }
  if (alternative.ends_with("\\b")) {
    proof.ends_word = true;
    alternative.remove_suffix(2);
  }
  const std::optional<Part> part = RegexReader(alternative).Read();
  if (!part || !part->exact || part->exact->empty() || part->asserts) return std::nullopt;
  proof.text = *part->exact;
  if (proof.begins_word && !IsWordChar(proof.text.front())) return std::nullopt;
  if (proof.ends_word && !IsWordChar(proof.text.back())) return std::nullopt;
  return proof;
}

// Every place of the text, since the first may stand within a longer word.
bool Holds(std::string_view line, const RegexProof& proof) {
  for (size_t at = FindText(line, proof.text); at != std::string_view::npos; at = FindText(line, proof.text, at + 1)) {
    const size_t end = at + proof.text.size();
    const bool inside = proof.begins_word && at > 0 && IsWordChar(line[at - 1]);
    if (!inside && !(proof.ends_word && end < line.size() && IsWordChar(line[end]))) return true;
  }
  return false;
}

// Whether every part of a regex takes all digits or none: `\d+`, `[0-9a-f]`, `.`, `\w{2,40}`; not `status 12`, `[1-5]`.
// Then it does the same with two lines that have digits in the same places. False where it is not understood.
class DigitsAlike {
 public:
  explicit DigitsAlike(std::string_view regex) : text_(regex) {}

  bool Answer() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool alike = c == '[' ? Class() : c == '{' ? Count() : c == '(' ? Open() : One();
      if (!alike) return false;
    }
    return true;
  }

 private:
  // A byte, or what is written with a backslash.
  bool One() {
    if (text_[at_] != '\\') return !IsDigit(text_[at_++]);
    if (at_ + 1 >= text_.size()) return false;
    const char c = text_[at_ + 1];
    at_ += 2;
    return !IsAlnum(c) || IsAnyOf(c, "dDwWsSbB");
  }
  // No end of a range is a digit unless it is `0-9`, so that a range has all of them or none.
  bool Class() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '^') ++at_;
    for (bool first = true; at_ < text_.size(); first = false) {
      if (text_[at_] == ']' && !first) {
        ++at_;
        return true;
      }
      if (text_[at_] == '[') return false;  // [:alpha:]
      if (text_.substr(at_).starts_with("0-9")) {
        at_ += 3;
      } else if (!One()) {
        return false;
      }
    }
    return false;
  }
  // {2} {1,3} {0,60}
  bool Count() {
    const size_t end = text_.find_first_not_of("0123456789,", at_ + 1);
    if (end == std::string_view::npos || text_[end] != '}') return false;
    at_ = end + 1;
    return true;
  }
  // (?P<status_2>
  bool Open() {
    ++at_;
    if (!text_.substr(at_).starts_with("?P<")) return true;
    at_ = text_.find('>', at_);
    if (at_ == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool RegexTexts::Refuse(std::string_view line) const {
  const auto missing = [&](const std::string& text) { return !HoldsText(line, text); };
  return std::any_of(required.begin(), required.end(), missing) ||
         std::any_of(any_of.begin(), any_of.end(), [&](const WordSet& words) { return !words.AnyIn(line); });
}

bool RegexTexts::Prove(std::string_view line) const {
  return std::any_of(proofs.begin(), proofs.end(), [&](const RegexProof& proof) { return Holds(line, proof); });
}

RegexTexts TextsOfRegex(std::string_view regex, const std::vector<KeptText>& literals) {
  RegexTexts texts;
  texts.digits_alike = DigitsAlike(regex).Answer();
  RegexReader reader(regex);
  std::optional<Part> whole = reader.Read();
  if (!whole) return texts;
  const auto all = [&](const AnyOf& any) {
    return !literals.empty() && std::all_of(literals.begin(), literals.end(), [&](std::string_view literal) {
      return std::any_of(any.begin(), any.end(), [&](const auto& text) { return literal.find(text) != literal.npos; });
    });
  };
  std::erase_if(whole->required, [&](const std::string& text) { return all({text}); });
  std::erase_if(whole->any_of, all);
  texts.required = std::move(whole->required);
  std::stable_sort(texts.required.begin(), texts.required.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  std::stable_sort(whole->any_of.begin(), whole->any_of.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (AnyOf& any : whole->any_of) texts.any_of.emplace_back(std::move(any));
  for (const std::string_view alternative : reader.alternatives()) {
    if (std::optional<RegexProof> proof = ProofOf(alternative)) texts.proofs.push_back(*std::move(proof));
  }
  // All or none: those that are left out would have to be asked for anyway.
  if (texts.proofs.size() > kMostProofs) texts.proofs.clear();
  std::stable_sort(texts.proofs.begin(), texts.proofs.end(),
                   [](const RegexProof& a, const RegexProof& b) { return a.text.size() < b.text.size(); });
  return texts;
}

}  // namespace ncclwhy
