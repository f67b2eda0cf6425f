// What holds for every rendering of every report: valid UTF-8, nothing hidden, nothing that its format would obey.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy::hostile {

// What is wrong with `text` as output of `format`, in one sentence; empty when nothing is.
std::string WhatIsWrong(std::string_view format, std::string_view text);

}  // namespace ncclwhy::hostile
