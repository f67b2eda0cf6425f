#include "parser/fast/fast_path.h"

#include "base/swar.h"
#include "base/text_memo.h"
#include "parser/facts_builder.h"
#include "parser/fast/coll_line_memo.h"
#include "parser/fast/edge_line_memo.h"
#include "parser/fast/known_headers.h"
#include "parser/fast/known_places.h"
#include "parser/fast/shape_learner.h"
#include "parser/fast/shape_memo.h"
#include "parser/fast/shape_prover.h"
#include "parser/line_shape.h"
#include "parser/process_table.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

// More than a COLL line whose header is known ever has.
constexpr size_t kLineReach = KnownHeaders::kLongest + CollLineMemo::kReach;
static_assert(ShapeMemo::kReach <= CollLineMemo::kReach);

// What is said of an edge: `0[0] -> 1[1] via P2P/CUMEM` of `Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM`; or nothing.
std::string_view BehindChannel(std::string_view body) {
  scan::Cursor c(body);
  uint64_t ignored = 0;
  if (!c.Literal("Channel ") || !c.Uint(&ignored)) return {};
  if (c.Char('/') && !c.Uint(&ignored)) return {};
  if (!c.Literal(" : ")) return {};
  c.SkipSpaces();
  return c.Rest();
}

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
  static constexpr uint32_t kOften = 64;    // to find what holds for all costs as much as some dozens of lines
  static constexpr uint32_t kLearned = 64;  // by then ShapeLearner has seen it often enough

  explicit Impl(const PlainPath& p) : plain(p), learner(p.prover) {}
  Impl(const Impl& before, const PlainPath& p)
      : plain(p),
        headers(before.headers),
        places(before.places),
        answers(before.answers),
        colls(before.colls.ForSegment()),
        learner(p.prover) {}

  // The header that `text` begins with, or null: that of the piece, or what stands behind a prefix.
  const KnownHeader* HeaderOf(const LinePiece& piece, std::string_view text, bool prefixed) {
    return piece.ascii && !prefixed && piece.offset == asked ? answer : headers.Find(text);
  }
  TakenLines TakeRun(const KnownHeader& known, std::string_view text, uint64_t offset, uint32_t number);
  TakenLines TakeShape(const KnownHeader& known, std::string_view text, uint64_t offset, uint32_t number);
  bool Fold(const KnownHeader& known, const TextPlace& place);
  bool ParseBehindDevice(std::string_view text, size_t size);
  void AskForAll(const Extraction& x, Answer* said) const;

  const PlainPath plain;
  KnownHeaders headers;
  KnownPlaces places;
  LineShape shape;
  uint32_t misses = 0;       // lines in a row of which no shape was known
  TextMemo<Answer> answers;  // by shape, or by text
  CollLineMemo colls;
  EdgeLineMemo edges;
  ShapeMemo shapes;
  ShapeLearner learner;
  // The line at which TakeLines stopped, and the header that it begins with.
  uint64_t asked = UINT64_MAX;
  const KnownHeader* answer = nullptr;
  // The line that Recall told, and how long its header is as far as it was seen before.
  uint64_t recalled = UINT64_MAX;
  LogLevel recalled_level = LogLevel::kNone;
  uint32_t recalled_size = 0;
  bool repeated = false;  // the text that Judge was asked about, or one so like it that there is nothing to learn
  WholeRecord whole;
  ParsedLine line;  // made once: it is large, and most lines need one
};

FastPath::FastPath(const PlainPath& plain) : impl_(std::make_unique<Impl>(plain)) {}
FastPath::FastPath(const FastPath& before, const PlainPath& plain)
    : impl_(std::make_unique<Impl>(*before.impl_, plain)) {}
FastPath::~FastPath() = default;

// host:pid:tid [dev] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f32 count 65536 … stream 0xf0
// Lines that repeat an earlier one of their process, but for an opCount and buffers, or of which only the numbers are
// new: their end is not looked for first.
FastPath::TakenLines FastPath::TakeLines(std::string_view text, uint64_t offset, uint32_t number) {
  Impl& my = *impl_;
  TakenLines taken;
  if (my.plain.keep_every_collective) return taken;
  while (text.size() >= kLineReach) {
    const KnownHeader* const known = my.headers.Find(text);
    my.asked = offset + taken.bytes;
    my.answer = known;
    if (known == nullptr || known->size < swar::kLeastSame) break;
    TakenLines run;
    if (known->level != LogLevel::kNone) run = my.TakeRun(*known, text, offset + taken.bytes, number + taken.lines);
    if (run.lines == 0) run = my.TakeShape(*known, text, offset + taken.bytes, number + taken.lines);
    if (run.lines == 0) break;
    taken.bytes += run.bytes;
    taken.lines += run.lines;
    text.remove_prefix(run.bytes);
  }
  Counters& counters = my.plain.facts->counters;
  counters.Add(Counter::kLines, taken.lines);
  counters.Add(Counter::kNccl, taken.lines);
  counters.Add(Counter::kRecognised, taken.lines);
  return taken;
}

