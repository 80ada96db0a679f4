# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RG_HOST_BINARY_DIR is where the drivers and the tests find clang, opt and lld. It
# is LLVM's folder, except under RG_SANITIZE: a sanitizer's runtime must be in a
# process before the plugin is, and Debian's clang has none. So build/host holds
# LLVM's tools again, those that load plugins as scripts that bring the runtime in.

include_guard(GLOBAL)
set(RG_HOST_BINARY_DIR "${LLVM_TOOLS_BINARY_DIR}")
if(NOT RG_SANITIZE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "RG_SANITIZE preloads GCC's sanitizers; build with CMAKE_CXX_COMPILER=g++.")
endif()

# vptr needs the type information that LLVM is built without.
set(Flags "-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer")
string(APPEND CMAKE_CXX_FLAGS " ${Flags}")

foreach(Runtime asan ubsan)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=lib${Runtime}.so
    OUTPUT_VARIABLE File OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH "${File}" File)
  list(APPEND Preloads "${File}")
endforeach()
list(JOIN Preloads ":" Preloads)

# Poisoning by hand is off: LLVM's allocators poison in code that is inlined into
# the plugin, and unpoison in code of libLLVM that knows no sanitizer. A compiler
# ends without freeing: leaks are not looked for.
set(AsanOptions "abort_on_error=1:detect_leaks=0:allow_user_poisoning=0:detect_odr_violation=0")
set(UbsanOptions "abort_on_error=1:print_stacktrace=1")
set(RG_HOST_BINARY_DIR "${PROJECT_BINARY_DIR}/host")
file(MAKE_DIRECTORY "${RG_HOST_BINARY_DIR}")
file(GLOB Tools "${LLVM_TOOLS_BINARY_DIR}/*")
foreach(Tool ${Tools})
  get_filename_component(Name "${Tool}" NAME)
  if(Name MATCHES "^(clang|clang[+][+]|opt|flang|ld[.]lld|ld64[.]lld|lld|llvm-lto2)$")
    file(CONFIGURE OUTPUT "${RG_HOST_BINARY_DIR}/${Name}" @ONLY CONTENT [=[#!/bin/sh
export LD_PRELOAD="@Preloads@" ASAN_OPTIONS="@AsanOptions@" UBSAN_OPTIONS="@UbsanOptions@"
exec "@Tool@" "$@"
]=])
    file(CHMOD "${RG_HOST_BINARY_DIR}/${Name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
      GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  else()
    file(CREATE_LINK "${Tool}" "${RG_HOST_BINARY_DIR}/${Name}" SYMBOLIC)
  endif()
endforeach()
