#include "analyze/record_line.h"

#include "catch.h"

namespace ncclwhy {

TEST_CASE("Rows and lists of fields are records", "[analyze]") {
  CHECK(IsRecord("3             killed.sh       main       root          1     FAILED      0:9 "));
  CHECK(IsRecord("JobID           JobName  Partition    Account  AllocCPUS      State ExitCode "));
  CHECK(IsRecord("3|killed.sh|main|root|1|FAILED|0:9"));
  CHECK(IsRecord("trainer-0   0/1     Error    5 (2m    13m"));
  CHECK(IsRecord("JobId=3 JobName=killed.sh"));
  CHECK(IsRecord("   JobState=FAILED Reason=JobLaunchFailure Dependency=(null)"));
  CHECK(IsRecord("   ReqB:S:C:T=0:0:*:* CoreSpec=*"));
}

TEST_CASE("What somebody says is no record", "[analyze]") {
  CHECK_FALSE(IsRecord(""));
  CHECK_FALSE(IsRecord("killed"));
  CHECK_FALSE(IsRecord("Job step aborted: Waiting up to 32 seconds for job step to finish."));
  CHECK_FALSE(IsRecord("level=error msg=\"failed to open /dev/nvidia0\" pod=a"));
  CHECK_FALSE(IsRecord("status=\"failed\""));
  CHECK_FALSE(IsRecord("2026-01-02 | ERROR | trainer | the checkpoint is not readable"));
  CHECK_FALSE(IsRecord("Warning  Failed  3s  kubelet  Error: failed to create containerd task"));
}

}  // namespace ncclwhy
