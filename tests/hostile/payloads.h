// Texts that attack whoever reads a report: terminals, browsers, Markdown, CI systems, spreadsheets, shells.
#pragma once

#include <string>
#include <vector>

namespace ncclwhy::hostile {

struct Payload {
  const char* name;
  std::string text;
};

std::vector<Payload> Payloads();

}  // namespace ncclwhy::hostile
