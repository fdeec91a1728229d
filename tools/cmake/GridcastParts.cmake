# Parts that a build may leave out, each for a package that it may lack.

# gridcast_part(NAME FOUND PACKAGE COMMANDS): the option GRIDCAST_WITH_NAME, by default AUTO: ON if FOUND, the package
# is there. Sets GRIDCAST_HAS_NAME, and notes what the build lacks without PACKAGE.
function(gridcast_part name found package commands)
  set(option GRIDCAST_WITH_${name})
  set(${option} AUTO CACHE STRING "${commands}, with ${package}: ON, OFF, or AUTO (ON where it is found)")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if("${${option}}" STREQUAL "AUTO")
    set(has "${found}")
    set(reason "needs ${package}")
  else()
    set(has "${${option}}")
    set(reason "${option}=${has}")
  endif()
  if(has AND NOT found)
    message(FATAL_ERROR "${option}=${has} needs ${package}: not found")
  elseif(has)
    set(GRIDCAST_HAS_${name} ON PARENT_SCOPE)
  else()
    set(GRIDCAST_HAS_${name} OFF PARENT_SCOPE)
    set_property(GLOBAL APPEND PROPERTY GRIDCAST_LACKS "without ${commands} (${reason})")
  endif()
endfunction()

# gridcast_summary(): what this build lacks.
function(gridcast_summary)
  get_property(lacks GLOBAL PROPERTY GRIDCAST_LACKS)
  if(NOT lacks)
    message(STATUS "gridcast: all commands")
  endif()
  foreach(line IN LISTS lacks)
    message(STATUS "gridcast: ${line}")
  endforeach()
endfunction()

# gridcast_find_d3(): GRIDCAST_D3, the chart library of the pages, and GRIDCAST_D3_LICENCE, which the pages show; both may
# be given. Sets GRIDCAST_D3_FOUND. The folders are where Debian (node-d3) and npm (install -g d3@5) put it, below every
# prefix that CMake searches.
function(gridcast_find_d3)
  set(folders)
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH CMAKE_SYSTEM_PREFIX_PATH)
    foreach(folder IN ITEMS share/nodejs lib/node_modules node_modules)
      list(APPEND folders "${prefix}/${folder}/d3/dist")
    endforeach()
  endforeach()
  find_file(GRIDCAST_D3 d3.min.js PATHS ${folders} NO_DEFAULT_PATH DOC "The chart library of the pages, d3 5")
  get_filename_component(folder "${GRIDCAST_D3}" DIRECTORY)
  find_file(GRIDCAST_D3_LICENCE NAMES LICENSE copyright PATHS "${folder}/.." "${folder}/../../../doc/node-d3"
    NO_DEFAULT_PATH DOC "Its licence, shown in the pages")
  set(GRIDCAST_D3_FOUND OFF PARENT_SCOPE)
  if(EXISTS "${GRIDCAST_D3}" AND EXISTS "${GRIDCAST_D3_LICENCE}")
    # Its first line: // https://d3js.org v5.16.0 Copyright ...
    file(READ "${GRIDCAST_D3}" begin LIMIT 100)
    if(begin MATCHES "d3js.org v5\\.")
      set(GRIDCAST_D3_FOUND ON PARENT_SCOPE)
    else()
      message(STATUS "gridcast: ${GRIDCAST_D3} is not d3 5")
    endif()
  endif()
endfunction()
