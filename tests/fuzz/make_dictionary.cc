// Writes a libFuzzer dictionary from the message catalogue: make_dictionary KB_DIRECTORY OUTPUT. The literal parts of
// every format, and the words that headers and rules are made of.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

// Longer entries are seldom inserted whole.
constexpr size_t kLongest = 60;
constexpr size_t kShortest = 5;

constexpr const char* kWords[] = {" NCCL INFO ",
                                  " NCCL WARN ",
                                  " NCCL CALL ",
                                  " NCCL TRACE ",
                                  " NCCL ABORT ",
                                  " NCCL DIAG ",
                                  "node1:100:101 [0]",
                                  "NCCL version 2.",
                                  "Init START",
                                  "Init COMPLETE",
                                  "Abort COMPLETE",
                                  "Destroy COMPLETE",
                                  " -> 2",
                                  " via P2P/",
                                  " via NET/IB/",
                                  "/GDRDMA",
                                  "[rank0]:",
                                  "[default0]:",
                                  "[1,0]<stderr>:",
                                  "opCount ",
                                  " [nranks=",
                                  "commId 0x",
                                  "\\x1e",
                                  "\\x1b[31m",
                                  "\\x00",
                                  "\\xff\\xfe",
                                  "\\xef\\xbb\\xbf",
                                  "\\x0d\\x0a",
                                  "ProcessGroupNCCL.cpp:",
                                  "Watchdog caught collective",
                                  "slurmstepd: error:",
                                  "NVRM: Xid (",
                                  "Out of memory: Killed process ",
                                  "Traceback (most recent call last):"};

// The parts of a printf format between its conversions.
void AddLiterals(std::string_view format, std::set<std::string>* out) {
  std::string part;
  const auto flush = [&] {
    if (part.size() >= kShortest) out->insert(part.substr(0, kLongest));
    part.clear();
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      part += format[i];
      continue;
    }
    flush();
    while (i + 1 < format.size() &&
           std::string_view("diouxXeEfFgGaAcspn%").find(format[i + 1]) == std::string_view::npos) {
      ++i;
    }
    ++i;
  }
  flush();
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char hex[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += hex;
    }
  }
  return out + "\"";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::set<std::string> literals;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(argv[1]) / "messages")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
      if (message.is_object() && message.contains("format"))
        AddLiterals(message["format"].get<std::string>(), &literals);
    }
  }
  if (literals.empty()) {
    std::cerr << argv[1] << ": no messages\n";
    return 1;
  }
  std::ofstream out(argv[2]);
  for (const char* word : kWords) out << '"' << word << "\"\n";
  for (const std::string& literal : literals) out << Quoted(literal) << "\n";
  return out.good() ? 0 : 1;
}
