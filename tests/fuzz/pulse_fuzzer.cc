// Skeletons and pulses: what makes two lines "the same but for their numbers" holds for every text, and what is learned
// of the work's pulse stands within the source, is bounded, and does not depend on where chunks end.
#include <algorithm>
#include <string>

#include "base/limits.h"
#include "facts_text.h"
#include "fuzz/check.h"
#include "parser/parser.h"
#include "parser/pulse_line.h"
#include "parser/skeleton.h"

namespace ncclwhy::fuzz {
namespace {

void CheckSkeleton(std::string_view line, Dice& dice) {
  std::string shape;
  if (!skeleton::Append(line, &shape)) return;
  FUZZ_CHECK(!shape.empty() && shape.size() <= skeleton::kMostBytes + 2 * skeleton::kMostNumbers);
  const auto numbers = std::count_if(shape.begin(), shape.end(), skeleton::IsNumber);
  FUZZ_CHECK(static_cast<size_t>(numbers) <= skeleton::kMostNumbers);
  // Every text that the shape can be filled to has the shape again.
  const char decimal = static_cast<char>('0' + dice.Below(10));
  const char hex = "0123456789abcdefABCDEF"[dice.Below(22)];
  FUZZ_CHECK(skeleton::MayHold(skeleton::kDecimal, decimal) && skeleton::MayHold(skeleton::kHex, hex));
  const std::string filled = skeleton::Fill(shape, decimal, 1 + dice.Below(skeleton::kMostDigits), hex,
                                            1 + dice.Below(skeleton::kMostHexDigits));
  std::string again;
  FUZZ_CHECK(skeleton::Append(filled, &again) && again == shape);
}

void CheckPulseLine(std::string_view line, PulseLayouts* layouts) {
  PulseLine pulse(line, layouts);
  PulseLine::Counters counters{};
  const size_t found = pulse.FindCounters(&counters);
  FUZZ_CHECK(found <= counters.size());
  for (size_t i = 0; i < found; ++i) {
    bool whole = false;
    const double value = pulse.Value(counters[i].number, &whole);
    FUZZ_CHECK(value >= 0 && value <= 1e18);
    FUZZ_CHECK(pulse.NameOf(counters[i].number).size() <= 32);
  }
  // Only the beginning counts, nothing of the text is kept, and what was learned of other lines changes nothing.
  const std::string copy(line.substr(0, PulseLine::kReach));
  PulseLayouts fresh;
  PulseLine alone(copy, &fresh);
  PulseLine::Counters same{};
  FUZZ_CHECK(alone.kind() == pulse.kind() && alone.HasDigits() == pulse.HasDigits());
  FUZZ_CHECK(alone.FindCounters(&same) == found && alone.Complains() == pulse.Complains());
}

SourceFacts Parse(std::string_view text, uint64_t segment, Dice* dice) {
  ParserOptions options;
  options.segment_bytes = segment;
  Parser parser("job.log", nullptr, nullptr, options);
  while (!text.empty()) {
    const size_t size = dice == nullptr ? text.size() : std::min(text.size(), dice->Below(700) + 1);
    parser.Push(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parser.Finish();
}

void CheckTrail(const LineTrail& trail, uint64_t lines) {
  FUZZ_CHECK(trail.count > 0 && trail.first >= 1 && trail.first <= trail.last && trail.last <= lines);
  FUZZ_CHECK(trail.lines.size() <= limits::kTrailLines);  // a line may hold several records
  FUZZ_CHECK(std::is_sorted(trail.lines.begin(), trail.lines.end()));
  FUZZ_CHECK(trail.After(0) == trail.count && trail.After(trail.last) == 0);
}

void CheckFacts(const SourceFacts& facts) {
  const uint64_t lines = facts.counters.Get(Counter::kLines);
  for (const PulseFacts& p : facts.pulses) {
    FUZZ_CHECK(p.process == kNoProcess || p.process < facts.processes.size());
    FUZZ_CHECK(p.peaks.size() <= limits::kPulsePeaks);
    FUZZ_CHECK(p.last.line == p.beats.last);
    CheckTrail(p.beats, lines);
    for (const PulsePeak& peak : p.peaks) FUZZ_CHECK(peak.line >= 1 && peak.line <= lines);
  }
  for (const NewsFacts& n : facts.news) CheckTrail(n.lines, lines);
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ncclwhy;
  const std::string_view text = fuzz::View(data, size);
  fuzz::Dice dice(text);
  PulseLayouts layouts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    fuzz::CheckSkeleton(line, dice);
    fuzz::CheckPulseLine(line, &layouts);
  }
  const SourceFacts whole = fuzz::Parse(text, limits::kSegmentBytes, nullptr);
  fuzz::CheckFacts(whole);
  FUZZ_CHECK(PulseText(fuzz::Parse(text, limits::kSegmentBytes, &dice)) == PulseText(whole));
  const uint64_t segment = 64 + dice.Below(4000);
  const SourceFacts cut = fuzz::Parse(text, segment, nullptr);
  fuzz::CheckFacts(cut);
  FUZZ_CHECK(PulseText(fuzz::Parse(text, segment, &dice)) == PulseText(cut));
  return 0;
}
