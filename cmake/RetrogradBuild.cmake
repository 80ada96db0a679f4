# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What every folder of the build needs: LLVM 22, flags, and the functions
#   rg_add_library(NAME FOLDER)        objects of one lib/ folder, subfolders included
#   rg_tablegen(OUT GENERATOR TD)      a table from the catalogue
#   rg_use_llvm(TARGET)                flags and includes of our own C++ code

include_guard(GLOBAL)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# -O1 and line tables: half the build time of CMake's -O2 -g, and the compiler
# that hosts us spends its time in libLLVM, not here.
if(PROJECT_IS_TOP_LEVEL)
  set(Flags "-O1 -g1")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(APPEND Flags " -finline-small-functions") # part of clang's -O1
  endif()
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${Flags}" CACHE STRING "" FORCE)
else()
  # Whatever the project around us is built like: the plugin's own speed is no matter of its build type.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" Type)
  foreach(Suffix "" "_${Type}")
    set(CMAKE_CXX_FLAGS${Suffix} "")
  endforeach()
  set(CMAKE_CXX_FLAGS "-O1")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
include(GNUInstallDirs)

# LLVM by llvm-config rather than find_package(LLVM): LLVM's own package file wants
# the development files of everything that a static LLVM would be linked with.
find_program(RG_LLVM_CONFIG NAMES llvm-config-22 llvm-config
  HINTS /usr/lib/llvm-22/bin REQUIRED)
function(rg_llvm_config Var)
  execute_process(COMMAND "${RG_LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE Out
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${Var} "${Out}" PARENT_SCOPE)
endfunction()
rg_llvm_config(LLVM_PACKAGE_VERSION --version)
rg_llvm_config(LLVM_INCLUDE_DIRS --includedir)
rg_llvm_config(LLVM_LIBRARY_DIR --libdir)
rg_llvm_config(LLVM_TOOLS_BINARY_DIR --bindir)
# For another machine (cmake/AArch64.cmake): its LLVM lies at the same place below its root.
# Where the tools and libraries will be found there, LLVM_TOOLS_BINARY_DIR and LLVM_LIBRARY_DIR say.
set(LLVM_INCLUDE_DIRS "${CMAKE_SYSROOT}${LLVM_INCLUDE_DIRS}")
set(RG_LLVM_LIBRARIES "${CMAKE_SYSROOT}${LLVM_LIBRARY_DIR}")
if(NOT LLVM_PACKAGE_VERSION MATCHES "^22[.]")
  message(FATAL_ERROR "Retrograd needs LLVM 22; ${RG_LLVM_CONFIG} is of ${LLVM_PACKAGE_VERSION}. "
    "Set RG_LLVM_CONFIG to the llvm-config of LLVM 22.")
endif()
if(NOT EXISTS "${LLVM_INCLUDE_DIRS}/clang/Frontend/FrontendPluginRegistry.h")
  message(FATAL_ERROR "Clang 22's headers are not beside LLVM's; install libclang-22-dev.")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}: ${RG_LLVM_CONFIG}")
add_library(LLVM SHARED IMPORTED)
set_target_properties(LLVM PROPERTIES IMPORTED_LOCATION "${RG_LLVM_LIBRARIES}/libLLVM-22.so")

# isl, for lib/Loops (docs/Loops.md): the one that Polly has brought into libLLVM, with its headers
# (Debian: libpolly-22-dev). RG_ISL=OFF builds without.
option(RG_ISL "Build the optimiser of loop nests, which needs isl" ON)
if(RG_ISL)
  set(Missing "")
  if(NOT EXISTS "${LLVM_INCLUDE_DIRS}/polly/isl/schedule.h")
    set(Missing "its headers are not in ${LLVM_INCLUDE_DIRS}/polly (libpolly-22-dev)")
  else()
    file(STRINGS "${RG_LLVM_LIBRARIES}/libLLVM-22.so" Found REGEX "^isl_schedule_constraints_compute_schedule$" LIMIT_COUNT 1)
    if(NOT Found)
      set(Missing "libLLVM has no isl: it was built without Polly")
    endif()
  endif()
  if(Missing)
    message(STATUS "Loop nests (-rg-loops): off, ${Missing}")
    set(RG_ISL OFF)
  endif()
endif()

