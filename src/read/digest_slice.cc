#include "read/digest_slice.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace ncclwhy {
namespace {

class Slicer {
 public:
  Slicer(const SourceDigest& whole, uint32_t first, uint32_t last)
      : whole_(whole),
        facts_(whole.facts),
        first_(first),
        last_(last),
        whole_source_(first <= 1 && last >= whole.facts.counters.Get(Counter::kLines)) {}

  SourceDigest Take() {
    out_.facts.name = facts_.name;
    out_.facts.strings = facts_.strings.Copy();
    Processes();
    Facts();
    Hits();
    for (const CatalogHit& hit : whole_.catalog) Keep(hit, &out_.catalog);
    for (const EnvMention& mention : whole_.mentions) {
      if (Inside(mention.line)) out_.mentions.push_back(mention);
    }
    for (const auto& [number, count] : whole_.messages) {
      if (!Inside(count.line)) continue;
      MessageCount kept = count;
      kept.process = ProcessOf(count.process);
      out_.messages.emplace(number, kept);
    }
    Count();
    return std::move(out_);
  }

 private:
  // Where the slice is all of the source nothing is cut, records with line 0 included.
  bool Inside(uint32_t line) const { return whole_source_ || (line >= first_ && line <= last_); }
  bool Touches(const LineRef& begin, const LineRef& end) const { return begin.line <= last_ && end.line >= first_; }
  uint32_t ProcessOf(uint32_t process) const { return process < new_index_.size() ? new_index_[process] : kNoProcess; }

  // A line of a process, a fact of one, that stands in the slice.
  template <typename Fact>
  void Keep(const Fact& fact, std::vector<Fact>* facts) const {
    if (!Inside(fact.line)) return;
    facts->push_back(fact);
    facts->back().process = ProcessOf(fact.process);
  }

  // There may be a hundred thousand, and as many slices as jobs.
  void Hits() {
    const std::vector<Hit>& all = whole_.hits.hits;
    const auto from = [&](uint32_t line) {
      return std::partition_point(all.begin(), all.end(), [&](const Hit& hit) { return hit.line < line; });
    };
    const auto end = whole_source_ || last_ == UINT32_MAX ? all.end() : from(last_ + 1);
    for (auto hit = whole_source_ ? all.begin() : from(first_); hit < end; ++hit) Keep(*hit, &out_.hits.hits);
  }

  // The text of a place outside is not known inside.
  LineRef Clamped(const LineRef& place) const {
    if (Inside(place.line)) return place;
    return {std::clamp(place.line, first_, last_), place.offset, {}};
  }

  // Who speaks in the slice, with new numbers. A stream whose process prints no header in here is nobody's again.
  void Processes() {
    new_index_.assign(facts_.processes.size(), kNoProcess);
    // A stream got host and pid from a header that may stand outside of the slice.
    std::set<std::pair<uint32_t, int64_t>> speaking;  // who prints a header in the slice
    for (const ProcessFacts& p : facts_.processes) {
      if (!p.by_stream && p.pid >= 0 && Touches(p.first, p.last)) speaking.emplace(p.host.value, p.pid);
    }
    for (size_t i = 0; i < facts_.processes.size(); ++i) {
      const ProcessFacts& p = facts_.processes[i];
      if (!whole_source_ && !Touches(p.first, p.last)) continue;
      new_index_[i] = static_cast<uint32_t>(out_.facts.processes.size());
      ProcessFacts& kept = out_.facts.processes.emplace_back(p);
      if (whole_source_) continue;
      kept.first = Clamped(p.first);
      kept.last = Clamped(p.last);
      kept.last_torn = p.last_torn && Inside(p.last.line);
      kept.lines = std::min<uint64_t>(p.lines, kept.last.line - kept.first.line + 1);
      if (p.by_stream && !speaking.contains({p.host.value, p.pid})) {
        kept.pid = -1;
        kept.host = {};
        kept.by_stream = false;
      }
    }
  }

  // The lines that are kept and stand inside, and as many as they stand for.
  LineTrail Sliced(const LineTrail& trail) const {
    if (whole_source_ || (trail.first >= first_ && trail.last <= last_)) return trail;
    LineTrail out;
    out.every = trail.every;
    for (const uint32_t line : trail.lines) {
      if (Inside(line)) out.lines.push_back(line);
    }
    // Beats from the slice's beginning on, then without those behind its end.
    const uint64_t behind = trail.first < first_ ? trail.After(first_ - 1) : trail.count;
    const uint64_t beyond = trail.last > last_ ? trail.After(last_) : 0;
    out.count = behind - std::min(behind, beyond);
    if (out.count == 0) return {};
    out.first = std::clamp(trail.first, first_, last_);
    out.last = std::clamp(trail.last, first_, last_);
    if (!out.lines.empty()) {
      if (trail.first < first_) out.first = out.lines.front();
      if (trail.last > last_) out.last = out.lines.back();
    }
    return out;
  }

