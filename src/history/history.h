// History: one SQLite file with what the reports of many jobs said.
//
// Opening a file that another program made, or a newer version of this one, fails. A report that is there already takes
// the place of the older one, so adding twice is adding once. All jobs of one Add are there, or none: it is one
// transaction, and a process that is killed in it leaves the file as it was. Several processes may add at a time; they
// wait for each other.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "history/past_job.h"
#include "history/places.h"
#include "ncclwhy/status.h"
#include "store/database.h"

namespace ncclwhy {

// "NCwH": what a history is known by, and the version of its tables.
inline constexpr int32_t kHistoryApplicationId = 0x4E437748;
inline constexpr int32_t kHistoryVersion = 1;

class History {
 public:
  enum class Mode { kRead, kAdd };  // kAdd makes the file when there is none
  // `patience`: with those who write at the same moment. Epilogs of a large job do; each needs milliseconds.
  static Result<std::unique_ptr<History>> Open(const std::string& path, Mode mode,
                                               std::chrono::milliseconds patience = std::chrono::seconds(30));

  struct Added {
    size_t jobs = 0;   // that were not there
    size_t again = 0;  // that were, and were replaced
  };
  // An empty list is no error, and makes nothing.
  Result<Added> Add(const std::vector<PastJob>& jobs);
  // What each host hangs on, in place of what was known of that; empty: none is known any more.
  Status SetPlaces(const std::vector<HostPlace>& places);

  Database& database() { return *database_; }

 private:
  explicit History(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  // Within the transaction of Add.
  Status Write(const std::vector<PastJob>& jobs, Added* added);
  // Within that of SetPlaces.
  Status WritePlaces(const std::vector<HostPlace>& places);
  std::unique_ptr<Database> database_;
};

}  // namespace ncclwhy
