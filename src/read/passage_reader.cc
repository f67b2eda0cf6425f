#include "read/passage_reader.h"

#include <algorithm>
#include <optional>

#include "base/limits.h"
#include "base/numbers.h"
#include "parser/scan.h"
#include "read/stack_frame.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::EndsWith;
using scan::StartsWith;
using scan::Trim;

// "step (model.py:402) < fit (train.py:88)", innermost first; what does not fit is left out whole.
void Append(std::string_view frame, std::string* frames) {
  if (frames->size() + frame.size() + 3 > limits::kEvidenceText) return;
  if (!frames->empty()) *frames += " < ";
  *frames += frame;
}

// (LWP 26104): 26104; -1 without a number.
int64_t NumberBehind(std::string_view text, std::string_view needle) {
  const std::string_view rest = After(text, needle);
  return ParseInt(rest.substr(0, scan::DigitsAt(rest, 0))).value_or(-1);
}

// Between the last frame and the exception stand the lines of the source and marks below them.
constexpr uint32_t kTracebackLines = 120;
// Between a heading and its stack, and the stacks of two threads: versions of tools, blank lines.
constexpr uint32_t kBelowHeading = 6;

}  // namespace

FactsBuilder& PassageReader::Builder(SourceFacts& facts) {
  if (builder_ == nullptr) builder_ = std::make_unique<FactsBuilder>(&facts);
  return *builder_;
}

void PassageReader::OnLine(const ParsedLine& line, uint32_t process, SourceFacts& facts) {
  const bool idle = stacks_.empty() && port_.device.empty();
  if (idle && IsQuiet(line.kind)) return;
  std::string_view text = Trim(line.text);
  if (text.empty()) return;
  Writer writer(process, line.outer.rank);
  std::string_view behind = line.text;
  // " 5: File …": the label of `srun -l`. Its line is the rank's, whichever process wrote last. "12: " of any other
  // list is taken for one, too, which only keeps its lines apart.
  if (const size_t digits = scan::DigitsAt(text, 0);
      digits > 0 && digits < 7 && StartsWith(text.substr(digits), ": ")) {
    writer.second = ParseInt<int32_t>(text.substr(0, digits)).value_or(-1);
    behind.remove_prefix(static_cast<size_t>(text.data() - behind.data()) + digits + 2);
    text = Trim(behind);
    if (text.empty()) return;
  }
  std::string whole;
  // Frames that came without a label are whole: the program's own write is one line.
  if (writer.second >= 0) {
    writer.first = kNoProcess;
    if (!Whole(writer, behind, &whole)) return;
    if (!whole.empty()) text = Trim(whole);
  }
  if (!stacks_.empty()) {
    if (const auto it = stacks_.find(writer); it != stacks_.end()) {
      Stack& stack = it->second;
      if (std::string frame = FrameIn(text, stack.py_spy); !frame.empty()) {
        const bool own = IsProgramsOwn(text, frame);
        if (stack.function.empty() || (own && stack.program.empty())) stack.function = frame;
        Append(frame, &stack.frames);
        if (own) Append(frame, &stack.program);
        if (stack.rank >= 0) heading_line_ = line.number;
        return;
      }
      // The first line of this writer that is no frame ends its stack. It may begin another, so it goes on below.
      EndStack(stack, facts);
      stacks_.erase(it);
    }
  }
  // Frames of a traceback stand outermost first: the last one of the program itself is where it failed.
  if (StartsWith(text, "File \"")) {
    Traceback& traceback = tracebacks_[writer];
    traceback.last = line.number;
    if (IsProgramFrame(text)) traceback.function = FrameIn(text, false);
    return;
  }
  if (StartsWith(text, "Traceback (most recent call last)")) {
    Traceback& traceback = tracebacks_[writer];
    const bool stale = line.number > traceback.last + kTracebackLines;
    // Two heads without an exception between them: two processes write into one stream.
    const bool mixed = !stale && !traceback.goes_on && traceback.open > 0;
    if (mixed) {
      traceback.mixed = true;
      traceback.function.clear();
    } else if (!traceback.goes_on || stale) {
      traceback = {line.number, 0, {}, 0, false, false};
    }
    ++traceback.open;
    traceback.last = line.number;
    traceback.goes_on = false;
    return;
  }
  if (!tracebacks_.empty()) ReadTraceback(line, writer, text, facts);
  // Of a line of a known kind the words were not looked for, nor were those of the line in front.
  const bool may_name_tool = line.kind != 0 || !whole.empty() || line.words.Has(TellingWord::kStackTool);
  if (std::optional<StackHeading> heading = HeadingIn(text, may_name_tool)) {
    // "Process 4711: python train.py" of py-spy may stand below one that tells more.
    const bool below =
        heading->rank < 0 && heading->pid == heading_.pid && line.number <= heading_line_ + kBelowHeading;
    if (!below) heading_ = *std::move(heading);
    heading_line_ = line.number;
  }
  const bool told = ReadOther(line, process, writer, text, facts);
  if (!told && idle && writer.second < 0 && line.kind != 0 && StaysQuiet(text)) SetQuiet(line.kind);
}

