#include "read/log_in_json.h"

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/limits.h"
#include "read/text_in_json.h"

namespace ncclwhy {
namespace {

constexpr size_t kLines = 3;  // fewer are a message

size_t LinesOf(std::string_view text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

// The texts of several lines in `value`, in their order. No document that is read is nested deeper than a parser of it
// goes, and this goes no deeper.
void Gather(const JsonValue& value, int depth, std::string* out) {
  constexpr int kDeepest = 32;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (LinesOf(text) < kLines) return;
    *out += text;
    if (out->back() != '\n') *out += '\n';
  } else if (value.is_structured() && depth < kDeepest) {
    for (const JsonValue& item : value) Gather(item, depth + 1, out);
  }
}

// ["node1:7:7 [0] NCCL INFO …", "Traceback (most recent call last):", …]
bool IsListOfLines(const JsonValue& root) {
  return root.is_array() && root.size() >= kLines &&
         std::all_of(root.begin(), root.end(), [](const JsonValue& line) { return line.is_string(); });
}

std::string LogIn(const std::string& bytes) {
  // No exception: what was cut is text.
  const JsonValue root = JsonValue::parse(bytes, nullptr, /*allow_exceptions=*/false);
  std::string text;
  if (IsListOfLines(root)) {
    for (const JsonValue& line : root) text += line.get_ref<const std::string&>() + "\n";
  } else if (!root.is_discarded()) {
    Gather(root, 0, &text);
  }
  return text;
}

}  // namespace

bool LooksLikeLogInJson(std::string_view first) {
  const size_t begin = first.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (first[begin] != '{' && first[begin] != '[')) return false;
  const size_t value = first.find_first_not_of(" \t\r\n", begin + 1);
  if (first[begin] == '[' && value != std::string_view::npos && first[value] == '"') return true;  // a list of texts
  size_t lines = 0;
  bool inside = false;
  for (size_t i = begin; i < first.size(); ++i) {
    if (first[i] == '\\') {
      lines += inside && i + 1 < first.size() && first[i + 1] == 'n' ? 1 : 0;
      if (lines >= kLines) return true;
      ++i;
    } else if (first[i] == '"') {
      inside = !inside;
      lines = 0;
    }
  }
  return false;
}

std::unique_ptr<Witness> NewLogInJson(const WitnessContext& context) {
  return NewTextInJson(context, LogIn, limits::kDocumentBytes);
}

}  // namespace ncclwhy
