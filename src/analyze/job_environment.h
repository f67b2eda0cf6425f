// Where a job ran, as its logs show it: scheduler, launcher, container, cloud, framework, versions, fabric, interfaces,
// variables. What a fix must fit to (fit_fixes.h).
//
// Words of programs are told by rules of rules/catalog/environment: their fixed fields and captures are facts
// ({"scheduler", "slurm"}, {"job_id", "4711"}); what NCCL itself says comes from the job's model.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/evidence.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

struct JobEnvironment {
  std::vector<EnvironmentFact> facts;  // by name, then value; at most limits::kEnvironmentFacts
  // What the facts amount to: their values and what these imply (table "environment" of kb/codes.json), in lower case.
  std::set<std::string, std::less<>> words;
  std::map<std::string, std::set<std::string>, std::less<>> variables;  // set in at least one process
  std::set<std::string, std::less<>> interfaces;  // network interfaces and RDMA devices that the logs show
  std::map<std::string, std::string> values;      // for templates: pod, job_id, first_host, nodes, gpus_per_node

  // Hosts that are pods, or containers, and the nodes that they ran on; empty where none is told.
  std::map<std::string, std::string, std::less<>> pods;
  // Interfaces with an address that other hosts may reach: no loopback, no bridge inside of a host, no link-local one.
  std::set<std::string, std::less<>> reachable;
  // Ports of adapters for RDMA by their fabric, as NCCL lists them on any host: mlx5_0:1
  std::set<std::string, std::less<>> roce, infiniband;

  bool Shows(std::string_view word) const { return words.contains(word); }
  bool IsPod(std::string_view host) const { return pods.contains(host); }
  // Empty for what is no pod, too.
  std::string_view NodeOfPod(std::string_view host) const {
    const auto pod = pods.find(host);
    return pod == pods.end() ? std::string_view() : pod->second;
  }
};

JobEnvironment EnvironmentOf(const JobModel& model, const std::vector<EvidenceItem>& items, const KnowledgeBase& kb);

}  // namespace ncclwhy
