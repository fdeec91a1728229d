# gridcast_embed(TARGET NAME=FILE,FILE,...): the texts of files as `std::string_view gridcast::embedded::NAME` in a source
# of TARGET, made anew when a file changes; empty without FILE. Their declarations are the target's own business.
function(gridcast_embed target)
  set(source "${PROJECT_BINARY_DIR}/embedded/${target}.cpp")
  set(text "#include <string_view>\n\nnamespace gridcast::embedded {\n")
  foreach(pair IN LISTS ARGN)
    string(REGEX MATCH "^([a-z0-9_]+)=(.*)$" matched "${pair}")
    set(name "${CMAKE_MATCH_1}")
    string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
    set(content "")
    foreach(file IN LISTS files)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
      file(READ "${file}" read)
      string(APPEND content "${read}")
    endforeach()
    string(APPEND text "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"~embedded(${content})~embedded\";\n")
  endforeach()
  string(APPEND text "}  // namespace gridcast::embedded\n")
  file(WRITE "${source}.new" "${text}")
  file(COPY_FILE "${source}.new" "${source}" ONLY_IF_DIFFERENT)
  # A unit of its own: its texts need no neighbours.
  # A chart library is longer than the literals that the standard asks of every compiler; ours take them.
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE "${source}")
endfunction()
