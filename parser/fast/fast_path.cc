#include "parser/fast/fast_path.h"

#include "base/patience.h"
#include "base/text_memo.h"
#include "parser/facts_builder.h"
#include "parser/fast/edge_line_memo.h"
#include "parser/fast/known_headers.h"
#include "parser/fast/known_labels.h"
#include "parser/fast/line_runs.h"
#include "parser/fast/shape_learner.h"
#include "parser/fast/shape_memo.h"
#include "parser/fast/shape_prover.h"
#include "parser/line_shape.h"
#include "parser/open_label.h"
#include "parser/outer_prefix.h"
#include "parser/parser.h"
#include "parser/process_table.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// More than a line that a memo knows ever has.
constexpr size_t kLineReach = KnownLabels::kReach + KnownHeaders::kLongest + ShapeMemo::kReach;

}  // namespace

struct FastPath::Impl {
  // What depends on level and text alone: for the latest text, or for all of the shape.
  struct Answer {
    ExtractFamily family = nullptr;
    int message = -1;
    uint32_t seen = 0;
    bool asked = false;  // what holds for all
    bool family_for_all = false;
    bool message_for_all = false;
    std::string latest;
  };
  static constexpr uint32_t kOften = 64;      // to find what holds for all costs as much as some dozens of lines
  static constexpr uint32_t kUnknown = 1024;  // a job that starts up prints less
  static constexpr uint32_t kLearned = 64;    // by then ShapeLearner has seen it often enough

  explicit Impl(const PlainPath& p) : plain(p), learner(p.prover), runs(p.processes, p.builder) {}
  Impl(const Impl& before, const PlainPath& p)
      : plain(p),
        headers(before.headers),
        labels(before.labels),
        learned(before.learned),
        answers(before.answers),
        shapes(before.shapes),
        learner(p.prover),
        runs(p.processes, p.builder) {}

  // Whether this was asked already. Lines of several pieces are not ASCII.
  bool HasSeen(const LinePiece& piece, std::string_view text) const {
    return piece.offset == asked && text.data() == piece.text.data();
  }
  // The header that `text` begins with, or null.
  const KnownHeader* HeaderOf(const LinePiece& piece, std::string_view text) {
    return piece.ascii && HasSeen(piece, text) ? answer : headers.Find(text);
  }
  void LearnLabel(const LinePiece& piece, std::string_view text, const OuterPrefix& outer);
  void ForgetLabels();
  bool Take(const KnownHeader& known, const TextPlace& place, std::string_view raw, std::string_view text,
            const OuterPrefix& outer);
  bool Fold(const KnownHeader& known, const TextPlace& place);
  void SetLine(const KnownHeader& known, const TextPlace& place);
  void AskForAll(const Extraction& x, Answer* said) const;

  const PlainPath plain;
  KnownHeaders headers;
  KnownLabels labels;
  size_t learned = 0;  // by the stripper, when the labels were noted
  LineShape shape;
  // With lines of which no shape is known, and the one that was asked last.
  Patience warnings, others{1};
  Patience* patience = nullptr;
  uint32_t unknown = 0;      // texts of messages that did not come before
  TextMemo<Answer> answers;  // by shape, or by text
  EdgeLineMemo edges;
  ShapeMemo shapes;
  ShapeLearner learner;
  LineRuns runs;
  // The line that was asked for last, and the header that it begins with.
  uint64_t asked = UINT64_MAX;
  const KnownHeader* answer = nullptr;
  bool repeated = false;  // Judge was asked so often about this text, or its shape, that there is nothing to learn
  WholeRecord whole;
  ParsedLine line;        // made once: it is large, and most lines need one
  ShapeMemo::Line taken;  // and so
};

// All state is behind the pointer: a build without the fast path has the same class and none of this.
FastPath::FastPath(const PlainPath& plain) : impl_(std::make_unique<Impl>(plain)) {}
FastPath::FastPath(const FastPath& before, const PlainPath& plain)
    : impl_(std::make_unique<Impl>(*before.impl_, plain)) {}
FastPath::~FastPath() = default;

