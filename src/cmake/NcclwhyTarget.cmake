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
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
      $<$<NOT:$<BOOL:${NCCLWHY_UNITY}>>:-Wshadow>  # which would be the names of another file
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
    # A quarter of the time it takes to compile: a null pointer stops the address sanitizer, too, and pointers made of bytes are
    # read from by loads that need no alignment.
    if(NCCLWHY_SANITIZE MATCHES "address.*undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,vptr,object-size)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${NCCLWHY_SANITIZE})
  endif()
  if(NCCLWHY_BUILD_FUZZERS)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
  ncclwhy_harden(${target})
endfunction()

# What only tests: nobody waits for it to run, all wait for it to be compiled.
function(ncclwhy_test_options target)
  ncclwhy_compile_options(${target})
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# ncclwhy_unity(<target> <sources>…): in as few equal parts of at most twenty sources as there can be. Half of what a part
# costs is what it includes.
function(ncclwhy_unity target)
  list(LENGTH ARGN count)
  math(EXPR parts "(${count} + 19) / 20")
  math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# ncclwhy_room(<name> [ONCE|SMALL] SOURCES … LINKS <rooms and libraries>): a static library for one room of the house. ONCE: what
# is done for a job or a rank, not for a line, is well served by -O2, which compiles a sixth quicker. SMALL: size counts more
# than speed.
function(ncclwhy_room name)
  cmake_parse_arguments(ARG "ONCE;SMALL" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  # Knowledge that was made into a source is large, and nobody has to look at it.
  foreach(source IN LISTS ARG_SOURCES)
    if(source MATCHES "^${CMAKE_BINARY_DIR}/")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  ncclwhy_compile_options(${name})
  ncclwhy_unity(${name} ${ARG_SOURCES})
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<BOOL:${ARG_ONCE}>>:-O2>
      $<$<AND:$<CONFIG:Release>,$<BOOL:${ARG_SMALL}>>:-Os>)
  endif()
  # What the fuzz corpora are measured by, see tests/fuzz/figures.py. Unoptimised, so that lines stay lines.
  if(NCCLWHY_COVERAGE AND name MATCHES "^ncclwhy_(parser|rule_patterns|rule_compiler|rules)$")
    target_compile_options(${name} PRIVATE --coverage -O0 -U_FORTIFY_SOURCE)
    target_link_options(${name} PUBLIC --coverage)
  endif()
  set_property(GLOBAL APPEND PROPERTY NCCLWHY_ROOMS ${name})
endfunction()
