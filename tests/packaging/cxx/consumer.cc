// A program that embeds ncclwhy through its C++ API. argv[1]: a log whose cause is argv[2].
#include <ncclwhy/analyzer.h>
#include <ncclwhy/ncclwhy.h>
#include <ncclwhy/version.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(ncclwhy_version(), NCCLWHY_VERSION) != 0) return 2;
  auto analyzer = ncclwhy::Analyzer::Create({});
  if (!analyzer.ok()) {
    std::cerr << analyzer.status().message() << "\n";
    return 1;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!analyzer.value()->Begin("job").ok() || !analyzer.value()->Push(bytes).ok() ||
      !analyzer.value()->EndSource().ok()) {
    return 1;
  }
  const ncclwhy::Result<ncclwhy::Report> report = analyzer.value()->Finish();
  if (!report.ok() || report.value().causes.empty() || report.value().causes[0].id != argv[2]) return 1;
  if (ncclwhy::ExitStatus(report.value()) != 1) return 1;
  const ncclwhy::Result<std::string> text = ncclwhy::RenderReport(report.value(), "summary", {});
  if (!text.ok()) return 1;
  std::cout << "ncclwhy " << NCCLWHY_VERSION << ": " << text.value();
  // An error crosses the border as a value.
  return ncclwhy::RenderReport(report.value(), "no such format", {}).ok() ? 1 : 0;
}
