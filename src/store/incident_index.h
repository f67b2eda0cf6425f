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

class IncidentIndex : public IncidentSearch {
 public:
  // Of the knowledge inside the program; ready, costs nothing until it is asked.
  static const IncidentIndex& Embedded();
  // Of any other, which is borrowed.
  explicit IncidentIndex(const KnowledgeBase& kb);
  ~IncidentIndex() override;

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
