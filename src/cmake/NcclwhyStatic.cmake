# NCCLWHY_STATIC: a program that needs no library at run time, made of Debian 12's static libraries (THIRD_PARTY.md says
# which). A shared library cannot be made of them: RE2 and bzip2 are not position independent there.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_CXX_LINK_OPTIONS_PIE)  # -pie, which -static-pie does not stand beside

# Debian has no libfmt.a. One source file is all of it; what it instantiates is that of fmt 9's src/format.cc. FMT_SHARED only
# makes our own objects those of the dynamic build, which the compiler cache has.
find_path(NCCLWHY_FMT_INCLUDE fmt/format-inl.h REQUIRED)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fmt.cc CONTENT [[
#include <fmt/format-inl.h>
FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}
FMT_END_NAMESPACE
]] @ONLY)
add_library(ncclwhy_fmt STATIC ${PROJECT_BINARY_DIR}/fmt.cc)
target_include_directories(ncclwhy_fmt SYSTEM PUBLIC ${NCCLWHY_FMT_INCLUDE})
target_compile_definitions(ncclwhy_fmt INTERFACE FMT_SHARED)
add_library(fmt::fmt ALIAS ncclwhy_fmt)

# The formats that src/read enables, not all that pkg-config tells of (XML, access control lists).
function(ncclwhy_static_archive)
  set(needs)
  foreach(name lzma zstd lz4 bz2 z nettle)
    find_library(NCCLWHY_STATIC_${name} ${name} REQUIRED)
    list(APPEND needs ${NCCLWHY_STATIC_${name}})
  endforeach()
  set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${needs})

  # For src/packaging/spdx.py: every library that goes into the program, those of the compiler, too.
  foreach(name stdc++ gcc gcc_eh c m)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a OUTPUT_VARIABLE path
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND needs ${path})
  endforeach()
  foreach(target re2::re2 SQLite::SQLite3 LibArchive::LibArchive)
    get_target_property(path ${target} IMPORTED_LOCATION)
    if(NOT path)  # RE2 by pkg-config
      find_library(NCCLWHY_STATIC_re2 re2 REQUIRED)
      set(path ${NCCLWHY_STATIC_re2})
    endif()
    list(APPEND needs ${path})
  endforeach()
  list(JOIN needs "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/static_libraries.txt "${lines}\n")
endfunction()

# -z pack-relative-relocs: a tenth of the file less, and less to do at each start.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs NCCLWHY_PACKS_RELOCATIONS)
function(ncclwhy_static_program target)
  target_link_options(${target} PRIVATE -static-pie -s LINKER:--gc-sections,--build-id=none
    $<$<BOOL:${NCCLWHY_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
endfunction()
