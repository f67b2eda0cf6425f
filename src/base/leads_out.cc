#include "base/leads_out.h"

#include <algorithm>
#include <system_error>

namespace ncclwhy {

namespace fs = std::filesystem;

bool IsBelow(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

bool LeadsOut(const fs::path& link, const std::string& folder) {
  std::error_code error;
  const fs::path target = fs::canonical(link, error);
  if (error) return true;
  const fs::path base = fs::canonical(folder, error);
  return error || !IsBelow(target, base);
}

}  // namespace ncclwhy
