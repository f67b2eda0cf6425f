// KeptText: a text of the knowledge. Of the program's own knowledge it borrows the constant bytes, so that starting
// copies nothing; what a user's file adds it owns.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ncclwhy {

// A std::string_view in all that reads it: comparing, searching, printing. The copy of one that owns its bytes has its
// own; that of one that borrows costs nothing. A text never changes in place, so any number of threads may read it.
// No NUL behind it; data() is never null, which functions of C take for no text at all.
class KeptText : public std::string_view {
 public:
  KeptText() : std::string_view("") {}
  // Copies the bytes. Implicit, as for std::string: rules of tests are written with plain literals.
  KeptText(std::string_view text) : KeptText() {
    if (text.empty()) return;
    auto copy = std::make_unique<char[]>(text.size());
    std::copy(text.begin(), text.end(), copy.get());
    base() = {copy.get(), text.size()};
    owned_ = std::move(copy);
  }
  KeptText(const std::string& text) : KeptText(std::string_view(text)) {}
  KeptText(const char* text) : KeptText(std::string_view(text)) {}
  // `text` has to outlive every copy of what is returned: constants of the program.
  static KeptText Borrowed(std::string_view text) {
    KeptText kept;
    if (!text.empty()) kept.base() = text;
    return kept;
  }

  KeptText(const KeptText& other) : KeptText(other.owned_ ? KeptText(other.base()) : Borrowed(other.base())) {}
  // What was moved from is empty.
  KeptText(KeptText&& other) noexcept
      : std::string_view(std::exchange(other.base(), "")), owned_(std::move(other.owned_)) {}
  KeptText& operator=(const KeptText& other) { return *this = KeptText(other); }
  KeptText& operator=(KeptText&& other) noexcept {
    // By way of a third: a text may be moved to itself, as algorithms do.
    KeptText moved(std::move(other));
    std::swap(base(), moved.base());
    std::swap(owned_, moved.owned_);
    return *this;
  }
  ~KeptText() = default;

  std::string str() const { return std::string(base()); }

  // Of a view that may be cut; this one has to know where its bytes begin.
  void remove_prefix(size_t) = delete;
  void remove_suffix(size_t) = delete;
  void swap(std::string_view&) = delete;

 private:
  std::string_view& base() { return *this; }
  const std::string_view& base() const { return *this; }

  std::unique_ptr<const char[]> owned_;  // null: borrowed, or empty
};

}  // namespace ncclwhy
