# Dependencies: the system's first, else a pinned source archive.
include(FetchContent)
find_package(PkgConfig QUIET)

# ncclwhy_dependency(<target> URL <url> HASH <sha256>): fetches when <target> does not exist yet.
function(ncclwhy_dependency name target url hash)
  if(TARGET ${target})
    return()
  endif()
  message(STATUS "${name}: not found on this system, fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash})
  FetchContent_MakeAvailable(${name})
  # We need the library, not what else it builds and installs.
  set_property(DIRECTORY ${${name}_SOURCE_DIR} PROPERTY EXCLUDE_FROM_ALL ON)
endfunction()

# What libncclwhy links. Who uses it by add_subdirectory has to see these targets as well, so those that are found here
# (and not by the consumer before) are made global at the end of this file.
set(linked re2::re2 fmt::fmt SQLite::SQLite3 LibArchive::LibArchive Threads::Threads)
set(found_here)
foreach(target IN LISTS linked)
  if(NOT TARGET ${target})
    list(APPEND found_here ${target})
  endif()
endforeach()

find_package(Threads REQUIRED)
find_package(re2 QUIET MODULE)  # Findre2.cmake beside this file
set(RE2_BUILD_TESTING OFF CACHE INTERNAL "")
ncclwhy_dependency(re2 re2::re2 https://github.com/google/re2/archive/refs/tags/2022-06-01.tar.gz
  f89c61410a072e5cbcf8c27e3a778da7d6fd2f2b5b1445cd4f4508bee946ab0f)

find_package(nlohmann_json 3.10 QUIET)
ncclwhy_dependency(nlohmann_json nlohmann_json::nlohmann_json
  https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
  8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f)

find_package(fmt 8 QUIET)
ncclwhy_dependency(fmt fmt::fmt https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)

find_package(SQLite3 QUIET)
if(NOT TARGET SQLite::SQLite3)
  message(FATAL_ERROR "SQLite 3 not found: install libsqlite3-dev (Debian, Ubuntu) or sqlite-devel (Fedora)")
endif()

find_package(LibArchive QUIET)
if(NOT TARGET LibArchive::LibArchive)
  message(FATAL_ERROR "libarchive not found: install libarchive-dev (Debian, Ubuntu) or libarchive-devel (Fedora)")
endif()

if(NCCLWHY_BUILD_CLI)
  find_package(CLI11 QUIET)
  ncclwhy_dependency(cli11 CLI11::CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz
    aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22)
endif()

# cpp-httplib, for `ncclwhy serve`. Debian's is split: a header and a library, with flags that both must agree on; others
# bring a CMake package or the header alone.
if(NCCLWHY_BUILD_CLI)
  if(PkgConfig_FOUND)
    pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET GLOBAL cpp-httplib>=0.11)
  endif()
  if(NOT TARGET PkgConfig::HTTPLIB)
    find_package(httplib 0.11 QUIET CONFIG)
  endif()
  find_path(HTTPLIB_HEADER_DIR httplib.h)
  if(TARGET PkgConfig::HTTPLIB OR TARGET httplib::httplib OR HTTPLIB_HEADER_DIR)
    set(httplib_found ON)
  else()
    set(httplib_found OFF)
  endif()
  option(NCCLWHY_BUILD_SERVE "Build `ncclwhy serve` (cpp-httplib; fetched when this is ON and it is not found)"
    ${httplib_found})
else()
  set(NCCLWHY_BUILD_SERVE OFF)
endif()
if(NCCLWHY_BUILD_SERVE)
  add_library(ncclwhy_httplib INTERFACE)
  # A shared httplib brings OpenSSL and Brotli, which take longer to load than a short log takes to analyse: the server is
  # a program of its own then, which `ncclwhy serve` becomes. Else it is inside ncclwhy.
  set(NCCLWHY_SERVE_INSIDE ON)
  if(TARGET PkgConfig::HTTPLIB)
    set(NCCLWHY_SERVE_INSIDE OFF)
    target_link_libraries(ncclwhy_httplib INTERFACE PkgConfig::HTTPLIB)
  elseif(TARGET httplib::httplib)
    get_target_property(httplib_kind httplib::httplib TYPE)
    if(NOT httplib_kind STREQUAL "INTERFACE_LIBRARY")
      set(NCCLWHY_SERVE_INSIDE OFF)
    endif()
    target_link_libraries(ncclwhy_httplib INTERFACE httplib::httplib)
  elseif(HTTPLIB_HEADER_DIR)
    target_include_directories(ncclwhy_httplib SYSTEM INTERFACE ${HTTPLIB_HEADER_DIR})
  else()
    # SOURCE_SUBDIR names nothing: only the header is wanted, without OpenSSL and compressors.
    FetchContent_Declare(httplib GIT_REPOSITORY https://github.com/yhirose/cpp-httplib.git
      GIT_TAG 5304464a53f793f8e3e4777ea5941d60cf8c91e3 SOURCE_SUBDIR header-only)  # v0.29.0
    FetchContent_MakeAvailable(httplib)
    target_include_directories(ncclwhy_httplib SYSTEM INTERFACE ${httplib_SOURCE_DIR})
  endif()
  target_link_libraries(ncclwhy_httplib INTERFACE Threads::Threads)
endif()

if(NCCLWHY_BUILD_TESTS)
  find_package(Catch2 QUIET)  # 2.13 or 3, see tests/unit/catch.h
  ncclwhy_dependency(catch2 Catch2::Catch2 https://github.com/catchorg/Catch2/archive/refs/tags/v2.13.10.tar.gz
    d54a712b7b1d7708bc7a819a8e6e47b2fde9536f487b89ccbca295072a7d9943)
endif()

foreach(target IN LISTS found_here)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(alias ${target} ALIASED_TARGET)
  if(imported AND NOT alias)
    set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
  endif()
endforeach()
