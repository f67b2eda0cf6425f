// Passages: what several lines of a text say together, in formats that tools print: stacks of threads, states of
// network ports, reports of ncclras. Each becomes events that rules ask for; what one line says alone is not looked at.
//
//   Thread 4711 (idle): "MainThread"                                  py-spy dump
//       wait (threading.py:324)
//       all_reduce (torch/distributed/distributed_c10d.py:2183)
//   → stack: pid 4711, process MainThread, function "wait (threading.py:324)", frames "wait (…) < all_reduce (…)"
//
//   CA 'mlx5_3'                                                       ibstat
//           Port 1:
//                   State: Down
//                   Physical state: Disabled
//   → device_state: device mlx5_3, port 1, state DOWN, phase DISABLED
//
//   File "/opt/train/trainer/model.py", line 402, in training_step
//   File "/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 116, in forward
//   RuntimeError: mat1 and mat2 shapes cannot be multiplied
//   → the event of the exception gets function "training_step (model.py:402)", the innermost frame of the program, and
//     traceback, how many lines before it the (first) traceback begins. Of tracebacks whose lines alternate without a
//     label nobody knows whose a frame is: their exceptions get count, how many they are, and no function
//
//   7 ranks have launched up to operation 64                          ncclras
//   Rank 7 has launched up to operation 60 -- GPU 3 managed by process 4711 on node node1
//   → ras: phase launched, count 7, value 64; then phase launched, rank 7, value 60, pid 4711, host node1
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parser/facts_builder.h"
#include "read/stack_heading.h"

namespace ncclwhy {

// One for each segment of a text. Lines of several processes may alternate.
class PassageReader {
 public:
  // Not for lines of NCCL, which are nobody's passage.
  // `facts` has the events of this line already, so that an exception's event can be completed.
  void OnLine(const ParsedLine& line, uint32_t process, SourceFacts& facts);
  // The text is at its end.
  void Finish(SourceFacts& facts);

 private:
  // One that is being read.
  // Of a writer one at a time; the next head, or a line that is no frame, ends it.
  struct Stack {
    uint64_t offset = 0;
    uint32_t line = 0;
    uint32_t process = 0;
    int32_t launcher_rank = -1;
    int32_t rank = -1;  // of its heading, as are pid, where it does not say its own, and host
    int64_t pid = -1;
    std::string host;
    bool py_spy = false;
    std::string head;      // its first line
    std::string thread;    // MainThread, Current thread, Thread 3
    std::string function;  // the innermost frame, of the program if one is
    std::string frames;    // innermost first, as far as there is room
    std::string program;   // those of the program
  };
  struct Port {
    uint64_t offset = 0;
    uint32_t line = 0;
    std::string device;
    std::string port;
    std::string state;
    std::string physical;
    std::string layer;  // InfiniBand, Ethernet
  };

  // The number of the label that `srun -l` put in front of the lines, which others may not believe, or else (-1) the
  // process.
  using Writer = std::pair<uint32_t, int32_t>;

  // What begins a passage or is one, but for tracebacks; false: nothing.
  bool ReadOther(const ParsedLine& line, uint32_t process, const Writer& writer, std::string_view text,
                 SourceFacts& facts);
  // Kinds of lines (ParsedLine::kind) that tell nothing as long as no stack and no device is being read.
  bool IsQuiet(uint32_t kind) const { return kind != 0 && !quiet_.empty() && quiet_[kind % kQuietKinds] == kind; }
  void SetQuiet(uint32_t kind) {
    quiet_.resize(kQuietKinds);
    quiet_[kind % kQuietKinds] = kind;
  }
  static bool StaysQuiet(std::string_view text);
  // Whether the line is whole; no: it is kept for the next one of its label. `whole`: with what was kept.
  bool Whole(const Writer& writer, std::string_view text, std::string* whole);
  bool BeginStack(const ParsedLine& line, uint32_t process, const Writer& writer, std::string_view text);
  // Rank, process and host of the heading that it stands under.
  void UnderHeading(Stack* stack);
  // An event `stack`, unless it has no frame.
  void EndStack(const Stack& stack, SourceFacts& facts);
  // Whether the line is of ibstat's or ibv_devinfo's list of ports.
  bool ReadPort(const ParsedLine& line, std::string_view text, SourceFacts& facts);
  // An event `device_state` for a port of which the state was told.
  void EndPort(SourceFacts& facts);
  // A sentence of ncclras, or a rank in its list; false: neither.
  bool ReadRas(const ParsedLine& line, uint32_t process, std::string_view text, SourceFacts& facts);
  // Frames between `Traceback …` and its exception, whose event gets what they tell.
  void ReadTraceback(const ParsedLine& line, const Writer& writer, std::string_view text, SourceFacts& facts);
  // Made with the first passage: most sources have none.
  FactsBuilder& Builder(SourceFacts& facts);

  std::unique_ptr<FactsBuilder> builder_;
  std::map<Writer, Stack> stacks_;
  std::map<Writer, std::string> pieces_;  // lines of stacks that a label cut
  std::map<Writer, int64_t> pids_;        // of `Process 4711: python train.py`
  // The latest line above stacks that says whose they are, and the latest line of these.
  StackHeading heading_;
  uint32_t heading_line_ = 0;
  // A traceback, or several of which one led to the other, until its exception.
  struct Traceback {
    uint32_t begins = 0;   // its first line
    uint32_t last = 0;     // the latest one that is known to be of it
    std::string function;  // the latest frame of the program itself: "training_step (model.py:402)"
    uint32_t open = 0;     // tracebacks whose exception has not come
    bool mixed = false;    // there were several at once: lines of several processes alternate, and nobody's label tells
    bool goes_on = false;  // another one follows: "During handling of the above exception, …"
  };
  std::map<Writer, Traceback> tracebacks_;
  Port port_;
  static constexpr size_t kQuietKinds = 1024;
  std::vector<uint32_t> quiet_;  // the latest in each place; empty before the first one
};

}  // namespace ncclwhy
