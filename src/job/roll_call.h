// RollCall: who is where, as the program itself has printed it at its start (events roll_call): a rank with its host,
// pid, address or GPU. For ranks of which nothing else tells it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "job/job_model.h"

namespace ncclwhy {

// Owns its texts; the model may go. Of what is told differently by two lines nothing is believed.
class RollCall {
 public:
  explicit RollCall(const JobModel& model);

  // Empty where the roll does not tell it.
  std::string HostOf(int32_t rank) const;
  // Of a launcher's table of those that ended, or as a process or somebody's list says it; `host`: where the pid was
  // told. -1 where nobody has that pid, two ranks have, or the table's row is of another host that the logs know, too:
  // pids come again on every host.
  int32_t RankOfPid(int64_t pid, std::string_view host) const;
  // -1 where nobody has it, or several have.
  int32_t RankOnGpu(std::string_view host, std::string_view bus_id) const;
  // tcp://10.0.3.19:40905 without what stands in front.
  int32_t RankAt(std::string_view address) const;
  // Those that somebody's row names, each once; views into this.
  std::set<std::string_view> Hosts() const;
  // All that it tells of, ascending.
  std::set<int32_t> Ranks() const;
  // How many processes with a pid of one rank.
  int64_t Processes() const;

 private:
  void NoteOfTable(const JobModel& model, const SourceFacts& facts, const Event& row);

  std::map<int64_t, int32_t> pids_;                                   // -1: of several ranks
  std::set<std::string, std::less<>> known_hosts_;                    // of these, those that other lines know
  std::map<int32_t, std::string> table_hosts_;                        // of launchers' tables of those that ended
  std::map<int32_t, std::string> hosts_;                              // empty: told differently
  std::map<std::string, int32_t, std::less<>> gpus_;                  // by UUID
  std::map<std::string, int32_t, std::less<>> addresses_;             // -1: told of several
  std::map<int64_t, int64_t> inside_;                                 // pid on the host → in its container
  std::map<std::pair<std::string, std::string>, int32_t> buses_;      // by host and PCI address; -1: of several
  std::map<std::pair<std::string, std::string>, std::string> uuids_;  // by host and PCI address, "" of several
};

}  // namespace ncclwhy
