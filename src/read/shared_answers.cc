#include "read/shared_answers.h"

#include "parser/hash.h"

namespace ncclwhy {

int SharedAnswers::Recognize(LogLevel level, std::string_view body) const {
  if (body.size() > kLongest) return catalogue_.Recognize(level, body);
  const uint64_t hash = HashQuickly(body, static_cast<uint64_t>(level));
  Text& text = texts_[hash & (kTexts - 1)];
  if (text.hash == hash && text.level == level && text.body == body) return text.message;
  const int message = catalogue_.Recognize(level, body);
  text.hash = 0;  // no answer, should there be no memory for the text
  text.body.assign(body);
  text.message = message;
  text.level = level;
  text.hash = hash;
  return message;
}

bool SharedAnswers::AlwaysRecognizes(LogLevel level, std::string_view shape, int message) const {
  std::pair<std::string, std::pair<LogLevel, int>> key(std::string(shape), {level, message});
  if (const auto known = always_.find(key); known != always_.end()) return known->second;
  const bool always = catalogue_.AlwaysRecognizes(level, shape, message);
  if (always_.size() < kShapes) always_.emplace(std::move(key), always);
  return always;
}

}  // namespace ncclwhy
