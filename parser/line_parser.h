// LineParser: one line in, facts out. Behind Parser; owns everything that is remembered between lines of a source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parser/body_memo.h"
#include "parser/extract/extract.h"
#include "parser/facts_builder.h"
#include "parser/known_places.h"
#include "parser/line_reader.h"
#include "parser/outer_prefix.h"
#include "parser/parser.h"
#include "parser/prefix.h"
#include "parser/process_table.h"
#include "parser/pulse_table.h"
#include "parser/quoted_message.h"
#include "parser/renumbering.h"
#include "parser/shape_learner.h"
#include "parser/shape_memo.h"

namespace ncclwhy {

class LineParser final : public PieceSink {
 public:
  LineParser(SourceFacts* facts, const MessageRecognizer* recognizer, LineSink* sink, ParserOptions options)
      : facts_(facts),
        recognizer_(recognizer),
        sink_(sink),
        options_(options),
        builder_(facts),
        processes_(facts, &builder_),
        pulses_(&builder_),
        shape_learner_(recognizer, sink) {}

  // For a segment of the same source that stands behind what `before` has seen: starts from what that has learned.
  LineParser(const LineParser& before, SourceFacts* facts, LineSink* sink);

  void OnPiece(const LinePiece& piece) override;
  Taken TakeLines(std::string_view text, uint64_t offset, uint32_t number) override;
  void OnBufferEnd() override {
    asked_ = nullptr;
    builder_.Settle();
    processes_.Settle();
  }
  // Puts what the segment that follows has found behind what was found so far, and says how its numbers read here.
  Renumbering Join(LineParser& segment);
  void Finish();

 private:
  // What the pieces and records of one line were.
  struct LineClass {
    bool nccl = false;
    bool unrecognised = false;
    bool torn = false;
    bool clipped = false;
    bool binary = false;
    bool invalid = false;
    uint32_t records = 0;
  };
  // One record of a piece: [begin, end) of the stripped text.
  struct Record {
    HeaderMatch match;
    size_t begin = 0;
    bool nccl = false;
    uint32_t process = kNoProcess;
  };

  // What somebody has found out about the beginning of a text already.
  struct Beginning {
    const HeaderMatch* header = nullptr;  // the header there
    uint32_t process = kNoProcess;        // whose it is, when it was seen before
    bool no_header = false;               // ParseHeader sees none
  };

  Taken TakeRun(const KnownHeader& known, std::string_view text, uint64_t offset, uint32_t number);
  Taken TakeShape(const KnownHeader& known, std::string_view text, uint64_t offset, uint32_t number);
  // `outer` is null where the text stands as it is in the piece.
  bool Quick(const LinePiece& piece, std::string_view text, const KnownHeader* known, const OuterPrefix* outer);
  bool OneRecord(const LinePiece& piece, const HeaderMatch& match, const KnownHeader& known);
  bool ParseBehindDevice(std::string_view text, size_t size);
  void Slow(const LinePiece& piece, const KnownHeader* known);
  // Finds the records of `text` into records_. False: no NCCL header in it.
  bool SplitRecords(std::string_view text, const OuterPrefix& outer, const Beginning& beginning);
  bool FirstHeader(std::string_view text, const OuterPrefix& outer, const Beginning& beginning);
  void AddHeader(const HeaderMatch& match, bool clean, const OuterPrefix& outer);
  void EmitRecords(const LinePiece& piece, std::string_view text, const StrippedLine& stripped);
  // The message of a text that is new and about which no extractor knows anything, or -1.
  int EmitNccl(ParsedLine& line, uint32_t process, bool followed, bool terminated);
  void EmitForeign(const LinePiece& piece, std::string_view text, const StrippedLine& stripped);
  void EmitForeignPart(const LinePiece& piece, std::string_view part, const StrippedLine& stripped);
  void EmitGlued(const LinePiece& piece, std::string_view part, const StrippedLine& around);
  void EmitForeignRecord(ParsedLine& line, const StrippedLine& stripped);
  bool IsCutHeader(std::string_view text) const;
  // No telling word is in it, so neither is `NCCL `.
  bool IsWordless(std::string_view text) const;
  ParsedLine NewLine(const LinePiece& piece, const OuterPrefix& outer);
  void NoteRecord(ParsedLine* line);
  void CountLine();

  SourceFacts* facts_;
  const MessageRecognizer* recognizer_;
  LineSink* sink_;
  ParserOptions options_;
  FactsBuilder builder_;
  ProcessTable processes_;
  PulseTable pulses_;
  bool headers_before_ = false;  // in front of this segment there are NCCL headers
  OuterPrefixStripper stripper_;
  ForeignState foreign_;
  // The beginning of a line that TakeLines saw last, and what is known of its header.
  const char* asked_ = nullptr;
  const KnownHeader* answer_ = nullptr;
  BodyMemo memo_;
  ShapeMemo shapes_;
  ShapeLearner shape_learner_;
  KnownPlaces places_;
  QuotedMessage quoted_;
  LineClass class_;
  std::vector<Record> records_;
  // Made once: they are large, and most lines need one.
  ParsedLine quick_;
  ParsedLine one_;
  HeaderMatch match_;
  std::string_view wordless_;  // a piece in which there is no telling word, or nothing
};

}  // namespace ncclwhy
