#include "analyze/digest.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/limits.h"
#include "kb/loader/message_index.h"
#include "parser/unwrap.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kHitsPerMessageAndProcess = 4;
constexpr size_t kMentions = 4096;

bool IsNameChar(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Patterns of rules that match, and messages that are known.
size_t Known(const SourceDigest& digest) {
  std::set<uint32_t> patterns;
  for (const Hit& hit : digest.hits.hits) patterns.insert(hit.pattern);
  return patterns.size() + digest.messages.size();
}

uint64_t Strange(const SourceDigest& digest) {
  return digest.facts.counters.Get(Counter::kUnrecognised) + digest.facts.counters.Get(Counter::kDamaged);
}

// A line that was broken is not known, or only its beginning is.
bool SaysMore(const SourceDigest& joined, const SourceDigest& broken) {
  const size_t one = Known(joined), other = Known(broken);
  return one > other || (one == other && Strange(joined) < Strange(broken));
}

}  // namespace

class DigestBuilder::Sink : public LineSink {
 public:
  Sink(const RuleSet& rules, const KnowledgeBase& kb) : matcher_(rules.NewMatcher()), kb_(kb) {}

  void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) override {
    matcher_->OnLine(line, process, message, facts);
    if (message >= 0) {
      Message& m = MessageOf(message);
      CountMessage(m.count, line, process, facts);
      if (!m.silent) AddCatalogHit(line, process, message, facts);
    } else if (line.dialect == Dialect::kNccl && line.header.level == LogLevel::kWarn && !line.torn) {
      AddCatalogHit(line, process, kUnknownMessage, facts);
    } else if (line.dialect != Dialect::kNccl) {
      AddMentions(line, facts);
    }
  }

  bool OnlyCounts(std::string_view shape, int message, std::vector<std::string>* words) override {
    return message >= 0 && MessageOf(message).silent && matcher_->OnlyCounts(shape, message, words);
  }
  void OnCounted(int message) override { ++MessageOf(message).count.count; }

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

  static void CountMessage(MessageCount& m, const ParsedLine& line, uint32_t process, SourceFacts& facts) {
    if (m.count++ > 0) return;
    m.line = line.number;
    m.process = process;
    m.text = facts.strings.Intern(line.body.substr(0, limits::kEvidenceText));
  }

  void AddCatalogHit(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) {
    const uint64_t key = (static_cast<uint64_t>(process) << 32) | static_cast<uint32_t>(message);
    auto& [count, first] = counts_[key];
    if (count++ == 0) first = catalog_.size();
    if (count > kHitsPerMessageAndProcess || catalog_.size() >= limits::kHitsPerPatternAndSource) {
      if (first < catalog_.size()) ++catalog_[first].repeats;
      return;
    }
    catalog_.push_back({message, line.number, line.offset, process, line.outer.rank, 0,
                        facts.strings.Intern(line.body.substr(0, limits::kEvidenceText))});
  }

  // "mpirun -x NCCL_DEBUG=INFO -x NCCL_IB_HCA=mlx5_3 …", "export NCCL_P2P_DISABLE=1", "NCCL_DEBUG: INFO"
  void AddMentions(const ParsedLine& line, SourceFacts& facts) {
    const std::string_view text = line.text;
    for (size_t at = text.find("NCCL_"); at != std::string_view::npos; at = text.find("NCCL_", at + 5)) {
      size_t begin = at;
      while (begin > 0 && IsNameChar(text[begin - 1])) --begin;
      size_t end = at;
      while (end < text.size() && IsNameChar(text[end])) ++end;
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
      if (!mentioned_.insert((static_cast<uint64_t>(name.value) << 32) | set.value).second) continue;
      if (mentions_.size() >= kMentions) return;
      mentions_.push_back(
          {name, set, line.number, line.offset, facts.strings.Intern(text.substr(0, limits::kEvidenceText))});
    }
  }

  std::unique_ptr<RuleSet::Matcher> matcher_;
  const KnowledgeBase& kb_;
  std::unordered_map<uint64_t, std::pair<uint32_t, size_t>> counts_;  // (process, message) -> count, first hit
  std::set<uint64_t> mentioned_;
  static constexpr uint16_t kNotSeen = UINT16_MAX;
  static_assert(kMaxMessages < kNotSeen);
  std::vector<uint16_t> message_at_;  // by catalogue number: index into messages_
  std::vector<Message> messages_;
  std::vector<CatalogHit> catalog_;
  std::vector<EnvMention> mentions_;
};

DigestBuilder::DigestBuilder(std::string name, const RuleSet& rules, const KnowledgeBase& kb, ParserOptions options)
    : name_(name),
      rules_(rules),
      kb_(kb),
      options_(options),
      sink_(std::make_unique<Sink>(rules, kb)),
      parser_(std::move(name), &kb, sink_.get(), options) {}

DigestBuilder::~DigestBuilder() = default;

void DigestBuilder::Push(std::string_view chunk) {
  parser_.Push(chunk);
  if (long_) return;
  if (pasted_.size() + chunk.size() <= limits::kPastedBytes) {
    pasted_ += chunk;
  } else {
    long_ = true;
    pasted_ = {};
  }
}

SourceDigest DigestBuilder::Digest(std::string_view text) const {
  Sink sink(rules_, kb_);
  Parser parser(name_, &kb_, &sink, options_);
  parser.Push(text);
  SourceDigest digest;
  digest.facts = parser.Finish();
  sink.TakeInto(digest);
  return digest;
}

SourceDigest DigestBuilder::Finish() {
  SourceDigest digest;
  digest.facts = parser_.Finish();
  sink_->TakeInto(digest);
  if (long_) return digest;
  for (const Wrapping wrapping : {Wrapping::kHard, Wrapping::kSoft}) {
    const Unwrapped unwrapped = Unwrap(pasted_, wrapping);
    if (unwrapped.joins == 0) continue;
    SourceDigest joined = Digest(unwrapped.text);
    if (!SaysMore(joined, digest)) continue;
    joined.facts.bytes = digest.facts.bytes;
    joined.facts.counters.Add(Counter::kRejoinedLines, unwrapped.joins);
    digest = std::move(joined);
  }
  return digest;
}

}  // namespace ncclwhy
