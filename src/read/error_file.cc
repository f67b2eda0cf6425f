#include "read/error_file.h"

#include <string>

#include "base/json.h"
#include "base/limits.h"
#include "read/text_in_json.h"

namespace ncclwhy {
namespace {

// The text of a member, or "".
std::string TextOf(const JsonValue& object, const char* key) {
  if (!object.is_object()) return {};
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// What the process wrote, as lines; empty when `bytes` is no error file. The traceback ends with the message, mostly.
std::string Statement(const std::string& bytes) {
  // No exception: a file that was cut while it was written is text.
  const JsonValue root = JsonValue::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("message")) return {};
  const JsonValue& message = root["message"];
  const std::string words = TextOf(message, "message");
  std::string text;
  if (message.is_object() && message.contains("extraInfo")) text = TextOf(message["extraInfo"], "py_callstack");
  if (!text.empty() && text.back() != '\n') text += '\n';
  // A rank that was killed has no traceback, and its message is a sentence of the agent.
  if (text.find(words) == std::string::npos) text += words + "\n";
  return text;
}

}  // namespace

bool LooksLikeErrorFile(std::string_view first) {
  for (const std::string_view token : {"{", "\"message\"", ":", "{"}) {
    first.remove_prefix(std::min(first.find_first_not_of(" \t\r\n"), first.size()));
    if (!first.starts_with(token)) return false;
    first.remove_prefix(token.size());
  }
  return true;
}

// Longer than any error file: a log that begins like one.
std::unique_ptr<Witness> NewErrorFile(const WitnessContext& context) {
  return NewTextInJson(context, Statement, limits::kPastedBytes);
}

}  // namespace ncclwhy
