#include "serve/worker_pool.h"

#include <atomic>
#include <future>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a pool refuses what does not fit", "[serve]") {
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> done{0};
  {
    WorkerPool pool(2, 3);
    for (int i = 0; i < 5; ++i) {
      CHECK(pool.Submit([&] {
        open.wait();
        ++done;
      }));
    }
    CHECK_FALSE(pool.Submit([&] { ++done; }));
    CHECK(pool.running() + pool.waiting() == 5);
    gate.set_value();
  }  // waits for those that were taken
  CHECK(done == 5);
}

TEST_CASE("a pool without a queue takes what its threads can do", "[serve]") {
  std::promise<void> gate;  // outlives the thread that waits for it
  WorkerPool pool(1, 0);
  CHECK(pool.Submit([open = gate.get_future().share()] { open.wait(); }));
  CHECK_FALSE(pool.Submit([] {}));
  gate.set_value();
}

}  // namespace
}  // namespace ncclwhy
