// What the words of complaints say of causes, whoever wrote them: a linear model (kb/words, which kb/words/train.py
// learns from labelled logs). For sentences that no rule knows:
//   gasnet: ibv_reg_mr(fb_mem, 8589934592) → Bad address     reg mr, bad address: ib.memory-registration
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kb/loader/kb.h"

namespace ncclwhy {

// Words of a text as the model knows them, in order and in lower case: `[a-z_]{2,}`; numbers of up to three digits that
// stand alone, but no part of an address, a version or a time, and no line of a source file; each character of Chinese,
// Japanese and Korean.
std::vector<std::string> WordsOf(std::string_view text);

struct WordReading {
  std::string cause;
  double margin = 0;  // above 0: the model decides for it; tests/incidents/README.md has how often it is right
  std::vector<size_t> telling;     // indexes of the sentences that say most for it, most first; at most three
  std::vector<std::string> words;  // that say most for it, most first; at most three
};

// The causes that the sentences speak for most, best first, at most three; none where they tell nothing. A sentence
// that stands there twice counts twice.
std::vector<WordReading> ReadWords(const std::vector<std::string_view>& sentences, const KnowledgeBase& kb);

}  // namespace ncclwhy
