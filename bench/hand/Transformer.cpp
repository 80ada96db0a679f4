//===- Transformer.cpp - a training step, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass as it is, then a function for each of its functions, from
// the last to the first. Each reads the activations that are there anyway, and
// adds to the adjoints of what it was given. Sums of adjoints may be reordered,
// as Retrograd reorders them.
//
//===----------------------------------------------------------------------===//

#include "../programs/Transformer.h"
#include "Hand.h"
#include <algorithm>

#pragma clang fp reassociate(on)

using namespace programs;

/// Y = softmax(X) with probabilities P, Loss = -log(P[target]) / (B * T):
/// dX = (P - [target]) / (B * T).
static void crossEntropyBackward(float *DLogits, const float *Probabilities,
                                 const int *Targets, int B, int T, int V) {
  float Share = 1.0f / (B * T);
  for (int r = 0; r < B * T; r++) {
    float *D = DLogits + r * V;
    const float *P = Probabilities + r * V;
    for (int i = 0; i < V; i++)
      D[i] += P[i] * Share;
    D[Targets[r]] -= Share;
  }
}

static void matmulBackward(float *DIn, float *DWeight, float *DBias,
                           const float *DOut, const float *In,
                           const float *Weight, int B, int T, int C, int OC) {
  for (int r = 0; r < B * T; r++) {
    const float *D = DOut + r * OC;
    float *DX = DIn + r * C;
    for (int o = 0; o < OC; o++) {
      const float *Row = Weight + o * C;
      float d = D[o];
      for (int i = 0; i < C; i++)
        DX[i] += Row[i] * d;
    }
  }
  for (int o = 0; o < OC; o++) {
    float *DRow = DWeight + o * C;
    float Sum = 0;
    for (int r = 0; r < B * T; r++) {
      const float *X = In + r * C;
      float d = DOut[r * OC + o];
      Sum += d;
      for (int i = 0; i < C; i++)
        DRow[i] += X[i] * d;
    }
    if (DBias)
      DBias[o] += Sum;
  }
}

static void layernormBackward(float *DIn, float *DWeight, float *DBias,
                              const float *DOut, const float *In,
                              const float *Weight, const float *Mean,
                              const float *Scale, int B, int T, int C) {
  for (int r = 0; r < B * T; r++) {
    const float *D = DOut + r * C, *X = In + r * C;
    float *DX = DIn + r * C;
    float M = Mean[r], S = Scale[r];
    float Sum = 0, Dot = 0;
    for (int i = 0; i < C; i++) {
      float Norm = (X[i] - M) * S, DNorm = Weight[i] * D[i];
      Sum += DNorm;
      Dot += DNorm * Norm;
    }
    Sum /= C;
    Dot /= C;
    for (int i = 0; i < C; i++) {
      float Norm = (X[i] - M) * S, DNorm = Weight[i] * D[i];
      DBias[i] += D[i];
      DWeight[i] += Norm * D[i];
      DX[i] += (DNorm - Sum - Norm * Dot) * S;
    }
  }
}

/// DRow is room for T numbers.
static void attentionBackward(float *DQkv, float *DRow, const float *DOut,
                              const float *Qkv, const float *Attention, int B,
                              int T, int C, int H) {
  int Size = C / H;
  float Scale = 1 / std::sqrt(float(Size));
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      for (int h = 0; h < H; h++) {
        const float *Row = Attention + ((b * H + h) * T + t) * T;
        const float *D = DOut + (b * T + t) * C + h * Size;
        const float *Query = Qkv + (b * T + t) * 3 * C + h * Size;
        float *DQuery = DQkv + (b * T + t) * 3 * C + h * Size;
        float Mean = 0;
        for (int s = 0; s <= t; s++) {
          const float *Value = Qkv + (b * T + s) * 3 * C + h * Size + 2 * C;
          float *DValue = DQkv + (b * T + s) * 3 * C + h * Size + 2 * C;
          float P = Row[s], Sum = 0;
          for (int i = 0; i < Size; i++) {
            Sum += D[i] * Value[i];
            DValue[i] += P * D[i];
          }
          DRow[s] = Sum;
          Mean += P * Sum;
        }
        for (int s = 0; s <= t; s++) {
          const float *Key = Qkv + (b * T + s) * 3 * C + h * Size + C;
          float *DKey = DQkv + (b * T + s) * 3 * C + h * Size + C;
          float DDot = Row[s] * (DRow[s] - Mean) * Scale;
          for (int i = 0; i < Size; i++) {
            DQuery[i] += Key[i] * DDot;
            DKey[i] += Query[i] * DDot;
          }
        }
      }
    }
  }
}

static void geluBackward(float *DIn, const float *DOut, const float *In,
                         int N) {
  const float Factor = std::sqrt(float(2 / 3.14159265358979323846));
  for (int i = 0; i < N; i++) {
    float X = In[i];
    float Square = 0.044715f * X * X;
    float Tanh = std::tanh(Factor * (X + Square * X));
    float Slope = (1 - Tanh * Tanh) * Factor * (1 + 3 * Square);
    DIn[i] += DOut[i] * 0.5f * (1 + Tanh + X * Slope);
  }
}