// host:pid:tid [dev] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f32 count 65536 … stream 0xf0
// Lines of which only the numbers are new, behind a known label or none: their end is not looked for first.
FastPath::TakenLines FastPath::TakeLines(std::string_view text, uint64_t offset, uint32_t number) {
  Impl& my = *impl_;
  TakenLines taken;
  if (my.plain.keep_every_collective || (my.shapes.empty() && my.edges.empty())) return taken;
  my.ForgetLabels();
  uint32_t unrecognised = 0;
  while (text.size() >= kLineReach) {
    KnownLabels::Label* const label = my.labels.Find(text.data());
    const size_t labelled = label == nullptr ? 0 : label->size;
    if (label != nullptr && !label->outer.Names() && !my.plain.open_label->idle()) break;
    const KnownHeader* const known = my.headers.Find(text.substr(labelled));
    if (label == nullptr) {
      my.asked = offset + taken.bytes;
      my.answer = known;
    }
    if (known == nullptr) break;
    const size_t begin = labelled + known->size;
    const bool channel = text[begin] == 'C' && known->level != LogLevel::kNone;
    const size_t edge = channel ? my.edges.CountLine(known->process, text.substr(begin, ShapeMemo::kReach)) : 0;
    if (edge == 0 && !my.shapes.Recall(known->level, text.data() + begin, &my.taken)) break;
    const size_t body = edge > 0 ? begin : begin + my.taken.body;
    const size_t size = begin + (edge > 0 ? edge : my.taken.size);
    const TextPlace place{text.substr(body, size - body), offset + taken.bytes, number + taken.lines};
    const OuterPrefix& outer = label == nullptr ? kNoPrefix : label->outer;
    if (label != nullptr) {
      label->outer.time = text.substr(label->time_begin, label->time_end - label->time_begin);
      my.plain.stripper->Repeat(outer);
      my.plain.open_label->EndTraceback();
    }
    my.runs.Add(known->process, outer, place);
    const std::string_view line = text.substr(0, size);
    if (edge == 0 && !my.Take(*known, place, line, line.substr(labelled), outer)) ++unrecognised;
    taken.bytes += size + 1;
    ++taken.lines;
    text.remove_prefix(size + 1);
  }
  my.runs.Tell();
  Counters& counters = my.plain.facts->counters;
  counters.Add(Counter::kLines, taken.lines);
  counters.Add(Counter::kNccl, taken.lines);
  counters.Add(Counter::kUnrecognised, unrecognised);
  counters.Add(Counter::kRecognised, taken.lines - unrecognised);
  return taken;
}

// The line that `taken` tells of, which is one of `runs`. False: nobody recognises it.
bool FastPath::Impl::Take(const KnownHeader& known, const TextPlace& place, std::string_view raw, std::string_view text,
                          const OuterPrefix& outer) {
  LineMeaning& meaning = *taken.meaning;
  const bool recognised = meaning.message >= 0;
  switch (meaning.kind) {
    case LineMeaning::Kind::kNothing:
      return true;
    case LineMeaning::Kind::kCollective: {
      SetLine(known, place);
      const uint32_t stream = meaning.Tell(taken.text, line, known.process, plain.builder);
      if (stream != IndexTable::kEmpty) runs.AddCall(stream, meaning.collective.from_call, place);
      return true;
    }
    case LineMeaning::Kind::kCounted:
      if (recognised) {
        plain.prover->Count(meaning.message);
        return true;
      }
      break;
    case LineMeaning::Kind::kShown:
      break;
  }
  SetLine(known, place);
  if (outer.any || line.outer.any) line.outer = outer;
  if (!recognised) plain.builder->Begin(EventKind::kUnrecognised, line, known.process);
  if (meaning.kind == LineMeaning::Kind::kShown && plain.sink != nullptr) {
    // What is shown to the sink may ask for the process's last line.
    runs.Tell();
    line.raw = raw;
    line.text = text;
    line.header.present = true;
    line.header.host = text.substr(0, known.host_size);
    line.header.pid = known.pid;
    // What sinks remember of a shape holds for its numbers, which have a digit each.
    line.shape = meaning.words == 0 ? std::string_view(meaning.shape) : std::string_view();
    line.numbers = {meaning.places.data(), meaning.count};
    plain.sink->OnLine(line, known.process, meaning.message, *plain.facts);
  }
  return recognised;
}

// A prefix that the stripper learned since may begin as a label does.
void FastPath::Impl::ForgetLabels() {
  if (plain.stripper->learned() == learned) return;
  learned = plain.stripper->learned();
  labels.Clear();
}

// What stands in front of `text`, a part of the piece that begins with a known header.
void FastPath::Impl::LearnLabel(const LinePiece& piece, std::string_view text, const OuterPrefix& outer) {
  if (!outer.fixed || !piece.ascii || !piece.first || !piece.last) return;
  if (text.data() + text.size() != piece.text.data() + piece.text.size()) return;
  ForgetLabels();
  labels.Add(piece.text, piece.text.size() - text.size(), outer);
}

// What `line` has of the header differs from thread to thread; all else was set once.
void FastPath::Impl::SetLine(const KnownHeader& known, const TextPlace& place) {
  line.offset = place.offset;
  line.number = place.number;
  line.body = place.text;
  line.header.tid = known.tid;
  line.header.device = known.device;
  line.header.level = known.level;
  line.dialect = Dialect::kNccl;
}

