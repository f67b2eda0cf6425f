#include "read/node_digest.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/field_coding.h"
#include "base/hash.h"
#include "base/limits.h"
#include "ncclwhy/version.h"
#include "parser/event.h"
#include "read/packer.h"
#include "read/source_coding.h"

namespace ncclwhy {
namespace {

// No text begins so, and nothing that is packed.
constexpr std::string_view kMagic = "\x93NCCLWHY-DIGEST\n";
constexpr size_t kFormatBytes = 4;

// A frame: its kind, the length and the check sum of what follows.
enum class Frame : char { kHead = 'H', kSource = 'S', kEnd = 'E' };
constexpr size_t kFrameBytes = 1 + 4 + 8;

// Byte by byte, so that files are alike on every machine.
uint64_t LittleEndian(std::string_view bytes) {
  uint64_t n = 0;
  for (size_t i = 0; i < bytes.size(); ++i) n |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return n;
}

std::string LittleEndian(uint64_t n, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(n >> (8 * i));
  return out;
}

// 'H' or 'S' or 'E', four bytes of length, eight of the check sum.
std::string Framed(Frame kind, std::string_view bytes) {
  return static_cast<char>(kind) + LittleEndian(bytes.size(), 4) + LittleEndian(HashBytes(bytes, 0), 8);
}

// What numbers of kinds, fields and counters mean.
// A digest has numbers, no names: a kind that was added in the middle makes all behind it mean something else.
uint64_t WordsFingerprint() {
  return HashBytes(
#define X(id, ...) #id ","
#include "base/counters.def"
#include "parser/event_kinds.def"
#include "parser/field_ids.def"
#undef X
      , 0);
}

struct Head {
  std::string version;  // of the program
  uint64_t words = 0;   // fingerprints
  uint64_t rules = 0;
  uint64_t messages = 0;
  bool full_timeline = false;  // every collective is an event
  uint64_t sources = 0;
  std::vector<std::string> problems;
};

// In this order in the file. Whoever changes it raises kDigestFormat.
void Fields(auto& v, Is<Head> auto& x) {
  v(x.version);
  v.Hash(x.words);
  v.Hash(x.rules);
  v.Hash(x.messages);
  v(x.full_timeline, x.sources, x.problems);
}

// Everything or nothing: of a file that is damaged anywhere no source is used, as an answer would not show what is
// missing.
class NodeDigest : public Witness {
 public:
  explicit NodeDigest(const WitnessContext& context) : context_(context) {}

  void Push(std::string_view chunk) override {
    if (!refusal_.empty()) return;
    bytes_ += chunk;
    size_t used = 0;
    while (refusal_.empty()) {
      const size_t taken = TakeNext(std::string_view(bytes_).substr(used));
      if (taken == 0) break;
      used += taken;
    }
    bytes_.erase(0, used);
  }

  SourceDigest Finish() override {
    SourceDigest digest;
    digest.facts.name = context_.name;
    digest.facts.counters.Add(Counter::kRefusedRecords);
    return digest;
  }

  // A digest that ends too early may lack whole ranks; half of a job would be told as the job.
  std::vector<SourceDigest> FinishAll(std::vector<std::string>* problems) override {
    if (refusal_.empty() && !ended_) Refuse("is a digest that ends too early");
    if (!refusal_.empty()) {
      problems->push_back(context_.name + ": " + refusal_ + "; nothing of it was used");
      return {};
    }
    problems->insert(problems->end(), head_.problems.begin(), head_.problems.end());
    return std::move(sources_);
  }

 private:
  void Refuse(std::string why) {
    refusal_ = std::move(why);
    sources_.clear();
    bytes_.clear();
  }
  void RefuseDamaged() { Refuse("is a damaged digest"); }

  // How many bytes of `rest` were used; 0: more are needed.
  // One step: the beginning, or a frame that is whole. Incomplete ones wait for the next chunk.
  size_t TakeNext(std::string_view rest) {
    if (!begun_) return TakeBeginning(rest);
    if (rest.empty()) return 0;
    if (ended_) return RefuseDamaged(), 0;
    if (rest.size() < kFrameBytes) return 0;
    const auto size = static_cast<size_t>(LittleEndian(rest.substr(1, 4)));
    if (size > limits::kDigestFrame) return RefuseDamaged(), 0;
    if (rest.size() - kFrameBytes < size) return 0;
    const std::string_view bytes = rest.substr(kFrameBytes, size);
    // The sum is not against an attacker, who can compute it, but against copies that broke; DecodeSource trusts
    // nothing.
    if (rest.substr(0, kFrameBytes) != Framed(static_cast<Frame>(rest.front()), bytes) ||
        !TakeFrame(static_cast<Frame>(rest.front()), bytes)) {
      if (refusal_.empty()) RefuseDamaged();
      return 0;
    }
    return kFrameBytes + size;
  }

  size_t TakeBeginning(std::string_view rest) {
    if (rest.size() < kMagic.size() + kFormatBytes) return 0;
    const uint64_t format = LittleEndian(rest.substr(kMagic.size(), kFormatBytes));
    if (rest.substr(0, kMagic.size()) != kMagic) return RefuseDamaged(), 0;
    if (format != kDigestFormat) {
      Refuse((format > kDigestFormat ? "is a digest of a newer ncclwhy (format "
                                     : "is a digest of an older ncclwhy (format ") +
             std::to_string(format) + ", ncclwhy " NCCLWHY_VERSION " has " + std::to_string(kDigestFormat) +
             "): make it with this one");
      return 0;
    }
    begun_ = true;
    return kMagic.size() + kFormatBytes;
  }

