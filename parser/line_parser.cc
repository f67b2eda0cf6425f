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

// The header that `text` begins with, read off one that was seen before. Field by field: making a new one costs more.
void Recall(const KnownHeader& known, std::string_view text, HeaderMatch* match) {
  NcclHeader& h = match->header;
  h.present = true;
  h.time = {};
  h.host = text.substr(0, known.host_size);
  h.pid = known.pid;
  h.tid = known.tid;
  h.device = known.device;
  h.file = {};
  h.file_line = 0;
  h.function = {};
  h.level = known.level;
  match->begin = 0;
  match->body = known.size;
  match->cut = false;
}

// More than a COLL line whose header is known ever has.
constexpr size_t kLineReach = KnownHeaders::kLongest + CollLineMemo::kReach;
static_assert(ShapeMemo::kReach <= CollLineMemo::kReach);

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

LineParser::LineParser(const LineParser& before, SourceFacts* facts, LineSink* sink)
    : facts_(facts),
      recognizer_(before.recognizer_),
      sink_(sink),
      options_(before.options_),
      builder_(before.builder_, facts),
      processes_(before.processes_, facts, &builder_),
      pulses_(&builder_),
      headers_before_(before.headers_before_ || before.facts_->counters.Get(Counter::kNccl) > 0),
      stripper_(before.stripper_.ForSegment()),
      memo_(before.memo_),
      shape_learner_(before.recognizer_, sink),
      places_(before.places_),
      quoted_(before.quoted_.ForSegment()) {}

Renumbering LineParser::Join(LineParser& segment) {
  const auto lines = static_cast<uint32_t>(facts_->counters.Get(Counter::kLines));
  Renumbering renumbering(lines, *segment.facts_, &builder_);
  processes_.Join(segment.processes_, renumbering);
  builder_.Join(segment.builder_, renumbering);
  pulses_.Join(segment.pulses_, renumbering);
  stripper_.Join(segment.stripper_);
  facts_->counters.Merge(segment.facts_->counters);
  return renumbering;
}

// host:pid:tid [dev] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f32 count 65536 … stream 0xf0
// Lines that repeat an earlier one of their process, but for an opCount and buffers: what Quick does, without looking
// for the end of the line first.
PieceSink::Taken LineParser::TakeLines(std::string_view text, uint64_t offset, uint32_t number) {
  Taken taken;
  if (options_.keep_every_collective) return taken;
  while (text.size() >= kLineReach) {
    const KnownHeader* const known = processes_.Known(text);
    asked_ = text.data();
    answer_ = known;
    if (known == nullptr || known->size < runs::kLeastSame) break;
    Taken run;
    if (known->level != LogLevel::kNone) run = TakeRun(*known, text, offset + taken.bytes, number + taken.lines);
    if (run.lines == 0) run = TakeShape(*known, text, offset + taken.bytes, number + taken.lines);
    if (run.lines == 0) break;
    taken.bytes += run.bytes;
    taken.lines += run.lines;
    text.remove_prefix(run.bytes);
  }
  facts_->counters.Add(Counter::kLines, taken.lines);
  facts_->counters.Add(Counter::kNccl, taken.lines);
  facts_->counters.Add(Counter::kRecognised, taken.lines);
  return taken;
}

// Such lines of one thread: their header, `known`, is the same, byte for byte.
PieceSink::Taken LineParser::TakeRun(const KnownHeader& known, std::string_view text, uint64_t offset,
                                     uint32_t number) {
  CollLineMemo& memo = builder_.coll_lines();
  const bool from_call = known.level == LogLevel::kCall;
  struct Body {
    const char* begin = nullptr;
    size_t size = 0;
    uint32_t lines = 0;  // in front of it
  };
  const auto place = [&](const Body& body) -> TextPlace {
    const auto at = static_cast<size_t>(body.begin - text.data()) - known.size;
    return {{body.begin, body.size}, offset + at, number + body.lines};
  };
  Body here{text.data() + known.size};
  Body last;
  Body issued;  // the last one that issued a collective
  uint32_t stream = IndexTable::kEmpty;
  size_t first_size = 0;
  const char* const end = text.data() + text.size();
  const char* line = text.data();
  do {
    here.begin = line + known.size;
    uint64_t op_count = 0;
    const CollLine* const said = memo.Recall(known.process, from_call, here.begin, &op_count, &here.size);
    if (said == nullptr || here.begin[here.size] != '\n') break;
    if (said->issued) {
      if (said->stream == IndexTable::kEmpty) break;
      if (stream != said->stream && stream != IndexTable::kEmpty) {
        builder_.NoteLast(stream, place(issued), true, from_call);
      }
      stream = said->stream;
      builder_.RepeatCollective(*said, op_count, number + here.lines);
      issued = here;
    }
    processes_.LinkPlain(known.process);
    if (here.lines == 0) first_size = here.size;
    last = here;
    ++here.lines;
    line = here.begin + here.size + 1;
  } while (end - line >= static_cast<ptrdiff_t>(kLineReach) && runs::Same(text.data(), line, known.size));
  if (stream != IndexTable::kEmpty) builder_.NoteLast(stream, place(issued), true, from_call);
  if (here.lines > 0) {
    const TextPlace first = place({text.data() + known.size, first_size, 0});
    processes_.CountRun(known.process, first, place(last), here.lines, true);
  }
  return {static_cast<size_t>(line - text.data()), here.lines};
}

