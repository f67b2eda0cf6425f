// Diagnostic: a located complaint about a file that somebody wrote (a rule, knowledge), in a compiler's form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ncclwhy {

// Owns all its texts, so it may outlive the file that it speaks of. What reads the file collects as many as it finds:
// an author mends five mistakes in one go.
struct Diagnostic {
  enum Level { kError, kWarning } level = kError;
  // As it was named on the command line, or the name that an embedded file has.
  std::string file;
  uint32_t line = 0;    // 1-based; 0 = the whole file
  uint32_t column = 0;  // 1-based, in characters
  std::string code;     // "R012"
  // One sentence without a final point, as compilers write.
  std::string message;
  // May be empty; so may the snippet, where the line is not at hand.
  std::string help;     // how to fix it
  std::string snippet;  // the source line
};

// Without a final newline:
//   rules/catalog/shm/x/rule.json:3:15: error: R033: the regex does not compile: missing ): (
//       3 |  "match": [{"regex": "("}]
//         |                      ^
//     help: …
std::string FormatDiagnostic(const Diagnostic& diagnostic);
// The same for a list, one after the other, each with a final newline.
std::string FormatDiagnostics(const std::vector<Diagnostic>& diagnostics);
// Warnings alone are no errors.
bool HasErrors(const std::vector<Diagnostic>& diagnostics);

}  // namespace ncclwhy
