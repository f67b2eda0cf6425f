// Digests taken apart and put together: the slices of a source hold what its lines say, each line once, refer to
// nothing outside, and make a job. The same digest under one name twice stays two sources. A digest that is written and
// read is what it was.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "digest_text.h"
#include "fuzz/check.h"
#include "job/job_model.h"
#include "read/digest.h"
#include "read/digest_slice.h"
#include "read/source_coding.h"

namespace ncclwhy::fuzz {
namespace {

SourceDigest DigestOf(std::string_view text) {
  DigestBuilder builder("job.log", RuleSet::Embedded(), KnowledgeBase::Embedded());
  builder.Push(text);
  return builder.Finish();
}

bool IsProcess(const SourceDigest& digest, uint32_t process) {
  return process == kNoProcess || process < digest.facts.processes.size();
}

void CheckSlice(const SourceDigest& slice, uint32_t first, uint64_t last) {
  const SourceFacts& f = slice.facts;
  const auto inside = [&](uint64_t line) { return line >= first && line <= last; };
  const Counters& c = f.counters;
  FUZZ_CHECK(c.Get(Counter::kNccl) + c.Get(Counter::kForeign) + c.Get(Counter::kDamaged) == c.Get(Counter::kLines));
  FUZZ_CHECK(c.Get(Counter::kRecognised) + c.Get(Counter::kUnrecognised) == c.Get(Counter::kNccl));
  for (const ProcessFacts& p : f.processes) {
    FUZZ_CHECK(inside(p.first.line) && inside(p.last.line) && p.first.line <= p.last.line);
  }
  for (const Event& e : f.events) FUZZ_CHECK(inside(e.line) && IsProcess(slice, e.process));
  for (const Hit& h : slice.hits.hits) FUZZ_CHECK(inside(h.line) && IsProcess(slice, h.process));
  for (const CatalogHit& h : slice.catalog) FUZZ_CHECK(inside(h.line) && IsProcess(slice, h.process));
  for (const PulseFacts& p : f.pulses) {
    FUZZ_CHECK(p.beats.count > 0 && inside(p.beats.first) && inside(p.beats.last) && p.beats.first <= p.beats.last);
    FUZZ_CHECK(IsProcess(slice, p.process));
  }
  for (const NewsFacts& n : f.news) FUZZ_CHECK(inside(n.lines.first) && inside(n.lines.last));
}

void Check(std::string_view text, Dice& dice) {
  const SourceDigest whole = DigestOf(text);
  SourceDigest read;
  FUZZ_CHECK(DecodeSource(EncodeSource(whole), &read));
  FUZZ_CHECK(DigestText(read) == DigestText(whole) && PulseText(read.facts) == PulseText(whole.facts));
  const uint64_t lines = whole.facts.counters.Get(Counter::kLines);
  const SourceDigest everything = SliceOf(whole, 1, UINT32_MAX);
  FUZZ_CHECK(DigestText(everything) == DigestText(whole));
  FUZZ_CHECK(PulseText(everything.facts) == PulseText(whole.facts));
  if (lines < 2) return;
  const auto cut = static_cast<uint32_t>(1 + dice.Below(lines - 1));
  std::vector<SourceDigest> parts;
  parts.push_back(SliceOf(whole, 1, cut));
  parts.push_back(SliceOf(whole, cut + 1, UINT32_MAX));
  CheckSlice(parts[0], 1, cut);
  CheckSlice(parts[1], cut + 1, lines);
  FUZZ_CHECK(parts[0].facts.events.size() + parts[1].facts.events.size() == whole.facts.events.size());
  FUZZ_CHECK(parts[0].hits.hits.size() + parts[1].hits.hits.size() == whole.hits.hits.size());
  FUZZ_CHECK(parts[0].catalog.size() + parts[1].catalog.size() == whole.catalog.size());
  FUZZ_CHECK(parts[0].messages.size() + parts[1].messages.size() == whole.messages.size());
  // A slice of a slice is the slice.
  const uint32_t inner = static_cast<uint32_t>(1 + dice.Below(cut));
  FUZZ_CHECK(SliceOf(parts[0], 1, inner).facts.events.size() == SliceOf(whole, 1, inner).facts.events.size());
  parts.push_back(SliceOf(whole, 1, cut));
  OrderByName(&parts);
  std::set<std::string> names;
  std::vector<const SourceFacts*> facts;
  for (const SourceDigest& part : parts) {
    names.insert(part.facts.name);
    facts.push_back(&part.facts);
  }
  FUZZ_CHECK(names.size() == parts.size());
  const JobModel model = BuildJobModel(facts);
  FUZZ_CHECK(model.sources.size() == parts.size());
}

}  // namespace
}  // namespace ncclwhy::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = ncclwhy::fuzz::View(data, size);
  ncclwhy::fuzz::Dice dice(text);
  ncclwhy::fuzz::Check(text, dice);
  return 0;
}
