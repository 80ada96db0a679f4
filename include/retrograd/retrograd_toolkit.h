//===- retrograd_toolkit.h - what clang's CUDA headers lack -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc's programs find in CUDA's headers what clang's leave out: min and max of
// numbers in host code, without a namespace, and loads and stores with a hint
// for caches. rg-clang++ includes this in front of CUDA sources. Templates, so
// that a program's own functions of these names, and std::min behind a using,
// come first.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RETROGRAD_TOOLKIT_H
#define RETROGRAD_RETROGRAD_TOOLKIT_H

#if defined(__cplusplus) && defined(__CUDA__) &&                               \
    defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)

namespace rg_host {
template <class T> struct Number;
#define RG_NUMBER(T)                                                           \
  template <> struct Number<T> {                                               \
    typedef int Yes;                                                           \
  };
RG_NUMBER(int)
RG_NUMBER(unsigned)
RG_NUMBER(long)
RG_NUMBER(unsigned long)
RG_NUMBER(long long)
RG_NUMBER(unsigned long long)
RG_NUMBER(float)
RG_NUMBER(double)
#undef RG_NUMBER
} // namespace rg_host

// A number that is none loses.
template <class A, class B, typename rg_host::Number<A>::Yes = 0,
          typename rg_host::Number<B>::Yes = 0>
static inline __attribute__((host)) auto min(A X, B Y) -> decltype(X + Y) {
  typedef decltype(X + Y) T;
  return T(Y) < T(X) || T(X) != T(X) ? T(Y) : T(X);
}
template <class A, class B, typename rg_host::Number<A>::Yes = 0,
          typename rg_host::Number<B>::Yes = 0>
static inline __attribute__((host)) auto max(A X, B Y) -> decltype(X + Y) {
  typedef decltype(X + Y) T;
  return T(X) < T(Y) || T(X) != T(X) ? T(Y) : T(X);
}

#include "retrograd_cached.inc"

#endif

#endif
