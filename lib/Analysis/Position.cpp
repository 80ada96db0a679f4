//===- Position.cpp - where a pointer may point in an object --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/Position.h"
#include <algorithm>

using namespace retrograd;

static int64_t clampBound(int64_t X) {
  return std::clamp(X, Position::NegInf, Position::PosInf);
}

static int64_t addBound(int64_t X, int64_t D) {
  if (X <= Position::NegInf || X >= Position::PosInf)
    return X;
  return clampBound(X + D);
}

Position Position::shifted(int64_t D) const {
  Position P = *this;
  P.Off += D;
  P.Lo = addBound(P.Lo, D);
  P.Hi = addBound(P.Hi, D);
  return P;
}

void Position::canonicalise() {
  if (Stride == 0) {
    Lo = Off;
    Hi = Off + 1;
    return;
  }
  if (Lo > NegInf) {
    Lo += floorMod(Off - Lo, Stride);
    Off = Lo;
  }
}

Position PointerStep::apply(Position P) const {
  if (!P.valid())
    return P;
  P = P.shifted(Const);
  if (Stride) {
    P.Stride = commonStride(P.Stride, Stride);
    P.Lo =
        Below >= Position::PosInf ? Position::NegInf : addBound(P.Lo, -Below);
    P.Hi = Above >= Position::PosInf ? Position::PosInf : addBound(P.Hi, Above);
  }
  P.canonicalise();
  return P;
}
