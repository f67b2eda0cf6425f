// Links that lead out of a folder: whoever packed or owns the folder chose where to, not who named it.
#pragma once

#include <filesystem>
#include <string>

namespace ncclwhy {

// Both without links in them: of fs::canonical.
bool IsBelow(const std::filesystem::path& file, const std::filesystem::path& folder);

// Also when it leads nowhere.
bool LeadsOut(const std::filesystem::path& link, const std::string& folder);

}  // namespace ncclwhy
