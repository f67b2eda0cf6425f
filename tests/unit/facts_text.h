// Everything that the facts of a source say, as text that tests compare.
#pragma once

#include <sstream>
#include <string>

#include "parser/facts.h"

namespace ncclwhy {

inline std::string FactsText(const SourceFacts& f) {
  std::ostringstream o;
  for (size_t c = 0; c < static_cast<size_t>(Counter::kCount_); ++c) {
    o << InfoOf(static_cast<Counter>(c)).name << '=' << f.counters.Get(static_cast<Counter>(c)) << ' ';
  }
  o << f.bytes << '\n';
  const auto ref = [&](const LineRef& r) { o << '<' << r.line << '@' << r.offset << ' ' << f.Str(r.text) << '>'; };
  for (const ProcessFacts& p : f.processes) {
    o << "P " << f.Str(p.host) << ':' << p.pid << " rank " << p.launcher_rank << " pod " << f.Str(p.pod) << ' '
      << p.lines << ' ' << p.warns << ' ' << p.last_torn;
    ref(p.first);
    ref(p.last);
    o << '\n';
  }
  for (const Event& e : f.events) {
    o << "E " << e.line << '@' << e.offset << " p" << e.process << " t" << e.tid << " d" << e.device << " r"
      << e.launcher_rank << ' ' << EventKindName(e.kind) << ' ' << LevelName(e.level) << ' ' << DialectName(e.dialect)
      << ' ' << f.Str(e.nccl_file) << ':' << e.nccl_line << ' ' << f.Str(e.time);
    for (uint32_t i = 0; i < e.field_count; ++i) {
      const Field& field = f.fields[e.field_begin + i];
      o << ' ' << FieldName(field.id) << '=' << f.Str(field.value);
    }
    o << " | " << f.Str(e.text) << '\n';
  }
  for (const ComplaintFacts& c : f.complaints) {
    o << "! p" << c.process << ' ' << c.line << " | " << f.Str(c.text) << '\n';
  }
  for (const ConnectionFacts& c : f.connections) {
    o << "C p" << c.process << ' ' << c.from << ">" << c.to << c.direction << f.Str(c.transport) << '/'
      << f.Str(c.device) << c.gdr << c.shared << ' ' << c.channels;
    ref(c.first);
    o << '\n';
  }
  for (const CollectiveStream& s : f.collectives) {
    o << "S p" << s.process << ' ' << f.Str(s.comm) << ' ' << s.nranks << ' ' << s.calls << ' ' << s.lost << ' '
      << s.p2p_calls << ' ' << s.hash << ' ' << s.interval;
    for (const uint64_t checkpoint : s.checkpoints) o << ' ' << checkpoint;
    o << ':';
    for (const auto* window : {&s.window, &s.p2p_window}) {
      for (const CollectiveCall& c : *window) {
        o << ' ' << c.op_count << ',' << c.count << ',' << c.line << ',' << c.root << ',' << int{c.operation} << ','
          << int{c.datatype} << ',' << int{c.op};
      }
      o << ';';
    }
    ref(s.first);
    ref(s.last);
    o << '\n';
  }
  return o.str();
}

// And the pulses of its work, which are about the same, no more, when a source is parsed in segments.
inline std::string PulseText(const SourceFacts& f) {
  std::ostringstream o;
  const auto trail = [&](const LineTrail& t) {
    o << " x" << t.count << ' ' << t.first << '-' << t.last << '/' << t.every << ':';
    for (const uint32_t line : t.lines) o << ' ' << line;
  };
  for (const PulseFacts& p : f.pulses) {
    o << "B p" << p.process << ' ' << f.Str(p.name) << ' ' << p.first_value << "->" << p.last_value << " of " << p.total
      << ' ' << f.Str(p.first_time) << '~' << f.Str(p.last_time);
    trail(p.beats);
    for (const PulsePeak& peak : p.peaks) o << " ^" << peak.line << '=' << peak.value;
    o << " <" << p.last.line << '@' << p.last.offset << ' ' << f.Str(p.last.text) << ">\n";
  }
  for (const NewsFacts& n : f.news) {
    o << "W p" << n.process;
    trail(n.lines);
    o << ' ' << f.Str(n.last) << '\n';
  }
  return o.str();
}

}  // namespace ncclwhy
