# What is installed where. Components: ncclwhy_command, ncclwhy_library (the shared library alone), ncclwhy_development.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ncclwhy)

install(TARGETS ncclwhy_shared EXPORT ncclwhySharedTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ncclwhy_library NAMELINK_COMPONENT ncclwhy_development)
install(EXPORT ncclwhySharedTargets NAMESPACE ncclwhy:: DESTINATION ${config_dir} COMPONENT ncclwhy_development)

# A static library whose dependencies were fetched would need them installed, too.
set(NCCLWHY_INSTALL_STATIC ON)
foreach(dependency re2::re2 fmt::fmt)
  get_target_property(imported ${dependency} IMPORTED)
  if(NOT imported)
    set(NCCLWHY_INSTALL_STATIC OFF)
    message(STATUS "${dependency} was fetched: the static library is not installed")
  endif()
endforeach()
if(NCCLWHY_INSTALL_STATIC)
  install(TARGETS ncclwhy_static EXPORT ncclwhyStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ncclwhy_development)
  install(EXPORT ncclwhyStaticTargets NAMESPACE ncclwhy:: DESTINATION ${config_dir} COMPONENT ncclwhy_development)
  install(FILES ${PROJECT_SOURCE_DIR}/src/cmake/Findre2.cmake DESTINATION ${config_dir}
    COMPONENT ncclwhy_development)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/src/cmake/ncclwhyConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ncclwhyConfig.cmake INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ncclwhyConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ncclwhyConfig.cmake ${PROJECT_BINARY_DIR}/ncclwhyConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT ncclwhy_development)

# ncclwhy.pc finds its prefix from where it lies, so that an installed tree may be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(NCCLWHY_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(NCCLWHY_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(NCCLWHY_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up ${CMAKE_INSTALL_PREFIX}/${pc_dir} ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" up ${up})
  set(NCCLWHY_PC_PREFIX "\${pcfiledir}/${up}")
  set(NCCLWHY_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(NCCLWHY_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/src/cmake/ncclwhy.pc.in ${PROJECT_BINARY_DIR}/ncclwhy.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ncclwhy.pc DESTINATION ${pc_dir} COMPONENT ncclwhy_development)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/include/ncclwhy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT ncclwhy_development FILES_MATCHING PATTERN *.h)
install(FILES ${PROJECT_BINARY_DIR}/include/ncclwhy/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ncclwhy
  COMPONENT ncclwhy_development)
# The Python package: where Debian's Python looks; elsewhere it is to be named, or installed as a wheel.
if(EXISTS /etc/debian_version)
  set(python_dir lib/python3/dist-packages)
else()
  set(python_dir ${CMAKE_INSTALL_DATADIR}/ncclwhy/python)
endif()
set(NCCLWHY_INSTALL_PYTHONDIR ${python_dir} CACHE STRING "Where the Python package is installed")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/python/ncclwhy DESTINATION ${NCCLWHY_INSTALL_PYTHONDIR}
  COMPONENT ncclwhy_library FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN bin EXCLUDE PATTERN lib EXCLUDE
  PATTERN __pycache__ EXCLUDE)

foreach(file README.md CHANGELOG.md LICENSE)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ncclwhy_command)
  endif()
endforeach()
if(TARGET ncclwhy_cli)
  install(TARGETS ncclwhy_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ncclwhy_command)
  include(NcclwhyManual)
  set(shells ${CMAKE_INSTALL_DATADIR})
  install(FILES ${NCCLWHY_MANUAL_DIR}/ncclwhy.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ncclwhy_command)
  install(FILES ${NCCLWHY_MANUAL_DIR}/ncclwhy.bash DESTINATION ${shells}/bash-completion/completions RENAME ncclwhy
    COMPONENT ncclwhy_command)
  install(FILES ${NCCLWHY_MANUAL_DIR}/ncclwhy.fish DESTINATION ${shells}/fish/vendor_completions.d
    COMPONENT ncclwhy_command)
  # Debian's zsh looks below /usr only into vendor-completions, all others into site-functions.
  install(FILES ${NCCLWHY_MANUAL_DIR}/_ncclwhy DESTINATION ${shells}/zsh/site-functions COMPONENT ncclwhy_command)
  if(EXISTS /etc/debian_version)
    install(FILES ${NCCLWHY_MANUAL_DIR}/_ncclwhy DESTINATION ${shells}/zsh/vendor-completions COMPONENT ncclwhy_command)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/src/report/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ncclwhy
    COMPONENT ncclwhy_command)
endif()