// Whether a text that tells nothing now would not with other digits either, nor behind other lines. A number of ones is
// a rank or a pid if any number is that has as many digits.
bool PassageReader::StaysQuiet(std::string_view text) {
  if (StartsWith(text, "During handling of") || StartsWith(text, "The above exception was")) return false;
  std::string ones(text);
  for (char& c : ones) c = scan::IsDigit(c) ? '1' : c;
  return !HeadingIn(ones);
}

// Nearly all lines end here: the first letters of all that is known below.
bool PassageReader::ReadOther(const ParsedLine& line, uint32_t process, const Writer& writer, std::string_view text,
                              SourceFacts& facts) {
  switch (text[0]) {
    case 'T':
    case 'S':
    case 'P':
    case 'p':
    case 'C':
    case 's':
    case 'h':
    case 'I':
    case 'l':
    case 'L':
      if (BeginStack(line, process, writer, text) || ReadPort(line, text, facts)) return true;
      return text[0] == 'P' && (ReadRas(line, process, text, facts) || StartsWith(text, "Process "));
    case '*':
      return BeginStack(line, process, writer, text);
    case '#':
      if (StartsWith(text, "#0  ")) {  // a backtrace of gdb alone
        const std::string frame = FrameIn(text, false);
        if (frame.empty()) return true;
        Stack stack;
        stack.offset = line.offset;
        stack.line = line.number;
        stack.process = process;
        stack.launcher_rank = writer.second;
        stack.head = std::string(text.substr(0, limits::kEvidenceText));
        stack.thread = "Current thread";
        UnderHeading(&stack);
        stack.function = stack.frames = frame;
        if (IsProgramsOwn(text, frame)) stack.program = frame;
        stacks_[writer] = std::move(stack);
        return true;
      }
      [[fallthrough]];
    case 'R':
    case 'M':
      return ReadRas(line, process, text, facts);
    default:
      return scan::IsDigit(text[0]) && text.size() < 200 && ReadRas(line, process, text, facts);
  }
}

// `srun -l` labels what a write(2) of a rank brings, and faulthandler writes piece by piece: a label may stand within a
// line of it.
//    5:   File "
//    5: /usr/lib/python3.12/selectors.py", line 415 in
//    5: select
bool PassageReader::Whole(const Writer& writer, std::string_view text, std::string* whole) {
  const auto it = pieces_.find(writer);
  if (it != pieces_.end()) {
    *whole = std::move(it->second);
    pieces_.erase(it);
    // A line of its own: the piece was all that there is.
    const std::string_view word = Trim(text);
    if (StartsWith(word, "File \"") || StartsWith(word, "Thread 0x"))
      whole->clear();
    else
      *whole += text;
  }
  const std::string_view so_far = scan::Trim(whole->empty() ? text : std::string_view(*whole));
  const bool frame = StartsWith(so_far, "File");
  if (!IsPieceOfStack(so_far) || (frame && !stacks_.contains(writer))) return true;
  std::string& piece = pieces_[writer];
  piece = so_far;
  if (piece == "File" || EndsWith(piece, ", line") || EndsWith(piece, " in")) piece += ' ';
  return false;
}

