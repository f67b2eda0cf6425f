#include "read/libarchive.h"

#include <type_traits>

#ifdef NCCLWHY_LIBARCHIVE_SONAME
#include <dlfcn.h>
#endif

namespace ncclwhy {
namespace {

struct Loaded {
  LibarchiveFunctions functions;
  std::string why_not;
};

#ifdef NCCLWHY_LIBARCHIVE_SONAME
Loaded Load() {
  Loaded out;
  // Never closed: threads may be in it until the program ends.
  void* const library = ::dlopen(NCCLWHY_LIBARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL);
  const auto error = [&] {
    const char* const text = ::dlerror();
    out.why_not = text == nullptr ? NCCLWHY_LIBARCHIVE_SONAME " cannot be loaded" : text;
  };
  if (library == nullptr) {
    error();
    return out;
  }
  const auto find = [&](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_reference_t<decltype(*function)>>(::dlsym(library, name));
    if (*function == nullptr && out.why_not.empty()) error();
  };
#define NCCLWHY_FIND(name) find(#name, &out.functions.name);
  NCCLWHY_LIBARCHIVE_FUNCTIONS(NCCLWHY_FIND)
#undef NCCLWHY_FIND
  return out;
}
#else
// Linked: a program without shared libraries, or a system whose libraries are named in another way.
Loaded Load() {
  Loaded out;
#define NCCLWHY_TAKE(name) out.functions.name = &::name;
  NCCLWHY_LIBARCHIVE_FUNCTIONS(NCCLWHY_TAKE)
#undef NCCLWHY_TAKE
  return out;
}
#endif

const Loaded& Once() {
  static const Loaded loaded = Load();
  return loaded;
}

}  // namespace

const std::string& WhyNoLibarchive() { return Once().why_not; }

const LibarchiveFunctions& Libarchive() { return Once().functions; }

}  // namespace ncclwhy
