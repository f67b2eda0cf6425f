#include "job/collective_compare.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>

#include "base/limits.h"

namespace ncclwhy {
namespace {

// In the order of ncclDataType_t and ncclRedOp_t.
constexpr std::array<std::string_view, 12> kTypes = {"int8",    "uint8",   "int32",   "uint32",   "int64",   "uint64",
                                                     "float16", "float32", "float64", "bfloat16", "fp8e4m3", "fp8e5m2"};
constexpr std::array<std::string_view, 5> kOps = {"sum", "prod", "max", "min", "avg"};

bool Reduces(const CollectiveCall& c) {
  const std::string_view name = kCollectiveNames[c.operation % kCollectiveNames.size()];
  return name.find("Reduce") != std::string_view::npos;
}
bool Rooted(const CollectiveCall& c) {
  const std::string_view name = kCollectiveNames[c.operation % kCollectiveNames.size()];
  return name == "Broadcast" || name == "Reduce" || name == "Gather" || name == "Scatter";
}

// The operation of a reduction and the root count only where the call has them: elsewhere the fields hold anything.
// What has to be equal on all ranks.
using Signature = std::tuple<int, uint64_t, int, int, int32_t>;
Signature SignatureOf(const CollectiveCall& c) {
  return {c.operation, c.count, c.datatype, Reduces(c) ? c.op : 0, Rooted(c) ? c.root : 0};
}

std::string KindOf(const Signature& a, const Signature& b) {
  if (std::get<0>(a) != std::get<0>(b)) return "operation";
  if (std::get<1>(a) != std::get<1>(b)) return "count";
  if (std::get<2>(a) != std::get<2>(b)) return "datatype";
  if (std::get<3>(a) != std::get<3>(b)) return "op";
  return "root";
}

struct Entry {
  const Rank* rank;
  const CollectiveStream* stream;
};

// Two equal halves have no majority: then the rank with the higher number is named last, as what is left.
template <typename Value>
Value Majority(const std::vector<std::pair<Value, const Rank*>>& votes) {
  std::vector<std::pair<Value, int>> counts;
  for (const auto& vote : votes) {
    const auto same = [&](const auto& c) { return c.first == vote.first; };
    const auto it = std::find_if(counts.begin(), counts.end(), same);
    if (it == counts.end()) {
      counts.emplace_back(vote.first, 1);
    } else {
      ++it->second;
    }
  }
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Before the windows only hashes are left: the first checkpoint at which they differ.
bool CompareCheckpoints(const std::vector<Entry>& entries, Divergence& d) {
  // The widest interval of all: only there has every rank a checkpoint.
  uint64_t interval = 1;
  for (const Entry& e : entries) interval = std::max(interval, e.stream->interval);
  for (uint64_t at = interval;; at += interval) {
    std::vector<std::pair<uint64_t, const Rank*>> votes;
    for (const Entry& e : entries) {
      if (e.stream->lost > 0) continue;  // its digest is of other calls
      const uint64_t n = at / e.stream->interval;
      if (at % e.stream->interval != 0 || n == 0 || n > e.stream->checkpoints.size()) continue;
      votes.emplace_back(e.stream->checkpoints[n - 1], e.rank);
    }
    // Fewer than two ranks have one there: nothing left to compare.
    if (votes.size() < 2) return false;
    const uint64_t common = Majority(votes);
    for (const auto& [hash, rank] : votes) {
      if (hash != common) d.minority.push_back(rank->rank);
    }
    if (!d.minority.empty()) {
      d.tied = d.minority.size() * 2 == votes.size();
      d.found = true;
      // The call is one of the interval before this checkpoint; which one is not known any more.
      d.index = at - interval;
      d.kind = "operation";
      return true;
    }
  }
}

struct Issued {
  Entry by;
  const CollectiveCall* call;
};

// The calls of this number. Where lines were lost, a rank's call may stand in a wrong place: then its opCount is
// another one than that of the ranks around it.
std::vector<Issued> IssuedAt(const std::vector<Entry>& entries, uint64_t index) {
  std::vector<Issued> out;
  std::vector<std::pair<uint64_t, const Rank*>> numbers;
  bool lost = false;
  for (const Entry& e : entries) {
    const CollectiveCall* c = CallAt(*e.stream, index);
    if (c == nullptr) continue;
    out.push_back({e, c});
    numbers.emplace_back(c->op_count, e.rank);
    lost = lost || e.stream->lost > 0;
  }
  // Without lost lines the places are right, and opCounts may differ for another reason: a communicator that was split.
  if (!lost) return out;
  const uint64_t number = Majority(numbers);
  std::erase_if(out, [&](const Issued& i) { return i.call->op_count != number; });
  return out;
}

// Whether the calls that both made, of one from `a` and of the other from `b` on, are alike: at least `least` and of no
// more than `most`.
bool AlikeFrom(const CollectiveStream& x, uint64_t a, const CollectiveStream& y, uint64_t b, uint64_t least,
               uint64_t most = UINT64_MAX) {
  uint64_t alike = 0;
  // A call that is not kept any more ends the comparison: what was seen so far decides.
  for (; a < x.calls && b < y.calls && alike < most; ++a, ++b) {
    const CollectiveCall* of_x = CallAt(x, a);
    const CollectiveCall* of_y = CallAt(y, b);
    if (of_x == nullptr || of_y == nullptr) break;
    if (SignatureOf(*of_x) != SignatureOf(*of_y)) return false;
    ++alike;
  }
  return alike >= least;
}

// How one that differs came out of step, where the calls behind this one tell; else empty.
//   order    the two calls are swapped:      A B C D    against  B A C D
//   skipped  it left out what others call:   A B C D             B C D
//   extra    it calls what nobody else does: A B C D             X A B C
// The third call decides: a rank that skips a call of A B A B begins like one that swaps two. What two of these explain
// What two of these explain is told as neither.
// is told as neither, but two calls with nothing behind them are swapped.
std::string HowOutOfStep(const std::vector<Issued>& issued, uint64_t index, const Signature& common) {
  const auto odd =
      std::find_if(issued.begin(), issued.end(), [&](const Issued& i) { return SignatureOf(*i.call) != common; });
  const auto usual =
      std::find_if(issued.begin(), issued.end(), [&](const Issued& i) { return SignatureOf(*i.call) == common; });
  if (odd == issued.end() || usual == issued.end()) return {};
  const CollectiveStream& theirs = *usual->by.stream;
  const CollectiveStream& its = *odd->by.stream;
  const bool swapped = AlikeFrom(its, index, theirs, index + 1, 1, 1) &&
                       AlikeFrom(its, index + 1, theirs, index, 1, 1) &&
                       AlikeFrom(its, index + 2, theirs, index + 2, 0);
  const bool skipped = AlikeFrom(its, index, theirs, index + 1, 2);
  const bool extra = AlikeFrom(its, index + 1, theirs, index, 2);
  const bool only_this = AlikeFrom(its, index + 1, theirs, index + 1, 1);  // the calls behind it are in step
  if (swapped) return "order";
  // A single other call, with everything behind it in step, is a call with other arguments and no shift.
  if (skipped == extra || only_this) return {};
  return skipped ? "skipped" : "extra";
}

// What a rank's own calls let expect at this place: the calls before it come back every few calls, at least twice.
//   AllReduce AllGather AllReduce AllGather AllReduce → AllGather
// Nothing where they do not.
std::optional<Signature> Habit(const CollectiveStream& stream, uint64_t index) {
  constexpr uint64_t kLongest = 64;
  constexpr uint64_t kRounds = 2;
  // The shortest period that holds: of A A A A it is one call.
  for (uint64_t period = 1; period <= kLongest && period * (kRounds + 1) <= index; ++period) {
    bool comes_back = true;
    for (uint64_t at = index - period * kRounds; at < index && comes_back; ++at) {
      const CollectiveCall* call = CallAt(stream, at);
      const CollectiveCall* before = CallAt(stream, at - period);
      comes_back = call != nullptr && before != nullptr && SignatureOf(*call) == SignatureOf(*before);
    }
    if (comes_back) return SignatureOf(*CallAt(stream, index - period));
  }
  return std::nullopt;
}

// Of two calls that as many ranks made the one that their calls before let expect; nothing where these do not tell.
std::optional<Signature> Expected(const std::vector<Issued>& issued, uint64_t index) {
  for (const Issued& i : issued) {
    const std::optional<Signature> habit = Habit(*i.by.stream, index);
    if (!habit) continue;
    const bool made = std::any_of(issued.begin(), issued.end(),
                                  [&](const Issued& other) { return SignatureOf(*other.call) == *habit; });
    return made ? habit : std::nullopt;
  }
  return std::nullopt;
}

// Within the windows the calls themselves are there. False when no window holds the place.
bool CompareWindows(const std::vector<Entry>& entries, uint64_t begin, uint64_t end, Divergence& d) {
  for (uint64_t index = begin; index < end; ++index) {
    const std::vector<Issued> issued = IssuedAt(entries, index);
    if (issued.size() < 2) continue;
    std::vector<std::pair<Signature, const Rank*>> votes;
    for (const Issued& i : issued) votes.emplace_back(SignatureOf(*i.call), i.by.rank);
    Signature common = Majority(votes);
    const auto usual = std::count_if(votes.begin(), votes.end(), [&](const auto& v) { return v.first == common; });
    // Two halves: no majority says who is right, only what the ranks did before.
    if (static_cast<size_t>(usual) * 2 == votes.size()) {
      const std::optional<Signature> expected = Expected(issued, index);
      common = expected.value_or(common);
      d.tied = !expected;
    }
    for (const auto& [signature, rank] : votes) {
      if (signature == common) continue;
      if (d.minority.empty()) d.kind = KindOf(common, signature);
      d.minority.push_back(rank->rank);
    }
    if (d.minority.empty()) continue;
    d.found = true;
    d.index = index;
    if (std::string how = HowOutOfStep(issued, index, common); !how.empty()) d.kind = std::move(how);
    for (const Issued& i : issued) {
      d.lines.emplace_back(i.by.rank->rank, i.call->line);
      // What was expected and what was found, each in the words of one rank that did so.
      (SignatureOf(*i.call) == common ? d.expected : d.found_instead) = DescribeCall(*i.call);
    }
    return true;
  }
  return false;
}

}  // namespace

const CollectiveCall* CallAt(const CollectiveStream& s, uint64_t index) {
  if (index >= s.calls || s.window.empty()) return nullptr;
  const uint64_t oldest = s.calls > s.window.size() ? s.calls - s.window.size() : 0;
  if (index < oldest) return nullptr;
  const CollectiveCall* call = &s.window[index % limits::kCollectiveWindow];
  return call->line == 0 ? nullptr : call;  // lost by who recorded it
}

std::string DatatypeName(uint8_t datatype) {
  return datatype < kTypes.size() ? std::string(kTypes[datatype]) : std::to_string(datatype);
}

std::string ReductionName(uint8_t op) { return op < kOps.size() ? std::string(kOps[op]) : std::to_string(op); }

std::string DescribeCall(const CollectiveCall& c) {
  std::string text(kCollectiveNames[c.operation % kCollectiveNames.size()]);
  text += " count " + std::to_string(c.count);
  text +=
      c.datatype < kTypes.size() ? " " + std::string(kTypes[c.datatype]) : " datatype " + std::to_string(c.datatype);
  if (Reduces(c)) text += c.op < kOps.size() ? " " + std::string(kOps[c.op]) : " op " + std::to_string(c.op);
  if (Rooted(c)) text += " root " + std::to_string(c.root);
  return text;
}

void CompareCollectives(Communicator& c) {
  std::vector<Entry> entries;
  uint64_t longest = 0;
  for (const Rank& r : c.ranks) {
    if (r.stream == nullptr) continue;
    entries.push_back({&r, r.stream});
    longest = std::max(longest, r.stream->calls);
  }
  if (entries.size() < 2) return;
  Divergence d;
  // Only what the longest stream still holds is compared call by call.
  const uint64_t window_begin = longest > limits::kCollectiveWindow ? longest - limits::kCollectiveWindow : 0;
  const bool early = CompareCheckpoints(entries, d);
  // The checkpoint brackets the call within the windows: there it is found exactly.
  if (early && d.index + 1 >= window_begin) {
    d = {};
    CompareWindows(entries, window_begin, longest, d);
  } else if (early) {
    // The calls may still be in the windows of ranks that stopped early.
    Divergence exact;
    if (CompareWindows(entries, d.index, window_begin, exact)) d = exact;
  } else {
    CompareWindows(entries, window_begin, longest, d);
  }
  c.divergence = std::move(d);
}

}  // namespace ncclwhy
