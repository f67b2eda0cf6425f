#include "fuzz/scratch.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/check.h"

namespace ncclwhy::fuzz {

namespace fs = std::filesystem;

Scratch& Scratch::Get() {
  static Scratch scratch;
  return scratch;
}

Scratch::Scratch() {
  std::error_code ignored;
  const fs::path memory = "/dev/shm";
  const fs::path base =
      fs::is_directory(memory, ignored) && access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  std::string name = (base / "ncclwhy-fuzz-XXXXXX").string();
  FUZZ_CHECK(mkdtemp(name.data()) != nullptr);
  root_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string Scratch::Write(std::string_view name, std::string_view bytes) {
  const fs::path path = fs::path(root_) / name;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  FUZZ_CHECK(file.good());
  return path.string();
}

}  // namespace ncclwhy::fuzz
