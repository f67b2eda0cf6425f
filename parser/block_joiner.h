// BlockJoiner: ranks that write into one pipe or file each write a block of 4,096 or 65,536 bytes when their buffer is
// full, wherever a line of theirs is then. So in the file lines are cut at the borders of blocks, and stand in front of
// what another rank had cut:
//
//   …\nnode1:7:7 [0] NCCL INFO comm 0x55 ra|node2:8:8 [1] NCCL INFO Bootstrap : Us|nk 3 nranks 4\nnode1:7:7 …
//   block of rank 0                        |block of rank 1                       |block of rank 0
//
// Each block has one writer, whom its headers name. What a block leaves of a line is held back until the next block of
// that writer, which begins with the rest. Every newline stays where it was among the others, so numbers of lines are
// those of the file; a joined line has that of its end. A file is taken for one of blocks where the header of another
// process stands in mid-line exactly at a border; all others go through as they are, after their first lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ncclwhy {

class BlockJoiner {
 public:
  // What it is given is in place: whole lines, or the end of the source. The view lives as long as the call.
  using Out = std::function<void(std::string_view)>;

  // Hands on what is known to be in place. Holds back at most some blocks: up to 192 KiB before it is decided, and then
  // one cut line for each of at most 4,096 writers.
  void Push(std::string_view chunk, const Out& out);
  // The rest, with the halves of lines that nobody went on with in front of the last line. Nothing is pushed any more.
  void Finish(const Out& out);
  // Nothing is ever held back any more: who pushes may as well read the bytes directly.
  bool is_off() const { return state_ == State::kOff; }
  // Lines that were put together, for the coverage.
  uint64_t joins() const { return joins_; }

 private:
  // kUndecided: the beginning is held until a border tells. kBlocks may turn into kOff, and kOff stays.
  enum class State : uint8_t { kUndecided, kBlocks, kOff };

  // Off at the first header of another process that does not stand at a border: lines of several ranks, whole ones.
  // `bytes`: all since the beginning.
  void Decide(std::string_view bytes);
  // A whole block, or the last one.
  void TakeBlock(std::string_view block, const Out& out);
  // A block in which one writer ends and another begins: what is behind the border is looked at anew.
  void EndWriter(const std::string& ending, std::string_view block, size_t first_of_next, const Out& out);
  // Whole lines at once, the rest when its writer comes again.
  void HandOn(const std::string& writer, std::string_view block, const Out& out);
  // Gives back all that is held.
  void TurnOff(const Out& out);

  State state_ = State::kUndecided;
  std::string bytes_;                       // not handed on
  size_t looked_ = 0;                       // of them, while undecided: up to here lines were looked at
  std::string writer_;                      // "node1:7:" of the latest header
  size_t block_ = 0;                        // bytes of a block
  std::string tail_;                        // what the latest block left of a line
  std::map<std::string, std::string> cut_;  // the same of the others, by writer
  uint64_t joins_ = 0;
};

}  // namespace ncclwhy
