# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Toolchain: Retrograd for Debian 12 on AArch64, built on another machine by its clang 22
# (docs/Building.md, "For AArch64, on another machine").
#
#   RG_AARCH64_ROOT  a folder made by utils/aarch64-root.sh

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# CMake reads this file again for each of its own small test programs.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RG_AARCH64_ROOT)
if(NOT EXISTS "${RG_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
  message(FATAL_ERROR "RG_AARCH64_ROOT='${RG_AARCH64_ROOT}' has no /usr/lib/aarch64-linux-gnu. Make it by "
    "utils/aarch64-root.sh DIR, and give -DRG_AARCH64_ROOT=DIR.")
endif()
get_filename_component(CMAKE_SYSROOT "${RG_AARCH64_ROOT}" ABSOLUTE)

set(Tools /usr/lib/llvm-22/bin)
foreach(Language C CXX)
  set(CMAKE_${Language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER ${Tools}/clang)
set(CMAKE_CXX_COMPILER ${Tools}/clang++)
set(CMAKE_AR ${Tools}/llvm-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${Tools}/llvm-ranlib CACHE FILEPATH "")
set(CMAKE_OBJCOPY ${Tools}/llvm-objcopy CACHE FILEPATH "")
foreach(Kind EXE SHARED MODULE)
  set(CMAKE_${Kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()

# Programs run here; everything else is that machine's.
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(What LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${What} ONLY)
endforeach()
