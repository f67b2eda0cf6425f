// A labelled incident: log files and incident.json, as in samples/.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ncclwhy {

struct Labelled {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  // name, bytes
  std::string root_cause;
  std::vector<std::string> acceptable;  // root_cause included
  std::vector<std::string> wrong_if_first;
  std::string culprit;  // "rank 3 on node7", a host, or empty
  std::string scenario;
  bool determinable = true;
  bool healthy() const { return root_cause == "none" || root_cause == "benign"; }
};

// Sorted by name. Empty when the folder holds none.
std::vector<Labelled> LoadLabelled(const std::string& folder);

// How people hand logs over: all files in one, lines of different files in random order (each file keeps its own
// order).
void Interleave(Labelled& incident, uint32_t seed);
// One random file left out, if there is more than one. Returns its name.
std::string DropOneFile(Labelled& incident, uint32_t seed);

}  // namespace ncclwhy
