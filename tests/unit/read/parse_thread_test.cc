#include "read/parse_thread.h"

#include <new>
#include <set>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

// Keeps what it is given, and in which threads.
class Keeper : public ByteSink {
 public:
  bool Begin(std::string_view name) override {
    text += "<" + std::string(name) + ">";
    return true;
  }
  void Push(std::string_view chunk) override {
    if (text.size() >= fail_at) throw std::bad_alloc();
    text += chunk;
    threads.insert(std::this_thread::get_id());
  }
  void End() override { text += "<end>"; }

  std::string text;
  size_t fail_at = SIZE_MAX;
  std::set<std::thread::id> threads;
};

std::string Numbered(size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + "\n";
  text.resize(bytes);
  return text;
}

void PushAll(ByteSink& sink, std::string_view text, size_t chunk) {
  for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) sink.Push(text.substr(0, chunk));
}

TEST_CASE("what another thread parses is what was read, in order", "[api]") {
  for (const size_t bytes : {size_t{0}, size_t{100}, ParseThread::kDirectBytes, ParseThread::kDirectBytes + 1,
                             3 * ParseThread::kDirectBytes + 77}) {
    const std::string text = Numbered(bytes);
    Keeper kept;
    {
      ParseThread parse_thread(kept);
      parse_thread.OnPacked();
      for (const char* member : {"a", "b"}) {
        CHECK(parse_thread.Begin(member));
        PushAll(parse_thread, text, 65536);
        parse_thread.End();
      }
    }
    CAPTURE(bytes);
    CHECK((kept.text == "<a>" + text + "<end><b>" + text + "<end>"));
    CHECK(kept.threads.size() == (bytes == 0                                  ? 0u
                                  : bytes > ParseThread::kDirectBytes + 65536 ? 2u
                                                                              : kept.threads.size()));
  }
}

TEST_CASE("neither a small source nor a plain file starts a thread", "[api]") {
  for (const bool packed : {true, false}) {
    Keeper kept;
    ParseThread parse_thread(kept);
    if (packed) parse_thread.OnPacked();
    parse_thread.Begin("a");
    PushAll(parse_thread, Numbered(packed ? 100000 : 3 * ParseThread::kDirectBytes), 4096);
    parse_thread.End();
    CHECK(kept.threads.size() == 1);
  }
}

TEST_CASE("what the sink throws reaches the one who reads", "[api]") {
  const std::string text = Numbered(4 * ParseThread::kDirectBytes);
  for (const size_t fail_at : {size_t{1000}, ParseThread::kDirectBytes + 100000, text.size() - 1000000}) {
    Keeper kept;
    kept.fail_at = fail_at;
    ParseThread parse_thread(kept);
    parse_thread.OnPacked();
    const auto all = [&] {
      parse_thread.Begin("a");
      PushAll(parse_thread, text, 65536);
      parse_thread.End();
    };
    CHECK_THROWS_AS(all(), std::bad_alloc);
  }
}

TEST_CASE("nobody waits for what was not ended", "[api]") {
  Keeper kept;
  {
    ParseThread parse_thread(kept);
    parse_thread.OnPacked();
    parse_thread.Begin("a");
    PushAll(parse_thread, Numbered(2 * ParseThread::kDirectBytes), 1000);
    CHECK(parse_thread.WantsMore());
  }
  CHECK(kept.text.size() > ParseThread::kDirectBytes);
}

}  // namespace
}  // namespace ncclwhy
