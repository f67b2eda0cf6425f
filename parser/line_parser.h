// LineParser: one line in, facts out. Behind Parser; owns everything that is remembered between lines of a source.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/complaints.h"
#include "parser/extract/extract.h"
#include "parser/facts_builder.h"
#include "parser/fast/fast_path.h"
#include "parser/line_reader.h"
#include "parser/open_label.h"
#include "parser/outer_prefix.h"
#include "parser/parser.h"
#include "parser/plain_texts.h"
#include "parser/prefix.h"
#include "parser/process_table.h"
#include "parser/pulse_table.h"
#include "parser/quoted_message.h"
#include "parser/segment_translation.h"

namespace ncclwhy {

// The life of a line is told in README.md, step by step with these names.
class LineParser final : public PieceSink {
 public:
  // Everything but `facts` may be null. All is borrowed for the life of the parser.
  LineParser(SourceFacts* facts, const MessageRecognizer* recognizer, LineSink* sink, ParserOptions options,
             ShapeProver* prover)
      : facts_(facts),
        recognizer_(recognizer),
        sink_(sink),
        options_(std::move(options)),
        builder_(facts),
        processes_(facts, &builder_),
        pulses_(&builder_),
        complaints_(&builder_),
        stripper_(options_.frame),
        fast_(PlainPathFor(prover)) {}

  // For a segment of the same source that stands behind what `before` has seen: starts from what that has learned.
  LineParser(const LineParser& before, SourceFacts* facts, LineSink* sink, ShapeProver* prover);

  // A line of several pieces is counted when its last one comes; what the pieces were decides its class together.
  void OnPiece(const LinePiece& piece) override;
  // For Parser, which offers it whole blocks before lines are looked for.
  FastPath& fast() { return fast_; }
  // Puts what the segment that follows has found behind what was found so far, and says how its numbers read here.
  SegmentTranslation Join(LineParser& segment);
  // The end of the source: which hosts and labels were none is known now.
  void Finish();

 private:
  // What the pieces and records of one line were. A line may be of several pieces, and a piece of several records: each
  // level has its own type.
  struct LineClass {
    bool nccl = false;
    bool unrecognised = false;
    bool torn = false;
    bool clipped = false;
    bool binary = false;
    bool invalid = false;
    bool validity_known = false;  // of the latest piece
    uint32_t records = 0;         // of all pieces so far
  };
  // One record of a piece: [begin, end) of the stripped text.
  struct Record {
    HeaderMatch match;
    size_t begin = 0;
    bool nccl = false;
    uint32_t process = kNoProcess;
  };

  FastPath::PlainPath PlainPathFor(ShapeProver* prover) {
    return {facts_,      &builder_,    &processes_,
            recognizer_, sink_,        prover,
            &stripper_,  &open_label_, options_.keep_every_collective};
  }
  // Prefixes off, records found, each handed to EmitNccl or EmitForeign.
  void ParsePiece(const LinePiece& piece);
  // Finds the records of `text` into records_; `first` is the header that it begins with, or null. False: there is no
  // NCCL header in it.
  bool SplitRecords(std::string_view text, const OuterPrefix& outer, const HeaderMatch* first);
  // What is written over one another (`0: 10%\r20%`) has one label in front, of which later pieces know here.
  void InheritPrefix(const LinePiece& piece, StrippedLine* stripped);
  void AddHeader(const HeaderMatch& match, bool clean, const OuterPrefix& outer);
  void EmitWhole(const LinePiece& piece, const FastPath::WholeRecord& record);
  void EmitRecords(const LinePiece& piece, const StrippedLine& stripped);
  // `node3:4711:4801 [2] misc/socket.cc:484 NCCL WARN …`: extractors, recognizer, sink.
  void EmitNccl(ParsedLine& line, uint32_t process, bool followed, bool terminated);
  // A line like one before of which nothing but its numbers is of interest.
  void EmitPlain(const LinePiece& piece, const PlainTexts::Line& known);
  // A line without NCCL's header: a traceback, mpirun, the kernel, or NCCL's words that somebody quotes.
  void EmitForeign(const LinePiece& piece, const StrippedLine& stripped, TellingWords words, PlainTexts::Entry* plain);
  // A PyTorch record behind something else.
  void EmitGlued(const LinePiece& piece, std::string_view part, const StrippedLine& around);
  // `line.words` are known. `plain`: what is known of such a text, or null.
  void EmitForeignRecord(ParsedLine& line, const StrippedLine& stripped, PlainTexts::Entry* plain = nullptr);
  // Not where the line before announced it.
  bool IsKnownPlain(const PlainTexts::Entry* plain) const {
    return plain != nullptr && plain->known && plain->value.plain && !foreign_.last_error_open;
  }
  // `node3:4711:47`: the beginning of the header of a known host, cut off by the next record.
  bool IsCutHeader(std::string_view text) const;
  // What a record of the piece has of it; counts the record.
  void BeginRecord(const LinePiece& piece, ParsedLine* line);
  ParsedLine NewRecord(const LinePiece& piece, const OuterPrefix& outer) {
    ParsedLine line;
    BeginRecord(piece, &line);
    line.outer = outer;
    return line;
  }
  // Puts the line into exactly one class of the coverage, by what its records were: cut, glued or binary before NCCL's,
  // NCCL's before anybody's. A line that a rule can still read may be "damaged".
  void CountLine();

  SourceFacts* facts_;
  const MessageRecognizer* recognizer_;
  LineSink* sink_;
  ParserOptions options_;
  FactsBuilder builder_;
  ProcessTable processes_;
  PulseTable pulses_;
  ComplaintList complaints_;
  bool headers_before_ = false;  // in front of this segment there are NCCL headers
  OuterPrefixStripper stripper_;
  OpenLabel open_label_;
  OuterPrefix line_prefix_;  // of the first piece of a line of several
  std::string line_host_, line_pod_;
  ForeignState foreign_;
  QuotedMessage quoted_;
  PlainTexts plain_;
  FastPath fast_;
  LineClass class_;
  std::vector<Record> records_;
  ParsedLine whole_;  // a record that is all of its piece; made once, since it is large and most lines are such
};

}  // namespace ncclwhy
