#include "analyze/template_values.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("what quoted the line does not stay at a value", "[analyze]") {
  CHECK(WithoutQuotes("Invalid argument\"") == "Invalid argument");
  CHECK(WithoutQuotes("Invalid argument\",") == "Invalid argument");
  CHECK(WithoutQuotes("invalid argument')") == "invalid argument");
  CHECK(WithoutQuotes("invalid argument\\\"") == "invalid argument");
}

TEST_CASE("quotes of the value itself stay", "[analyze]") {
  CHECK(WithoutQuotes("call to \"open\"") == "call to \"open\"");
  CHECK(WithoutQuotes("can't open") == "can't open");
  CHECK(WithoutQuotes("") == "");
  CHECK(WithoutQuotes("\"") == "");
}

}  // namespace
}  // namespace ncclwhy
