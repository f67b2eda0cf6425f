// Reads pickles of plain containers, running nothing: the subset of opcodes that PyTorch's C++ pickler and Python's
// pickle write for dictionaries, lists, tuples, texts, numbers, truth values and None (protocols 2 to 5).
//
// Source: torch/csrc/jit/serialization/pickler.cpp, PyTorch 2.2 to 2.9; pickletools of Python 3.13.
//
// A pickle is a program. What this one refuses, it refuses by name: GLOBAL and REDUCE of anything but the lists that
// torch.jit._pickle builds and of collections.OrderedDict, all of BUILD, NEWOBJ, EXT, PERSID and buffers.
#pragma once

#include <string_view>

#include "read/document.h"

namespace ncclwhy {

enum class DocumentEnd : uint8_t {
  kWhole,
  kCut,      // it ends too early, or is damaged: what was complete in front of that is in the document
  kRefused,  // it holds what is not read, or more than there is room for: nothing is in the document
};

// `bytes` must outlive the document.
// Never recurses, so depth is no danger; time and memory are bounded by the size of `bytes`.
DocumentEnd ReadPickle(std::string_view bytes, Document* document);

}  // namespace ncclwhy
