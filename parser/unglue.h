// Lines that lost their breaks: a form's field, a spreadsheet's cell or a chat made one line of many.
//
//   … NCCL version 2.7.8+cuda11.1 8c2f19d04b7e:8640:8640 [1] NCCL INFO Bootstrap : Using … Traceback (most recent call last): File "…
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

struct Unglued {
  std::string text;   // empty: no line looks as if it were several
  uint64_t cuts = 0;  // how many breaks were put in
  uint64_t sure = 0;  // of these, in front of a header of NCCL's or PyTorch's
};

// Puts a break in place of the blank in front of whatever begins a record, in lines that are longer than programs write
// them; `\n` written out as two characters is a break, too. Offsets stay. Linear in the text but for what a record's
// beginning takes; whoever calls it has to see whether the result says more.
Unglued Unglue(std::string_view text);

}  // namespace ncclwhy
