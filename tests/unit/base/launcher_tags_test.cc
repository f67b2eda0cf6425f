#include "base/launcher_tags.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Without(std::string text) {
  DropLauncherTags(&text);
  return text;
}

TEST_CASE("what mpirun puts in front of each piece of a line is taken out", "[base]") {
  CHECK(Without("instance of '[1,3]<stderr>:std::runtime_error[1,3]<stderr>:'") == "instance of 'std::runtime_error'");
  CHECK(Without("  what():  Sun Nov 22 11:10:31 2026[1,3]<stderr>:loss is nanSun Nov  2 11:10:31 2026[1,3]<stderr>:") ==
        "  what():  loss is nan");
  CHECK(Without("[12]<stddiag>:x") == "x");
}

TEST_CASE("what only looks like a launcher's tag stays", "[base]") {
  for (const std::string text : {"", "<stderr>:", "]<stderr>:", "[]<stderr>:x", "a[b]<stderr>:x", "1,3]<stderr>:x",
                                 "[1,3]<stdin>:x", "[1,3]<std", "[1,3] <stderr>:x"}) {
    std::string same = text;
    CHECK_FALSE(DropLauncherTags(&same));
    CHECK(same == text);
  }
}

}  // namespace
}  // namespace ncclwhy