static void residualBackward(float *DIn, float *DAdded, const float *DOut,
                             int N) {
  for (int i = 0; i < N; i++) {
    DIn[i] += DOut[i];
    DAdded[i] += DOut[i];
  }
}

static void embedBackward(float *DSymbol, float *DPlace, const float *DOut,
                          const int *Symbols, int B, int T, int C) {
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      const float *D = DOut + (b * T + t) * C;
      float *Symbol = DSymbol + Symbols[b * T + t] * C;
      float *Place = DPlace + t * C;
      for (int i = 0; i < C; i++) {
        Symbol[i] += D[i];
        Place[i] += D[i];
      }
    }
  }
}

void hand::transformerGradient(TransformerInput<float> &I) {
  std::fill(I.DParameters.begin(), I.DParameters.end(), 0.0f);
  std::fill(I.DActivations.begin(), I.DActivations.end(), 0.0f);
  const int *Symbols = I.Symbols.data(), *Targets = I.Targets.data();
  transformerLoss(&I.Model, Symbols, Targets);

  const TransformerSizes &S = I.Model.Sizes;
  const int B = S.B, T = S.T, V = S.V, C = S.C, H = S.H, N = B * T * C;
  const TransformerParameters<float> &P = I.Model.P;
  const TransformerActivations<float> &A = I.Model.A;
  TransformerParameters<float> &DP = I.Adjoint.P;
  TransformerActivations<float> &DA = I.Adjoint.A;
  auto InOf = [&](const TransformerActivations<float> &From, int l) {
    return l ? From.Out + (l - 1) * N : From.Embedded;
  };
  std::vector<float> DRow(T);

  crossEntropyBackward(DA.Probabilities, A.Probabilities, Targets, B, T, V);
  matmulBackward(DA.LastNorm, DP.SymbolEmbedding, nullptr, DA.Probabilities,
                 A.LastNorm, P.SymbolEmbedding, B, T, C, V);
  layernormBackward(InOf(DA, S.Layers), DP.LastNormWeight, DP.LastNormBias,
                    DA.LastNorm, InOf(A, S.Layers), P.LastNormWeight,
                    A.LastMean, A.LastScale, B, T, C);
  for (int l = S.Layers - 1; l >= 0; l--) {
    const int Block = l * N, Row = l * B * T;
    float *DInput = InOf(DA, l), *DMiddle = DA.Middle + Block;
    residualBackward(DMiddle, DA.Down + Block, DA.Out + Block, N);
    matmulBackward(DA.Gelu + 4 * Block, DP.DownWeight + l * 4 * C * C,
                   DP.DownBias + l * C, DA.Down + Block, A.Gelu + 4 * Block,
                   P.DownWeight + l * 4 * C * C, B, T, 4 * C, C);
    geluBackward(DA.Up + 4 * Block, DA.Gelu + 4 * Block, A.Up + 4 * Block,
                 4 * N);
    matmulBackward(DA.Norm2 + Block, DP.UpWeight + l * 4 * C * C,
                   DP.UpBias + l * 4 * C, DA.Up + 4 * Block, A.Norm2 + Block,
                   P.UpWeight + l * 4 * C * C, B, T, C, 4 * C);
    layernormBackward(DMiddle, DP.Norm2Weight + l * C, DP.Norm2Bias + l * C,
                      DA.Norm2 + Block, A.Middle + Block, P.Norm2Weight + l * C,
                      A.Norm2Mean + Row, A.Norm2Scale + Row, B, T, C);
    residualBackward(DInput, DA.Projected + Block, DMiddle, N);
    matmulBackward(DA.Heads + Block, DP.ProjectionWeight + l * C * C,
                   DP.ProjectionBias + l * C, DA.Projected + Block,
                   A.Heads + Block, P.ProjectionWeight + l * C * C, B, T, C, C);
    attentionBackward(DA.Qkv + 3 * Block, DRow.data(), DA.Heads + Block,
                      A.Qkv + 3 * Block, A.Attention + l * B * H * T * T, B, T,
                      C, H);
    matmulBackward(DA.Norm1 + Block, DP.QkvWeight + l * 3 * C * C,
                   DP.QkvBias + l * 3 * C, DA.Qkv + 3 * Block, A.Norm1 + Block,
                   P.QkvWeight + l * 3 * C * C, B, T, C, 3 * C);
    layernormBackward(DInput, DP.Norm1Weight + l * C, DP.Norm1Bias + l * C,
                      DA.Norm1 + Block, InOf(A, l), P.Norm1Weight + l * C,
                      A.Norm1Mean + Row, A.Norm1Scale + Row, B, T, C);
  }
  embedBackward(DP.SymbolEmbedding, DP.PlaceEmbedding, DA.Embedded, Symbols, B,
                T, C);
}
