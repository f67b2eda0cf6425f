#include "parser/line_parser.h"

#include <algorithm>

#include "base/limits.h"
#include "parser/clean_text.h"
#include "parser/dialect.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// The text of a record that was followed by another one in the same line is cut, unless it ends as its kind always
// does.
bool EndsWhole(const ParsedLine& line) {
  const std::string_view body = line.body;
  if (line.header.level == LogLevel::kCall) return !body.empty() && body.back() == ')';
  return scan::EndsWith(body, " COMPLETE") || scan::EndsWith(body, " START");
}

// Launcher and system lines are nobody's unless a prefix says whose.
bool BelongsToStream(Dialect dialect) {
  return dialect != Dialect::kMpi && dialect != Dialect::kSlurm && dialect != Dialect::kKernel &&
         dialect != Dialect::kKubernetes;
}

// Where the record at `torch` begins if a Ray worker's prefix stands in front: `(Actor pid=812, ip=10.1.62.31)
// [rank9]:…`
size_t WorkerPrefix(std::string_view text, size_t torch) {
  if (torch < 8 || text.substr(torch - 2, 2) != ") ") return torch;
  const size_t open = text.find_last_of('(', torch);
  if (open == std::string_view::npos || open == 0 || torch - open > 120) return torch;
  return scan::Contains(text.substr(open, torch - open), " pid=") ? open : torch;
}

// Whether a number behind a colon ends in front of the first blank: `host:pid:tid `.
bool MayBeginWithHost(std::string_view text) {
  const size_t blank = text.find(' ');
  if (!scan::IsAlnum(text[0]) || blank == std::string_view::npos) return false;
  size_t at = blank;
  while (at > 0 && scan::IsDigit(text[at - 1])) --at;
  return at < blank && at > 0 && text[at - 1] == ':';
}

// Off in a build that measures what learning pulses costs.
#ifdef NCCLWHY_NO_PULSE
constexpr bool kPulse = false;
#else
constexpr bool kPulse = true;
#endif
bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return scan::IsSpace(c); });
}

}  // namespace

LineParser::LineParser(const LineParser& before, SourceFacts* facts, LineSink* sink, ShapeProver* prover)
    : facts_(facts),
      recognizer_(before.recognizer_),
      sink_(sink),
      options_(before.options_),
      builder_(FactsBuilder::ForSegment(facts)),
      processes_(before.processes_, facts, &builder_),
      pulses_(&builder_),
      complaints_(&builder_),
      headers_before_(before.headers_before_ || before.facts_->counters.Get(Counter::kNccl) > 0),
      stripper_(before.stripper_.ForSegment()),
      quoted_(before.quoted_.ForSegment()),
      fast_(before.fast_, PlainPathFor(prover)) {}

SegmentTranslation LineParser::Join(LineParser& segment) {
  segment.fast_.Finish();
  const auto lines = static_cast<uint32_t>(facts_->counters.Get(Counter::kLines));
  SegmentTranslation in_source(lines, *segment.facts_, &builder_);
  processes_.Join(segment.processes_, in_source);
  builder_.Join(segment.builder_, in_source);
  pulses_.Join(segment.pulses_, in_source);
  complaints_.Join(*segment.facts_, in_source);
  stripper_.Join(segment.stripper_);
  facts_->counters.Merge(segment.facts_->counters);
  return in_source;
}

void LineParser::OnPiece(const LinePiece& piece) {
  if (piece.first) {
    class_ = {};
    line_prefix_.any = false;
  }
  ParsePiece(piece);
  if (!piece.ascii && !IsValidUtf8(piece.text)) class_.invalid = true;
  if (piece.last) CountLine();
}

