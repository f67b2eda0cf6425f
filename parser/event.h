// Event: one typed fact that a line states. Strings live in the pool of the SourceFacts that owns the event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ids.h"

namespace ncclwhy {

// The word in NCCL's header; kNone where there is none. kDiag is of NCCL 2.0 (`HOST:PID NCCL DIAG`).
enum class LogLevel : uint8_t { kNone, kVersion, kWarn, kInfo, kAbort, kTrace, kCall, kDiag };
inline constexpr std::array<std::string_view, 8> kLevelNames = {"",      "VERSION", "WARN", "INFO",
                                                                "ABORT", "TRACE",   "CALL", "DIAG"};
constexpr std::string_view LevelName(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

// Whose line it is. kNccl covers RCCL and NCCL's plug-ins.
enum class Dialect : uint8_t { kNccl, kTorch, kPython, kMpi, kSlurm, kKubernetes, kKernel, kFramework, kUnknown };
inline constexpr std::array<std::string_view, 9> kDialectNames = {
    "nccl", "torch", "python", "mpi", "slurm", "kubernetes", "kernel", "framework", "unknown"};
constexpr std::string_view DialectName(Dialect dialect) { return kDialectNames[static_cast<size_t>(dialect)]; }

// Whose labels stand in front of lines: `3: ` of srun -l, `[1,3]<stdout>:` of mpirun.
enum class LauncherLabel : uint8_t { kNone, kSrun, kMpirun };

// What a line states: event_kinds.def has a row for each, with what it says.
enum class EventKind : uint8_t {
#define X(id, name, doc) id,
#include "parser/event_kinds.def"
#undef X
};
// The name in reports, in the timeline and in rules: comm_init_start. Valid for the life of the program.
std::string_view EventKindName(EventKind kind);

// Names of values within an event: comm, rank, nranks; in field_ids.def.
enum class FieldId : uint8_t {
#define X(id, name) id,
#include "parser/field_ids.def"
#undef X
};
std::string_view FieldName(FieldId field);

// Values are texts as printed, numbers too: `0x55d0` and `1f` mean something else in each message, and who wants a
// number parses it.
struct Field {
  FieldId id;
  StringId value;
};

// `process` of a line of which no header and no launcher's label says whose it is.
inline constexpr uint32_t kNoProcess = UINT32_MAX;
inline constexpr int32_t kNoDevice = INT32_MIN;

// Fixed in size, since a source may have a million: texts are ids, and its fields stand together with those of the
// other events in SourceFacts::fields. Made by FactsBuilder alone.
struct Event {
  uint64_t offset = 0;            // byte offset of the line in its source
  uint32_t line = 0;              // 1-based
  uint32_t process = kNoProcess;  // index into SourceFacts::processes
  uint32_t tid = 0;               // of the thread in the header; 0 without one
  int32_t device = kNoDevice;     // CUDA ordinal in the header
  int32_t launcher_rank = -1;     // rank that a launcher prefix gave; may number something else than NCCL's ranks
  EventKind kind = EventKind::kInfo;
  LogLevel level = LogLevel::kNone;  // of the header
  Dialect dialect = Dialect::kUnknown;
  uint32_t nccl_line = 0;    // of `file.cc:NN`
  StringId nccl_file;        // misc/socket.cc; invalid when the line names none
  StringId time;             // as printed; invalid when there is none
  StringId text;             // message behind the header, clipped at limits::kEvidenceText
  uint32_t field_begin = 0;  // [field_begin, field_begin + field_count) of SourceFacts::fields
  uint32_t field_count = 0;
};

}  // namespace ncclwhy