  bool TakeFrame(Frame kind, std::string_view bytes) {
    switch (kind) {
      case Frame::kHead:
        return !headed_ && TakeHead(bytes);
      case Frame::kSource:
        return headed_ && TakeSource(bytes);
      case Frame::kEnd:
        ended_ = headed_ && bytes.empty() && sources_.size() == head_.sources;
        return ended_;
    }
    return false;
  }

  bool TakeHead(std::string_view bytes) {
    FieldReader reader(bytes);
    Fields(reader, head_);
    const auto is_long = [](const std::string& problem) { return problem.size() > limits::kLineBytes; };
    if (!reader.AtEnd() || head_.sources > limits::kDigestSources ||
        std::any_of(head_.problems.begin(), head_.problems.end(), is_long)) {
      return false;
    }
    headed_ = true;
    if (head_.version != NCCLWHY_VERSION) {
      Refuse("is a digest of ncclwhy " + head_.version.substr(0, kVersionBytes) +
             ", this is " NCCLWHY_VERSION ": make it with this one");
    } else if (head_.words != WordsFingerprint() || head_.rules != context_.rules.Fingerprint() ||
               head_.messages != context_.kb.MessagesFingerprint()) {
      Refuse("is a digest made with other rules or messages (--rules, --kb, another build): make it with the same");
    } else if (head_.full_timeline != context_.options.keep_every_collective) {
      Refuse(head_.full_timeline ? "is a digest with every collective: read it with --timeline full"
                                 : "is a digest without every collective: make it with --timeline full");
    }
    return refusal_.empty();
  }

  // Numbers of patterns and messages are checked here, once, so that nobody behind this has to.
  bool TakeSource(std::string_view bytes) {
    if (sources_.size() >= head_.sources) return false;
    SourceDigest& source = sources_.emplace_back();
    if (!DecodeSource(bytes, &source)) return false;
    source.carrier = context_.name;
    const auto messages = static_cast<int64_t>(context_.kb.MessageCount());
    const auto known = [messages](int message) { return message >= kUnknownMessage && message < messages; };
    // They index tables of the rules and of the catalogue.
    for (const Hit& hit : source.hits.hits) {
      if (hit.pattern >= context_.rules.PatternCount()) return false;
    }
    for (const CatalogHit& hit : source.catalog) {
      if (!known(hit.message)) return false;
    }
    return source.messages.empty() || (known(source.messages.begin()->first) && known(source.messages.rbegin()->first));
  }

  // Of a text that somebody else wrote, in a sentence of ours.
  static constexpr size_t kVersionBytes = 32;

  const WitnessContext context_;
  std::string bytes_;  // of a frame that is not whole yet
  Head head_;
  std::vector<SourceDigest> sources_;
  std::string refusal_;
  bool begun_ = false, headed_ = false, ended_ = false;
};

}  // namespace

namespace {

// Once for both, packed and not: `put` takes the bytes.
Status Write(const std::vector<SourceDigest>& sources, const std::vector<std::string>& problems, const RuleSet& rules,
             const KnowledgeBase& kb, bool full_timeline, const std::function<void(std::string_view)>& put) {
  if (sources.size() > limits::kDigestSources) return Status::Limit("too many sources for a digest");
  bool fits = true;
  const auto frame = [&](Frame kind, std::string_view bytes) {
    fits = fits && bytes.size() <= limits::kDigestFrame;
    put(Framed(kind, bytes));
    put(bytes);
  };
  put(std::string(kMagic) + LittleEndian(kDigestFormat, kFormatBytes));
  const Head values{
      NCCLWHY_VERSION, WordsFingerprint(), rules.Fingerprint(), kb.MessagesFingerprint(), full_timeline, sources.size(),
      problems};
  FieldWriter head;
  Fields(head, values);
  frame(Frame::kHead, head.Take());
  for (const SourceDigest& source : sources) {
    frame(Frame::kSource, EncodeSource(source));
    if (!fits) return Status::Limit(source.facts.name + ": says too much for a digest");
  }
  frame(Frame::kEnd, {});
  return fits ? Status::Ok() : Status::Limit("too many problems for a digest");
}

}  // namespace

Result<std::string> WriteNodeDigest(const std::vector<SourceDigest>& sources, const std::vector<std::string>& problems,
                                    const RuleSet& rules, const KnowledgeBase& kb, bool full_timeline) {
  Packer packer;
  const Status status =
      Write(sources, problems, rules, kb, full_timeline, [&](std::string_view bytes) { packer.Push(bytes); });
  if (!status.ok()) return status;
  std::string out = packer.Take();
  if (out.empty()) return Status::Internal("libarchive cannot pack the digest");
  return out;
}

Result<std::string> UnpackedNodeDigest(const std::vector<SourceDigest>& sources,
                                       const std::vector<std::string>& problems, const RuleSet& rules,
                                       const KnowledgeBase& kb, bool full_timeline) {
  std::string out;
  const Status status =
      Write(sources, problems, rules, kb, full_timeline, [&](std::string_view bytes) { out += bytes; });
  if (!status.ok()) return status;
  return out;
}

bool LooksLikeNodeDigest(std::string_view first) {
  constexpr size_t kName = kMagic.size() - 1;  // its end may have been made another line end
  return first.substr(0, kName) == kMagic.substr(0, kName);
}

std::unique_ptr<Witness> NewNodeDigest(const WitnessContext& context) { return std::make_unique<NodeDigest>(context); }

}  // namespace ncclwhy
