// Whose line is it, when it is not NCCL's? Told from the line alone.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/event.h"
#include "parser/telling_words.h"

namespace ncclwhy {

// `text`: without launcher prefixes. `words`: of it. kUnknown for the program's own output and for empty lines. Never
// kNccl or kFramework: headers and prefixes tell those.
Dialect SniffDialect(std::string_view text, TellingWords words);
inline Dialect SniffDialect(std::string_view text) { return SniffDialect(text, TellingWords(text)); }

// Length of the words that only the beginning of a line has, where `text` begins with some: `slurmstepd: `, `frame #`.
size_t DialectHeadLength(std::string_view text);

// Length of the exception's name when `text` is the last line of a traceback, `torch.cuda.OutOfMemoryError: …`; else 0.
size_t PythonExceptionLength(std::string_view text);

}  // namespace ncclwhy
