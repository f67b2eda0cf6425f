#include "job/pod_nodes.h"

#include "beside.h"
#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("the node of a pod, by the wide list of pods", "[job]") {
  const Beside b(
      "NAME    READY   STATUS    RESTARTS     AGE   IP          NODE   NOMINATED NODE   READINESS GATES\n"
      "w-0     0/1     Error     0            19m   10.1.3.3    gx6    <none>           <none>\n"
      "w-1     0/1     Error     3 (5m ago)   33m   10.1.3.4    gx7    <none>           <none>\n"
      "w-2     0/1     Pending   0            33m   <none>      <none> <none>           <none>\n");
  CHECK(PodNodes(b.model).NodeOf("w-0") == "gx6");
  CHECK(PodNodes(b.model).NodeOf("w-1") == "gx7");
  CHECK(PodNodes(b.model).NodeOf("w-2").empty());
  CHECK(PodNodes(b.model).NodeOf("w").empty());
}

TEST_CASE("the node of a pod, by its description", "[job]") {
  const Beside b(
      "Name:             sft-worker-2\nNamespace:        train\nNode:             gx7/10.4.0.17\nStatus:  Failed\n"
      "Name:             sft-worker-3\nNamespace:        train\nNode:             <none>\nStatus:  Pending\n");
  CHECK(PodNodes(b.model).NodeOf("sft-worker-2") == "gx7");
  CHECK(PodNodes(b.model).NodeOf("sft-worker-3").empty());
}

TEST_CASE("the pod on a node is one of the job", "[job]") {
  const Beside b(
      "NAME      READY   STATUS    NODE\ngx1       0/1     Error     pool-a\nother-0   0/1     Error     pool-b\n");
  CHECK(PodNodes(b.model).PodOn("pool-a") == "gx1");
  CHECK(PodNodes(b.model).PodOn("pool-b").empty());
}

}  // namespace
}  // namespace ncclwhy
