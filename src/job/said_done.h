// Words that the work is done, or the job ended well, beside an ending that was not good: whose word it is, and whether
// it speaks of that ending.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"
#include "job/work_ends.h"

namespace ncclwhy {

// Borrows model, signs and ends. Any number of threads may ask. Each question is about an ending that is bad, and true
// where a word says that it ended nothing.
class SaidDone {
 public:
  SaidDone(const JobModel& model, const std::vector<LifeSign>& signs, const WorkEnds& ends)
      : model_(model), signs_(signs), ends_(ends) {}

  // Whether a test runner whose tests provoked it says behind it that all passed; also when it is the output of one
  // attempt of a test that was repeated.
  //   *** SIGKILL received by helper process 40392 ***      [       OK ] DeathTest.PeerExits      [  PASSED  ] 9 tests.
  bool IsOfSuite(const LifeSign& s) const;
  // Whether it is a helper that is told to leave behind the word that the work is done.
  //   run.sh: exit status 0      ./run.sh: line 44:   902 Terminated              python prefetch.py
  bool IsDismissed(const LifeSign& s) const;
  // Whether the program had said that it is done, and wound up: whom it then ends, it ends on purpose.
  //   Training finished. Cleaning up workers      Engine core proc EngineCore_0 died unexpectedly      JOB EXIT CODE: 0
  bool DoneBefore(const LifeSign& s) const;
  // Whether the job's own word in another file, its exit code, is that it ended well: a server that it asked is then
  // told to go.
  bool DoneElsewhere(const LifeSign& s) const;
  // Whether a list of events tells it, in which nobody works, and the launcher's last word in the file of the work is
  // that the job ended well: a machine was lost, and the job got over it.
  //   NodeNotReady  pod/clip-worker-k8p2n  Node is not ready        SUCC cli.py:64 -- Job 'clip-ft' succeeded
  bool IsListedBeside(const LifeSign& s) const;
  // Whether one of those who work came to his end, or whoever runs the job says so: a listing beside the logs has a
  // word of its own command.
  //   $ ansible all -a 'ldconfig -p'      node3 | CHANGED | rc=0 >>
  bool DoneByWorkers() const;

 private:
  const JobModel& model_;
  const std::vector<LifeSign>& signs_;
  const WorkEnds& ends_;
};

}  // namespace ncclwhy