  // Events and all else that has a line is inside or not. Streams of collectives and edges are where they begin: what
  // of them lies behind the end cannot be taken out.
  void Facts() {
    SourceFacts& out = out_.facts;
    out.fields = facts_.fields;
    for (const Event& event : facts_.events) Keep(event, &out.events);
    for (const ConnectionFacts& connection : facts_.connections) {
      if (!Inside(connection.first.line)) continue;
      out.connections.push_back(connection);
      out.connections.back().process = ProcessOf(connection.process);
    }
    for (const CollectiveStream& stream : facts_.collectives) {
      if (!Inside(stream.first.line)) continue;
      out.collectives.push_back(stream);
      out.collectives.back().process = ProcessOf(stream.process);
    }
    for (const NewsFacts& news : facts_.news) {
      NewsFacts kept{ProcessOf(news.process), Sliced(news.lines), Inside(news.lines.last) ? news.last : StringId{}};
      if (kept.lines.count > 0) out.news.push_back(std::move(kept));
    }
    for (const ComplaintFacts& c : facts_.complaints) {
      if (Inside(c.line)) out.complaints.push_back({ProcessOf(c.process), c.line, c.text});
    }
    for (const SideRow& row : facts_.rows) {
      if (Inside(row.line)) out.rows.push_back(row);
    }
    for (const PulseFacts& pulse : facts_.pulses) Pulse(pulse);
    for (WaitFacts wait : facts_.waits) {
      wait.process = ProcessOf(wait.process);
      if (Inside(wait.last_line)) out_.facts.waits.push_back(wait);
    }
  }

  // A pulse that goes on behind the slice: how far it had come at the end of it is known only where it began anew.
  void Pulse(const PulseFacts& whole) {
    PulseFacts p = whole;
    p.process = ProcessOf(whole.process);
    p.beats = Sliced(whole.beats);
    if (p.beats.count == 0) return;
    if (!Inside(whole.last.line)) {
      // How far it had come when it began anew; else nobody knows.
      const auto peak = std::find_if(whole.peaks.rbegin(), whole.peaks.rend(),
                                     [&](const PulsePeak& each) { return Inside(each.line); });
      p.last = {peak == whole.peaks.rend() ? p.beats.last : peak->line, 0, {}};
      if (peak == whole.peaks.rend()) p.total = -1;
      p.last_value = peak == whole.peaks.rend() ? whole.first_value : peak->value;
      p.last_time = {};
    }
    out_.facts.pulses.push_back(std::move(p));
  }

  // Lines are counted for the source; a slice gets the share that its lines have.
  // So the classes still add up to the lines, as they do for a source.
  void Count() {
    if (whole_source_) {
      out_.facts.counters = facts_.counters;
      out_.facts.bytes = facts_.bytes;
      return;
    }
    const Counters& of = facts_.counters;
    Counters& to = out_.facts.counters;
    const uint64_t all = std::max<uint64_t>(of.Get(Counter::kLines), 1);
    const uint64_t end = std::min<uint64_t>(last_, of.Get(Counter::kLines));
    const uint64_t lines = end < first_ ? 0 : end - first_ + 1;
    const auto share = [&](uint64_t n) { return n * lines / all; };
    uint64_t nccl = 0;
    for (const ProcessFacts& p : out_.facts.processes) nccl += p.pid >= 0 ? p.lines : 0;
    nccl = std::min({nccl, lines, of.Get(Counter::kNccl)});
    const uint64_t damaged = std::min(share(of.Get(Counter::kDamaged)), lines - nccl);
    // Which lines were not recognised is not kept.
    const uint64_t strange = nccl == 0 ? 0 : std::min(nccl, share(of.Get(Counter::kUnrecognised)));
    to.Add(Counter::kLines, lines);
    to.Add(Counter::kNccl, nccl);
    to.Add(Counter::kRecognised, nccl - strange);
    to.Add(Counter::kUnrecognised, strange);
    to.Add(Counter::kDamaged, damaged);
    to.Add(Counter::kForeign, lines - nccl - damaged);
    out_.facts.bytes = share(facts_.bytes);
  }

  const SourceDigest& whole_;
  const SourceFacts& facts_;
  const uint32_t first_;
  const uint32_t last_;
  const bool whole_source_;
  SourceDigest out_;
  std::vector<uint32_t> new_index_;  // of processes
};

}  // namespace

SourceDigest SliceOf(const SourceDigest& whole, uint32_t first, uint32_t last) {
  return Slicer(whole, first, last).Take();
}

}  // namespace ncclwhy
