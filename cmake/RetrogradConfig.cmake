# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(Retrograd) gives
#
#   retrograd_differentiable(<target>...)
#     compiles the targets' C and C++ files with Retrograd loaded, so that they may
#     call __enzyme_autodiff and its family and include <retrograd/...>. The compiler
#     must be clang 22 (CC=clang-22 CXX=clang++-22, or the drivers rg-clang and
#     rg-clang++, which need no such call).
#
#   ClangEnzymeFlags, LLDEnzymeFlags
#     interface targets for projects made for Enzyme: target_link_libraries(<target>
#     ClangEnzymeFlags) compiles with the plugin, LLDEnzymeFlags links with it.
#
# and the variables Retrograd_PLUGIN, Retrograd_INCLUDE_DIR, Retrograd_CC, Retrograd_CXX.

get_filename_component(Retrograd_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Retrograd_PLUGIN "${Retrograd_PREFIX}/lib/Retrograd.so")
set(Retrograd_INCLUDE_DIR "${Retrograd_PREFIX}/include")
set(Retrograd_CC "${Retrograd_PREFIX}/bin/rg-clang")
set(Retrograd_CXX "${Retrograd_PREFIX}/bin/rg-clang++")

if(NOT EXISTS "${Retrograd_PLUGIN}")
  set(Retrograd_FOUND FALSE)
  set(Retrograd_NOT_FOUND_MESSAGE "there is no ${Retrograd_PLUGIN}")
  return()
endif()

function(retrograd_differentiable)
  foreach(Target ${ARGN})
    foreach(Language C CXX)
      if(NOT CMAKE_${Language}_COMPILER_LOADED)
        continue()
      endif()
      if(NOT CMAKE_${Language}_COMPILER_ID STREQUAL "Clang" OR
         NOT CMAKE_${Language}_COMPILER_VERSION MATCHES "^22[.]")
        message(FATAL_ERROR "retrograd_differentiable(${Target}): the ${Language} compiler is "
          "${CMAKE_${Language}_COMPILER_ID} ${CMAKE_${Language}_COMPILER_VERSION}, but the plugin "
          "needs clang 22; configure with CC=clang-22 CXX=clang++-22")
      endif()
    endforeach()
    target_include_directories(${Target} PRIVATE "${Retrograd_INCLUDE_DIR}")
    target_compile_options(${Target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${Retrograd_PLUGIN};-fpass-plugin=${Retrograd_PLUGIN}>")
  endforeach()
endfunction()

if(NOT TARGET ClangEnzymeFlags)
  add_library(ClangEnzymeFlags INTERFACE IMPORTED)
  target_include_directories(ClangEnzymeFlags INTERFACE "${Retrograd_INCLUDE_DIR}")
  target_compile_options(ClangEnzymeFlags INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${Retrograd_PLUGIN};-fpass-plugin=${Retrograd_PLUGIN}>")
endif()
if(NOT TARGET LLDEnzymeFlags)
  add_library(LLDEnzymeFlags INTERFACE IMPORTED)
  target_link_options(LLDEnzymeFlags INTERFACE -fuse-ld=lld "-Wl,--load-pass-plugin=${Retrograd_PLUGIN}")
endif()
