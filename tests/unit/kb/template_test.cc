#include "kb/loader/template.h"

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
#include "kb/loader/kb.h"

namespace ncclwhy {
namespace {

TEST_CASE("templates expand", "[kb]") {
  const TemplateValues values = {{"host", "gpu-a17"}, {"rank", "3"}, {"size_human", "33 MB"}, {"peer", ""}};
  const struct {
    const char* text;
    const char* expanded;
  } kCases[] = {
      {"plain", "plain"},
      {"", ""},
      {"rank {rank} on {host}", "rank 3 on gpu-a17"},
      {"port {port}", "port ?"},
      {"port {port|29500}", "port 29500"},
      {"rank {rank|0}", "rank 3"},
      {"peer {peer|nobody}", "peer nobody"},  // an empty value is not known
      {"/dev/shm[[ on {host}]] is full[[ at {port}]].", "/dev/shm on gpu-a17 is full."},
      {"[[{host}[[ and {port}]] end]]", "gpu-a17 end"},
      {"[[{port}[[ and {host}]] end]]", ""},
      {"[[uses {port|a port}]]", "uses a port"},
      {"literal {{rank}", "literal {rank}"},
      {"awk '{print $1}' ${HOME} {A}", "awk '{print $1}' ${HOME} {A}"},
      {"[[ -e /dev/shm ]] && ls", "[[ -e /dev/shm ]] && ls"},
      {"open [[ only {host}", "open [[ only gpu-a17"},
      {"{", "{"},
      {"{rank", "{rank"},
      {"{rank|", "{rank|"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(ExpandTemplate(c.text, values) == c.expanded);
  }
}

TEST_CASE("a value is not a template", "[kb]") {
  CHECK(ExpandTemplate("{host}", {{"host", "{rank} [[x]]"}, {"rank", "3"}}) == "{rank} [[x]]");
  CHECK(ExpandTemplate("{NCCL_IB_PKEY}[[, {NCCL_IB_TC}]] {MASTER}", {{"NCCL_IB_PKEY", "200"}}) == "200 {MASTER}");
}

TEST_CASE("deep brackets end", "[kb]") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "[[";
  for (int i = 0; i < 5000; ++i) text += "]]";
  CHECK(!ExpandTemplate(text, {}).empty());
}

TEST_CASE("templates are checked", "[kb]") {
  CHECK(CheckTemplate("[[ on {host}]] {shm_needed|1g} {{x} awk '{print $1}'").empty());
  CHECK(CheckTemplate("{hots}").size() == 1);
  CHECK(CheckTemplate("[[ on {host}").size() == 1);
}

TEST_CASE("kb/README.md lists the names that templates may use", "[kb]") {
  const std::set<std::string> ours = {
#define SAID(name, kind) #name,
#define MADE(name, kind) #name,
#define KEPT(name)
#include "kb/loader/template_names.def"
#undef SAID
#undef MADE
#undef KEPT
  };
  std::ifstream in(NCCLWHY_SOURCE_DIR "/kb/README.md");
  std::ostringstream text;
  text << in.rdbuf();
  const std::string readme = text.str();
  const size_t begin = readme.find("Names that may be used");
  const size_t first = readme.find('`', begin);
  const size_t last = readme.find('`', first + 1);
  REQUIRE(last != std::string::npos);
  std::istringstream names(readme.substr(first + 1, last - first - 1));
  CHECK(std::set<std::string>(std::istream_iterator<std::string>(names), {}) == ours);
}

}  // namespace
}  // namespace ncclwhy
