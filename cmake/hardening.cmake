# SPDX-License-Identifier: Apache-2.0
# What makes mistakes in memory harder to exploit, in release builds: guards on the stack, checked copies, targets of
# indirect jumps, a program at any address, and tables of functions that cannot be overwritten.
# tests/tools/test_hardening.py looks for them in what was built.

include(CheckCCompilerFlag)
include(CheckPIESupported)
option(LINKWORK_HARDENING "Guards against exploits in release builds" ON)

if(LINKWORK_HARDENING AND NOT LINKWORK_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER LW_HAS${flag} known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      add_compile_options(${flag})
    endif()
  endforeach()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  endif()
endif()
check_pie_supported(LANGUAGES C) # programs are linked as they are compiled: position independent
