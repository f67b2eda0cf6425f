// What was read as text and is none: pictures, ciphers, streams of packers without a magic number, base64. It was read
// to its end and nothing was found, which says nothing about the job.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/source_digest.h"

namespace ncclwhy {

// Whether NCCL wrote lines of it, more than a document on one line has: nobody asks how it is encoded.
bool IsLogOfNccl(const SourceDigest& digest);

// Whether the beginning of a text is long lines as encodings write them, base64, hexadecimal digits, percent signs; or
// a document on one line with lines of NCCL in it.
// Of its first kilobytes. No for short texts: a token in a line is no encoding.
bool LooksEncoded(std::string_view first);

// A sentence on each source that is not a text of lines and told nothing, and on each dump that is cut or was refused.
// What lies about in a job's directory and never is a log (pictures, checkpoints) is not spoken of beside sources that
// NCCL wrote to.
void TellUnreadTexts(const std::vector<SourceDigest>& digests, std::vector<std::string>* problems);

}  // namespace ncclwhy