// Such lines of one thread: their header, `known`, is the same, byte for byte.
FastPath::TakenLines FastPath::Impl::TakeRun(const KnownHeader& known, std::string_view text, uint64_t offset,
                                             uint32_t number) {
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
  const char* begin = text.data();
  do {
    here.begin = begin + known.size;
    uint64_t op_count = 0;
    const CollLine* const said = colls.Recall(known.process, from_call, here.begin, &op_count, &here.size);
    if (said == nullptr || here.begin[here.size] != '\n') break;
    if (said->issued) {
      const FactsBuilder::FoldedCollective& folded = said->folded;
      if (folded.stream == IndexTable::kEmpty) break;
      if (stream != folded.stream && stream != IndexTable::kEmpty) {
        plain.builder->NoteLast(stream, place(issued), from_call);
      }
      stream = folded.stream;
      plain.builder->RepeatCollective(folded, op_count, number + here.lines);
      issued = here;
    }
    if (here.lines == 0) first_size = here.size;
    last = here;
    ++here.lines;
    begin = here.begin + here.size + 1;
  } while (end - begin >= static_cast<ptrdiff_t>(kLineReach) && swar::Same(text.data(), begin, known.size));
  if (stream != IndexTable::kEmpty) plain.builder->NoteLast(stream, place(issued), from_call);
  if (here.lines > 0) {
    plain.processes->Link(known.process, kNoPrefix);
    const TextPlace first = place({text.data() + known.size, first_size, 0});
    plain.processes->CountRun(known.process, first, place(last), here.lines);
  }
  return {static_cast<size_t>(begin - text.data()), here.lines};
}

// host:pid:tid [dev] 36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [364/4] request 0x7f0000006b00 done
FastPath::TakenLines FastPath::Impl::TakeShape(const KnownHeader& known, std::string_view text, uint64_t offset,
                                               uint32_t number) {
  ShapeMemo::Line taken;
  if (!shapes.Recall(known.level, text.data() + known.size, &taken)) return {};
  const TextPlace place{text.substr(known.size + taken.body, taken.size - taken.body), offset, number};
  plain.processes->Link(known.process, kNoPrefix);
  plain.processes->CountRun(known.process, place, place, 1);
  plain.prover->Count(taken.message);
  return {known.size + taken.size + 1, 1};
}

// host:pid:tid [dev] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
bool FastPath::TakeRecord(const LinePiece& piece, std::string_view text, const OuterPrefix& outer) {
  Impl& my = *impl_;
  if (piece.clipped || piece.had_nul) return false;
  const KnownHeader* const known = my.HeaderOf(piece, text, outer.any);
  if (known == nullptr || known->level == LogLevel::kNone) return false;
  const TextPlace place{text.substr(known->size), piece.offset, piece.number};
  if (!my.Fold(*known, place)) return false;
  my.plain.processes->Link(known->process, outer);
  my.plain.processes->CountRun(known->process, place, place, 1);
  return true;
}

// Puts a message behind this header where the one like it was put, or has it parsed and remembers it.
bool FastPath::Impl::Fold(const KnownHeader& known, const TextPlace& place) {
  const std::string_view body = place.text;
  const uint32_t process = known.process;
  if (body.size() < 8) return false;
  FactsBuilder& builder = *plain.builder;
  const std::string_view edge = body[0] == 'C' ? BehindChannel(body) : std::string_view{};
  if (!edge.empty() && edges.Count(process, edge)) return true;
  CollLineMemo::Parts parts;
  uint64_t op_count = 0;
  const bool coll = known.level != LogLevel::kCall && scan::IsUpper(body[0]) && body[0] != 'C' &&
                    CollLineMemo::Split(body, &parts, &op_count);
  if (coll) {
    const CollLine* const said = colls.Find(process, parts);
    if (said != nullptr && said->folded.stream != IndexTable::kEmpty) {
      builder.RepeatCollective(said->folded, op_count, place.number);
      builder.NoteLast(said->folded.stream, place, false);
      return true;
    }
  }
  line.offset = place.offset;
  line.number = place.number;
  line.body = body;
  line.header.tid = known.tid;
  line.header.device = known.device;
  line.header.level = known.level;
  line.dialect = Dialect::kNccl;
  builder.ForgetFolded();
  if (ExtractQuiet({line, process, builder}, plain.keep_every_collective) != Known::kQuiet) return false;
  if (!edge.empty() && builder.folded_edge() != IndexTable::kEmpty) edges.Keep(process, edge, builder.folded_edge());
  if (plain.keep_every_collective) return true;
  const FactsBuilder::FoldedCollective& folded = builder.folded_collective();
  if (coll) {
    if (folded.stream != IndexTable::kEmpty) colls.Keep(process, parts, {true, folded});
  } else if (folded.stream != IndexTable::kEmpty) {
    colls.KeepWhole(process, body, {true, folded});
  } else if (scan::Contains(body, " Bytes -> ")) {  // it says how, and issues nothing
    colls.KeepWhole(process, body, {false, {}});
  }
  return true;
}

