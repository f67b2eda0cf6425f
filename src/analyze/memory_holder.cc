#include "analyze/memory_holder.h"

#include <cstdlib>
#include <string>

namespace ncclwhy {
namespace {

// "79.25 GiB" behind `words`, in GiB; 0 where it is not there.
double AmountBehind(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  const std::string rest(text.substr(at + words.size(), 32));
  char* end = nullptr;
  const double amount = std::strtod(rest.c_str(), &end);
  const std::string_view unit(end);
  return unit.starts_with(" GiB") ? amount : unit.starts_with(" MiB") ? amount / 1024 : 0;
}

}  // namespace

bool HolderIsItself(std::string_view text) {
  const size_t process = text.find("Process ");
  if (process == std::string_view::npos) return false;
  const double total = AmountBehind(text, "total capacity of ");
  const double held = AmountBehind(text.substr(process), " has ");
  const double own = AmountBehind(text, "Of the allocated memory ");
  return total > 0 && held > 0 && own > 0 && held + own > total;
}

}  // namespace ncclwhy
