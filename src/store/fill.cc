#include "store/fill.h"

#include <array>

namespace ncclwhy {
namespace {

constexpr std::array<TableFiller, 14> kFillers = {{
    {"_source", FillSources, nullptr},
    {"_process", FillProcesses, nullptr},
    {"_communicator", FillCommunicators, nullptr},
    {"_rank", FillRanks,
     "CREATE INDEX _rank_of_communicator ON _rank(communicator, rank);"
     "CREATE INDEX _rank_of_process ON _rank(process);"},
    {"_event", FillEvents,
     "CREATE INDEX _event_of_process ON _event(process, kind);"
     "CREATE INDEX _event_of_kind ON _event(kind);"},
    {"_stack", FillStacks, nullptr},
    {"_connection", FillConnections, nullptr},
    {"_trait", FillTraits, nullptr},
    {"_progress", FillProgress, nullptr},
    {"_hardware", FillHardware, nullptr},
    {"_clock", FillClocks, nullptr},
    {"_environment", FillEnvironment, "CREATE INDEX _environment_of_variable ON _environment(variable, process);"},
    {"_collective", FillCollectives, "CREATE INDEX _collective_of_rank ON _collective(communicator, rank, seq);"},
    {"_coverage", FillCoverage, nullptr},
}};

}  // namespace

std::span<const TableFiller> TableFillers() { return kFillers; }

}  // namespace ncclwhy