// The usual line of NCCL: a header that was seen before, nothing to clean, no second record.
const FastPath::WholeRecord* FastPath::Recall(const LinePiece& piece) {
  Impl& my = *impl_;
  if (!piece.ascii || !piece.printable) return nullptr;
  const std::string_view text = piece.text;
  const KnownHeader* const known = my.HeaderOf(piece, text, false);
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
  if (known->level == LogLevel::kNone && !my.ParseBehindDevice(text, known->size)) return nullptr;
  // An & can be an escape. Of the header, host, numbers and level have none.
  if (!h.file.empty() && scan::Contains(text.substr(0, match.body), "&")) return nullptr;
  if (MayHoldMore(text, match.body)) {
    HeaderMatch next;
    if (scan::Contains(text, "&") || FindHeader(text, match.body, &next)) return nullptr;
    if (FindTorchRecord(text, match.body) != std::string_view::npos) return nullptr;
  }
  my.whole.process = known->process;
  my.recalled = piece.offset;
  my.recalled_level = known->level;
  my.recalled_size = known->size;
  return &my.whole;
}

// ParseHeaderBehindDevice, or what it said the last time.
bool FastPath::Impl::ParseBehindDevice(std::string_view text, size_t size) {
  const size_t place = size + MillisecondsSize(text.substr(size));
  const size_t known = places.Recall(text.substr(place), &whole.match.header);
  if (known > 0) {
    whole.match.body = place + known;
    return true;
  }
  if (!ParseHeaderBehindDevice(text, size, &whole.match)) return false;
  places.Keep(text.substr(place), whole.match.body - place, whole.match.header);
  return true;
}

// Warnings come in storms, and of them catalogue and rules ask most. Of what is printed while all is well the text
// alone is remembered. Where every line has a shape of its own, only one in eight is asked for it, until one comes
// again.
void FastPath::FindShape(ParsedLine* line) {
  constexpr uint32_t kPatience = 256;
  line->shape = {};
  if (line->header.level != LogLevel::kWarn && line->header.level != LogLevel::kAbort) return;
  if (impl_->misses > kPatience && ++impl_->misses % 8 != 0) return;
  line->shape = impl_->shape.Of(line->body);
  line->numbers = impl_->shape.numbers();
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
  my.repeated = memo != nullptr && memo->known && (!shape || memo->value.latest == body);
  if (memo == nullptr) {
    my.misses += shape ? 1 : 0;
    ExtractFamily family = nullptr;
    const Known known = ExtractNccl(x, &family);
    return {known, recognize()};
  }
  if (shape) my.misses = 0;
  Impl::Answer& said = memo->value;
  if (!memo->known) said = {};
  const bool same_family = my.repeated || said.family_for_all;
  const Known known = same_family ? ExtractNcclAs(x, said.family) : ExtractNccl(x, &said.family);
  if (!my.repeated && !said.message_for_all) said.message = recognize();
  memo->known = true;
  if (!shape) return {known, said.message};
  if (!my.repeated && !(said.family_for_all && said.message_for_all)) said.latest.assign(body);
  if (++said.seen >= Impl::kOften && !said.asked) my.AskForAll(x, &said);
  if (said.seen > Impl::kLearned) my.repeated = true;
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

void FastPath::LearnMessage(const ParsedLine& line, int message) {
  Impl& my = *impl_;
  if (line.offset != my.recalled || my.repeated) return;
  my.learner.Note(my.recalled_level, my.recalled_size, line, message, &my.shapes);
}

void FastPath::Finish() {
  impl_->edges.TakeCounts([&](uint32_t edge, uint32_t lines) { impl_->plain.builder->RepeatEdge(edge, lines); });
}

}  // namespace ncclwhy
