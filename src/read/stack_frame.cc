#include "read/stack_frame.h"

#include <algorithm>

#include "base/limits.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::StartsWith;
using scan::Trim;

constexpr size_t kFrameText = 96;  // a C++ name with its templates says nothing more

std::string_view FileOf(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

// Whose source a frame is of: Python's, a package's, the C library's, NCCL's or CUDA's, and not the program's.
//   ./nptl/futex-internal.c:57      ../sysdeps/posix/usleep.c:31      torch/distributed/distributed_c10d.py:2183
//   D:\app\env\Lib\site-packages\torch\nn\modules\linear.py
bool IsLibrary(std::string_view path) {
  std::string slashed;
  if (Contains(path, "\\")) {
    slashed = path;
    std::replace(slashed.begin(), slashed.end(), '\\', '/');
    path = slashed;
  }
  constexpr std::string_view kBegin[] = {"./",          "../",      "torch/",     "torch_",      "threading.py",
                                         "selectors.",  "queue.py", "socket.py",  "subprocess.", "multiprocessing/",
                                         "concurrent/", "asyncio/", "importlib/", "runpy.py",    "contextlib.py",
                                         "jax/",        "jaxlib/",  "flax/",      "tensorflow/", "numpy/"};
  constexpr std::string_view kHold[] = {"/site-packages/", "/dist-packages/", "/lib/python", "/lib64/python", "\"<",
                                        "/torch/",         "/importlib/",     "/nccl/",      ".so",           "<frozen",
                                        "/sysdeps/",       "/nptl/",          "/glibc"};
  return std::any_of(std::begin(kBegin), std::end(kBegin), [&](std::string_view b) { return StartsWith(path, b); }) ||
         std::any_of(std::begin(kHold), std::end(kHold), [&](std::string_view h) { return Contains(path, h); });
}

std::string WholeFrameIn(std::string_view text, bool py_spy) {
  // File "/usr/lib/python3.11/threading.py", line 324 in wait
  if (StartsWith(text, "File \"")) {
    const std::string_view path = text.substr(6, text.find('"', 6) - 6);
    const std::string_view function = Trim(After(text, " in "));
    if (function.empty()) return {};
    return std::string(function) + " (" + std::string(FileOf(path)) + ":" +
           std::string(scan::WordBehind(text, "\", line ")) + ")";
  }
  if (StartsWith(text, "<no Python frame>")) return std::string(text);
  // #1  0x00007f16 in ncclGroupEnd () from /lib/libnccl.so.2   ·   #3  main (argc=2) at x.c:9
  if (text[0] == '#' && text.size() > 2 && scan::IsDigit(text[1])) {
    std::string_view rest = Trim(text.substr(1 + scan::DigitsAt(text, 1)));
    if (StartsWith(rest, "0x")) rest = Trim(After(rest, " in "));
    const std::string function(rest.substr(0, rest.find(" (")));
    const size_t at = rest.rfind(") at ");
    if (at == std::string_view::npos || IsLibrary(rest.substr(at + 5))) return function;
    return function + " (" + std::string(FileOf(Trim(rest.substr(at + 5)))) + ")";
  }
  // @     0x7f16a8c42520 c10d::ProcessGroupNCCL::heartbeatMonitor()
  if (StartsWith(text, "@ ")) {
    const std::string_view rest = Trim(text.substr(1));
    return StartsWith(rest, "0x") ? std::string(Trim(rest.substr(std::min(rest.find(' '), rest.size()))))
                                  : std::string();
  }
  // all_reduce (torch/distributed/distributed_c10d.py:2183)   ·   pthread_cond_wait (libc.so.6)
  if (py_spy && text.back() == ')' && text.rfind(" (") != std::string_view::npos && !StartsWith(text, "Thread ")) {
    const std::string_view place = text.substr(text.rfind(" (") + 2);
    if (Contains(place, ":") || Contains(place, ".so") || Contains(place, ".py")) return std::string(text);
  }
  return {};
}

}  // namespace

std::string FrameIn(std::string_view text, bool py_spy) {
  std::string frame = WholeFrameIn(text, py_spy);
  frame.resize(std::min(frame.size(), kFrameText));
  return frame;
}

bool IsProgramFrame(std::string_view text) { return Contains(text, "\", line ") && !IsLibrary(text); }

bool IsProgramsOwn(std::string_view text, std::string_view frame) {
  if (StartsWith(text, "File \"")) return IsProgramFrame(text);
  constexpr std::string_view kLibraries[] = {"nccl", "c10d::", "c10::", "at::", "torch::", "std::", "cuda"};
  const auto of_library = [&](std::string_view name) { return StartsWith(frame, name); };
  const size_t at = frame.rfind(" (");
  if (at == std::string_view::npos || frame.back() != ')') return false;
  if (std::any_of(std::begin(kLibraries), std::end(kLibraries), of_library)) return false;
  const std::string_view place = frame.substr(at + 2);
  return Contains(place, ":") && !IsLibrary(place);
}

bool IsPieceOfStack(std::string_view text) {
  if (text.size() > limits::kEvidenceText) return false;
  if (StartsWith(text, "Thread 0x") || StartsWith(text, "Current thread 0x")) return !Contains(text, "call first)");
  if (text == "File") return true;
  if (!StartsWith(text, "File \"")) return false;
  const std::string_view behind = After(text, "\", line ");
  return behind.empty() || Trim(After(behind, " in ")).empty();
}

}  // namespace ncclwhy
