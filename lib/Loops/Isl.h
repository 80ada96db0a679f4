//===- Isl.h - isl's objects with owners ------------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl (the integer set library) is C: functions take or keep what they are
// given, and give null where something failed or took too long. Isl<T> owns one
// reference. copy() is for functions that take, get() for those that keep. A
// null travels through all operations, so that whoever decides asks once.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_ISL_H
#define RETROGRAD_LOOPS_ISL_H

#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <string>
#include <utility>

namespace retrograd::loops {

// T is a type, and part of names.
// NOLINTBEGIN(bugprone-macro-parentheses)
template <typename T> struct IslObject;
#define RG_ISL(T)                                                              \
  template <> struct IslObject<T> {                                            \
    static T *copy(T *P) { return T##_copy(P); }                               \
    static void free(T *P) { T##_free(P); }                                    \
    static char *text(T *P) { return T##_to_str(P); }                          \
  };
RG_ISL(isl_aff)
RG_ISL(isl_pw_aff)
RG_ISL(isl_set)
RG_ISL(isl_map)
RG_ISL(isl_union_set)
RG_ISL(isl_union_map)
RG_ISL(isl_ast_node)
RG_ISL(isl_ast_expr)
RG_ISL(isl_val)
RG_ISL(isl_id)
#undef RG_ISL
// NOLINTEND(bugprone-macro-parentheses)

template <typename T> class Isl {
public:
  Isl() = default;
  explicit Isl(T *P) : P(P) {}
  Isl(const Isl &X) : P(X.copy()) {}
  Isl(Isl &&X) noexcept : P(std::exchange(X.P, nullptr)) {}
  Isl &operator=(Isl X) {
    std::swap(P, X.P);
    return *this;
  }
  ~Isl() {
    if (P)
      IslObject<T>::free(P);
  }
  T *copy() const { return P ? IslObject<T>::copy(P) : nullptr; }
  T *get() const { return P; }
  T *take() { return std::exchange(P, nullptr); }
  explicit operator bool() const { return P; }
  std::string text() const {
    char *Text = P ? IslObject<T>::text(P) : nullptr;
    std::string S = Text ? Text : "?";
    ::free(Text);
    return S;
  }

private:
  T *P = nullptr;
};

using Aff = Isl<isl_aff>;
using PwAff = Isl<isl_pw_aff>;
using Set = Isl<isl_set>;
using Map = Isl<isl_map>;
using UnionSet = Isl<isl_union_set>;
using UnionMap = Isl<isl_union_map>;

/// A context whose operations end when they have taken too long.
class IslContext {
public:
  explicit IslContext(unsigned long MostOperations) : C(isl_ctx_alloc()) {
    isl_options_set_on_error(C, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(C, MostOperations);
  }
  IslContext(const IslContext &) = delete;
  IslContext &operator=(const IslContext &) = delete;
  ~IslContext() { isl_ctx_free(C); }
  operator isl_ctx *() const { return C; }
  bool exceeded() const { return isl_ctx_last_error(C) == isl_error_quota; }
  /// Operations are counted from 0 again.
  void restart() {
    isl_ctx_reset_error(C);
    isl_ctx_reset_operations(C);
  }

private:
  isl_ctx *C;
};

} // namespace retrograd::loops

#endif
