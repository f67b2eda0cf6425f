// One line of a stack or of a traceback as a frame, and whose source it is of.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// "function (file:line)", the function alone where no place is told; "" when the line is no frame. Of what other
// programs print, py-spy's frames have no mark of their own: `py_spy` says that one is expected.
//    #1  0x00007f16 in ncclGroupEnd () from /lib/libnccl.so.2     ncclGroupEnd
//    File "/opt/train/model.py", line 402 in step                 step (model.py:402)
// `text` is trimmed and not empty. A frame beyond 96 bytes is cut.
std::string FrameIn(std::string_view text, bool py_spy);

// A frame of a traceback that is neither Python's own, nor a package's, nor a launcher's.
//   File "/opt/train/trainer/model.py", line 402, in training_step
bool IsProgramFrame(std::string_view text);

// The same of a line of a stack and the frame in it: its place is known and no library's.
//   #3  0x000055f0 in all_reduce (k=65536) at train.cc:168      step (train.py:40)
bool IsProgramsOwn(std::string_view text, std::string_view frame);

// The head of a faulthandler's stack, or a frame of it, of which more may follow in the next line of its label.
//   Thread 0x        File "/usr/lib/python3.12/selectors.py", line 415 in
bool IsPieceOfStack(std::string_view text);

}  // namespace ncclwhy