// host:pid:tid [dev] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
FastPath::Taken FastPath::TakeRecord(const LinePiece& piece, std::string_view text, const OuterPrefix& outer) {
  Impl& my = *impl_;
  if (piece.clipped || piece.had_nul) return Taken::kNo;
  const bool seen = my.HasSeen(piece, text);
  const KnownHeader* const known = my.HeaderOf(piece, text);
  if (text.data() == piece.text.data()) {
    my.asked = piece.offset;
    my.answer = known;
  }
  if (known == nullptr) return Taken::kNo;
  my.LearnLabel(piece, text, outer);
  const std::string_view body = text.substr(known->size);
  std::array<char, ShapeMemo::kReach + 1> line;  // with room to read behind it
  if (!seen && !my.shapes.empty() && body.substr(0, 8) != "Channel " && body.size() < line.size() && piece.terminated &&
      !my.plain.keep_every_collective) {
    std::memcpy(line.data(), body.data(), body.size());
    line[body.size()] = '\n';
    if (my.shapes.Recall(known->level, line.data(), &my.taken) && my.taken.size == body.size()) {
      const TextPlace place{body.substr(my.taken.body), piece.offset, piece.number};
      my.runs.Add(known->process, outer, place);
      const bool recognised = my.Take(*known, place, piece.text, text, outer);
      my.runs.Tell();
      return recognised ? Taken::kRecognised : Taken::kUnrecognised;
    }
  }
  if (known->level == LogLevel::kNone) return Taken::kNo;
  const TextPlace place{body, piece.offset, piece.number};
  if (!my.Fold(*known, place)) return Taken::kNo;
  my.plain.processes->Link(known->process, outer);
  my.plain.processes->CountRun(known->process, place, place, 1);
  return Taken::kRecognised;
}

// Puts a message behind this header where the one like it was put, or has it parsed if extractors take it by
// themselves.
bool FastPath::Impl::Fold(const KnownHeader& known, const TextPlace& place) {
  const std::string_view edge = EdgeLineMemo::BehindChannel(place.text);
  if (!edge.empty() && edges.Count(known.process, edge)) return true;
  SetLine(known, place);
  plain.builder->ForgetFolded();
  if (ExtractQuiet({line, known.process, *plain.builder}, plain.keep_every_collective) != Known::kQuiet) return false;
  const uint32_t folded = plain.builder->folded_edge();
  if (folded == IndexTable::kEmpty) {
    learner.Note(known.level, {}, line, true, -1, &shapes);
  } else if (!edge.empty()) {
    edges.Keep(known.process, edge, folded);
  }
  return true;
}

// The usual line of NCCL: a header that was seen before, nothing to clean, no second record.
const FastPath::WholeRecord* FastPath::Recall(const LinePiece& piece) {
  Impl& my = *impl_;
  if (!piece.ascii || !piece.printable) return nullptr;
  const std::string_view text = piece.text;
  const KnownHeader* const known = my.HeaderOf(piece, text);
  if (known == nullptr) return nullptr;
  HeaderMatch& match = my.whole.match;
  // Field by field: making a new one costs more.
  NcclHeader& h = match.header;
  h.present = true;
  h.host = text.substr(0, known->host_size);
  h.pid = known->pid;
  h.tid = known->tid;
  h.device = known->device;
  h.file = {};
  h.file_line = 0;
  h.function = {};
  h.level = known->level;
  match.body = known->size;
  if (known->level == LogLevel::kNone && !ParseHeaderBehindDevice(text, known->size, &match)) return nullptr;
  // An & can be an escape. Of the header, host, numbers and level have none.
  if (!h.file.empty() && scan::Contains(text.substr(0, match.body), "&")) return nullptr;
  if (MayHoldMore(text, match.body)) {
    HeaderMatch next;
    if (scan::Contains(text, "&") || FindHeader(text, match.body, &next)) return nullptr;
    if (FindTorchRecord(text, match.body) != std::string_view::npos) return nullptr;
  }
  my.whole.process = known->process;
  return &my.whole;
}

// Warnings come in storms, and of them catalogue and rules ask most. So do lines that nobody knew for long, with a word
// that is another on each; of what else is printed while all is well the text alone is remembered.
//   NCCL INFO NET/Plugin: session cd613e30-d8f1-6adf-91b7-584a2265b1f5 of peer 2 open
// Where every line has a shape of its own, only one in eight is asked for it, until one comes again.
void FastPath::FindShape(ParsedLine* line) {
  Impl& my = *impl_;
  line->shape = {};
  const bool warns = line->header.level == LogLevel::kWarn || line->header.level == LogLevel::kAbort;
  if (!warns && my.unknown <= Impl::kUnknown) return;
  my.patience = warns ? &my.warnings : &my.others;
  if (!my.patience->Asks()) return;
  line->shape = my.shape.Of(line->body);
  line->numbers = my.shape.numbers();
}

