// IncidentIndex: which public incidents look like the lines of a log. FTS5 picks the lines of kb/incidents that share
// the rarest words; what is told of them is how much of such a line stands in one line of the log.
//
// Thread safety: immutable but for what it makes at the first search, under a lock; share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/seen_before.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// A search opens a connection of its own over the shared bytes, so any number may run at once. Its cost is bounded
// (incident_index.cc) whatever the log holds.
class IncidentIndex : public IncidentSearch {
 public:
  // Of the knowledge inside the program; ready, costs nothing until it is asked.
  static const IncidentIndex& Embedded();
  // Of any other, which is borrowed.
  // The knowledge must outlive it.
  explicit IncidentIndex(const KnowledgeBase& kb);
  ~IncidentIndex() override;

  // Of more than some dozens of lines the rest is not looked at. Empty, too, where memory or FTS5 is missing: nothing
  // depends on an incident being found.
  std::vector<IncidentMatch> Find(const std::vector<std::string>& lines,
                                  const std::vector<std::string>& causes) const override;

 private:
  IncidentIndex();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The bytes that embed_incidents made; empty where SQLite could not make them.
std::string_view EmbeddedIncidentImage();

}  // namespace ncclwhy
