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

if(NCCLWHY_STATIC)
  include(NcclwhyStatic)
endif()

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

if(NOT TARGET fmt::fmt)
  find_package(fmt 8 QUIET)
endif()
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
# Where shared libraries are ELF's, it is loaded when something packed is met (src/read/libarchive.h), by the name that a
# program linked with it would have.
set(NCCLWHY_ARCHIVE_SONAME)
if(NCCLWHY_STATIC)
  ncclwhy_static_archive()
elseif(UNIX AND NOT APPLE)
  get_target_property(location LibArchive::LibArchive IMPORTED_LOCATION)
  get_filename_component(location "${location}" REALPATH)
  if(location MATCHES "(libarchive\\.so\\.[0-9]+)")
    set(NCCLWHY_ARCHIVE_SONAME ${CMAKE_MATCH_1})
  endif()
endif()
if(NCCLWHY_ARCHIVE_SONAME)
  set(NCCLWHY_ARCHIVE_LINKS ${CMAKE_DL_LIBS})
else()
  set(NCCLWHY_ARCHIVE_LINKS LibArchive::LibArchive)
  set(NCCLWHY_ARCHIVE_FIND "find_dependency(LibArchive)")
  set(NCCLWHY_ARCHIVE_LIBS "-larchive ")
endif()

if(NCCLWHY_BUILD_CLI)
  find_package(CLI11 QUIET)
  ncclwhy_dependency(cli11 CLI11::CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz
    aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22)
endif()

# cpp-httplib, for `ncclwhy serve`, is in the tree: a distribution's brings OpenSSL and Brotli, which take longer to load
# than a short log takes to analyse, and has no static form.
option(NCCLWHY_BUILD_SERVE "Build `ncclwhy serve`" ${NCCLWHY_BUILD_CLI})

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
