#include "parser/parser.h"

#include <utility>

#include "parser/line_parser.h"
#include "parser/line_reader.h"

namespace ncclwhy {

class Parser::Impl {
 public:
  Impl(std::string name, const MessageRecognizer* recognizer, LineSink* sink, ParserOptions options)
      : lines_(&facts_, recognizer, sink, options), reader_(&lines_) {
    facts_.name = std::move(name);
  }

  void Push(std::string_view chunk) { reader_.Push(chunk); }

  SourceFacts Finish() {
    reader_.Finish();
    lines_.Finish();
    facts_.bytes = reader_.bytes();
    if (reader_.utf16()) facts_.counters.Add(Counter::kUtf16);
    return std::move(facts_);
  }

 private:
  SourceFacts facts_;
  LineParser lines_;
  LineReader reader_;
};

Parser::Parser(std::string name, const MessageRecognizer* recognizer, LineSink* sink, ParserOptions options)
    : impl_(std::make_unique<Impl>(std::move(name), recognizer, sink, options)) {}
Parser::~Parser() = default;

void Parser::Push(std::string_view chunk) { impl_->Push(chunk); }
SourceFacts Parser::Finish() { return impl_->Finish(); }

}  // namespace ncclwhy
