# SPDX-License-Identifier: Apache-2.0
# The functions that the layer folders are written with.

include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)

# Stops at the first listed file that does not exist, naming the list.
function(lw_check_files)
  foreach(file ${ARGN})
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      file(RELATIVE_PATH list "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_LIST_FILE}")
      message(FATAL_ERROR "${list} lists ${file}, which does not exist")
    endif()
  endforeach()
endfunction()

# lw_objects(<core|full> <target> <source>...)
# An object library that goes into linkwork-core and linkwork (core), or into linkwork only (full).
function(lw_objects part target)
  lw_check_files(${ARGN})
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/src)
  set_property(GLOBAL APPEND PROPERTY LW_OBJECTS_${part} $<TARGET_OBJECTS:${target}>)
endfunction()

# lw_derivative_objects(<core|full> <target> <file>...): the same with numbers that carry a derivative
# (src/math/num.h).  These are never near overflow, and what is infinite or no number is found afterwards: complex
# products need no second look.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fcx-limited-range LW_HAS_LIMITED_RANGE)
function(lw_derivative_objects part target)
  lw_objects(${part} ${target} ${ARGN})
  target_compile_definitions(${target} PRIVATE LW_DERIVATIVE=1)
  if(LW_HAS_LIMITED_RANGE)
    target_compile_options(${target} PRIVATE -fcx-limited-range)
  endif()
endfunction()

# lw_layer(<core|full> <name> [SOURCES <file>...] [NEEDS <dependency>...] [LOADS <dependency>...])
# The sources of a layer as object library lw_<name>; none yet is fine.  For NEEDS see
# dependencies.cmake; core layers need nothing but libc and libm.  LOADS: its library is not linked, but
# loaded by the name LWI_SONAME_<dependency> when it is first needed.
function(lw_layer part name)
  cmake_parse_arguments(arg "" "" "SOURCES;NEEDS;LOADS" ${ARGN})
  if(NOT arg_SOURCES)
    return()
  endif()
  lw_objects(${part} lw_${name} ${arg_SOURCES})
  foreach(dependency ${arg_NEEDS})
    lw_find(${dependency})
    target_include_directories(lw_${name} SYSTEM PRIVATE ${LW_${dependency}_INCLUDE})
    set_property(GLOBAL APPEND PROPERTY LW_LIBRARIES_${part} ${LW_${dependency}_LIBRARIES})
  endforeach()
  foreach(dependency ${arg_LOADS})
    lw_find(${dependency})
    lw_find_soname(${dependency})
    target_include_directories(lw_${name} SYSTEM PRIVATE ${LW_${dependency}_INCLUDE})
    target_compile_definitions(lw_${name} PRIVATE
      LWI_SONAME_${dependency}="${LW_${dependency}_SONAME}")
    foreach(library ${CMAKE_DL_LIBS}) # of dlopen, where it is not in libc
      set_property(GLOBAL APPEND PROPERTY LW_LIBRARIES_${part} -l${library})
    endforeach()
  endforeach()
endfunction()

# lw_library(<name> <export name> LAYERS <part>...)
# lib<name>.so as target <name> and lib<name>.a as target <name>-static, from the same objects.
function(lw_library name export_name)
  cmake_parse_arguments(arg "" "" "LAYERS" ${ARGN})
  foreach(part ${arg_LAYERS})
    get_property(more GLOBAL PROPERTY LW_OBJECTS_${part})
    if(NOT more)
      message(FATAL_ERROR "${name}: no layer in src/ lists a source of part '${part}'")
    endif()
    list(APPEND objects ${more})
    get_property(more GLOBAL PROPERTY LW_LIBRARIES_${part})
    list(APPEND libraries ${more})
  endforeach()
  list(APPEND libraries -lm)
  list(REMOVE_DUPLICATES libraries)

  add_library(${name} SHARED ${objects})
  add_library(${name}-static STATIC ${objects})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  set_target_properties(${name}-static PROPERTIES EXPORT_NAME ${export_name}-static
    OUTPUT_NAME ${name})
  foreach(target ${name} ${name}-static)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PRIVATE ${libraries})
  endforeach()
  add_library(linkwork::${export_name} ALIAS ${name})
  add_library(linkwork::${export_name}-static ALIAS ${name}-static)

  # A shared library with loose ends links, and fails at its user's; sanitizers leave some on purpose.
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT LINKWORK_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()

  list(JOIN libraries " " libraries) # for Libs.private of the .pc file
  set_property(TARGET ${name} PROPERTY LW_PRIVATE_LIBRARIES "${libraries}")
endfunction()
