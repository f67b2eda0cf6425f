# The man page and the completions, as the command itself writes them: ncclwhy_manual (part of `all`).
set(NCCLWHY_MANUAL_DIR ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${NCCLWHY_MANUAL_DIR})

# ncclwhy_generate(<file> <arguments of the command>…)
function(ncclwhy_generate file)
  add_custom_command(OUTPUT ${NCCLWHY_MANUAL_DIR}/${file}
    COMMAND ncclwhy_cli ${ARGN} > ${NCCLWHY_MANUAL_DIR}/${file}
    DEPENDS ncclwhy_cli
    COMMENT "Writing ${file}")
endfunction()

ncclwhy_generate(ncclwhy.1 --help-man)
ncclwhy_generate(ncclwhy.bash completion bash)
ncclwhy_generate(_ncclwhy completion zsh)
ncclwhy_generate(ncclwhy.fish completion fish)
add_custom_target(ncclwhy_manual ALL DEPENDS ${NCCLWHY_MANUAL_DIR}/ncclwhy.1 ${NCCLWHY_MANUAL_DIR}/ncclwhy.bash
  ${NCCLWHY_MANUAL_DIR}/_ncclwhy ${NCCLWHY_MANUAL_DIR}/ncclwhy.fish)