// host:pid:tid [dev] 36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [364/4] request 0x7f0000006b00 done
// Such a line of which only the numbers are new: what OneRecord does.
PieceSink::Taken LineParser::TakeShape(const KnownHeader& known, std::string_view text, uint64_t offset,
                                       uint32_t number) {
  ShapeMemo::Line line;
  if (!shapes_.Recall(known.level, text.data() + known.size, &line)) return {};
  processes_.LinkPlain(known.process);
  const std::string_view body = text.substr(known.size + line.body, line.size - line.body);
  processes_.CountQuiet(known.process, body, offset, number, true);
  if (sink_ != nullptr) sink_->OnCounted(line.message);
  return {known.size + line.size + 1, 1};
}

void LineParser::OnPiece(const LinePiece& piece) {
  const KnownHeader* known = nullptr;
  if (piece.lasting && piece.text.data() == asked_) {
    known = answer_;
  } else if (!piece.clipped && !piece.had_nul) {
    known = processes_.Known(piece.text);
  }
  const bool quick = Quick(piece, piece.text, known, nullptr);
  if (quick && piece.lasting && piece.ascii) {  // a whole line
    facts_->counters.Add(Counter::kLines);
    facts_->counters.Add(Counter::kNccl);
    facts_->counters.Add(Counter::kRecognised);
    return;
  }
  if (piece.first) class_ = {};
  if (quick) {
    class_.nccl = true;
    ++class_.records;
  } else {
    Slow(piece, known);
  }
  if (!piece.ascii && !IsValidUtf8(piece.text)) class_.invalid = true;
  if (piece.last) CountLine();
}

// host:pid:tid [dev] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
// A header that was seen before, and a message that needs neither recognizer nor sink.
bool LineParser::Quick(const LinePiece& piece, std::string_view text, const KnownHeader* known,
                       const OuterPrefix* outer) {
  if (known == nullptr || known->level == LogLevel::kNone) return false;
  quick_.offset = piece.offset;
  quick_.number = piece.number;
  quick_.body = text.substr(known->size);
  quick_.header.tid = known->tid;
  quick_.header.device = known->device;
  quick_.header.level = known->level;
  quick_.dialect = Dialect::kNccl;
  quick_.lasting = piece.lasting && outer == nullptr;
  const uint32_t process = known->process;
  const Extraction x{quick_, process, builder_};
  if (ExtractQuiet(x, options_.keep_every_collective) != Known::kQuiet) return false;
  if (outer == nullptr) {
    processes_.LinkPlain(process);
  } else {
    processes_.Link(process, *outer);
  }
  processes_.CountQuiet(process, quick_.body, piece.offset, piece.number, quick_.lasting);
  return true;
}

