#include "parser/block_joiner.h"

#include <algorithm>
#include <utility>

#include "parser/prefix.h"

namespace ncclwhy {
namespace {

constexpr size_t kBlock = 4096;        // stdio's buffer, and what a pipe takes in one piece
constexpr size_t kLargeBlock = 65536;  // a pipe's buffer
// A first block that goes on for so long is a log of one process.
constexpr size_t kUndecidedBytes = 3 * kLargeBlock;
// Writers whose lines are held back at a time, and writers that ended.
constexpr size_t kWriters = 4096;

// "node1:7:" of a line that begins with a header.
// Empty where the line begins with none. Without the thread: the threads of a process share one buffer. With the colon
// behind the pid, so that 71 does not begin like 711.
std::string WriterOf(std::string_view line) {
  HeaderMatch match;
  if (!ParseHeader(line, &match) || !match.header.present || match.begin != 0) return {};
  return std::string(match.header.host) + ":" + std::to_string(match.header.pid) + ":";
}

// Of the lines that begin in a block. Its first bytes may be the rest of one, and look like a header when they are a
// half of one; they count where there is nothing else.
struct Writers {
  std::string first;
  size_t other = std::string_view::npos;  // where the first header of another one begins
};

Writers WritersIn(std::string_view block) {
  Writers out;
  bool only_begins = false;  // `first` is of the first bytes
  for (size_t at = 0; at < block.size();) {
    const std::string_view line = block.substr(at);
    const bool same = !out.first.empty() && line.starts_with(out.first);
    if (std::string writer = same ? std::string() : WriterOf(line.substr(0, line.find('\n'))); !writer.empty()) {
      // The first bytes of a block may be `4711:4711 [0] NCCL INFO …`, half of a header, which reads like a header of
      // another host: what comes from there makes no border against the first whole line.
      if (!out.first.empty() && writer != out.first && !only_begins) {
        out.other = at;
        return out;
      }
      only_begins = at == 0;
      out.first = std::move(writer);
    } else if (same) {
      only_begins = false;
    }
    const size_t end = block.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return out;
}

}  // namespace

// While nothing is decided all bytes are kept; once off, they go through untouched.
void BlockJoiner::Push(std::string_view chunk, const Out& out) {
  if (state_ == State::kOff) return out(chunk);
  // A first chunk that tells is not copied.
  const bool first = state_ == State::kUndecided && bytes_.empty();
  if (first) Decide(chunk);
  if (first && state_ == State::kOff) return out(chunk);
  if (first) bytes_.reserve(std::max(chunk.size(), kUndecidedBytes) + chunk.size());  // most often so much is needed
  bytes_ += chunk;
  if (!first && state_ == State::kUndecided) Decide(bytes_);
  if (state_ == State::kOff) return TurnOff(out);
  // What is left is moved once a chunk, not once a block; a block that ends a writer puts back what is the next one's.
  while (state_ == State::kBlocks && bytes_.size() >= block_) {
    const std::string all = std::exchange(bytes_, {});
    size_t at = 0;
    while (state_ == State::kBlocks && bytes_.empty() && all.size() - at >= block_) {
      TakeBlock(std::string_view(all).substr(at, block_), out);
      at += block_;
    }
    if (state_ != State::kBlocks) return out(std::string_view(all).substr(at));
    bytes_.append(all, at);
  }
}

// Looks at lines that are whole, and at the borders between them.
void BlockJoiner::Decide(std::string_view bytes) {
  while (true) {
    const size_t end = bytes.find('\n', looked_);
    if (end == std::string_view::npos) break;
    const std::string_view line = bytes.substr(looked_, end - looked_);
    // The border in this line, if there is one; a border at its beginning cuts nothing.
    // Borders of blocks of 65,536 bytes are borders of 4,096 as well: the smaller step finds both.
    const size_t border = (looked_ / kBlock + 1) * kBlock;
    if (border < end && !writer_.empty()) {
      const std::string other = WriterOf(line.substr(border - looked_));
      if (!other.empty() && other != writer_) {
        // A border in the middle of a header shows half a name; the next line tells.
        if (bytes.size() <= end + other.size()) return;
        if (bytes.substr(end + 1).starts_with(other)) {
          block_ = border % kLargeBlock == 0 ? kLargeBlock : kBlock;
          state_ = State::kBlocks;
          writer_.clear();
          return;
        }
      }
    }
    if (std::string writer = !writer_.empty() && line.starts_with(writer_) ? writer_ : WriterOf(line);
        !writer.empty()) {
      // Another process at the beginning of a line: its writer flushes lines, or somebody has put the lines in order.
      // Where blocks are mixed such a line can only stand behind a border that fell between two lines by chance.
      if (!writer_.empty() && writer != writer_) {
        state_ = State::kOff;
        return;
      }
      writer_ = std::move(writer);
    }
    looked_ = end + 1;
  }
  if (bytes.size() > kUndecidedBytes) state_ = State::kOff;
}

void BlockJoiner::TakeBlock(std::string_view block, const Out& out) {
  const Writers writers = WritersIn(block);
  if (writers.other != std::string_view::npos) return EndWriter(writers.first, block, writers.other, out);
  // One more whose half of a line would have to be kept.
  if (!writers.first.empty() && writers.first != writer_ && !tail_.empty() && cut_.size() >= kWriters) {
    bytes_.insert(0, block);
    return TurnOff(out);
  }
  HandOn(writers.first.empty() ? writer_ : writers.first, block, out);
}

// The last block of a writer is shorter, and ends with its last line; the next one's begins there, with the rest of a
// line if it had one cut. From there on blocks are counted anew.
void BlockJoiner::EndWriter(const std::string& ending, std::string_view block, size_t first_of_next, const Out& out) {
  size_t begin = first_of_next;
  const auto line_at = [&](size_t at) { return block.substr(at, block.find('\n', at) - at); };
  const std::string next = WriterOf(line_at(begin));
  // Only a writer of whom a half of a line is kept can go on with the rest of it. The line in front of its first header
  // is that rest, unless it begins with the header of the one that ends here.
  if (begin > 1 && (cut_.contains(next) || (next == writer_ && !tail_.empty()))) {
    const size_t rest = block.rfind('\n', begin - 2) + 1;  // 0: it begins the block
    if (!line_at(rest).starts_with(ending)) begin = rest;
  }
  // Nothing in front of the border would come back as the same block for ever; more writers than are kept have no order
  // that could be told. Then the bytes go on as they are in the file.
  if (begin == 0 || cut_.size() >= kWriters) {
    bytes_.insert(0, block);
    return TurnOff(out);
  }
  bytes_.insert(0, block.substr(begin));
  TakeBlock(block.substr(0, begin), out);
}

// A writer that comes again goes on with what it left; a new one has nothing to go on with.
void BlockJoiner::HandOn(const std::string& writer, std::string_view block, const Out& out) {
  if (writer != writer_) {
    if (!tail_.empty()) std::swap(cut_[writer_], tail_);
    if (const auto mine = cut_.find(writer); mine != cut_.end()) {
      tail_ = std::move(mine->second);
      cut_.erase(mine);
      ++joins_;
    }
    writer_ = writer;
  }
  out(tail_);
  const size_t whole = block.rfind('\n') + 1;  // 0: there is none
  out(block.substr(0, whole));
  tail_ = block.substr(whole);
}

void BlockJoiner::TurnOff(const Out& out) {
  out(tail_);
  out(bytes_);
  tail_.clear();
  bytes_.clear();
  state_ = State::kOff;
}

void BlockJoiner::Finish(const Out& out) {
  std::string last;
  // Kept, since the rests of lines must get in front of the last line, which is known only when all is handed on.
  const Out keep = [&last](std::string_view bytes) { last += bytes; };
  while (state_ == State::kBlocks && !bytes_.empty()) {
    const std::string block = bytes_.substr(0, std::min(block_, bytes_.size()));
    bytes_.erase(0, block.size());
    TakeBlock(block, keep);
  }
  TurnOff(keep);
  // What nobody went on with stands in front of the last line: a newline more would change the numbers of lines.
  std::string rests;
  for (const auto& [writer, rest] : cut_) rests += rest;
  cut_.clear();
  last.insert(last.size() < 2 ? 0 : last.rfind('\n', last.size() - 2) + 1, rests);
  out(last);
}

}  // namespace ncclwhy
