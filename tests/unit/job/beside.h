// A log, and beside it what somebody asked a scheduler, a cloud or a shell, for tests of what only that tells.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "job/job_model.h"
#include "parser/parser.h"

namespace ncclwhy {

// A log in which gx1 and gx2 tell their addresses, and what somebody put beside it.
struct Beside {
  explicit Beside(const std::string& table) {
    const std::vector<std::string> texts = {
        "gx1:11:11 [0] NCCL INFO Bootstrap : Using eth0:10.1.32.11<0>\n"
        "gx2:21:21 [0] NCCL INFO Bootstrap : Using eth0:10.1.40.7<0>\n",
        table};
    for (size_t i = 0; i < texts.size(); ++i) {
      Parser parser(i == 0 ? "job.log" : "table.txt", nullptr, nullptr, {});
      parser.Push(texts[i]);
      views.push_back(&facts.emplace_back(parser.Finish()));
    }
    // As read/side_rows.h keeps them.
    uint32_t line = 0;
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
      const std::string row = table.substr(at, table.find('\n', at) - at);
      facts[1].rows.push_back({++line, facts[1].strings.Intern(row)});
    }
    model = BuildJobModel(views);
  }
  std::deque<SourceFacts> facts;
  std::vector<const SourceFacts*> views;
  JobModel model;
};

}  // namespace ncclwhy