foreach(Tool clang clang++ opt llvm-ar llvm-as llvm-link FileCheck not)
  string(MAKE_C_IDENTIFIER "RG_HOST_${Tool}" Var)
  find_program(${Var} NAMES ${Tool} PATHS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
  mark_as_advanced(${Var})
endforeach()
# The runtime is compiled for the machine that the plugin will run on.
set(RG_RUNTIME_TARGET "")
if(CMAKE_CROSSCOMPILING)
  set(RG_RUNTIME_TARGET "--target=${CMAKE_C_COMPILER_TARGET}" "--sysroot=${CMAKE_SYSROOT}")
endif()

# ccache: the sloppiness is what its manual demands for precompiled headers;
# the base directory lets several checkouts share their results.
find_program(RG_CCACHE_PROGRAM ccache)
mark_as_advanced(RG_CCACHE_PROGRAM)
if(RG_CCACHE AND RG_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env "CCACHE_SLOPPINESS=pch_defines,time_macros"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 ${RG_CCACHE_PROGRAM})
endif()


function(rg_use_llvm Target)
  target_include_directories(${Target} PRIVATE "${PROJECT_SOURCE_DIR}/lib" "${PROJECT_BINARY_DIR}/lib")
  target_include_directories(${Target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${Target} PRIVATE
    _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
  # GCC warns of too much there, clang of both sides of | being wanted, and of libstdc++.
  set(Quiet -Wno-maybe-uninitialized)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(Quiet -Wno-bitwise-instead-of-logical -Wno-deprecated-declarations)
  endif()
  # -fPIC for programs, too: they share the precompiled header.
  target_compile_options(${Target} PRIVATE -fPIC -fno-rtti -fno-exceptions
    -Wall -Wextra -Wno-unused-parameter ${Quiet})
  if(RG_WERROR)
    target_compile_options(${Target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${Target} PRIVATE -fpch-preprocess)
  endif()
  # Debian's LLVM is built with NDEBUG, and our assertions want it undefined. The
  # types that LLVM's headers share with us have the same size either way (they
  # ask LLVM_ENABLE_ABI_BREAKING_CHECKS instead), with one exception known in
  # LLVM 22: OverflowTracking of Transforms/Utils/Local.h, which we do not use.
  if(RG_ASSERTIONS)
    target_compile_options(${Target} PRIVATE -UNDEBUG)
    target_compile_definitions(${Target} PRIVATE _GLIBCXX_ASSERTIONS)
  else()
    target_compile_definitions(${Target} PRIVATE NDEBUG)
  endif()
endfunction()

# One precompiled header for all of lib/, made once.
if(RG_PCH)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/lib/Pch.cpp" CONTENT "// precompiles cmake/LLVMHeaders.h\n")
  add_library(RetrogradPch OBJECT "${PROJECT_BINARY_DIR}/lib/Pch.cpp")
  rg_use_llvm(RetrogradPch)
  target_precompile_headers(RetrogradPch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/LLVMHeaders.h")
endif()

# Objects of lib/<Folder> and its subfolders; an empty folder adds nothing. The object library is
# called Retrograd<Folder> and recorded in the global property RG_LIBRARIES.
function(rg_add_library Folder)
  set(Name Retrograd${Folder})
  file(GLOB_RECURSE Sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lib/${Folder}/*.cpp")
  list(REMOVE_ITEM Sources ${ARGN})
  if(NOT Sources)
    return()
  endif()
  add_library(${Name} OBJECT ${Sources})
  rg_use_llvm(${Name})
  target_include_directories(${Name} PRIVATE "${PROJECT_BINARY_DIR}/lib/${Folder}")
  if(RG_PCH)
    target_precompile_headers(${Name} REUSE_FROM RetrogradPch)
  endif()
  set_property(GLOBAL APPEND PROPERTY RG_LIBRARIES ${Name})
endfunction()

# rg_tablegen(CatalogueTables.inc -gen-catalogue Catalogue): runs retrograd-tblgen on
# lib/Catalogue/Catalogue.td and makes <build>/lib/Catalogue/CatalogueTables.inc.
# The target named last waits for it.
function(rg_tablegen Output Generator Folder)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/lib/${Folder}/${Folder}.td")
    return()
  endif()
  # It runs on this machine, whatever the plugin is built for.
  set(Program retrograd-tblgen)
  if(RG_TBLGEN)
    set(Program "${RG_TBLGEN}")
  endif()
  file(GLOB Records CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lib/${Folder}/*.td")
  set(Path "${PROJECT_BINARY_DIR}/lib/${Folder}/${Output}")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/lib/${Folder}")
  add_custom_command(OUTPUT "${Path}"
    COMMAND ${Program} ${Generator} -I "${PROJECT_SOURCE_DIR}/lib/${Folder}"
            "${PROJECT_SOURCE_DIR}/lib/${Folder}/${Folder}.td" -o "${Path}"
    DEPENDS ${Program} ${Records}
    COMMENT "Generating ${Output}" VERBATIM)
  if(TARGET Retrograd${Folder})
    target_sources(Retrograd${Folder} PRIVATE "${Path}")
  endif()
endfunction()
