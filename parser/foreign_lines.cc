// LineParser for lines without NCCL's header.
#include "parser/dialect.h"
#include "parser/line_parser.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// Launcher and system lines are nobody's unless a prefix says whose.
bool BelongsToStream(Dialect dialect) {
  return dialect != Dialect::kMpi && dialect != Dialect::kSlurm && dialect != Dialect::kKernel &&
         dialect != Dialect::kKubernetes;
}

// Where the record at `torch` begins if a Ray worker's prefix stands in front: `(Actor pid=812, ip=10.1.62.31)
// [rank9]:…`, `(Actor(trainer-0) pid=812) [rank9]:…`
size_t WorkerPrefix(std::string_view text, size_t torch) {
  if (torch < 8 || text.substr(torch - 2, 2) != ") ") return torch;
  size_t open = text.find_last_of('(', torch);
  if (open != std::string_view::npos && open > 0 && scan::IsAlnum(text[open - 1])) {
    open = text.find_last_of('(', open - 1);
  }
  if (open == std::string_view::npos || open == 0 || torch - open > 120) return torch;
  return scan::Contains(text.substr(open, torch - open), " pid=") ? open : torch;
}

// Off in a build that measures what learning pulses costs.
#ifdef NCCLWHY_NO_PULSE
constexpr bool kPulse = false;
#else
constexpr bool kPulse = true;
#endif

}  // namespace

void LineParser::EmitPlain(const LinePiece& piece, const PlainTexts::Line& known) {
  StrippedLine stripped = PlainTexts::StrippedAs(known, piece.text);
  if (!piece.first || !piece.last) InheritPrefix(piece, &stripped);
  open_label_.Apply(piece.number, &stripped);
  class_.binary = class_.binary || known.binary;
  class_.invalid = class_.invalid || known.invalid;
  class_.validity_known = true;
  ParsedLine line = NewRecord(piece, stripped.prefix);
  line.text = line.body = stripped.text;
  line.torn = piece.clipped;
  line.kind = known.kind;
  EmitForeignRecord(line, stripped);
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
  if (!scan::IsBlank(part)) {
    ParsedLine line = NewRecord(piece, stripped.prefix);
    line.text = part;
    line.body = part;
    line.words = part.size() == text.size() ? words : TellingWords(part);
    line.torn = piece.clipped;
    if (known_plain && !stripped.kernel) line.kind = plain->value.kind;
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
  const bool known_plain = line.kind != 0;
  if (!known_plain) line.dialect = SniffDialect(line.text, line.words);
  const bool may_be_plain = line.dialect == Dialect::kUnknown && !stripped.kernel && !foreign_.last_error_open;
  if (stripped.kernel && line.dialect != Dialect::kSlurm) line.dialect = Dialect::kKernel;
  if (stripped.framework && line.dialect == Dialect::kUnknown) line.dialect = Dialect::kFramework;
  // Of the kernel the host in front of its line: Mar  1 12:00:00 node3 kernel: Out of memory: Killed process 4711
  const bool prefixed = stripped.prefix.any && !stripped.only_time && (!stripped.kernel || !line.outer.host.empty());
  const uint32_t process = prefixed || BelongsToStream(line.dialect) ? processes_.OfStream(line.outer) : kNoProcess;
  if (line.outer.pid >= 0 && line.outer.rank < 0) processes_.SaysRank(process, line.text);
  const bool taken = !known_plain && ExtractForeign({line, process, builder_}, foreign_);
  if (plain != nullptr && !plain->known) plain_.Learn(line, may_be_plain && !taken, plain);
  if constexpr (kPulse) pulses_.Note(process, line);
  if (!known_plain) complaints_.Note(process, line);
  processes_.CountLine(process, line);
  const bool headers = headers_before_ || facts_->counters.Get(Counter::kNccl) > 0;
  const std::string_view quoted = quoted_.In(line.text, line.words, headers);
  int message = -1;
  const bool bare = quoted.size() < line.text.size() || line.dialect == Dialect::kUnknown;
  if (!quoted.empty() && bare && recognizer_ != nullptr) message = recognizer_->Recognize(LogLevel::kWarn, quoted);
  if (sink_ == nullptr) return;
  if (!known_plain) plain_.FindShape(&line);
  sink_->OnLine(line, process, message, *facts_);
}

}  // namespace ncclwhy
