#include "base/kept_text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a kept text borrows constants and owns what it is given", "[base]") {
  static constexpr std::string_view kConstant = "ib.retry-exceeded";
  const KeptText borrowed = KeptText::Borrowed(kConstant);
  const KeptText borrowed_too = borrowed;
  CHECK(borrowed_too.data() == kConstant.data());

  std::string text = "shm.too-small";
  const KeptText owned(text);
  const KeptText owned_too = owned;
  text.assign(text.size(), 'x');
  CHECK(owned == "shm.too-small");
  CHECK(owned_too == owned);
  CHECK(owned_too.data() != owned.data());
}

TEST_CASE("a kept text is copied, moved and assigned as a string is", "[base]") {
  KeptText a("one");
  KeptText b = std::move(a);
  CHECK(b == "one");
  CHECK(a.empty());  // NOLINT(bugprone-use-after-move): what is left is told
  a = b;
  b = "two";
  CHECK(a == "one");
  CHECK(b == "two");
  KeptText& self = b;
  b = self;
  CHECK(b == "two");
  b = std::move(self);
  CHECK(b == "two");
  std::swap(a, b);
  CHECK(a == "two");
  CHECK(b == "one");
  // A list that grows moves its texts.
  std::vector<KeptText> list;
  for (int i = 0; i < 100; ++i) list.emplace_back(std::to_string(i));
  CHECK(list[0] == "0");
  CHECK(list[99] == "99");
}

TEST_CASE("no kept text is a null pointer", "[base]") {
  KeptText moved("x");
  const KeptText taken = std::move(moved);
  CHECK(taken == "x");
  CHECK(moved.data() != nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(KeptText().data() != nullptr);
  CHECK(KeptText("").data() != nullptr);
  CHECK(KeptText::Borrowed({}).data() != nullptr);
}

}  // namespace
}  // namespace ncclwhy
