#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/escape.h"
#include "base/whole_file.h"

namespace ncclwhy {

Written WriteStandardOutput(std::string_view bytes) {
  const int error = WriteAll(STDOUT_FILENO, bytes);
  if (error == 0) return Written::kAll;
  // `ncclwhy logs/ | head` has what it wanted: no word about it.
  if (error == EPIPE) return Written::kReaderGone;
  Complain(std::string("cannot write to standard output: ") + std::strerror(error));
  return Written::kFailed;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  WholeFile file(path);
  int error = file.Open();
  if (error == 0) error = file.Write(bytes);
  // The reader of a pipe may leave.
  // A process substitution, `-o >(less)`, may be left early, too.
  if (error == EPIPE && file.is_device()) return {};
  if (error == 0) error = file.Finish();
  return error == 0 ? Status() : Status::Io("cannot write " + path + ": " + std::strerror(error));
}

void Complain(std::string_view sentence) {
  // Nobody can be told when standard error is closed, too.
  (void)WriteAll(STDERR_FILENO, "ncclwhy: " + EscapeTerminal(sentence) + "\n");
}

}  // namespace ncclwhy