void LineParser::ParsePiece(const LinePiece& piece) {
  const auto take = [&](std::string_view text, const OuterPrefix& outer) {
    const FastPath::Taken taken = fast_.TakeRecord(piece, text, outer);
    if (taken == FastPath::Taken::kNo) return false;
    class_.nccl = true;
    class_.unrecognised = class_.unrecognised || taken == FastPath::Taken::kUnrecognised;
    if (class_.records++ > 0) facts_->counters.Add(Counter::kGluedRecords);
    return true;
  };
  if (take(piece.text, kNoPrefix)) return;
  class_.clipped = class_.clipped || piece.clipped;
  class_.binary = class_.binary || piece.had_nul;
  if (IsBlank(piece.text)) return;
  if (const FastPath::WholeRecord* const record = fast_.Recall(piece)) {
    EmitWhole(piece, *record);
    return;
  }
  StrippedLine stripped;
  // Most lines have no prefix at all: ask for the header first.
  HeaderMatch first;
  bool header = MayBeginWithHost(piece.text) && ParseHeader(piece.text, &first) && first.header.present;
  const auto has_escapes = [&] { return scan::Contains(piece.text, "\x1b") || scan::Contains(piece.text, "&"); };
  PlainTexts::Entry* plain = nullptr;
  if (header && !(MayNeedCleaning(piece.text) && has_escapes())) {
    stripped.text = piece.text;
  } else {
    stripped = stripper_.Strip(piece.text);
    if (!piece.first || !piece.last) InheritPrefix(piece, &stripped);
    open_label_.Apply(piece.number, &stripped);
    if (stripped.text.size() < piece.text.size() && !stripped.text.empty() && take(stripped.text, stripped.prefix))
      return;
    plain = plain_.Find(stripped.text);
    if (!IsKnownPlain(plain)) header = ParseHeader(stripped.text, &first) || ParseHeaderless(stripped.text, &first);
  }
  if (!piece.printable && LooksBinary(piece.text)) class_.binary = true;
  if (IsBlank(stripped.text)) return;
  const bool known_plain = IsKnownPlain(plain);
  const TellingWords words = known_plain ? TellingWords() : TellingWords(stripped.text);
  if (!known_plain && SplitRecords(stripped.text, stripped.prefix, header ? &first : nullptr, words)) {
    EmitRecords(piece, stripped);
  } else {
    EmitForeign(piece, stripped, words, plain);
  }
}

// `0: step 1\rstep 2\rstep 3`: the label stands once, in front of all that was written over one another.
void LineParser::InheritPrefix(const LinePiece& piece, StrippedLine* stripped) {
  OuterPrefix& prefix = stripped->prefix;
  if (piece.first) {
    line_host_.assign(prefix.host);
    line_pod_.assign(prefix.pod);
    line_prefix_ = prefix;
    line_prefix_.any = prefix.any && !stripped->only_time;
    line_prefix_.host = line_host_;
    line_prefix_.pod = line_pod_;
    line_prefix_.time = line_prefix_.stream = {};
  } else if (!prefix.any && line_prefix_.any) {
    prefix = line_prefix_;
    stripped->only_time = false;
  }
}

void LineParser::AddHeader(const HeaderMatch& match, bool clean, const OuterPrefix& outer) {
  Record& r = records_.emplace_back();
  r.nccl = true;
  r.begin = match.begin;
  r.match = match;
  NcclHeader& header = r.match.header;
  if (header.present) {
    const size_t spelled = header.host.size();
    r.process = processes_.OfHeader(header, clean, outer);
    // Whatever was glued to the host belongs to what stands in front.
    if (header.host.size() < spelled) r.begin += spelled - header.host.size();
  } else {
    r.process = processes_.OfStream(outer);
  }
}

bool LineParser::SplitRecords(std::string_view text, const OuterPrefix& outer, const HeaderMatch* first,
                              TellingWords words) {
  records_.clear();
  HeaderMatch match;
  size_t from = 0;
  if (first != nullptr) {
    AddHeader(*first, true, outer);
    fast_.LearnHeader(text, records_.back().match, records_.back().process);
    from = first->body;
  } else if (words.Has(TellingWord::kNccl) && FindHeader(text, 0, &match)) {
    const std::string_view junk = text.substr(0, match.begin);
    if (!IsCutHeader(junk)) stripper_.Learn(junk);
    records_.push_back({});  // what stands in front
    AddHeader(match, false, outer);
    from = match.body;
  } else {
    return false;
  }
  while (records_.size() < limits::kRecordsPerLine) {
    HeaderMatch next;
    const bool found = FindHeader(text, from, &next);
    const size_t torch = FindTorchRecord(text.substr(0, found ? next.begin : text.size()), from);
    if (torch != std::string_view::npos) {
      Record r;
      r.begin = torch;
      records_.push_back(r);
    }
    if (!found) return true;
    // NCCL's own text may hold the words: "… NCCL WARN" quoted. Only a header with a host begins a record here.
    if (next.header.present) AddHeader(next, false, outer);
    from = next.body;
  }
  class_.torn = true;
  return true;
}

void LineParser::BeginRecord(const LinePiece& piece, ParsedLine* line) {
  line->offset = piece.offset;
  line->number = piece.number;
  line->raw = piece.text;
  line->first_record = class_.records == 0;
  if (!line->first_record) facts_->counters.Add(Counter::kGluedRecords);
  ++class_.records;
}

ParsedLine LineParser::NewRecord(const LinePiece& piece, const OuterPrefix& outer) {
  ParsedLine line;
  BeginRecord(piece, &line);
  line.outer = outer;
  return line;
}

