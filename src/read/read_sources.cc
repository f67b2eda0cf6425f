#include "read/read_sources.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/limits.h"
#include "base/re2_call.h"
#include "read/large_file.h"
#include "read/parse_thread.h"
#include "read/rotated_files.h"
#include "read/segmented_read.h"
#include "read/shared_answers.h"
#include "read/shared_reads.h"
#include "read/unread_text.h"

namespace ncclwhy {
namespace {

// A file of fewer segments is read by one thread: the first one is read before the others in any case.
constexpr uint64_t kWorthSharing = 2;
// Bytes between two calls of the progress function by one thread.
constexpr uint64_t kProgressBytes = 4u << 20;
// Bytes that are asked whether they are text.
constexpr size_t kSniffedText = 4096;

// Reports never come from two threads at a time, and never run backwards.
class ProgressMeter {
 public:
  ProgressMeter(const std::function<void(const Progress&)>& report, size_t total) : report_(report) {
    now_.total = total;
  }

  void Add(uint64_t bytes, size_t sources) {
    if (!report_) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    now_.bytes += bytes;
    now_.sources += sources;
    report_(now_);
  }

 private:
  const std::function<void(const Progress&)>& report_;
  std::mutex mutex_;
  Progress now_;
};

// What one file yields: itself, or the members of an archive.
class DigestSink : public ByteSink {
 public:
  DigestSink(const RuleSet& rules, const KnowledgeBase& kb, const ParserOptions& options, SharedAnswers* answers,
             ProgressMeter* progress)
      : rules_(rules), kb_(kb), options_(options), answers_(answers), progress_(progress) {}

  bool Begin(std::string_view name) override {
    reader_ = std::make_unique<DigestBuilder>(std::string(name), rules_, kb_, options_, answers_);
    first_.clear();
    return true;
  }
  void Push(std::string_view chunk) override {
    if (reader_) reader_->Push(chunk);
    if (first_.size() < kSniffedText) first_ += chunk.substr(0, kSniffedText - first_.size());
    unreported_ += chunk.size();
    if (unreported_ >= kProgressBytes) Report(0);
  }
  void End() override {
    if (!reader_) return;
    std::vector<SourceDigest> read = reader_->FinishAll(&problems_);
    if (read.size() == 1 && read.front().carrier.empty() && !IsLogOfNccl(read.front())) {
      // Asked where nothing of NCCL was found: base64 of a log is text to every parser.
      read.front().encoded = LooksEncoded(first_);
    }
    std::move(read.begin(), read.end(), std::back_inserter(digests_));
    reader_.reset();
  }

  void Report(size_t sources) {
    progress_->Add(unreported_, sources);
    unreported_ = 0;
  }
  std::vector<SourceDigest> Take() {
    End();
    return std::move(digests_);
  }
  // Sentences on what bytes that were read could not be used.
  std::vector<std::string> TakeProblems() { return std::move(problems_); }

 private:
  const RuleSet& rules_;
  const KnowledgeBase& kb_;
  const ParserOptions& options_;
  SharedAnswers* answers_;
  ProgressMeter* progress_;
  std::unique_ptr<DigestBuilder> reader_;
  std::string first_;
  std::vector<SourceDigest> digests_;
  std::vector<std::string> problems_;
  uint64_t unreported_ = 0;
};

// Sentences on what could not be read.
std::string ReadParts(const SourceSpec& spec, PartSink& sink) {
  std::string problems;
  const auto read = [&](const std::string& path) {
    sink.NextPart(path);
    const Status status = ReadSource({path, path}, sink);
    if (!status.ok()) problems += (problems.empty() ? "" : "; ") + status.message();
  };
  for (const std::string& path : spec.earlier) read(path);
  read(spec.path);
  sink.Finish();
  return problems;
}

// Hands on the member of an archive that has this name.
class OneMember : public ByteSink {
 public:
  OneMember(std::string_view name, ByteSink& sink) : name_(name), sink_(sink) {}
  bool Begin(std::string_view name) override {
    inside_ = !seen_ && name == name_ && sink_.Begin(name);
    seen_ = seen_ || inside_;
    return inside_;
  }
  void Push(std::string_view chunk) override {
    if (inside_) sink_.Push(chunk);
  }
  void End() override { inside_ = false; }
  bool WantsMore() override { return inside_ || !seen_; }

