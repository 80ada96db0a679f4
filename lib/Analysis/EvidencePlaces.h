//===- EvidencePlaces.h - where evidence lies in memory ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pieces of evidence have to do with the bytes of a query: their places in
// a window, and whether they overlap it. ObjectEvidence.cpp answers queries by
// it, EvidenceFlow.cpp and WordsByTurns.cpp carry evidence over links.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_EVIDENCEPLACES_H
#define RETROGRAD_ANALYSIS_EVIDENCEPLACES_H

#include "Analysis/ObjectGraph.h"

namespace retrograd {

/// How well evidence E speaks for a query at P; smaller is better.
inline int fitOf(const Position &P, const Evidence &E) {
  const Position &W = E.Where;
  if (W.Stride == P.Stride)
    return 0; // about just these places
  // What overlaps itself (a float at any byte: its offset was computed) holds
  // of some places only.
  if (W.Stride && W.Stride < E.Size)
    return 4;
  if (W.Stride && P.Stride % W.Stride == 0)
    return W.Hi < Position::PosInf ? 1 : 2; // about all of them, and others
  return 4;                                 // about some of them
}

/// An integer that a copy brought to steps of less than a word, since nothing
/// tells where the copy begins: it says of no place that it lies there. (What
/// the program itself accesses in such steps are characters, or small numbers.)
inline bool isAnywhere(const Evidence &E) {
  constexpr int64_t Word = 8;
  return E.Copied && E.Kind.K == ByteKind::Integer && E.Where.Stride &&
         E.Where.Stride < Word && E.Where.Lo <= Position::NegInf;
}

/// Calls Put(E, start, bytes, fit, smeared) with each place of evidence E in
/// the Size bytes at P, until Put returns false.
template <typename Taker>
void eachPlace(const Evidence &E, const Position &P, int64_t Size,
               Taker &&Put) {
  int64_t G = commonStride(E.Where.Stride, P.Stride);
  int64_t D = E.Where.Off - P.Off;
  int Fit = fitOf(P, E);
  if (G == 0) {
    if (D < Size && D + E.Size > 0)
      Put(E, D, E.Size, Fit, false);
    return;
  }
  if (G < E.Size && !P.exact()) {
    // The queried places lie closer than the evidence is long: every byte
    // may be any of its bytes.
    Put(E, 0, Size, Fit, true);
    return;
  }
  // First occurrence that reaches into the window.
  int64_t W = floorMod(D, G);
  while (W + E.Size > G)
    W -= G;
  while (W + E.Size <= 0)
    W += G;
  bool Below = E.Where.Lo > Position::NegInf;
  bool Above = E.Where.Hi < Position::PosInf;
  for (; W < Size; W += G) {
    if (P.exact()) {
      int64_t X = P.Off + W;
      if ((Below && X < E.Where.Lo) || (Above && X >= E.Where.Hi))
        continue;
      // Without a proof, arrays are taken to extend upwards.
      if (!Put(E, W, E.Size, !Below && X < E.Where.Off ? 3 : Fit, false))
        return;
      continue;
    }
    if (Below && Above && E.Where.Hi - E.Where.Lo < P.Stride &&
        floorMod(P.Off + W - E.Where.Lo, P.Stride) >= E.Where.Hi - E.Where.Lo)
      continue;
    if (!Put(E, W, E.Size, Fit, false))
      return;
  }
}

/// Visits what may have a place in the Size bytes at P, until Visit returns
/// false: what anybody says, once.
template <typename Node, typename Visitor>
void eachEvidence(const Node &O, const Position &P, int64_t Size,
                  Visitor &&Visit) {
  auto It = P.exact() ? O.ExactEvidence.lower_bound(P.Off - O.LargestExact)
                      : O.ExactEvidence.begin();
  for (;
       It != O.ExactEvidence.end() && (!P.exact() || It->first < P.Off + Size);
       ++It)
    if (!Visit(It->second))
      return;
  for (const Evidence &E : O.StridedEvidence)
    if (!Visit(E))
      return;
}

/// The same, and again what Asker says, too.
template <typename Node, typename Visitor>
void eachEvidence(const Node &O, const Position &P, int64_t Size,
                  unsigned Asker, Visitor &&Visit) {
  bool More = true;
  eachEvidence(O, P, Size, [&](const Evidence &E) { return More = Visit(E); });
  if (auto It = O.Echoes.find(Asker); More && It != O.Echoes.end())
    for (const Evidence &E : It->second)
      if (!Visit(E))
        return;
}

/// Does Asked hold of anything that may have a place in the Size bytes at P?
template <typename Node, typename Predicate>
bool anyEvidence(const Node &O, const Position &P, int64_t Size,
                 Predicate &&Asked) {
  bool Found = false;
  eachEvidence(O, P, Size, [&](const Evidence &E) {
    Found = Asked(E);
    return !Found;
  });
  return Found;
}

/// What evidence speaks of: just the bytes that are asked for, none of them, or
/// others as well.
enum class Overlap { None, Same, Across };

inline Overlap overlap(const Position &P, int64_t Size, const Evidence &E) {
  const Position &W = E.Where;
  if (W.Hi - 1 + E.Size <= P.Lo || P.Hi - 1 + Size <= W.Lo)
    return Overlap::None;
  int64_t G = commonStride(W.Stride, P.Stride);
  int64_t D = G ? floorMod(W.Off - P.Off, G) : W.Off - P.Off;
  if (D == 0)
    return E.Size == Size ? Overlap::Same : Overlap::Across;
  bool Behind = D >= Size, Before = G ? D + E.Size <= G : D + E.Size <= 0;
  return (G ? Behind && Before : Behind || Before) ? Overlap::None
                                                   : Overlap::Across;
}

} // namespace retrograd

#endif
