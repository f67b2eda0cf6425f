#include "read/pickle.h"

#include <string>

#include "base/limits.h"
#include "catch.h"

namespace ncclwhy {
namespace {

using namespace std::string_literals;

// What follows is what pickletools.dis shows for it.
DocumentEnd Read(const std::string& bytes, Document* document) { return ReadPickle(bytes, document); }

TEST_CASE("plain containers are read", "[read]") {
  Document document;
  // {'a': [1, 258, -1, 2**40, True, None], 'b': ('x',)}
  const std::string bytes = "\x80\x02}(X\x01\0\0\0a](K\x01M\x02\x01J\xff\xff\xff\xff\x8a\x06\0\0\0\0\0\x01\x88Ne"s +
                            "X\x01\0\0\0bX\x01\0\0\0x\x85u."s;
  CHECK(Read(bytes, &document) == DocumentEnd::kWhole);
  const Document::Value root = document.root();
  REQUIRE(root.is_dict());
  CHECK(root["a"].size() == 6);
  CHECK(root["a"][1].Integer() == 258);
  CHECK(root["a"][2].Integer() == -1);
  CHECK(root["a"][3].Integer() == int64_t{1} << 40);
  CHECK(root["a"][4].True());
  CHECK(root["a"][5].kind() == Document::Kind::kNothing);
  CHECK(root["b"][size_t{0}].Text() == "x");
  CHECK(root["c"]["d"].Text().empty());
}

TEST_CASE("what is cut gives what is complete in front of it", "[read]") {
  const std::string bytes =
      "\x80\x02}(X\x01\0\0\0a](K\x01K\x02"
      "eX\x01\0\0\0b]u."s;
  for (size_t size = 2; size < bytes.size(); ++size) {
    Document document;
    CHECK(Read(bytes.substr(0, size), &document) != DocumentEnd::kWhole);
  }
  Document document;
  const std::string cut = bytes.substr(0, 16);  // behind the 2
  CHECK(Read(cut, &document) == DocumentEnd::kCut);
  CHECK(document.root()["a"].size() == 2);
}

TEST_CASE("a pickle that would run something is refused", "[read]") {
  for (const std::string& bytes : {
           "\x80\x02"
           "cos\nsystem\nX\x04\0\0\0true\x85R."s,  // os.system('true')
           "\x80\x02"
           "cbuiltins\neval\n)R."s,                     // eval()
           "\x80\x04\x8c\x02os\x8c\x06system\x93)R."s,  // STACK_GLOBAL
           "\x80\x02}}b."s,                             // BUILD
           "\x80\x02P1\n."s,
           "\x80\x02)\x81."s,
           "\x80\x02\x82\x01."s,     // PERSID, NEWOBJ, EXT1
           "\x80\x02K\x01K\x02R."s,  // REDUCE of a number
           "\x80\x02h\x07."s,
           "\x80\x02u."s,
           "\x80\x02\x87."s,
           "\x80\x02K\x01K\x02s."s,
       }) {
    CAPTURE(bytes);
    Document document;
    CHECK(Read(bytes, &document) == DocumentEnd::kRefused);
  }
  // Lists that PyTorch builds with a function of its own are lists.
  Document document;
  CHECK(Read("\x80\x02"
             "ctorch.jit._pickle\nbuild_intlist\n](K\x07K\x08"
             "e\x85R."s,
             &document) == DocumentEnd::kWhole);
  CHECK(document.root()[size_t{1}].Integer() == 8);
}

TEST_CASE("memo bombs cost what they are long", "[read]") {
  // Each list holds the one before it twice: 2^60 values when written out.
  std::string bytes = "\x80\x02]q\x01"s;
  for (int i = 0; i < 60; ++i)
    bytes +=
        "](h\x01h\x01"
        "eq\x01"s;
  Document document;
  CHECK(Read(bytes + ".", &document) == DocumentEnd::kCut);  // the lists stand beside each other
  // A list in itself.
  Document circle;
  CHECK(Read("\x80\x02]q\x01h\x01"
             "a."s,
             &circle) == DocumentEnd::kWhole);
  CHECK(circle.root()[size_t{0}][size_t{0}][size_t{0}].is_list());
  // More values than there is room for.
  Document many;
  CHECK(Read("\x80\x02](" + std::string(limits::kDocumentValues, 'N') + "e.", &many) == DocumentEnd::kRefused);
}

}  // namespace
}  // namespace ncclwhy
