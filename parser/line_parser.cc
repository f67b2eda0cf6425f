#include "parser/line_parser.h"

#include <algorithm>
#include <optional>

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

// Whether a number behind a colon ends in front of the first blank: `host:pid:tid `.
bool MayBeginWithHost(std::string_view text) {
  const size_t blank = text.find(' ');
  if (!scan::IsAlnum(text[0]) || blank == std::string_view::npos) return false;
  size_t at = blank;
  while (at > 0 && scan::IsDigit(text[at - 1])) --at;
  return at < blank && at > 0 && text[at - 1] == ':';
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
  class_.validity_known = piece.ascii;
  ParsePiece(piece);
  if (!class_.validity_known && !IsValidUtf8(piece.text)) class_.invalid = true;
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
  if (scan::IsBlank(piece.text)) return;
  if (const FastPath::WholeRecord* const record = fast_.Recall(piece)) {
    EmitWhole(piece, *record);
    return;
  }
  PlainTexts::LineEntry* const line = foreign_.last_error_open ? nullptr : plain_.FindLine(piece.text, stripper_);
  if (line != nullptr && line->known && line->value.plain) {
    EmitPlain(piece, line->value);
    return;
  }
  StrippedLine stripped;
  std::optional<StrippedLine> learned;  // before a label that is open is lent to it
  // Most lines have no prefix at all: ask for the header first.
  HeaderMatch first;
  bool header = MayBeginWithHost(piece.text) && ParseHeader(piece.text, &first) && first.header.present;
  const auto has_escapes = [&] { return scan::Contains(piece.text, "\x1b") || scan::Contains(piece.text, "&"); };
  PlainTexts::Entry* plain = nullptr;
  if (header && !(MayNeedCleaning(piece.text) && has_escapes())) {
    stripped.text = piece.text;
  } else {
    stripped = stripper_.Strip(piece.text);
    if (line != nullptr && !line->known) learned = stripped;
    if (!piece.first || !piece.last) InheritPrefix(piece, &stripped);
    open_label_.Apply(piece.number, &stripped);
    if (stripped.text.size() < piece.text.size() && !stripped.text.empty() && take(stripped.text, stripped.prefix))
      return;
    plain = plain_.Find(stripped.text);
    if (!IsKnownPlain(plain)) header = ParseHeader(stripped.text, &first) || ParseHeaderless(stripped.text, &first);
  }
  if (!piece.printable && LooksBinary(piece.text)) class_.binary = true;
  if (scan::IsBlank(stripped.text)) return;
  const bool known_plain = IsKnownPlain(plain);
  // The kernel's lines are asked everything; one with a header is NCCL's, and has records.
  const bool no_words = header || (known_plain && !stripped.kernel);
  const TellingWords words = no_words ? TellingWords() : TellingWords(stripped.text);
  const bool may_have_header = !known_plain && (header || words.Has(TellingWord::kNccl));
  if (may_have_header && SplitRecords(stripped.text, stripped.prefix, header ? &first : nullptr)) {
    EmitRecords(piece, stripped);
  } else {
    EmitForeign(piece, stripped, words, plain);
    if (learned) PlainTexts::LearnLine(piece.text, *learned, plain, line);
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

bool LineParser::SplitRecords(std::string_view text, const OuterPrefix& outer, const HeaderMatch* first) {
  records_.clear();
  HeaderMatch match;
  size_t from = 0;
  if (first != nullptr) {
    AddHeader(*first, true, outer);
    fast_.LearnHeader(text, records_.back().match, records_.back().process);
    from = first->body;
  } else if (FindHeader(text, 0, &match)) {
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
    if (!r.nccl && (scan::IsBlank(part) || IsCutHeader(part))) {
      class_.torn = class_.torn || !scan::IsBlank(part);
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
