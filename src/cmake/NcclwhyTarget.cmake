# One function for every target of ours: strict warnings, sanitizers, hardening, include roots.
include(CheckPIESupported)
check_pie_supported()  # executables are linked with -pie when CMAKE_POSITION_INDEPENDENT_CODE is on

# What a reader of hostile logs should be built with. Measured: no difference that the benchmarks can see.
function(ncclwhy_harden target)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  # Fortified calls need optimisation, and the sanitizers bring their own. -U: some distributions define it already.
  if(NOT NCCLWHY_SANITIZE)
    target_compile_options(${target} PRIVATE
      $<$<CONFIG:Release,MinSizeRel>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
  endif()
  if(UNIX AND NOT APPLE)
    target_link_options(${target} PRIVATE $<$<CONFIG:Release,MinSizeRel>:LINKER:-z,relro,-z,now,-z,noexecstack>)
  endif()
  # Bounds of operator[], front() and optional's *: in what developers and the test machines run.
  if(NCCLWHY_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
endfunction()

function(ncclwhy_compile_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/src/include)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
      $<$<BOOL:${NCCLWHY_WERROR}>:-Werror>)
    # GCC 12 reports impossible overflows inside libstdc++'s std::string at -O2 and above.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-restrict)
      # … and uninitialised members inside std::regex and std::optional once the sanitizers have changed the code.
      if(NCCLWHY_SANITIZE)
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
      endif()
    else()
      # The embedded knowledge is one long string.
      target_compile_options(${target} PRIVATE -Wno-overlength-strings)
    endif()
  endif()
  if(NCCLWHY_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${NCCLWHY_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${NCCLWHY_SANITIZE})
  endif()
  if(NCCLWHY_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
  ncclwhy_harden(${target})
endfunction()

# What most files of the rooms include; the first room makes it, the others take it over, as their options are the same.
set(ncclwhy_standard_headers <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span>
  <string> <string_view> <tuple> <utility> <vector> <fmt/format.h>)
function(ncclwhy_precompile target)
  if(NOT NCCLWHY_PRECOMPILED_HEADERS)
    return()
  endif()
  # RE2 asks for it; GCC takes over what was precompiled with the same options only.
  target_compile_options(${target} PRIVATE -pthread)
  # GCC forgets which of the precompiled headers are the system's, and judges libstdc++ as if it were ours.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
  endif()
  get_property(rooms GLOBAL PROPERTY NCCLWHY_ROOMS)
  if(rooms)
    list(GET rooms 0 first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ncclwhy_standard_headers})
  endif()
endfunction()

# ncclwhy_room(<name> SOURCES … LINKS <rooms and libraries>): a static library for one room of the house.
function(ncclwhy_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  ncclwhy_compile_options(${name})
  ncclwhy_precompile(${name})
  # What the fuzz corpora are measured by, see tests/fuzz/figures.py. Unoptimised, so that lines stay lines.
  if(NCCLWHY_COVERAGE AND name MATCHES "^ncclwhy_(parser|rule_compiler|rules)$")
    target_compile_options(${name} PRIVATE --coverage -O0 -U_FORTIFY_SOURCE)
    target_link_options(${name} PUBLIC --coverage)
  endif()
  set_property(GLOBAL APPEND PROPERTY NCCLWHY_ROOMS ${name})
endfunction()
