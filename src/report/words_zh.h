// The Chinese words of the human formats; words.cc has the English ones, and chooses.
#pragma once

#include "report/words.h"

namespace ncclwhy {

extern const Words kChineseWords;

}  // namespace ncclwhy