 private:
  const std::string_view name_;
  ByteSink& sink_;
  bool inside_ = false;
  bool seen_ = false;
};

// Reads rotated logs of an archive, which holds their parts in any order, once more: each as one source.
template <typename NewSink>
void JoinMembers(const SourceSpec& spec, const NewSink& new_sink, std::vector<SourceDigest>* digests) {
  if (digests->size() < 2 || spec.path == "-") return;
  std::vector<bool> joined(digests->size());
  std::vector<SourceDigest> whole;
  for (const std::vector<size_t>& group : RotatedMembers(*digests)) {
    DigestSink sink = new_sink();
    PartSink parts(sink);
    for (const size_t number : group) {
      const std::string& name = (*digests)[number].facts.name;
      parts.NextPart(name);
      OneMember member(name, parts);
      (void)ReadSource(spec, member);  // what is wrong with it was said when it was read first
    }
    parts.Finish();
    std::vector<SourceDigest> made = sink.Take();
    if (made.size() != 1) continue;
    made.front().parts = parts.TakeParts();
    whole.push_back(std::move(made.front()));
    for (const size_t number : group) joined[number] = true;
  }
  for (size_t i = 0; i < joined.size(); ++i) {
    if (!joined[i]) whole.push_back(std::move((*digests)[i]));
  }
  *digests = std::move(whole);
}

struct Slot {
  std::vector<SourceDigest> digests;
  std::string problem;
  std::vector<std::string> problems;  // of what was read
};

}  // namespace

// Threads take the next file that nobody has; long files are shared. Results go into slots, so their order is that of
// `specs`, whoever read them.
std::vector<SourceDigest> ReadSources(const std::vector<SourceSpec>& specs, const RuleSet& rules,
                                      const KnowledgeBase& kb, const ReadOptions& options,
                                      std::vector<std::string>* problems) {
  std::vector<Slot> slots(specs.size());
  ProgressMeter meter(options.progress, specs.size());
  std::atomic<size_t> next{0};
  const size_t jobs = options.jobs > 0 ? static_cast<size_t>(options.jobs) : std::thread::hardware_concurrency();
  // Fewer files than threads: one that has to be unpacked may use two.
  const bool spare = specs.size() < jobs;
  const uint64_t large = kWorthSharing * options.parser.segment_bytes;
  const auto is_large = [large](const SourceSpec& spec) { return LargeFile::MayBe(spec, large); };
  const bool share = jobs > 1 && (!spare || std::any_of(specs.begin(), specs.end(), is_large));
  const size_t wanted = share ? jobs : std::clamp<size_t>(jobs, 1, std::max<size_t>(specs.size(), 1));
  SharedReads shared_reads(wanted);

  const auto read_shared = [&](std::unique_ptr<LargeFile> file, Slot& slot) {
    const auto progress = [&meter](uint64_t bytes) { meter.Add(bytes, 0); };
    const auto read = std::make_shared<SegmentedRead>(std::move(file), rules, kb, options.parser, progress);
    read->Begin();
    shared_reads.Open(read);
    read->Help();
    Status status;
    slot.digests.push_back(read->Finish(&status));
    if (!status.ok()) slot.problem = status.message();
    meter.Add(0, 1);
  };
  const auto read_alone = [&](const SourceSpec& spec, SharedAnswers* answers, Slot& slot) {
    DigestSink sink(rules, kb, options.parser, answers, &meter);
    ParseThread parse_thread(sink);
    ByteSink* reader = &sink;
    if (spare) reader = &parse_thread;
    if (spec.earlier.empty()) {
      const Status status = ReadSource(spec, *reader);
      if (!status.ok()) slot.problem = status.message();
      slot.digests = sink.Take();
      JoinMembers(
          spec, [&] { return DigestSink(rules, kb, options.parser, answers, &meter); }, &slot.digests);
    } else {
      PartSink parts(*reader);
      slot.problem = ReadParts(spec, parts);
      slot.digests = sink.Take();
      if (!slot.digests.empty()) slot.digests.front().parts = parts.TakeParts();
    }
    slot.problems = sink.TakeProblems();
    sink.Report(1);
  };
  const auto work = [&] {
    std::optional<SharedAnswers> answers;
    for (size_t i = next.fetch_add(1); i < specs.size(); i = next.fetch_add(1)) {
      try {
        std::unique_ptr<LargeFile> file = share ? LargeFile::Open(specs[i], large) : nullptr;
        if (file != nullptr) {
          read_shared(std::move(file), slots[i]);
        } else {
          if (!answers && specs.size() > 1) answers.emplace(kb);
          read_alone(specs[i], answers ? &*answers : nullptr, slots[i]);
        }
      } catch (const std::exception& e) {  // out of memory: the other sources are still worth an answer
        try {
          slots[i].problem = specs[i].name + ": " + e.what();
        } catch (const std::exception&) {
          slots[i].problem = "out of memory";  // so short that it needs none
        }
      }
    }
    shared_reads.HelpOthers();
  };

  std::vector<std::jthread> threads;  // they are waited for, whatever this one throws
  try {
    threads.reserve(wanted);
    while (threads.size() + 1 < wanted && HasRoom(limits::kThreadRoom * (threads.size() + 1)))
      threads.emplace_back(work);
  } catch (const std::exception&) {
    // No more threads, or memory for them, to be had: those that run, and this one, read everything.
  }
  for (size_t i = threads.size() + 1; i < wanted; ++i) shared_reads.Leave();
  work();
  for (std::jthread& thread : threads) thread.join();

  std::vector<SourceDigest> digests;
  for (Slot& slot : slots) {
    std::move(slot.digests.begin(), slot.digests.end(), std::back_inserter(digests));
    if (!slot.problem.empty()) problems->push_back(std::move(slot.problem));
    std::move(slot.problems.begin(), slot.problems.end(), std::back_inserter(*problems));
  }
  return digests;
}

}  // namespace ncclwhy
