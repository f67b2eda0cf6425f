// What mpirun --tag-output leaves within a line that a program wrote in pieces.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// Takes out `[1,3]<stderr>:` with the time in front of it, wherever it stands:
//   instance of '[1,3]<stderr>:std::runtime_error[1,3]<stderr>:'   instance of 'std::runtime_error'
//   what():  Sun Nov 22 11:10:31 2026[1,3]<stderr>:loss is nan     what():  loss is nan
// False, and `text` as it was, where none stands.
// At most one pass over the text; nothing is copied where no tag is.
// mpirun puts the tag at each write of the program, not at each line: an exception whose text is written piece by piece
// has one in front of every piece.
bool DropLauncherTags(std::string* text);

}  // namespace ncclwhy
