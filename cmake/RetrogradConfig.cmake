# Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(Retrograd), or FetchContent_MakeAvailable(Retrograd), gives
#
#   retrograd_differentiable(<target>... [OFFLOAD cpu])
#     compiles the targets' C, C++, Fortran and CUDA files with Retrograd loaded, so
#     that they may call __enzyme_autodiff and its family and include <retrograd/...>.
#     The compilers must be clang 22 and flang 22 (CC=clang-22 CXX=clang++-22
#     FC=flang-22), or the drivers rg-clang, rg-clang++ and rg-flang, which need no
#     such call. With OFFLOAD cpu the targets' .cu files become code of this machine
#     and need neither a GPU nor CUDA; the project enables CXX for them, not CUDA.
#
#   ClangEnzymeFlags, LLDEnzymeFlags
#     interface targets for projects made for Enzyme: target_link_libraries(<target>
#     ClangEnzymeFlags) compiles with the plugin, LLDEnzymeFlags links with it.
#
# and, with find_package, the variables Retrograd_PLUGIN, Retrograd_INCLUDE_DIR,
# Retrograd_CC, Retrograd_CXX, Retrograd_FC.

get_filename_component(Retrograd_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Retrograd_PLUGIN "${Retrograd_PREFIX}/lib/Retrograd.so")
set(Retrograd_INCLUDE_DIR "${Retrograd_PREFIX}/include")
set(Retrograd_CC "${Retrograd_PREFIX}/bin/rg-clang")
set(Retrograd_CXX "${Retrograd_PREFIX}/bin/rg-clang++")
set(Retrograd_FC "${Retrograd_PREFIX}/bin/rg-flang")

# As part of the user's own build (FetchContent) the plugin is a target and made first.
if(NOT TARGET RetrogradFiles AND NOT EXISTS "${Retrograd_PLUGIN}")
  set(Retrograd_FOUND FALSE)
  set(Retrograd_NOT_FOUND_MESSAGE "there is no ${Retrograd_PLUGIN}")
  return()
endif()

function(_retrograd_check_compiler Target Language Family Remedy)
  if(CMAKE_${Language}_COMPILER_LOADED AND NOT
     "${CMAKE_${Language}_COMPILER_ID} ${CMAKE_${Language}_COMPILER_VERSION}" MATCHES "^(${Family}) 22[.]")
    message(FATAL_ERROR "retrograd_differentiable(${Target}): the ${Language} compiler is "
      "${CMAKE_${Language}_COMPILER_ID} ${CMAKE_${Language}_COMPILER_VERSION}, but the plugin "
      "needs ${Remedy}")
  endif()
endfunction()

# CUDA sources as code of this machine: CMake compiles them as C++, and a launcher
# in front of the compiler calls the driver for them.
function(_retrograd_offload Target Prefix)
  if(NOT CMAKE_CXX_COMPILER_LOADED)
    message(FATAL_ERROR "retrograd_differentiable(${Target} OFFLOAD cpu): enable the language CXX")
  endif()
  get_target_property(Folder ${Target} SOURCE_DIR)
  if(NOT Folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "retrograd_differentiable(${Target} OFFLOAD cpu): call it in ${Folder}, where the target is made")
  endif()
  get_target_property(Sources ${Target} SOURCES)
  list(FILTER Sources INCLUDE REGEX "[.]cu$")
  if(Sources)
    set_source_files_properties(${Sources} PROPERTIES LANGUAGE CXX SKIP_UNITY_BUILD_INCLUSION ON
                                SKIP_PRECOMPILE_HEADERS ON)
  endif()
  get_target_property(Launcher ${Target} CXX_COMPILER_LAUNCHER)
  if(NOT Launcher)
    set(Launcher "")
  endif()
  set_property(TARGET ${Target} PROPERTY CXX_COMPILER_LAUNCHER
    sh "${Prefix}/lib/cmake/Retrograd/offload.sh" "${Prefix}/bin/rg-clang++" ${Launcher})
  # By property, since a target has either keywords at all its target_link_libraries or none.
  foreach(Property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    set_property(TARGET ${Target} APPEND PROPERTY ${Property} "${Prefix}/lib/libretrograd-cuda.a" -fopenmp m)
  endforeach()
endfunction()

function(retrograd_differentiable)
  cmake_parse_arguments(PARSE_ARGV 0 Given "" OFFLOAD "")
  if(Given_OFFLOAD AND NOT Given_OFFLOAD STREQUAL "cpu")
    message(FATAL_ERROR "retrograd_differentiable: OFFLOAD is cpu, and not '${Given_OFFLOAD}'")
  endif()
  get_filename_component(Prefix "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../.." ABSOLUTE)
  set(Plugin "${Prefix}/lib/Retrograd.so")
  foreach(Target ${Given_UNPARSED_ARGUMENTS})
    if(NOT TARGET ${Target})
      message(FATAL_ERROR "retrograd_differentiable(${Target}): there is no such target")
    endif()
    _retrograd_check_compiler(${Target} C Clang "clang 22; configure with CC=clang-22 CXX=clang++-22")
    _retrograd_check_compiler(${Target} CXX Clang "clang 22; configure with CC=clang-22 CXX=clang++-22")
    _retrograd_check_compiler(${Target} Fortran LLVMFlang "flang 22; configure with FC=flang-22")
    _retrograd_check_compiler(${Target} CUDA Clang "clang 22; configure with CUDACXX=clang++-22, or say OFFLOAD cpu \
and do not enable CUDA, to compile for this machine's processor")
    target_include_directories(${Target} PRIVATE "${Prefix}/include"
      "$<$<COMPILE_LANGUAGE:Fortran>:${Prefix}/include/retrograd>")
    # The third one has clang keep lines for error messages (tools/rg-clang/rg-clang.in).
    target_compile_options(${Target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX,CUDA>:-fplugin=${Plugin};-fpass-plugin=${Plugin}>"
      "$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:INTERPROCEDURAL_OPTIMIZATION>>>>:-Rpass=^rg-source-locations$>"
      "$<$<COMPILE_LANGUAGE:Fortran>:-fpass-plugin=${Plugin}>")
    if(Given_OFFLOAD)
      _retrograd_offload(${Target} "${Prefix}")
    endif()
    # A new plugin may make other derivatives.
    if(TARGET RetrogradFiles)
      add_dependencies(${Target} RetrogradFiles)
    endif()
  endforeach()
endfunction()

if(NOT TARGET ClangEnzymeFlags)
  add_library(ClangEnzymeFlags INTERFACE IMPORTED GLOBAL)
  target_include_directories(ClangEnzymeFlags INTERFACE "${Retrograd_INCLUDE_DIR}")
  target_compile_options(ClangEnzymeFlags INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${Retrograd_PLUGIN};-fpass-plugin=${Retrograd_PLUGIN}>")
endif()
if(NOT TARGET LLDEnzymeFlags)
  add_library(LLDEnzymeFlags INTERFACE IMPORTED GLOBAL)
  target_link_options(LLDEnzymeFlags INTERFACE -fuse-ld=lld "-Wl,--load-pass-plugin=${Retrograd_PLUGIN}")
endif()
