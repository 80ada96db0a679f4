/*===- sweeps.h - one rule, all lanes -------------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Runs the operations of blas.h and lapack.h the way that docs/CustomRules.md
|* asks of the rules of the runtime: some number of lanes, activity as a mask of
|* operands.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_SWEEPS_H
#define RETROGRAD_RUNTIME_SWEEPS_H
#include "lapack.h"

namespace rg {

template <class R> inline void selectLane(R &Rule, uint64_t Lane) {
  Rule.each([&](int, auto &Operand) { Operand.lane(Lane); });
}
template <class R> inline void activate(R &Rule, uint64_t Active) {
  Rule.each([&](int I, auto &Operand) { Operand.activate(Active, I); });
}

/// Primal and tangents; what the primal returns, if anything (Result is of its
/// type).
template <class R, class F>
inline auto runForward(R Rule, uint64_t Lanes, F Result) {
  if constexpr (requires { Rule.remember(); })
    Rule.remember();
  if constexpr (requires { Rule.before(); })
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(Rule, Lane);
      Rule.before();
    }
  if constexpr (requires { Result = Rule.primal(); })
    Result = Rule.primal();
  else
    Rule.primal();
  if constexpr (requires { Rule.after(); })
    for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
      selectLane(Rule, Lane);
      Rule.after();
    }
  if constexpr (requires { Rule.forget(); })
    Rule.forget();
  return Result;
}
template <class R> inline void runForward(R Rule, uint64_t Lanes) {
  runForward(Rule, Lanes, 0);
}

/// A routine that returns a number.
template <class R, class T>
inline void runForwardResult(R Rule, uint64_t Lanes, T *Result, T *Tangents) {
  Rule.primal(*Result);
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(Rule, Lane);
    Tangents[Lane] = Rule.tangent(*Result);
  }
}

/// The tape begins with what was active when it was made.
template <class R, class... Results>
inline void *runAugment(rg_arena *Arena, uint64_t Active, R Rule,
                        Results &...Result) {
  activate(Rule, Active);
  void *Block;
  if constexpr (requires { Rule.augment(Arena, Result...); })
    Block = Rule.augment(Arena, Result...);
  else
    Block = host::augment(Arena, Rule, Result...);
  *static_cast<uint64_t *>(Block) = Active;
  return Block;
}

template <class R, class... Seeds>
inline void runReverse(uint64_t Lanes, void *Block, R Rule,
                       const Seeds *...Seed) {
  activate(Rule, *static_cast<uint64_t *>(Block));
  for (uint64_t Lane = 0; Lane != Lanes; ++Lane) {
    selectLane(Rule, Lane);
    if constexpr (requires { Rule.reverse(Block); }) {
      Rule.reverse(Block);
    } else {
      auto &K = *static_cast<const host::Kept *>(Block);
      Rule.reverse(K, Seed[Lane]..., static_cast<Seeds>(K.Number)...);
    }
    Rule.each([&](int, auto &Operand) { Operand.leave(Lane); });
  }
}

} // namespace rg

#endif
