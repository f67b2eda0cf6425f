#include "gen/log_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gen/random.h"
#include "gen/rank_log.h"

namespace ncclwhy::bench {
namespace {

constexpr size_t kFlushAt = 1 << 20;
constexpr size_t kStdioBlock = 4096;

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path, Written* written) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return Status::Io(path + ": " + std::strerror(errno));
    ++written->files;
    return std::unique_ptr<OutputFile>(new OutputFile(file, path, written));
  }
  ~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::string* buffer() { return &buffer_; }
  Status FlushIfFull() { return buffer_.size() < kFlushAt ? Status::Ok() : Flush(); }
  Status Flush() {
    written_->bytes += buffer_.size();
    written_->lines += static_cast<uint64_t>(std::count(buffer_.begin(), buffer_.end(), '\n'));
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) return Failed();
    buffer_.clear();
    return Status::Ok();
  }
  Status Close() {
    Status status = Flush();
    const int result = std::fclose(file_);
    file_ = nullptr;
    if (status.ok() && result != 0) return Failed();
    return status;
  }

 private:
  OutputFile(std::FILE* file, std::string path, Written* written)
      : file_(file), path_(std::move(path)), written_(written) {}
  Status Failed() const { return Status::Io(path_ + ": " + std::strerror(errno)); }

  std::FILE* file_;
  std::string path_;
  std::string buffer_;
  Written* written_;
};

// One rank of a shared file: its next piece, and how much of it is out.
struct Strand {
  explicit Strand(RankLog rank_log) : log(std::move(rank_log)) {}
  RankLog log;
  std::string piece;
  size_t taken = 0;
};

class SharedFile {
 public:
  SharedFile(const Spec& spec, OutputFile* out, uint64_t salt)
      : spec_(spec), out_(out), random_(Mix(spec.seed + 40, salt)) {}

  Status Write(std::vector<Strand> strands) {
    std::vector<size_t> waiting;
    while (true) {
      waiting.clear();
      for (size_t i = 0; i < strands.size(); ++i) {
        if (Refill(&strands[i])) waiting.push_back(i);
      }
      if (waiting.empty()) return Status::Ok();
      while (!waiting.empty()) {
        const size_t at = random_.Below(waiting.size());
        Strand& strand = strands[waiting[at]];
        Take(&strand);
        if (strand.taken == strand.piece.size()) {
          waiting[at] = waiting.back();
          waiting.pop_back();
        }
        if (Status status = out_->FlushIfFull(); !status.ok()) return status;
      }
    }
  }

 private:
  // False when the rank has nothing left to say.
  bool Refill(Strand* strand) {
    if (spec_.torn) return RefillBlock(strand);
    strand->taken = 0;
    do {
      if (!strand->log.Next(&strand->piece)) return false;
    } while (strand->piece.empty());
    return true;
  }

  // As libc writes to a pipe: nothing until a block is full, then the block, wherever its end falls in a line.
  bool RefillBlock(Strand* strand) {
    strand->piece.erase(0, strand->taken);
    strand->taken = 0;
    std::string more;
    while (strand->piece.size() < kStdioBlock && strand->log.Next(&more)) strand->piece += more;
    return !strand->piece.empty();
  }

  void Take(Strand* strand) {
    if (spec_.torn) {
      const size_t size = std::min(kStdioBlock, strand->piece.size());
      out_->buffer()->append(strand->piece, 0, size);
      strand->piece.erase(0, size);
      return;
    }
    // One to three lines; a WARN's empty line goes with it, because both are one write.
    const uint64_t lines = 1 + random_.Below(3);
    for (uint64_t i = 0; i < lines && strand->taken < strand->piece.size();) {
      const size_t end = strand->piece.find('\n', strand->taken) + 1;
      if (end - strand->taken > 1) ++i;
      Prefix(strand->log.rank());
      out_->buffer()->append(strand->piece, strand->taken, end - strand->taken);
      strand->taken = end;
    }
  }

  void Prefix(int rank) {
    if (spec_.launcher == Launcher::kMpirun)
      fmt::format_to(std::back_inserter(*out_->buffer()), "[1,{}]<stdout>:", rank);
    if (spec_.launcher == Launcher::kSrun) fmt::format_to(std::back_inserter(*out_->buffer()), "{}: ", rank);
  }

  const Spec& spec_;
  OutputFile* out_;
  Random random_;
};

Status WriteShared(const Job& job, const Fault& fault, const std::string& name, int first, int last, Written* written) {
  std::vector<Strand> strands;
  for (int rank = first; rank < last; ++rank) {
    RankLog log(job, fault, rank);
    if (!log.absent()) strands.emplace_back(std::move(log));
  }
  if (strands.empty()) return Status::Ok();
  auto file = OutputFile::Open(job.spec().out + "/" + name, written);
  if (!file.ok()) return file.status();
  SharedFile shared(job.spec(), file.value().get(), static_cast<uint64_t>(first));
  if (Status status = shared.Write(std::move(strands)); !status.ok()) return status;
  return file.value()->Close();
}

Status WriteOwn(const Job& job, const Fault& fault, int rank, Written* written) {
  RankLog log(job, fault, rank);
  if (log.absent()) return Status::Ok();
  auto file = OutputFile::Open(fmt::format("{}/rank{}.log", job.spec().out, rank), written);
  if (!file.ok()) return file.status();
  std::string piece;
  while (log.Next(&piece)) {
    file.value()->buffer()->append(piece);
    if (Status status = file.value()->FlushIfFull(); !status.ok()) return status;
  }
  return file.value()->Close();
}

}  // namespace

Result<Written> WriteLogs(const Job& job, const Fault& fault) {
  Written written;
  Status status = Status::Ok();
  switch (job.spec().layout) {
    case Layout::kRank:
      for (int rank = 0; rank < job.ranks() && status.ok(); ++rank) status = WriteOwn(job, fault, rank, &written);
      break;
    case Layout::kHost:
      for (int host = 0; host < job.hosts() && status.ok(); ++host) {
        const int first = host * job.per_host();
        status = WriteShared(job, fault, job.HostName(host) + ".log", first, first + job.RanksOn(host), &written);
      }
      break;
    case Layout::kSingle:
      status = WriteShared(job, fault, "job.log", 0, job.ranks(), &written);
      break;
  }
  if (!status.ok()) return status;
  return written;
}

}  // namespace ncclwhy::bench
