#include "read/pickle.h"

#include <bit>
#include <unordered_map>

namespace ncclwhy {
namespace {

using Item = Document::Id;

// A machine with a stack, as Python's own, but one that calls nothing: the few opcodes that a dump of PyTorch's flight
// recorder uses. Recursion there is none; whatever nests does so on the stack.
// A stack machine: values, and marks where a container's contents begin.
class Unpickler {
 public:
  Unpickler(std::string_view bytes, Document* document) : bytes_(bytes), document_(*document) {}

  DocumentEnd Run() {
    while (!refused_ && !cut_ && !stopped_) {
      const std::string_view opcode = Take(1);
      if (!cut_) Execute(opcode[0]);
    }
    if (refused_) return DocumentEnd::kRefused;
    if (cut_) CloseAll();
    if (stack_.empty()) return DocumentEnd::kRefused;
    document_.set_root(stack_.front());
    return cut_ || stack_.size() != 1 ? DocumentEnd::kCut : DocumentEnd::kWhole;
  }

 private:
  // Empty with `cut_` at the end of the bytes: callers go on with nothing, and the value that they make is not pushed.
  std::string_view Take(size_t size) {
    if (size > bytes_.size() - at_) {
      cut_ = true;
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  uint64_t Number(size_t size) {  // little-endian
    uint64_t value = 0;
    const std::string_view digits = Take(size);
    for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(digits[i]);
    return value;
  }

  // Without its end. A module's or a class's name of an opcode `c`.
  std::string_view Line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      cut_ = true;
      return {};
    }
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  void Refuse() { refused_ = true; }
  void Push(std::optional<Item> id) {
    if (cut_) return;  // its argument was not there
    id ? stack_.push_back(*id) : Refuse();
  }
  // A mark is no value.
  std::optional<Item> Pop() {
    if (stack_.empty() || document_.KindOf(stack_.back()) == Document::Kind::kMark) {
      Refuse();
      return std::nullopt;
    }
    const Item id = stack_.back();
    stack_.pop_back();
    return id;
  }

  // Where the values behind the last mark begin; the mark is in front of it.
  std::optional<size_t> Marked() {
    for (size_t i = stack_.size(); i-- > 0;) {
      if (document_.KindOf(stack_[i]) == Document::Kind::kMark) return i + 1;
    }
    Refuse();
    return std::nullopt;
  }

  // Puts the values from `first` into the container in front of them; `mark` is how many marks stand between.
  void AddAll(size_t first, size_t mark) {
    if (first < mark + 1) return Refuse();
    const Item container = stack_[first - mark - 1];
    const size_t pairs = document_.KindOf(container) == Document::Kind::kDict ? 2 : 1;
    if (document_.ItemsOf(container) == nullptr || (stack_.size() - first) % pairs != 0) return Refuse();
    for (size_t i = first; i < stack_.size(); ++i) {
      if (!document_.Add(container, stack_[i])) return Refuse();
    }
    stack_.resize(first - mark);
  }

  // A list, since nobody asks for the difference.
  void Tuple(size_t size) {
    if (stack_.size() < size) return Refuse();
    const auto list = document_.New(Document::Kind::kList);
    if (!list) return Refuse();
    for (size_t i = stack_.size() - size; i < stack_.size(); ++i) {
      if (document_.KindOf(stack_[i]) == Document::Kind::kMark || !document_.Add(*list, stack_[i])) return Refuse();
    }
    stack_.resize(stack_.size() - size);
    stack_.push_back(*list);
  }

  // The memo holds ids, not copies: a list that is filled later is filled in all its places.
  void Remember(uint64_t index) {
    if (cut_) return;
    if (stack_.empty()) return Refuse();
    memo_[index] = stack_.back();
  }

  void Recall(uint64_t index) {
    const auto it = memo_.find(index);
    if (it == memo_.end()) return cut_ ? void() : Refuse();
    stack_.push_back(it->second);
    // References cost like values.
    // A memo that is recalled again and again makes a large document of a small file.
    if (++recalled_ > bytes_.size()) Refuse();
  }

  // Any other global is refused: it would be code to run, and a dump of a recorder has none.
  void Builder(std::string_view module, std::string_view name) {
    const bool list = module == "torch.jit._pickle" && (name == "build_intlist" || name == "build_doublelist" ||
                                                        name == "build_boollist" || name == "restore_type_tag");
    const bool dict = module == "collections" && name == "OrderedDict";
    if (cut_) return;
    list || dict ? Push(document_.New(Document::Kind::kBuilder)) : Refuse();
  }

  // What builds a list gets the list; OrderedDict gets nothing, and is filled later.
  void Reduce() {
    const auto arguments = Pop();
    const auto builder = Pop();
    if (!arguments || !builder) return;
    const std::vector<Item>* items = document_.ItemsOf(*arguments);
    if (document_.KindOf(*builder) != Document::Kind::kBuilder || items == nullptr) return Refuse();
    items->empty() ? Push(document_.New(Document::Kind::kDict)) : Push((*items)[0]);
  }

  void Execute(char opcode);

  // As if the end had come in order: every container is closed.
  // A rank that was killed while it wrote its dump: the calls that are whole are worth having.
  void CloseAll() {
    for (size_t i = stack_.size(); i-- > 0;) {
      if (document_.KindOf(stack_[i]) != Document::Kind::kMark) continue;
      if (i == 0 || document_.ItemsOf(stack_[i - 1]) == nullptr) {
        stack_.resize(i);
        continue;
      }
      // A key without its value.
      if (document_.KindOf(stack_[i - 1]) == Document::Kind::kDict && (stack_.size() - i - 1) % 2 != 0)
        stack_.pop_back();
      AddAll(i + 1, 1);
    }
  }

  const std::string_view bytes_;
  Document& document_;
  size_t at_ = 0;
  std::vector<Item> stack_;
  std::unordered_map<uint64_t, Item> memo_;
  uint64_t recalled_ = 0;
  bool cut_ = false;
  bool refused_ = false;
  bool stopped_ = false;
};

void Unpickler::Execute(char opcode) {
  switch (opcode) {
    case '\x80':  // PROTO
      Take(1);
      return;
    case '\x95':  // FRAME
      Take(8);
      return;
    case '.':  // STOP
      stopped_ = true;
      return;
    case '(':
      return Push(document_.New(Document::Kind::kMark));
    case 'N':
      return Push(document_.New(Document::Kind::kNothing));
    case '\x88':
    case '\x89':
      return Push(document_.NewInteger(opcode == '\x88' ? 1 : 0, Document::Kind::kBool));
    case 'K':
      return Push(document_.NewInteger(static_cast<int64_t>(Number(1))));
    case 'M':
      return Push(document_.NewInteger(static_cast<int64_t>(Number(2))));
    case 'J':
      return Push(document_.NewInteger(static_cast<int32_t>(Number(4))));
    case '\x8a': {  // LONG1: two's complement in so many bytes
      const auto size = static_cast<size_t>(Number(1));
      if (size > 8) return Refuse();
      const uint64_t value = Number(size);
      const int shift = size == 0 ? 0 : static_cast<int>(64 - 8 * size);
      return Push(document_.NewInteger(size == 0 ? 0 : static_cast<int64_t>(value << shift) >> shift));
    }
    case 'G': {  // BINFLOAT, big-endian
      uint64_t bits = 0;
      for (const char c : Take(8)) bits = bits << 8 | static_cast<uint8_t>(c);
      return Push(document_.NewReal(std::bit_cast<double>(bits)));
    }
    case 'X':
    case 'T':
    case 'B':
      return Push(document_.NewText(Take(static_cast<size_t>(Number(4)))));
    case '\x8c':
    case 'U':
    case 'C':
      return Push(document_.NewText(Take(static_cast<size_t>(Number(1)))));
    case '\x8d':
    case '\x8e': {
      const uint64_t size = Number(8);
      return Push(document_.NewText(Take(static_cast<size_t>(size))));
    }
    case '}':
      return Push(document_.New(Document::Kind::kDict));
    case ']':
    case ')':
      return Push(document_.New(Document::Kind::kList));
    case '\x85':
    case '\x86':
    case '\x87':
      return Tuple(static_cast<size_t>(opcode - '\x84'));
    case 't':
      if (const auto first = Marked()) {
        Tuple(stack_.size() - *first);
        if (!refused_) stack_.erase(stack_.end() - 2);  // the mark
      }
      return;
    case 'l':
    case 'd': {
      const auto first = Marked();
      const auto container = document_.New(opcode == 'l' ? Document::Kind::kList : Document::Kind::kDict);
      if (!first || !container) return Refuse();
      stack_[*first - 1] = *container;  // it takes the place of the mark
      return AddAll(*first, 0);
    }
    case 'e':
    case 'u':
      if (const auto first = Marked()) AddAll(*first, 1);
      return;
    case 'a':
      return stack_.size() < 2 ? Refuse() : AddAll(stack_.size() - 1, 0);
    case 's':
      return stack_.size() < 3 ? Refuse() : AddAll(stack_.size() - 2, 0);
    case '0':
      Pop();
      return;
    case 'q':
      return Remember(Number(1));
    case 'r':
      return Remember(Number(4));
    case '\x94':  // MEMOIZE
      return Remember(memo_.size());
    case 'h':
      return Recall(Number(1));
    case 'j':
      return Recall(Number(4));
    case 'c': {
      const std::string_view module = Line();
      return Builder(module, Line());
    }
    case '\x93': {  // STACK_GLOBAL
      const auto name = Pop();
      const auto module = Pop();
      if (!name || !module) return;
      return Builder(document_.TextOf(*module), document_.TextOf(*name));
    }
    case 'R':
      return Reduce();
    default:
      return Refuse();
  }
}

}  // namespace

DocumentEnd ReadPickle(std::string_view bytes, Document* document) { return Unpickler(bytes, document).Run(); }

}  // namespace ncclwhy
