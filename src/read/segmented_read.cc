#include "read/segmented_read.h"

#include <string>
#include <utility>

#include "parser/find_frame.h"

namespace ncclwhy {
namespace {

// Segments that were begun and not joined. More only wait, with their memory.
constexpr uint64_t kAhead = 32;

class DigestReader : public LargeFile::Reader {
 public:
  using Maker = std::function<SegmentDigest*(uint64_t offset)>;
  DigestReader(Maker make, const SegmentedRead::Progress& progress) : make_(std::move(make)), progress_(progress) {}
  void Begin(uint64_t offset) override { digest_ = make_(offset); }
  void Push(std::string_view chunk) override {
    digest_->Push(chunk);
    unreported_ += chunk.size();
    if (unreported_ >= kProgressBytes) Report();
  }
  void Report() {
    progress_(unreported_);
    unreported_ = 0;
  }

 private:
  // Between two calls of the progress function.
  static constexpr uint64_t kProgressBytes = 4u << 20;
  Maker make_;
  const SegmentedRead::Progress& progress_;
  SegmentDigest* digest_ = nullptr;
  uint64_t unreported_ = 0;
};

// The beginning of the file.
class HeadReader : public LargeFile::Reader {
 public:
  void Begin(uint64_t) override {}
  void Push(std::string_view chunk) override { head += chunk.substr(0, kFrameBytes - head.size()); }
  std::string head;
};

// The frame is found before the first byte is parsed: all segments take it off alike.
ParserOptions WithFrame(const LargeFile& file, ParserOptions options) {
  HeadReader reader;
  file.Read(0, kFrameBytes, reader);  // what is wrong with the file shows when it is read
  options.frame = FindFrame(reader.head);
  return options;
}

}  // namespace

SegmentedRead::SegmentedRead(std::unique_ptr<LargeFile> file, const RuleSet& rules, const KnowledgeBase& kb,
                             const ParserOptions& options, Progress progress)
    : file_(std::move(file)),
      segment_bytes_(options.segment_bytes),
      progress_(std::move(progress)),
      first_(std::make_unique<SegmentDigest>(WitnessContext{file_->name(), rules, kb, WithFrame(*file_, options)})) {}

SegmentedRead::~SegmentedRead() = default;

// What the first segment taught is frozen in `learned_`: all others start from it, whichever thread makes them.
void SegmentedRead::Begin() {
  DigestReader reader([this](uint64_t) { return first_.get(); }, progress_);
  LargeFile::Outcome read = file_->Read(0, segment_bytes_, reader);
  status_ = read.status;
  bytes_ = read.bytes;
  reader.Report();
  over_ = read.at_end || !read.status.ok();
  if (over_) return;
  // UTF-16 is no lines of bytes: such a file is read by one thread.
  if (first_->CanBeCut()) {
    first_->End();
    learned_ = first_->NewSegment(0);
    return;
  }
  over_ = true;
  read = file_->ReadRest(bytes_, reader);
  reader.Report();
  status_ = read.status;
  bytes_ += read.bytes;
}

// Any thread; touches nothing that is shared.
SegmentedRead::Done SegmentedRead::Digest(uint64_t number) const {
  Done done;
  const auto make = [&](uint64_t offset) {
    done.digest = learned_->NewSegment(offset);
    return done.digest.get();
  };
  DigestReader reader(make, progress_);
  LargeFile::Outcome read = file_->Read(number, segment_bytes_, reader);
  reader.Report();
  done.last = read.at_end || !read.status.ok();
  done.status = std::move(read.status);
  done.bytes = read.bytes;
  return done;
}

// An exception ends the whole reading: it is kept for Finish, and nobody begins another segment.
bool SegmentedRead::WithoutLock(std::unique_lock<std::mutex>& lock, const std::function<void()>& work) {
  std::exception_ptr thrown;
  lock.unlock();
  try {
    work();
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  if (thrown == nullptr) return true;
  thrown_ = thrown;
  over_ = true;
  return false;
}

// Not too far ahead of what is joined: a segment that is done waits with its memory.
void SegmentedRead::Help() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++helping_;
  for (;;) {
    changed_.wait(lock, [this] { return over_ || next_ - to_join_ < kAhead; });
    if (over_) break;
    const uint64_t number = next_++;
    Done done;
    if (!WithoutLock(lock, [&] { done = Digest(number); })) break;
    over_ = over_ || done.last;
    done_.emplace(number, std::move(done));
    JoinReady(lock);
  }
  --helping_;
  changed_.notify_all();
}

// One thread joins at a time, without the lock: the others go on digesting.
void SegmentedRead::JoinReady(std::unique_lock<std::mutex>& lock) {
  if (joining_) return;
  joining_ = true;
  for (auto it = done_.find(to_join_); it != done_.end() && thrown_ == nullptr; it = done_.find(to_join_)) {
    Done done = std::move(it->second);
    done_.erase(it);
    const bool joined = WithoutLock(lock, [&] {
      if (done.digest != nullptr) first_->Join(*done.digest);
      done.digest.reset();
    });
    if (!joined) break;
    bytes_ += done.bytes;
    // Behind the last one there may be others that found the file grown: the bytes between are not theirs.
    to_join_ = done.last ? UINT64_MAX : to_join_ + 1;
    if (!done.status.ok()) status_ = std::move(done.status);
    changed_.notify_all();
  }
  joining_ = false;
}

SourceDigest SegmentedRead::Finish(Status* status) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return helping_ == 0; });
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  if (status_.ok() && bytes_ < file_->size())
    status_ = Status::Io(file_->name() + ": became shorter while it was read");
  *status = status_;
  return first_->Finish();
}

}  // namespace ncclwhy
