//===- Polynomial.h - sums of products of variables -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses and bounds, with integer coefficients. Variables are numbers that
// whoever asks has given out.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_POLYNOMIAL_H
#define RETROGRAD_ANALYSIS_POLYNOMIAL_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace retrograd {

/// A product of variables, sorted; none: 1.
using Monomial = llvm::SmallVector<unsigned, 3>;
struct BySize {
  bool operator()(const Monomial &A, const Monomial &B) const {
    return std::lexicographical_compare(A.begin(), A.end(), B.begin(), B.end());
  }
};
/// Coefficients, none of them zero.
class Polynomial {
public:
  std::map<Monomial, int64_t, BySize> Terms;
  bool Overflow = false; ///< a coefficient did not fit

  void add(const Monomial &Of, int64_t Times) {
    int64_t &C = Terms[Of];
    Overflow |= llvm::AddOverflow(C, Times, C);
    if (!C)
      Terms.erase(Of);
  }
  void add(const Polynomial &P, int64_t Times = 1) {
    Overflow |= P.Overflow;
    for (auto &[Of, C] : P.Terms) {
      int64_t X;
      Overflow |= llvm::MulOverflow(C, Times, X);
      add(Of, X);
    }
  }
  Polynomial times(const Polynomial &P) const {
    Polynomial R;
    R.Overflow = Overflow || P.Overflow;
    for (auto &[A, X] : Terms)
      for (auto &[B, Y] : P.Terms) {
        Monomial Of = A;
        llvm::append_range(Of, B);
        llvm::sort(Of);
        int64_t C;
        R.Overflow |= llvm::MulOverflow(X, Y, C);
        R.add(Of, C);
      }
    return R;
  }
  bool isLinear() const {
    return llvm::all_of(Terms, [](auto &T) { return T.first.size() <= 1; });
  }
};

} // namespace retrograd

#endif
