// Texts that no form of a prefix fits and that stood in front of NCCL's header more than once: `worker-11 >> [1] NCCL
// …`
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

class LearnedPrefixes {
 public:
  // Text that stood in front of a header: believed from its second time on. What cannot be a prefix (a progress bar, a
  // piece of a header, more than 96 bytes) is not learned, nor is more than 512 of them.
  void Learn(std::string_view junk);

  // Whether one of them begins with this byte.
  bool MayBegin(char c) const { return heads_.test(static_cast<unsigned char>(c)); }

  // Takes the first that fits off `text`; `name`, if it has one, is a view of `text`. False: none does, both are
  // untouched.
  bool TakeOff(std::string_view& text, std::string_view* name);

  size_t size() const { return believed_.size(); }

 private:
  // A text that stood in front of headers twice.
  struct Prefix {
    explicit Prefix(std::string learned);

    bool Begins(std::string_view line, uint64_t line_head) const;

    std::string text;
    size_t name_begin = 0, name_end = 0;  // what is taken for the name of who printed it
    uint64_t head = 0, head_mask = 0;     // its first bytes, as swar::Load has them
  };

  std::vector<Prefix> believed_;
  std::bitset<256> heads_;               // the bytes they begin with
  std::vector<std::string> candidates_;  // texts that stood in front of a header once
  size_t last_ = 0;                      // the one that fitted last: the lines of one rank stand together
};

}  // namespace ncclwhy