// The exception stands behind its frames; what extracts events has just told of it.
void PassageReader::ReadTraceback(const ParsedLine& line, const Writer& writer, std::string_view text,
                                  SourceFacts& facts) {
  // Of this writer only: with eight ranks in one file the frames of several stand between.
  const auto found = tracebacks_.find(writer);
  if (found == tracebacks_.end()) return;
  Traceback& traceback = found->second;
  if (line.number > traceback.last + kTracebackLines) {
    tracebacks_.erase(found);
    return;
  }
  if (StartsWith(text, "During handling of the above exception") ||
      StartsWith(text, "The above exception was the direct cause")) {
    traceback.goes_on = true;
    traceback.last = line.number;
    traceback.function.clear();
    return;
  }
  // The event of the exception, which was just made of this very line, gets two fields more.
  if (facts.events.empty() || facts.events.back().line != line.number ||
      facts.events.back().kind != EventKind::kPythonException || facts.events.back().field_count == 0) {
    // An end in other words, `KeyboardInterrupt`: no frame and no line of the source stands at the margin.
    if (!traceback.mixed && !line.text.empty() && !scan::IsSpace(line.text[0])) traceback.open = 0;
    return;
  }
  EventWriter event(&Builder(facts), true);
  if (!traceback.function.empty() && !traceback.mixed) event.Set(FieldId::kFunction, traceback.function);
  if (traceback.begins > 0) event.Set(FieldId::kTraceback, int64_t{line.number - traceback.begins});
  if (traceback.mixed) event.Set(FieldId::kCount, int64_t{traceback.open});
  if (traceback.open > 0) --traceback.open;
  // What is said between it and another one of the same chain.
  traceback.function.clear();
  traceback.last = line.number;
}

bool PassageReader::BeginStack(const ParsedLine& line, uint32_t process, const Writer& writer, std::string_view text) {
  // py-spy says the process once, above all of its threads.
  if (StartsWith(text, "Process ") && Contains(text, ": ")) {
    if (const auto pid = ParseInt(scan::WordBehind(text, "Process "))) pids_[writer] = *pid;
    return false;  // ncclras says "Process 4711 on node"
  }
  Stack stack;
  const bool python = EndsWith(text, "(most recent call first):");  // faulthandler
  if (python) {
    stack.thread = StartsWith(text, "Current thread") ? "Current thread" : std::string(text.substr(0, text.find(" (")));
  } else if (StartsWith(text, "Thread ") && (EndsWith(text, "\"") || EndsWith(text, ")")) && Contains(text, " (") &&
             !Contains(text, "(LWP")) {
    // Thread 4711 (idle): "MainThread", of py-spy. A main thread has the number of its process.
    if (!Contains(text, "(idle") && !Contains(text, "(active") && !Contains(text, "(gil")) return false;
    const std::string_view name = After(text, "\"");
    stack.thread =
        name.empty() ? std::string(text.substr(0, text.find(" ("))) : std::string(name.substr(0, name.size() - 1));
    stack.py_spy = true;
    if (stack.thread == "MainThread") stack.pid = ParseInt(scan::WordBehind(text, "Thread ")).value_or(-1);
  } else if (StartsWith(text, "Thread ") && Contains(text, "(LWP ")) {  // gdb, pstack
    stack.thread = std::string(text.substr(0, text.find(" (")));
    // A main thread has the number of its process.
    if (stack.thread == "Thread 1") stack.pid = NumberBehind(text, "(LWP ");
  } else if (StartsWith(text, "*** SIG") && Contains(text, "stack trace: ***")) {  // glog
    stack.thread = std::string(text.substr(4, text.find(' ', 4) - 4));
    stack.pid = ParseInt(scan::WordBehind(text, "received by PID ")).value_or(-1);
  } else {
    return false;
  }
  if (const auto it = pids_.find(writer); stack.pid < 0 && it != pids_.end()) stack.pid = it->second;
  stack.offset = line.offset;
  stack.line = line.number;
  UnderHeading(&stack);
  stack.process = process;
  stack.launcher_rank = writer.second;
  stack.head = std::string(text.substr(0, limits::kEvidenceText));
  stacks_[writer] = std::move(stack);
  return true;
}

