# Writes #define NCCLWHY_SOURCE " (<commit>, <date>)": GIVEN in the brackets, else git's where SOURCE is a repository, else what `git archive` put into
# source_version.txt, else "". A "+" behind the commit: with changes that are not in it. -D SOURCE=… OUTPUT=… GIVEN=…
set(text "")
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/source_version.txt archived)
find_program(GIT git)
if(GIVEN)
  set(text " (${GIVEN})")
elseif(archived MATCHES "^[0-9a-f]+ [0-9-]+$")
  string(REGEX REPLACE "^([0-9a-f]+) (.*)$" " (\\1, \\2)" text "${archived}")
elseif(GIT)
  # The repository of these sources, not one that they lie in.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE inside ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(NOT failed AND inside STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --exclude=* --abbrev=12 --dirty=+
      OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%cs OUTPUT_VARIABLE date ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(commit AND date)
      set(text " (${commit}, ${date})")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define NCCLWHY_SOURCE \"${text}\"\n")
