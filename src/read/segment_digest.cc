#include "read/segment_digest.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "kb/loader/message_index.h"
#include "parser/fast/shape_prover.h"
#include "read/passage_reader.h"
#include "read/quoted_source.h"

namespace ncclwhy {
namespace {

// Of a warning that no rule knows: enough to show, the rest is a number.
constexpr uint32_t kHitsPerMessageAndProcess = 4;
constexpr size_t kMentions = 4096;

bool IsNameChar(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

class SegmentDigest::Sink : public LineSink, public ShapeProver {
 public:
  Sink(const RuleSet& rules, const KnowledgeBase& kb, SharedAnswers* answers)
      : matcher_(rules.NewMatcher()), kb_(kb), answers_(answers) {}

  // Rules see every line but the program's text that a traceback quotes; the catalogue's meaning is counted, or kept as
  // a hit where no rule may speak for it.
  void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) override {
    if (!frames_.IsSource(line, process)) matcher_->OnLine(line, process, message, facts);
    if (message >= 0) {
      Message& m = MessageOf(message);
      CountMessage(m.count, line, process, facts);
      if (!m.silent) AddCatalogHit(line, process, message, facts);
    } else if (line.dialect == Dialect::kNccl && line.header.level == LogLevel::kWarn && !line.torn) {
      AddCatalogHit(line, process, kUnknownMessage, facts);
    } else if (line.dialect != Dialect::kNccl && line.words.Has(TellingWord::kNccl)) {
      AddMentions(line, facts);
    }
    if (line.dialect != Dialect::kNccl) passages_.OnLine(line, process, facts);
  }

  // Whether lines of the shape need only be counted: no rule could match one, whatever its numbers are, the catalogue
  // says the same of all, and its meaning is silent.
  bool OnlyCounts(LogLevel level, std::string_view shape, int message, std::vector<std::string>* words) override {
    if (message >= 0 && !MessageOf(message).silent) return false;
    // Costs a look at all literals, and the catalogue in all its formats: asked once for a thread's sources.
    const auto ask = [&](SharedAnswers::Counting* answer) {
      answer->only_counts =
          !matcher_->MayMatch(level, shape, &answer->words) && kb_.RecognizeShape(level, shape) == message;
    };
    SharedAnswers::Counting counting;
    if (answers_ == nullptr) {
      ask(&counting);
    } else {
      counting = answers_->OnlyCounts(level, shape, message, ask);
    }
    words->insert(words->end(), counting.words.begin(), counting.words.end());
    return counting.only_counts;
  }
  int MessageOf(LogLevel level, std::string_view shape) override {
    static_assert(KnowledgeBase::kMessageDepends == kDepends);
    return kb_.RecognizeShape(level, shape);
  }
  void Count(int message) override { ++MessageOf(message).count.count; }

  // Behind what was collected so far.
  void Join(Sink& segment, SegmentTranslation& in_source, SourceFacts& facts) {
    matcher_->Join(*segment.matcher_, in_source, facts);
    for (const Message& theirs : segment.messages_) {
      MessageCount& m = MessageOf(theirs.number).count;
      if (m.count == 0) {
        m.line = in_source.Line(theirs.count.line);
        m.process = in_source.Process(theirs.count.process);
        m.text = in_source.Text(theirs.count.text);
      }
      m.count += theirs.count.count;
    }
    for (const CatalogHit& theirs : segment.catalog_) {
      CatalogHit hit = theirs;
      hit.line = in_source.Line(theirs.line);
      hit.process = in_source.Process(theirs.process);
      hit.repeats = 0;
      if (CatalogHit* const kept = KeepCatalogHit(hit)) kept->text = in_source.Text(theirs.text);
    }
    // In a second pass, as a repeat may belong to a hit that only the first one kept.
    for (const CatalogHit& theirs : segment.catalog_) {  // these came behind those that were kept
      auto& [count, first] = counts_[KeyOf(in_source.Process(theirs.process), theirs.message)];
      count += theirs.repeats;
      if (first < catalog_.size()) catalog_[first].repeats += theirs.repeats;
    }
    for (const EnvMention& theirs : segment.mentions_) {
      EnvMention mention = theirs;
      mention.variable = in_source.Text(theirs.variable);
      mention.value = in_source.Text(theirs.value);
      mention.line = in_source.Line(theirs.line);
      if (EnvMention* const kept = KeepMention(mention)) kept->text = in_source.Text(theirs.text);
    }
  }

  void EndPassages(SourceFacts& facts) { passages_.Finish(facts); }

  void TakeInto(SourceDigest& digest) {
    digest.hits = matcher_->Take();
    digest.catalog = std::move(catalog_);
    digest.mentions = std::move(mentions_);
    for (const Message& m : messages_) digest.messages.emplace(m.number, m.count);
  }

 private:
  struct Message {
    int number = -1;  // in the catalogue
    bool silent = false;
    MessageCount count;
  };

  // Of a message that comes for the first time the meaning is asked once. Numbers fit into 16 bits (kMaxMessages).
  Message& MessageOf(int number) {
    const auto n = static_cast<size_t>(number);
    if (message_at_.size() <= n) message_at_.resize(std::max(n + 1, kb_.MessageCount()), kNotSeen);
    uint16_t& at = message_at_[n];
    if (at == kNotSeen) {
      at = static_cast<uint16_t>(messages_.size());
      const MessageMeaning meaning = kb_.Meaning(number);
      messages_.push_back({number, meaning == MessageMeaning::kContext || meaning == MessageMeaning::kNever, {}});
    }
    return messages_[at];
  }

  // Where it stands first; from then on a number.
  static void CountMessage(MessageCount& m, const ParsedLine& line, uint32_t process, SourceFacts& facts) {
    if (m.count++ > 0) return;
    m.line = line.number;
    m.process = process;
    m.text = facts.strings.Intern(line.body.substr(0, limits::kEvidenceText));
  }

  void AddCatalogHit(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) {
    CatalogHit hit{message, line.number, line.offset, process, line.outer.rank, 0, {}};
    if (CatalogHit* const kept = KeepCatalogHit(hit)) {
      kept->text = facts.strings.Intern(line.body.substr(0, limits::kEvidenceText));
    }
  }

  static uint64_t KeyOf(uint32_t process, int message) {
    return (static_cast<uint64_t>(process) << 32) | static_cast<uint32_t>(message);
  }

  // Null when it was only counted.
  CatalogHit* KeepCatalogHit(const CatalogHit& hit) {
    auto& [count, first] = counts_[KeyOf(hit.process, hit.message)];
    if (count++ == 0) first = catalog_.size();
    // Thousands of one kind of warning leave room for the first of another kind: that may be the one that matters.
    uint32_t& of_message = kept_[hit.message];
    const bool room = catalog_.size() < limits::kHitsPerPatternAndSource || of_message < limits::kHitsPerPatternBeyond;
    if (count > kHitsPerMessageAndProcess || !room) {
      if (first < catalog_.size()) ++catalog_[first].repeats;
      return nullptr;
    }
    ++of_message;
    catalog_.push_back(hit);
    return &catalog_.back();
  }

  // "mpirun -x NCCL_DEBUG=INFO -x NCCL_IB_HCA=mlx5_3 …", "export NCCL_P2P_DISABLE=1", "NCCL_DEBUG: INFO"
  void AddMentions(const ParsedLine& line, SourceFacts& facts) {
    const std::string_view text = line.text;
    for (size_t at = text.find("NCCL_"); at != std::string_view::npos; at = text.find("NCCL_", at + 5)) {
      size_t begin = at;
      while (begin > 0 && IsNameChar(text[begin - 1])) --begin;
      size_t end = at;
      while (end < text.size() && IsNameChar(text[end])) ++end;
      // A name in a sentence is no setting.
      if (end >= text.size() || (text[end] != '=' && text[end] != ':')) continue;
      const bool colon = text[end] == ':';
      size_t value = end + 1;
      if (colon && value < text.size() && text[value] == ' ') ++value;
      size_t stop = value;
      while (stop < text.size() && text[stop] != ' ' && text[stop] != '\t' && text[stop] != ';' && text[stop] != '\'' &&
             text[stop] != '"') {
        ++stop;
      }
      if (colon && stop == value) continue;
      // "Disable NVLS (NCCL_NVLS_ENABLE=0) if you wish to avoid this error": advice, not a setting.
      if (begin > 0 && (text[begin - 1] == '(' || text[begin - 1] == '`')) continue;
      const StringId name = facts.strings.Intern(text.substr(begin, end - begin));
      const StringId set = facts.strings.Intern(text.substr(value, std::min<size_t>(stop - value, 128)));
      if (EnvMention* const kept = KeepMention({name, set, line.number, line.offset, {}})) {
        kept->text = facts.strings.Intern(text.substr(0, limits::kEvidenceText));
      }
    }
  }

  // Null when it is known, or one too many.
  EnvMention* KeepMention(const EnvMention& mention) {
    const bool is_new =
        mentioned_.insert((static_cast<uint64_t>(mention.variable.value) << 32) | mention.value.value).second;
    if (!is_new || mentions_.size() >= kMentions) return nullptr;
    mentions_.push_back(mention);
    return &mentions_.back();
  }

  QuotedSource frames_;
  std::unique_ptr<RuleSet::Matcher> matcher_;
  PassageReader passages_;
  const KnowledgeBase& kb_;
  SharedAnswers* const answers_;
  std::unordered_map<uint64_t, std::pair<uint32_t, size_t>> counts_;  // (process, message) -> count, first hit
  std::unordered_map<int, uint32_t> kept_;                            // by message
  std::set<uint64_t> mentioned_;
  static constexpr uint16_t kNotSeen = UINT16_MAX;
  static_assert(kMaxMessages < kNotSeen);
  std::vector<uint16_t> message_at_;  // by catalogue number: index into messages_
  std::vector<Message> messages_;
  std::vector<CatalogHit> catalog_;
  std::vector<EnvMention> mentions_;
};

// The sink is the recognizer's user, the rules' door and the prover of shapes in one: all three ask the same tables.
SegmentDigest::SegmentDigest(const WitnessContext& context)
    : rules_(context.rules),
      kb_(context.kb),
      answers_(context.answers),
      sink_(std::make_unique<Sink>(rules_, kb_, answers_)),
      parser_(std::make_unique<Parser>(context.name,
                                       answers_ == nullptr ? static_cast<const MessageRecognizer*>(&kb_) : answers_,
                                       sink_.get(), context.options, sink_.get())) {
  // Tests cut sources into segments that are shorter than blocks.
  if (context.options.segment_bytes >= limits::kSegmentBytes) blocks_ = std::make_unique<BlockJoiner>();
}

// As long as blocks may have to be joined the parser gets its bytes through the joiner.
void SegmentDigest::Push(std::string_view chunk) {
  if (blocks_ == nullptr || blocks_->is_off()) return parser_->Push(chunk);
  blocks_->Push(chunk, [this](std::string_view bytes) { parser_->Push(bytes); });
}

void SegmentDigest::End() {
  if (blocks_ == nullptr) return;
  blocks_->Finish([this](std::string_view bytes) { parser_->Push(bytes); });
  parser_->facts().counters.Add(Counter::kRejoinedLines, blocks_->joins());
  blocks_.reset();
}

SegmentDigest::SegmentDigest(const SegmentDigest& before, uint64_t offset)
    : rules_(before.rules_),
      kb_(before.kb_),
      answers_(before.answers_),
      sink_(std::make_unique<Sink>(rules_, kb_, answers_)),
      parser_(before.parser_->NewSegment(offset, sink_.get(), sink_.get())) {}

SegmentDigest::~SegmentDigest() = default;

std::unique_ptr<SegmentDigest> SegmentDigest::NewSegment(uint64_t offset) const {
  return std::unique_ptr<SegmentDigest>(new SegmentDigest(*this, offset));
}

bool SegmentDigest::CanBeCut() const { return parser_->CanBeCut(); }

// Passages do not go on over the border of a segment.
void SegmentDigest::Join(SegmentDigest& segment) {
  segment.sink_->EndPassages(segment.parser_->facts());
  SegmentTranslation in_source = parser_->Join(*segment.parser_);
  sink_->Join(*segment.sink_, in_source, parser_->facts());
}

SourceDigest SegmentDigest::Finish() {
  End();
  SourceDigest digest;
  sink_->EndPassages(parser_->facts());
  digest.facts = parser_->Finish();
  sink_->TakeInto(digest);
  return digest;
}

}  // namespace ncclwhy