// What stands above the stacks of a process holds for all of its threads.
void PassageReader::UnderHeading(Stack* stack) {
  const uint32_t below = heading_.bare ? 1 : kBelowHeading;
  if (heading_line_ == 0 || stack->line > heading_line_ + below) return;
  heading_line_ = stack->line;
  if (stack->pid >= 0 && heading_.pid >= 0 && stack->pid != heading_.pid) return;  // of another process
  if (stack->pid < 0) stack->pid = heading_.pid;
  stack->rank = heading_.rank;
  stack->host = heading_.host;
}

void PassageReader::EndStack(const Stack& stack, SourceFacts& facts) {
  if (stack.frames.empty()) return;
  ParsedLine line;
  line.number = stack.line;
  line.offset = stack.offset;
  line.outer.rank = stack.launcher_rank;
  line.body = stack.head;
  EventWriter event = Builder(facts).Begin(EventKind::kStack, line, stack.process);
  const int32_t rank = stack.launcher_rank >= 0 ? stack.launcher_rank : stack.rank;
  if (rank >= 0) event.Set(FieldId::kRank, int64_t{rank});
  if (!stack.host.empty()) event.Set(FieldId::kHost, stack.host);
  if (stack.pid >= 0) event.Set(FieldId::kPid, stack.pid);
  event.Set(FieldId::kProcess, stack.thread)
      .Set(FieldId::kFunction, stack.function)
      .Set(FieldId::kFrames, stack.frames);
  if (!stack.program.empty()) event.Set(FieldId::kProgram, stack.program);
}

// Who is listed belongs to the line in front that says what for.
bool PassageReader::ReadRas(const ParsedLine& line, uint32_t process, std::string_view text, SourceFacts& facts) {
  std::string_view phase;
  std::string_view value = scan::WordBehind(text, "launched up to operation ");
  std::string_view count = scan::IsDigit(text[0]) ? text.substr(0, scan::DigitsAt(text, 0)) : std::string_view();
  const std::string_view host = scan::WordBehind(text, " on node ");
  std::string_view rank = StartsWith(text, "Rank ") ? scan::WordBehind(text, "Rank ") : std::string_view();
  if (!value.empty()) {
    phase = "launched";
  } else if (StartsWith(text, "#") && Contains(text, " (") && Contains(text, ") ")) {
    phase = "communicator";  // #0-0 (cf264af53edbe986) MISMATCH
    if (!scan::IsUpper(text.back()) || !Contains(text, "-")) return false;
    value = text.substr(text.rfind(' ') + 1);
  } else if (StartsWith(text, "Missing communicator data from ")) {
    phase = "missing";
    count = scan::WordBehind(text, " from ");
  } else if (Contains(text, " considered dead")) {
    phase = "dead";
  } else if (!count.empty() && Contains(text, " have status ")) {
    phase = "status";
    value = scan::WordBehind(text, " have status ");
  } else if (!host.empty() && (Contains(text, " managed by process ") || Contains(text, " managing GPU"))) {
    phase = "listed";
  } else {
    return false;
  }
  const auto number = [](std::string_view word) { return ParseInt(word) ? word : std::string_view(); };
  std::string_view pid = number(scan::WordBehind(text, " process "));
  if (StartsWith(text, "Process ")) pid = number(scan::WordBehind(text, "Process "));
  ParsedLine at = line;
  at.body = text;
  Builder(facts)
      .Begin(EventKind::kRas, at, process)
      .Set(FieldId::kPhase, phase)
      .Set(FieldId::kRank, number(rank))
      .Set(FieldId::kCount, number(count))
      .Set(FieldId::kValue, value)
      .Set(FieldId::kPid, pid)
      .Set(FieldId::kHost, host);
  return true;
}

void PassageReader::Finish(SourceFacts& facts) {
  for (const auto& [writer, stack] : stacks_) EndStack(stack, facts);
  stacks_.clear();
  EndPort(facts);
  // A passage is an event of its first line, and made at its last.
  if (builder_ == nullptr) return;
  std::stable_sort(facts.events.begin(), facts.events.end(),
                   [](const Event& a, const Event& b) { return a.line < b.line; });
}

}  // namespace ncclwhy
