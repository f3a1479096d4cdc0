# SPDX-License-Identifier: Apache-2.0
# The libraries that layers may need, found only when one does.  By header and library name, since
# the CMake and pkg-config files of these packages differ between systems or are missing.
#
# lw_find(<name>) sets LW_<name>_INCLUDE and LW_<name>_LIBRARIES in the caller's scope, or stops and
# says which Debian package is missing.  Keep tools/install-packages.sh in step.

#   name     Debian package      header             its folder    libraries, users before used
set(LW_sundials libsundials-dev  cvodes/cvodes.h    -             sundials_cvodes sundials_arkode
    sundials_sunlinsoldense sundials_sunmatrixdense sundials_sunnonlinsolnewton
    sundials_sunnonlinsolfixedpoint sundials_nvecserial)
set(LW_lapacke  liblapacke-dev   lapacke.h          -             lapacke lapack|openblas)
set(LW_openblas libopenblas-dev  cblas.h            -             openblas)
set(LW_suitesparse libsuitesparse-dev klu.h         suitesparse   klu btf ldl amd colamd
    suitesparseconfig)
set(LW_cholmod  libsuitesparse-dev cholmod.h        suitesparse   cholmod)
set(LW_nlopt    libnlopt-dev     nlopt.h            -             nlopt)
set(LW_mpi      libopenmpi-dev   mpi.h              mpi           mpi)
set(LW_hdf5     libhdf5-dev      hdf5.h             hdf5/serial   hdf5_serial|hdf5)
set(LW_yaml     libyaml-dev      yaml.h             -             yaml)
set(LW_expat    libexpat1-dev    expat.h            -             expat)
set(LW_zlib     zlib1g-dev       zlib.h             -             z)
set(LW_cmocka   libcmocka-dev    cmocka.h           -             cmocka)

function(lw_find name)
  list(POP_FRONT LW_${name} package header folder)
  set(missing "${name} is missing: install the package ${package} (make packages does it)")

  find_path(LW_${name}_INCLUDE ${header} PATH_SUFFIXES ${folder})
  mark_as_advanced(LW_${name}_INCLUDE)
  if(NOT LW_${name}_INCLUDE)
    message(FATAL_ERROR "${missing}; no header ${header}")
  endif()

  foreach(library ${LW_${name}})
    string(REPLACE "|" ";" names ${library})
    find_library(LW_LIBRARY_${library} NAMES ${names})
    mark_as_advanced(LW_LIBRARY_${library})
    if(NOT LW_LIBRARY_${library})
      message(FATAL_ERROR "${missing}; no library ${library}")
    endif()
    # Where the linker looks anyway, -lname keeps this machine's paths out of installed files.
    cmake_path(GET LW_LIBRARY_${library} PARENT_PATH folder)
    if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      cmake_path(GET LW_LIBRARY_${library} STEM file)
      string(REGEX REPLACE "^lib" "-l" file ${file})
      list(APPEND libraries ${file})
    else()
      list(APPEND libraries ${LW_LIBRARY_${library}})
    endif()
  endforeach()
  set(LW_${name}_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()

# lw_find_soname(<name>): LW_<name>_SONAME is what the first library of lw_find(<name>) is called when a program
# loads it, e.g. liblapacke.so.3.
function(lw_find_soname name)
  list(GET LW_${name} 3 library)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${LW_LIBRARY_${library}} OUTPUT_VARIABLE headers
    ERROR_QUIET)
  if(NOT headers MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${LW_LIBRARY_${library}} is no shared library, and must be one: it is loaded "
      "when it is first needed")
  endif()
  set(LW_${name}_SONAME ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# lw_find_mpi(): is Open MPI there?  Without it linkwork has no ranks (ranks.h).
option(LINKWORK_MPI "use Open MPI where it is installed" ON)
function(lw_find_mpi)
  find_path(LW_mpi_INCLUDE mpi.h PATH_SUFFIXES mpi openmpi)
  find_library(LW_LIBRARY_mpi NAMES mpi)
  mark_as_advanced(LW_mpi_INCLUDE LW_LIBRARY_mpi)
  set(found FALSE)
  if(LINKWORK_MPI AND LW_mpi_INCLUDE AND LW_LIBRARY_mpi)
    file(STRINGS ${LW_mpi_INCLUDE}/mpi.h open REGEX "OPEN_MPI" LIMIT_COUNT 1)
    if(open)
      set(found TRUE)
    endif()
  endif()
  set(LW_mpi_FOUND ${found} PARENT_SCOPE)
endfunction()
