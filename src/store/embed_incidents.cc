// Build step: the embedded incidents as a database, incidents_embedded.cc.
//
//   embed_incidents OUTPUT.cc
//
// Where SQLite has no FTS5 the database is empty: nothing is found in it, and the build says so.
#include <cstdio>
#include <string>

#include "base/embedded_source.h"
#include "kb/loader/kb.h"
#include "store/incident_image.h"

int main(int argc, char** argv) {
  using namespace ncclwhy;
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed_incidents OUTPUT.cc\n");
    return 2;
  }
  // Not an error of the build: a distribution's SQLite may lack FTS5, and all but "seen before" works without.
  const Result<std::string> image = BuildIncidentImage(KnowledgeBase::Embedded());
  if (!image.ok()) std::fprintf(stderr, "embed_incidents: no search: %s\n", image.status().message().c_str());
  EmbeddedSource out("embed_incidents", "kb/incidents", "store/incident_index.h");
  out.Bytes("kImage", image.ok() ? image.value() : std::string());
  return out.Save(argv[1], "std::string_view EmbeddedIncidentImage() { return {kImage, sizeof kImage - 1}; }\n") ? 0
                                                                                                                 : 1;
}
