# gridcast_precompile(TARGET HEADER...): with GRIDCAST_PRECOMPILE, these and the common headers of the standard
# library are compiled once for the target, and for those that reuse them. Its files name what they include
# nevertheless: other presets compile them without.
function(gridcast_precompile target)
  if(GRIDCAST_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map>
      <memory> <optional> <span> <sstream> <string> <string_view> <unordered_map> <vector> ${ARGN})
  endif()
endfunction()

# gridcast_room(NAME DEPENDS dep... [EXCEPT file...] [UNITS n]): the library of one room, from src/NAME/*.cpp.
# A dependency is a lower room, "hdf5", "mpi", or an imported target. Each room has an include root of
# its own, a link to its headers, and gets those of the rooms that it depends on. A unity build joins its
# files to n units, one by default; with sanitizers in the reverse order, so that an include which a file forgets
# because one before it has it does not compile.
function(gridcast_room name)
  cmake_parse_arguments(ROOM "" "UNITS" "DEPENDS;EXCEPT" ${ARGN})
  # Globbing with CONFIGURE_DEPENDS: one room is one folder, a new file needs no second edit.
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cpp")
  list(TRANSFORM ROOM_EXCEPT PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/")
  list(REMOVE_ITEM sources ${ROOM_EXCEPT})
  if(GRIDCAST_SANITIZE)
    list(REVERSE sources)
  endif()
  if(NOT sources)
    add_library(gridcast_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(gridcast_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(ROOM_UNITS)
      list(LENGTH sources count)
      math(EXPR size "(${count} + ${ROOM_UNITS} - 1) / ${ROOM_UNITS}")
      set_target_properties(gridcast_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${size})
    endif()
    if(NOT CMAKE_UNITY_BUILD)  # one unit does not compile faster with them
      if("fmt::fmt" IN_LIST ROOM_DEPENDS)
        gridcast_precompile(gridcast_${name} <fmt/format.h>)
      else()
        gridcast_precompile(gridcast_${name})
      endif()
    endif()
  endif()
  set(root "${PROJECT_BINARY_DIR}/include/${name}")
  file(MAKE_DIRECTORY "${root}/gridcast")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${name}" "${root}/gridcast/${name}" SYMBOLIC)
  target_include_directories(gridcast_${name} ${scope}
    "$<BUILD_INTERFACE:${root}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(gridcast_${name} ${scope} gridcast_options)
  set(GRIDCAST_ROOMS ${GRIDCAST_ROOMS} ${name} PARENT_SCOPE)
  foreach(dependency IN LISTS ROOM_DEPENDS)
    if(dependency STREQUAL "hdf5")
      target_include_directories(gridcast_${name} SYSTEM ${scope} ${HDF5_C_INCLUDE_DIRS})
      target_link_libraries(gridcast_${name} ${scope} ${HDF5_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
    elseif(dependency STREQUAL "mpi")
      target_link_libraries(gridcast_${name} ${scope} MPI::MPI_CXX Boost::mpi Boost::serialization)
    elseif(TARGET ${dependency})
      target_link_libraries(gridcast_${name} ${scope} ${dependency})
    else()
      target_link_libraries(gridcast_${name} ${scope} gridcast_${dependency})
    endif()
  endforeach()
endfunction()

# gridcast_room_tests(NAME COST cost): tests/NAME/*.cpp as one Catch2 program, whose tests are started in the order of
# their costs, the highest first.
function(gridcast_room_tests name)
  cmake_parse_arguments(ROOM "" "COST" "" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  if(GRIDCAST_PRECOMPILE)
    target_precompile_headers(test_${name} REUSE_FROM gridcast_test_process)
  endif()
  target_link_libraries(test_${name} PRIVATE gridcast_${name} gridcast_test_main)
  # What is tested is optimised and sanitized; the tests themselves compile faster without.
  target_compile_options(test_${name} PRIVATE -O0 -g0)
  set_target_properties(test_${name} PROPERTIES GRIDCAST_PLAIN ON)
  target_compile_definitions(test_${name} PRIVATE
    GRIDCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GRIDCAST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # A name that is cut, as at a semicolon, matches no test: that is a failure.
  catch_discover_tests(test_${name} TEST_PREFIX "${name}:" EXTRA_ARGS --warn NoTests
    PROPERTIES TIMEOUT ${GRIDCAST_TEST_TIMEOUT} COST ${ROOM_COST})
endfunction()
