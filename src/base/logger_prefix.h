// What stands in front of the message in a line of a program's log.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// `CANCELLED AT `, ` since `: a time behind it is the sentence's own and begins no message.
bool AsksForTime(std::string_view front);

// Whether words of one are in it. Digits decide nothing.
bool HasProgressBar(std::string_view text);

// A line that a progress bar without a line end stands in front of, without the bar.
//     9/10 [=====>..] - ETA: 0s 80ms/stepE1122 11:11:52.503438 30384 watchdog.py:103] rank 0: no progress
// `text` itself where there is none. Never copies, and what it returns lives as long as `text`.
// tqdm and Keras write `\r` and no line end, so the next message of the program begins in the same line.
std::string_view WithoutProgressBar(std::string_view text);

// The message alone: without progress bar, time, level, place and name of the rank.
//   [E1122 11:12:03.206394 ProcessGroupNCCL.cpp:684] [Rank 0] Some NCCL operations have failed
//   2026-11-22 11:12:03 | ERROR | watchdog:253 - rank 2: no progress
//   {"ts": 1795345731.142, "level": "WARNING", "rank": 0, "msg": "no progress"}
// A view of `text`, like all here. Never empty unless `text` is: a line that is all prefix stays whole.
std::string_view WithoutLoggerPrefix(std::string_view text);

// The message and whose it is: what is left of a line that is too long to be quoted whole.
//   [E1126 07:16:26.504085549 ProcessGroupNCCL.cpp:1628] [PG ID 0 PG GUID 0(default_pg) Rank 2] Received a dump signal
//   [Rank 2] Received a dump signal
std::string MessageOfLine(std::string_view text);

}  // namespace ncclwhy
