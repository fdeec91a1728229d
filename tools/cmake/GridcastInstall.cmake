# What `cmake --install` and CPack put where: programs, manual pages and completion made from the definition of the
# command line, shipped programs and machines, and the prediction library for find_package(gridcast).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gridcast)

install(TARGETS gridcast RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(link IN LISTS GRIDCAST_LINKS)
  install(FILES "${PROJECT_BINARY_DIR}/${link}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
endforeach()
# Found from the program's own place, so not in a folder of the architecture.
install(TARGETS gridcast-record LIBRARY DESTINATION lib/gridcast)
if(TARGET gridcast-record-mpich)
  install(TARGETS gridcast-record-mpich LIBRARY DESTINATION lib/gridcast)
endif()
if(GRIDCAST_HAS_CALIBRATE)
  install(TARGETS gridcast-solver LIBRARY DESTINATION lib/gridcast COMPONENT gridcast-calibrate)
endif()
install(DIRECTORY configs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/gridcast/configs")
install(DIRECTORY jobs/ DESTINATION "${CMAKE_INSTALL_DATADIR}/gridcast/jobs" USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# The chart library is part of the program.
if(GRIDCAST_HAS_PAGES)
  install(FILES "${GRIDCAST_D3_LICENCE}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright.d3)
endif()

# Pages and completion are made when installing, by the program that is installed.
install(CODE "
  set(made \"${PROJECT_BINARY_DIR}/made\")
  file(REMOVE_RECURSE \"\${made}\")
  file(MAKE_DIRECTORY \"\${made}\")
  execute_process(COMMAND \"$<TARGET_FILE:gridcast>\" manual \"\${made}/man\" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell IN ITEMS bash zsh fish)
    execute_process(COMMAND \"$<TARGET_FILE:gridcast>\" completion \${shell} OUTPUT_FILE \"\${made}/\${shell}\"
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(DIRECTORY "${PROJECT_BINARY_DIR}/made/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
# bash and fish look for a file of the program's name: the same script for each.
foreach(program IN ITEMS gridcast gridcast-measure)
  install(FILES "${PROJECT_BINARY_DIR}/made/bash" RENAME ${program}
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${PROJECT_BINARY_DIR}/made/fish" RENAME ${program}.fish
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/made/zsh" RENAME _gridcast
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")

# The library, and the rooms that it needs: what needs MPI is the program's business.
set(library_rooms base machine mapping network figures trace retrace rules compile free predict bound search store
  evaluate api)
set(library_targets gridcast_options)
foreach(room IN LISTS library_rooms)
  list(APPEND library_targets gridcast_${room})
  set_target_properties(gridcast_${room} PROPERTIES EXPORT_NAME ${room})
endforeach()
set_target_properties(gridcast_api PROPERTIES EXPORT_NAME gridcast)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gridcast-dev)
install(DIRECTORY include/gridcast DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
set_target_properties(gridcast_options PROPERTIES EXPORT_NAME options)
install(TARGETS ${library_targets} EXPORT gridcast ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/gridcast")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gridcast")
install(EXPORT gridcast NAMESPACE gridcast:: FILE gridcastTargets.cmake DESTINATION "${package}")
configure_package_config_file(tools/cmake/gridcastConfig.cmake.in "${PROJECT_BINARY_DIR}/gridcastConfig.cmake"
  INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gridcastConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gridcastConfig.cmake" "${PROJECT_BINARY_DIR}/gridcastConfigVersion.cmake"
  DESTINATION "${package}")

# Packages for Debian: cpack -G DEB --config build/release/CPackConfig.cmake. Ceres and what it brings are as large as the
# rest of a plain installation: its solver is a package of its own, and so is the library.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Predicts parallel programs on machines and processor grids from one trace")
set(CPACK_PACKAGE_CONTACT "the authors of gridcast <gridcast@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL gridcast gridcast-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GRIDCAST_PACKAGE_NAME gridcast)
set(CPACK_DEBIAN_GRIDCAST_PACKAGE_RECOMMENDS "openmpi-bin, gridcast-calibrate")
set(CPACK_DEBIAN_GRIDCAST_PACKAGE_SUGGESTS "gnuplot-nox")
set(CPACK_COMPONENT_GRIDCAST-DEV_DESCRIPTION "Library of gridcast for C++: reads, predicts and searches")
set(CPACK_DEBIAN_GRIDCAST-DEV_PACKAGE_NAME gridcast-dev)
set(CPACK_DEBIAN_GRIDCAST-DEV_PACKAGE_SECTION libdevel)
# What gridcastConfig.cmake looks for.
set(CPACK_DEBIAN_GRIDCAST-DEV_PACKAGE_DEPENDS "pkg-config, zlib1g-dev, libssl-dev, libfmt-dev, libspdlog-dev, \
libtomlplusplus-dev, libeigen3-dev, nlohmann-json3-dev, libhdf5-dev, libxxhash-dev")
if(GRIDCAST_HAS_CALIBRATE)
  list(APPEND CPACK_COMPONENTS_ALL gridcast-calibrate)
  set(CPACK_COMPONENT_GRIDCAST-CALIBRATE_DESCRIPTION
    "What calibrate and gridcast-measure fit numbers of machines to times with (Ceres)")
  set(CPACK_DEBIAN_GRIDCAST-CALIBRATE_PACKAGE_NAME gridcast-calibrate)
  set(CPACK_DEBIAN_GRIDCAST-CALIBRATE_PACKAGE_DEPENDS "gridcast (= ${PROJECT_VERSION})")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
include(CPack)
