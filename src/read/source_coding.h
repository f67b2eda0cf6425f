// SourceDigest ⇄ bytes. Equal digests have equal bytes, on every machine.
//
//   unsigned numbers   seven bits a byte, the lowest first (LEB128); signed ones as 2n or -2n-1
//   texts              their length, their bytes; inside a source as numbers of its list of texts
//   lists              their length, their elements (digest_fields.h)
#pragma once

#include <string>
#include <string_view>

#include "read/source_digest.h"

namespace ncclwhy {

// The carrier is not in it.
std::string EncodeSource(const SourceDigest& digest);

// False: no such bytes, or what they say cannot be, such as a line of a process that is not there. Nothing is
// allocated that the bytes do not fill.
bool DecodeSource(std::string_view bytes, SourceDigest* digest);

}  // namespace ncclwhy