// The usual line of NCCL: a header that was seen before, nothing to clean, no second record. False: it may be more than
// that, nothing was done.
bool LineParser::OneRecord(const LinePiece& piece, const HeaderMatch& match, const KnownHeader& known) {
  const std::string_view text = piece.text;
  if (!piece.ascii || !piece.printable) return false;
  // An & can be an escape. Of the header, host, numbers and level have none.
  if (!match.header.file.empty() && scan::Contains(text.substr(0, match.body), "&")) return false;
  if (MayHoldMore(text, match.body)) {
    HeaderMatch next;
    if (scan::Contains(text, "&") || FindHeader(text, match.body, &next)) return false;
    if (FindTorchRecord(text, match.body) != std::string_view::npos) return false;
  }
  ParsedLine& line = one_;  // its prefix is empty for ever
  line.offset = piece.offset;
  line.number = piece.number;
  line.raw = text;
  line.text = text;
  line.body = text.substr(match.body);
  line.header = match.header;
  line.dialect = Dialect::kNccl;
  line.torn = false;
  line.same_as = 0;
  line.lasting = piece.lasting;
  NoteRecord(&line);
  processes_.LinkPlain(known.process);
  const int message = EmitNccl(line, known.process, false, piece.terminated || !piece.last);
  if (message >= 0) shape_learner_.Note(known.level, known.size, line, message, &shapes_);
  return true;
}

// ParseHeaderBehindDevice into match_, or what it said the last time.
bool LineParser::ParseBehindDevice(std::string_view text, size_t size) {
  const size_t place = size + MillisecondsSize(text.substr(size));
  const size_t recalled = places_.Recall(text.substr(place), &match_.header);
  if (recalled > 0) {
    match_.body = place + recalled;
    return true;
  }
  if (!ParseHeaderBehindDevice(text, size, &match_)) return false;
  places_.Keep(text.substr(place), match_.body - place, match_.header);
  return true;
}

