// What names of sources tell of the jobs that they are of: folders, job ids, hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

struct FolderView {
  // Of each source: its folder, with the job id of its name behind it where names of one folder have several.
  std::vector<std::string> of;
  // There are several, none inside another, and their names are no numbering of ranks, nodes or pods.
  bool side_by_side = false;
};
FolderView FoldersOf(const JobModel& model);

// The id that a scheduler gave, from a file name: slurm-1234.out, slurm-1234_7.out, job_1234.log, train.o1234. May be
// empty; a number of one or two digits is no id. All of these views are of the name.
std::string_view JobIdInName(std::string_view name);
// "nccl.node42.31011.log" → "nccl.node#.#.log": numbers of at least so many digits, two as pids and times have.
std::string NamePattern(std::string_view name, size_t least = 2);
// Whether a word of the name is `host`: launch-gpu-a01.log, gpu-a01/dmesg.txt.
bool NameHolds(std::string_view name, std::string_view host);
// How much of the beginning two names have in common, in whole words: 6 of alpha-job.log and alpha-dmesg.txt. 0 when
// they are in different folders.
size_t CommonBeginning(std::string_view a, std::string_view b);
// Behind the last / or, in an archive, the last colon.
std::string_view BaseName(std::string_view name);

}  // namespace ncclwhy
