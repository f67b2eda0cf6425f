#include "parser/parser.h"

#include <utility>

#include "parser/line_parser.h"
#include "parser/line_reader.h"

namespace ncclwhy {

class Parser::Impl {
 public:
  Impl(std::string name, const MessageRecognizer* recognizer, LineSink* sink, const ParserOptions& options,
       ShapeProver* prover)
      : lines_(&facts_, recognizer, sink, options, prover), reader_(&lines_, &lines_.fast()) {
    facts_.name = std::move(name);
  }

  // Behind what `before` has read.
  Impl(const Impl& before, uint64_t offset, LineSink* sink, ShapeProver* prover)
      : lines_(before.lines_, &facts_, sink, prover), reader_(&lines_, offset, &lines_.fast()) {}

  void Push(std::string_view chunk) { reader_.Push(chunk); }
  bool utf16() const { return reader_.utf16(); }
  SourceFacts& facts() { return facts_; }

  SegmentTranslation Join(Impl& segment) {
    // The last line of the part before ends where the segment begins: it must be counted in front of it.
    reader_.Finish();
    segment.reader_.Finish();
    joined_bytes_ += segment.reader_.bytes() + segment.joined_bytes_;
    return lines_.Join(segment.lines_);
  }

  SourceFacts Finish() {
    reader_.Finish();
    lines_.Finish();
    facts_.bytes = reader_.bytes() + joined_bytes_;
    if (reader_.utf16()) facts_.counters.Add(Counter::kUtf16);
    return std::move(facts_);
  }

 private:
  SourceFacts facts_;
  LineParser lines_;
  LineReader reader_;
  uint64_t joined_bytes_ = 0;  // of segments
};

Parser::Parser(std::string name, const MessageRecognizer* recognizer, LineSink* sink, const ParserOptions& options,
               ShapeProver* prover)
    : impl_(std::make_unique<Impl>(std::move(name), recognizer, sink, options, prover)) {}
Parser::Parser(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Parser::~Parser() = default;

void Parser::Push(std::string_view chunk) { impl_->Push(chunk); }
SourceFacts Parser::Finish() { return impl_->Finish(); }

std::unique_ptr<Parser> Parser::NewSegment(uint64_t offset, LineSink* sink, ShapeProver* prover) const {
  return std::unique_ptr<Parser>(new Parser(std::make_unique<Impl>(*impl_, offset, sink, prover)));
}
bool Parser::CanBeCut() const { return !impl_->utf16(); }
SegmentTranslation Parser::Join(Parser& segment) { return impl_->Join(*segment.impl_); }
SourceFacts& Parser::facts() { return impl_->facts(); }

}  // namespace ncclwhy