void LineParser::EmitWhole(const LinePiece& piece, const FastPath::WholeRecord& record) {
  ParsedLine& line = whole_;
  BeginRecord(piece, &line);
  line.text = piece.text;
  line.body = piece.text.substr(record.match.body);
  line.header = record.match.header;
  line.dialect = Dialect::kNccl;
  processes_.Link(record.process, kNoPrefix);
  EmitNccl(line, record.process, false, piece.terminated || !piece.last);
}

void LineParser::EmitRecords(const LinePiece& piece, const StrippedLine& stripped) {
  const std::string_view text = stripped.text;
  // Views of the original where the text is still part of it; a decoded text stands for itself.
  const bool original =
      text.data() >= piece.text.data() && text.data() + text.size() <= piece.text.data() + piece.text.size();
  for (size_t i = 0; i < records_.size(); ++i) {
    const Record& r = records_[i];
    const bool followed = i + 1 < records_.size();
    const size_t end = followed ? std::max(records_[i + 1].begin, r.begin) : text.size();
    const std::string_view part = text.substr(r.begin, end - r.begin);
    if (!r.nccl && (IsBlank(part) || IsCutHeader(part))) {
      class_.torn = class_.torn || !IsBlank(part);
      continue;
    }
    if (!r.nccl && i > 0) {
      EmitGlued(piece, part, stripped);
      continue;
    }
    ParsedLine line = NewRecord(piece, stripped.prefix);
    if (original) {
      const size_t begin = i == 0 ? 0 : static_cast<size_t>(part.data() - piece.text.data());
      line.raw = piece.text.substr(begin, static_cast<size_t>(part.data() + part.size() - piece.text.data()) - begin);
    }
    line.text = part;
    line.body = part;
    if (!r.nccl) {
      line.words = TellingWords(part);
      EmitForeignRecord(line, stripped);
      continue;
    }
    line.header = r.match.header;
    line.body = text.substr(std::min(r.match.body, end), end - std::min(r.match.body, end));
    line.torn = r.match.cut || piece.clipped;
    line.dialect = Dialect::kNccl;
    EmitNccl(line, r.process, followed, piece.terminated || !piece.last);
  }
}

void LineParser::EmitNccl(ParsedLine& line, uint32_t process, bool followed, bool terminated) {
  class_.nccl = true;
  const Extraction x{line, process, builder_};
  if (ExtractQuiet(x, options_.keep_every_collective) == Known::kQuiet) {
    processes_.CountLine(process, line);
    class_.torn = class_.torn || line.torn;
    return;
  }
  if (followed && !EndsWhole(line)) line.torn = true;
  class_.torn = class_.torn || line.torn;
  fast_.FindShape(&line);
  const auto [known, message] = fast_.Judge(x);
  processes_.CountLine(process, line);
  if (known == Known::kQuiet) return;
  const bool recognised = recognizer_ == nullptr ? known != Known::kNo : message >= 0;
  if (!recognised && !line.torn) {
    class_.unrecognised = true;
    if (known == Known::kNo) builder_.Begin(EventKind::kUnrecognised, line, process);
  }
  if (!recognised && !terminated && process != kNoProcess) facts_->processes[process].last_torn = true;
  if (sink_ != nullptr) sink_->OnLine(line, process, message, *facts_);
  if (known == Known::kNo && !followed) fast_.LearnMessage(line, message);
}

// `stone:2984736:29` – a header that another line cut off before it said anything.
bool LineParser::IsCutHeader(std::string_view text) const {
  const size_t n = HostOfCutHeader(text);
  return n > 0 && processes_.IsKnownHost(text.substr(0, n)) && text.size() < n + 48;
}

void LineParser::EmitForeign(const LinePiece& piece, const StrippedLine& stripped, TellingWords words,
                             PlainTexts::Entry* plain) {
  const std::string_view text = stripped.text;
  const bool known_plain = IsKnownPlain(plain);
  if (!known_plain && IsCutHeader(text)) {
    class_.torn = true;
    return;
  }
  // `Epoch 0:   6%|██ … 1.37it/s][E ProcessGroupNCCL.cpp:458] …`
  const size_t torch = known_plain ? std::string_view::npos : FindTorchRecord(text, 1);
  const size_t split = torch == std::string_view::npos || torch < 2 ? text.size() : WorkerPrefix(text, torch);
  const std::string_view part = text.substr(0, split);
  if (!IsBlank(part)) {
    ParsedLine line = NewRecord(piece, stripped.prefix);
    line.text = part;
    line.body = part;
    line.words = part.size() == text.size() ? words : TellingWords(part);
    line.torn = piece.clipped;
    EmitForeignRecord(line, stripped, part.size() == text.size() ? plain : nullptr);
  }
  if (split < text.size()) EmitGlued(piece, text.substr(split), stripped);
}

