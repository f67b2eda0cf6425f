// LiveAnswer: what the report would say if the logs ended now, while they go on.
//
// An analyzer can be finished once. So a copy of this process (fork) finishes it and tells the answer through a pipe;
// the parser's state is neither copied nor read again, and what it costs depends on the events, not on the length of
// the logs. The process must have one thread. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "ncclwhy/analyzer.h"

namespace ncclwhy {

// One line for a person, and what is needed to decide whether to tell it.
struct Answer {
  std::string cause;  // id of the first cause, empty when none is named
  double confidence = 0;
  bool seen = false;  // a line shows it; else it follows from what is missing, which may still come
  std::string key;    // cause and culprit: what makes two answers different
  std::string line;   // one line for a person
};

class LiveAnswer {
 public:
  LiveAnswer() = default;
  ~LiveAnswer() { Stop(); }
  LiveAnswer(const LiveAnswer&) = delete;
  LiveAnswer& operator=(const LiveAnswer&) = delete;

  // Asks; the answer comes later. `analyzer` is not changed.
  Status Start(Analyzer* analyzer, Language language);
  bool running() const { return child_ > 0; }
  // The answer, once it is there. No answer when the copy failed, either; running() is false then.
  std::optional<Answer> Poll();
  // Kills the copy, if there is one, and forgets what it said so far.
  void Stop();

 private:
  pid_t child_ = -1;
  int pipe_ = -1;
  std::string bytes_;
};

}  // namespace ncclwhy