void LineParser::Slow(const LinePiece& piece, const KnownHeader* known) {
  class_.clipped = class_.clipped || piece.clipped;
  if (piece.had_nul) class_.binary = true;
  if (IsBlank(piece.text)) return;
  const bool whole = !piece.clipped && !piece.had_nul;
  HeaderMatch& match = match_;
  Beginning beginning;
  bool unknown = false;  // no header that was seen before begins the piece
  wordless_ = {};
  // A line of a new thread, or one behind a launcher's prefix.
  const auto quick = [&](std::string_view text, const OuterPrefix* outer) {
    if ((known == nullptr || known->level == LogLevel::kNone) && !IsWordless(text)) {
      const KnownHeader* const new_thread = processes_.KnownByProcess(text);
      if (new_thread != nullptr) known = new_thread;
    }
    if (!Quick(piece, text, known, outer)) return false;
    class_.nccl = true;
    ++class_.records;
    return true;
  };
  const auto begins_with_known = [&](std::string_view text) {
    if (known == nullptr) return false;
    Recall(*known, text, &match);
    return known->level != LogLevel::kNone || ParseBehindDevice(text, known->size);
  };
  if (begins_with_known(piece.text) && (known->level != LogLevel::kNone || !match.header.file.empty())) {
    beginning = {&match, known->process, false};
  } else if (whole) {
    if (!TellingWords(piece.text).Any()) wordless_ = piece.text;
    if (quick(piece.text, nullptr)) return;
    unknown = !begins_with_known(piece.text);
    if (!unknown) beginning = {&match, known->process, false};
  }
  if (beginning.header != nullptr && OneRecord(piece, match, *known)) return;
  // Most lines have no prefix at all: ask for the header first.
  if (beginning.header == nullptr && scan::IsAlnum(piece.text[0])) {
    beginning.no_header = !ParseHeader(piece.text, &match);
    if (!beginning.no_header && match.header.present) beginning.header = &match;
  }
  StrippedLine stripped;
  const auto has_escapes = [&] { return scan::Contains(piece.text, "\x1b") || scan::Contains(piece.text, "&"); };
  if (beginning.header != nullptr && !(MayNeedCleaning(piece.text) && has_escapes())) {
    stripped.text = piece.text;
  } else {
    stripped = stripper_.Strip(piece.text);
    const bool same = stripped.text.data() == piece.text.data() && stripped.text.size() == piece.text.size();
    beginning = {nullptr, kNoProcess, beginning.no_header && same};
    if (!(same && unknown)) {
      known = whole ? processes_.Known(stripped.text) : nullptr;
      if (whole && quick(stripped.text, &stripped.prefix)) return;
      if (begins_with_known(stripped.text)) beginning = {&match, known->process, false};
    }
  }
  if (!piece.printable && LooksBinary(piece.text)) class_.binary = true;
  if (IsBlank(stripped.text)) return;
  if (SplitRecords(stripped.text, stripped.prefix, beginning)) {
    EmitRecords(piece, stripped.text, stripped);
  } else {
    EmitForeign(piece, stripped.text, stripped);
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

// The header that begins `text`: its record, and what is needed to know it again.
bool LineParser::FirstHeader(std::string_view text, const OuterPrefix& outer, const Beginning& beginning) {
  if (beginning.process != kNoProcess) {
    Record& r = records_.emplace_back();
    r.nccl = true;
    r.match = *beginning.header;
    r.process = beginning.process;
    processes_.Link(r.process, outer);
    return true;
  }
  HeaderMatch match;
  const HeaderMatch* parsed = beginning.header;
  if (parsed == nullptr) {
    if ((beginning.no_header || !ParseHeader(text, &match)) && !ParseHeaderless(text, &match)) return false;
    parsed = &match;
  }
  AddHeader(*parsed, true, outer);
  const Record& r = records_.back();
  const NcclHeader& h = r.match.header;
  const bool plain = h.present && h.host.data() == text.data() && h.host.size() == parsed->header.host.size() &&
                     h.time.empty() && r.process != kNoProcess;
  if (plain) processes_.Know(text, r.match.body, h, r.process);
  return true;
}

bool LineParser::SplitRecords(std::string_view text, const OuterPrefix& outer, const Beginning& beginning) {
  records_.clear();
  HeaderMatch match;
  size_t from = 0;
  if (FirstHeader(text, outer, beginning)) {
    from = records_.back().match.body;
  } else if (!IsWordless(text) && FindHeader(text, 0, &match)) {
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

ParsedLine LineParser::NewLine(const LinePiece& piece, const OuterPrefix& outer) {
  ParsedLine line;
  line.offset = piece.offset;
  line.number = piece.number;
  line.raw = piece.text;
  line.outer = outer;
  NoteRecord(&line);
  return line;
}

void LineParser::NoteRecord(ParsedLine* line) {
  line->first_record = class_.records == 0;
  if (!line->first_record) facts_->counters.Add(Counter::kGluedRecords);
  ++class_.records;
}

void LineParser::EmitRecords(const LinePiece& piece, std::string_view text, const StrippedLine& stripped) {
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
    ParsedLine line = NewLine(piece, stripped.prefix);
    if (original) {
      const size_t begin = i == 0 ? 0 : static_cast<size_t>(part.data() - piece.text.data());
      line.raw = piece.text.substr(begin, static_cast<size_t>(part.data() + part.size() - piece.text.data()) - begin);
    }
    line.text = part;
    line.body = part;
    if (!r.nccl) {
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

int LineParser::EmitNccl(ParsedLine& line, uint32_t process, bool followed, bool terminated) {
  class_.nccl = true;
  const Extraction x{line, process, builder_};
  if (ExtractQuiet(x, options_.keep_every_collective) == Known::kQuiet) {
    processes_.CountLine(process, line);
    class_.torn = class_.torn || line.torn;
    return -1;
  }
  if (followed && !EndsWhole(line)) line.torn = true;
  class_.torn = class_.torn || line.torn;
  BodyMemo::Entry* const memo = memo_.Find(line.header.level, line.body);
  const bool judged = memo != nullptr && memo->judged;
  ExtractFamily family = judged ? memo->family : nullptr;
  const Known known = ExtractNccl(x, &family, judged);
  processes_.CountLine(process, line);
  if (known == Known::kQuiet) return -1;
  int message = -1;
  if (judged) {
    message = memo->message;
  } else if (recognizer_ != nullptr) {
    message = recognizer_->Recognize(line.header.level, line.body);
  }
  if (memo != nullptr) {
    memo->family = family;
    memo->message = message;
    memo->judged = true;
    line.same_as = memo->number;
  }
  const bool recognised = recognizer_ == nullptr ? known != Known::kNo : message >= 0;
  if (!recognised && !line.torn) {
    class_.unrecognised = true;
    if (known == Known::kNo) builder_.Begin(EventKind::kUnrecognised, line, process);
  }
  if (!recognised && !terminated && process != kNoProcess) facts_->processes[process].last_torn = true;
  if (sink_ != nullptr) sink_->OnLine(line, process, message, *facts_);
  return !judged && known == Known::kNo ? message : -1;
}

// `stone:2984736:29` – a header that another line cut off before it said anything.
bool LineParser::IsCutHeader(std::string_view text) const {
  size_t n = 0;
  while (n < text.size() && n < 64 && scan::IsHostChar(text[n])) ++n;
  if (n == 0 || n >= text.size() || text[n] != ':') return false;
  if (n + 1 < text.size() && !scan::IsDigit(text[n + 1])) return false;
  return processes_.IsKnownHost(text.substr(0, n)) && text.size() < n + 48;
}

void LineParser::EmitForeign(const LinePiece& piece, std::string_view text, const StrippedLine& stripped) {
  if (IsCutHeader(text)) {
    class_.torn = true;
    return;
  }
  // `Epoch 0:   6%|██ … 1.37it/s][E ProcessGroupNCCL.cpp:458] …`
  const size_t torch = FindTorchRecord(text, 1);
  const size_t split = torch == std::string_view::npos || torch < 2 ? text.size() : WorkerPrefix(text, torch);
  EmitForeignPart(piece, text.substr(0, split), stripped);
  if (split < text.size()) EmitGlued(piece, text.substr(split), stripped);
}

void LineParser::EmitForeignPart(const LinePiece& piece, std::string_view part, const StrippedLine& stripped) {
  if (IsBlank(part)) return;
  ParsedLine line = NewLine(piece, stripped.prefix);
  line.text = part;
  line.body = part;
  line.torn = piece.clipped;
  EmitForeignRecord(line, stripped);
}

// A PyTorch record behind something else brings its own prefix: `…[rank9]:[E416 13:21:26.9 ProcessGroupNCCL.cpp:1834]
// …`
void LineParser::EmitGlued(const LinePiece& piece, std::string_view part, const StrippedLine& around) {
  StrippedLine own = stripper_.StripPart(part);
  ParsedLine line = NewLine(piece, around.prefix);
  line.raw = part;
  line.text = own.text;
  line.body = own.text;
  line.torn = piece.clipped;
  if (own.prefix.rank >= 0) line.outer.rank = own.prefix.rank;
  if (own.prefix.pid >= 0) line.outer.pid = own.prefix.pid;
  if (!own.prefix.host.empty()) line.outer.host = own.prefix.host;
  if (!own.prefix.pod.empty()) line.outer.pod = own.prefix.pod;
  own.prefix = line.outer;
  own.prefix.any = own.prefix.any || around.prefix.any;
  own.only_time = own.only_time && around.only_time;
  EmitForeignRecord(line, own);
}

void LineParser::EmitForeignRecord(ParsedLine& line, const StrippedLine& stripped) {
  BodyMemo::Entry* const memo = memo_.Find(LogLevel::kNone, line.text);
  if (!IsWordless(line.text)) line.words = TellingWords(line.text);
  line.dialect = memo != nullptr && memo->judged ? memo->dialect : SniffDialect(line.text, line.words);
  if (memo != nullptr) {
    memo->dialect = line.dialect;
    memo->judged = true;
    line.same_as = memo->number;
  }
  if (stripped.kernel && line.dialect != Dialect::kSlurm) line.dialect = Dialect::kKernel;
  if (stripped.framework && line.dialect == Dialect::kUnknown) line.dialect = Dialect::kFramework;
  const bool prefixed = stripped.prefix.any && !stripped.only_time && !stripped.kernel;
  const uint32_t process = prefixed || BelongsToStream(line.dialect) ? processes_.OfStream(line.outer) : kNoProcess;
  const Extraction x{line, process, builder_};
  ExtractForeign(x, foreign_);
  if constexpr (kPulse) pulses_.Note(process, line);
  processes_.CountLine(process, line);
  const bool headers = headers_before_ || facts_->counters.Get(Counter::kNccl) > 0;
  const std::string_view quoted = quoted_.In(line.text, line.words, headers);
  int message = -1;
  const bool bare = quoted.size() < line.text.size() || line.dialect == Dialect::kUnknown;
  if (!quoted.empty() && bare && recognizer_ != nullptr) message = recognizer_->Recognize(LogLevel::kWarn, quoted);
  if (sink_ != nullptr) sink_->OnLine(line, process, message, *facts_);
}

bool LineParser::IsWordless(std::string_view text) const {
  return text.data() >= wordless_.data() && text.data() + text.size() <= wordless_.data() + wordless_.size();
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
  processes_.Finish(trust_labels);
  pulses_.Finish();
  builder_.Finish();
  if (trust_labels) return;
  for (Event& e : facts_->events) e.launcher_rank = -1;
}

}  // namespace ncclwhy