// A PyTorch record behind something else brings its own prefix: `…[rank9]:[E416 13:21:26.9 ProcessGroupNCCL.cpp:1834]
// …`
void LineParser::EmitGlued(const LinePiece& piece, std::string_view part, const StrippedLine& around) {
  StrippedLine own = stripper_.StripPart(part);
  ParsedLine line = NewRecord(piece, around.prefix);
  line.raw = part;
  line.text = own.text;
  line.body = own.text;
  line.words = TellingWords(own.text);
  line.torn = piece.clipped;
  if (own.prefix.rank >= 0) {
    line.outer.rank = own.prefix.rank;
    line.outer.rank_said = own.prefix.rank_said;
  }
  if (own.prefix.pid >= 0) line.outer.pid = own.prefix.pid;
  if (!own.prefix.host.empty()) line.outer.host = own.prefix.host;
  if (!own.prefix.pod.empty()) line.outer.pod = own.prefix.pod;
  own.prefix = line.outer;
  own.prefix.any = own.prefix.any || around.prefix.any;
  own.only_time = own.only_time && around.only_time;
  EmitForeignRecord(line, own);
}

void LineParser::EmitForeignRecord(ParsedLine& line, const StrippedLine& stripped, PlainTexts::Entry* plain) {
  const bool known_plain = IsKnownPlain(plain) && !stripped.kernel;
  if (!known_plain) line.dialect = SniffDialect(line.text, line.words);
  const bool may_be_plain = line.dialect == Dialect::kUnknown && !stripped.kernel && !foreign_.last_error_open;
  if (stripped.kernel && line.dialect != Dialect::kSlurm) line.dialect = Dialect::kKernel;
  if (stripped.framework && line.dialect == Dialect::kUnknown) line.dialect = Dialect::kFramework;
  // Of the kernel the host in front of its line: Mar  1 12:00:00 node3 kernel: Out of memory: Killed process 4711
  const bool prefixed = stripped.prefix.any && !stripped.only_time && (!stripped.kernel || !line.outer.host.empty());
  const uint32_t process = prefixed || BelongsToStream(line.dialect) ? processes_.OfStream(line.outer) : kNoProcess;
  if (line.outer.pid >= 0 && line.outer.rank < 0) processes_.SaysRank(process, line.text);
  const bool taken = !known_plain && ExtractForeign({line, process, builder_}, foreign_);
  if (plain != nullptr && !plain->known) PlainTexts::Learn(line, may_be_plain && !taken, plain);
  if constexpr (kPulse) pulses_.Note(process, line);
  if (!known_plain) complaints_.Note(process, line);
  processes_.CountLine(process, line);
  const bool headers = headers_before_ || facts_->counters.Get(Counter::kNccl) > 0;
  const std::string_view quoted = quoted_.In(line.text, line.words, headers);
  int message = -1;
  const bool bare = quoted.size() < line.text.size() || line.dialect == Dialect::kUnknown;
  if (!quoted.empty() && bare && recognizer_ != nullptr) message = recognizer_->Recognize(LogLevel::kWarn, quoted);
  if (sink_ != nullptr) sink_->OnLine(line, process, message, *facts_);
}

void LineParser::CountLine() {
  Counters& counters = facts_->counters;
  counters.Add(Counter::kLines);
  if (class_.clipped) counters.Add(Counter::kClippedLines);
  if (class_.binary) counters.Add(Counter::kBinaryLines);
  if (class_.invalid) counters.Add(Counter::kInvalidUtf8);
  if (class_.torn || class_.clipped || (class_.binary && !class_.nccl)) {
    counters.Add(Counter::kDamaged);
  } else if (class_.nccl) {
    counters.Add(Counter::kNccl);
    counters.Add(class_.unrecognised ? Counter::kUnrecognised : Counter::kRecognised);
  } else {
    counters.Add(Counter::kForeign);
  }
}

void LineParser::Finish() {
  const bool trust_labels = !stripper_.labels_are_line_numbers();
  fast_.Finish();
  processes_.Finish(trust_labels);
  pulses_.Finish();
  builder_.Finish();
  for (Event& e : facts_->events) {
    const bool known = e.process == kNoProcess || facts_->processes[e.process].launcher_rank >= 0;
    if (!trust_labels || !known) e.launcher_rank = -1;
  }
}

}  // namespace ncclwhy
