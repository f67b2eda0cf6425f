// Build step: the embedded incidents as a database, incidents_embedded.cc.
//
//   embed_incidents OUTPUT.cc
//
// Where SQLite has no FTS5 the database is empty: nothing is found in it, and the build says so.
#include <cstdio>
#include <fstream>

#include "base/literal_text.h"
#include "kb/loader/kb.h"
#include "store/incident_image.h"

int main(int argc, char** argv) {
  using namespace ncclwhy;
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed_incidents OUTPUT.cc\n");
    return 2;
  }
  const Result<std::string> image = BuildIncidentImage(KnowledgeBase::Embedded());
  if (!image.ok()) std::fprintf(stderr, "embed_incidents: no search: %s\n", image.status().message().c_str());
  std::ofstream out(argv[1], std::ios::binary);
  out << "// Made by embed_incidents from kb/incidents. Do not edit.\n"
         "#include \"store/incident_index.h\"\n\nnamespace ncclwhy {\nnamespace {\n\n";
  WriteLiteral(out, "kImage", image.ok() ? image.value() : std::string());
  out << "\n}  // namespace\n\nstd::string_view EmbeddedIncidentImage() { return {kImage, sizeof kImage - 1}; }\n\n"
         "}  // namespace ncclwhy\n";
  out.close();
  if (!out) std::fprintf(stderr, "%s: cannot be written\n", argv[1]);
  return out ? 0 : 1;
}