// What holds for all texts of the shape of `x`, if anything does.
void FastPath::Impl::AskForAll(const Extraction& x, Answer* said) const {
  said->asked = true;
  said->family_for_all = IsFamilyOfShape(x.line.header.level, x.line.shape, said->family);
  const int message =
      plain.prover == nullptr ? ShapeProver::kDepends : plain.prover->MessageOf(x.line.header.level, x.line.shape);
  said->message_for_all = message == said->message;
}

FastPath::Judgement FastPath::Judge(const Extraction& x) {
  Impl& my = *impl_;
  const LogLevel level = x.line.header.level;
  const MessageRecognizer* const recognizer = my.plain.recognizer;
  const std::string_view body = x.body();
  const auto recognize = [&] { return recognizer == nullptr ? -1 : recognizer->Recognize(level, body); };
  const bool shape = !x.line.shape.empty();
  TextMemo<Impl::Answer>::Entry* const memo =
      my.answers.Find(static_cast<uint64_t>(level) << 1 | (shape ? 1 : 0), shape ? x.line.shape : body);
  if (memo == nullptr) {
    if (shape) my.patience->Tell(false);
    my.unknown += shape ? 0 : 1;
    my.repeated = false;
    ExtractFamily family = nullptr;
    const Known known = ExtractNccl(x, &family);
    return {known, recognize()};
  }
  if (shape) my.patience->Tell(true);
  Impl::Answer& said = memo->value;
  if (!memo->known) said = {};
  const bool same_text = memo->known && (!shape || said.latest == body);
  const bool same_family = same_text || said.family_for_all;
  const Known known = same_family ? ExtractNcclAs(x, said.family) : ExtractNccl(x, &said.family);
  if (!same_text && !said.message_for_all) said.message = recognize();
  memo->known = true;
  // A text that comes again and again is worth being known by its shape, too: then it is not even looked up.
  my.repeated = ++said.seen > Impl::kLearned;
  if (!shape) return {known, said.message};
  if (!same_text && !(said.family_for_all && said.message_for_all)) said.latest.assign(body);
  if (said.seen >= Impl::kOften && !said.asked) my.AskForAll(x, &said);
  return {known, said.message};
}

void FastPath::LearnHeader(std::string_view text, const HeaderMatch& match, uint32_t process) {
  const NcclHeader& header = match.header;
  // Not one whose host had to be fitted to a known one.
  if (!header.present || header.host.data() != text.data() || !header.time.empty() || process == kNoProcess) return;
  KnownHeader known;
  known.process = process;
  known.host_size = static_cast<uint32_t>(header.host.size());
  known.pid = header.pid;
  known.tid = header.tid;
  known.device = header.device;
  const size_t blank = FirstBlank(text);
  if (header.device != kNoDevice && blank != std::string_view::npos && scan::StartsWith(text.substr(blank), " [")) {
    known.size = static_cast<uint32_t>(scan::Find(text, "] ", blank) + 2);
    impl_->headers.Add(text, known);
  }
  const bool bare = header.file.empty() && header.function.empty();
  if (!bare || (header.level != LogLevel::kInfo && header.level != LogLevel::kCall)) return;
  known.size = static_cast<uint32_t>(match.body);
  known.level = header.level;
  impl_->headers.Add(text, known);
}

// A message that nobody knows is an event: of what stands in front of it only the known header may be part of that.
void FastPath::LearnMessage(const ParsedLine& line, int message) {
  Impl& my = *impl_;
  if (my.repeated) return;
  const KnownHeader* const known = my.headers.Find(line.text);
  const auto body = static_cast<size_t>(line.body.data() - line.text.data());
  if (known == nullptr || body < known->size || (message < 0 && body > known->size)) return;
  std::string_view head = line.text.substr(known->size, body - known->size);
  if (known->level == LogLevel::kNone) {
    const size_t milliseconds = MillisecondsSize(head);
    if (milliseconds == 0) return;
    head.remove_prefix(milliseconds);
  }
  my.learner.Note(known->level, head, line, false, message, &my.shapes);
}

// Edges are counted aside while lines go by, and added up here.
void FastPath::Finish() {
  impl_->edges.TakeCounts([&](uint32_t edge, uint32_t lines) { impl_->plain.builder->RepeatEdge(edge, lines); });
}

}  // namespace ncclwhy
