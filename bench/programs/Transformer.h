//===- Transformer.h - a training step's loss -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small transformer that predicts the next of a text's symbols: embeddings of
// symbols and of places, layers of causal attention and of a network with one
// hidden layer, each behind a layer norm and added to what came in, a last
// layer norm, logits by the symbols' embeddings, mean cross entropy.
//
// As such programs are written in C: all numbers of a kind are in one block of
// memory, a struct points to the arrays in it, functions take plain pointers
// and sizes, nothing is `restrict`. It is C++ only where a number's type is a
// parameter, so that a test can take differences in double.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_TRANSFORMER_H
#define BENCH_TRANSFORMER_H

#include <cmath>
#include <cstddef>
#include <vector>

namespace programs {

/// B texts of T symbols each, of V; C numbers for each place in a text, in
/// H heads.
struct TransformerSizes {
  int B, T, V, C, H, Layers;
};

template <typename Real> struct TransformerParameters {
  Real *SymbolEmbedding; // V x C
  Real *PlaceEmbedding;  // T x C
  // Each for every layer.
  Real *Norm1Weight, *Norm1Bias;           // C
  Real *QkvWeight, *QkvBias;               // 3C x C, 3C
  Real *ProjectionWeight, *ProjectionBias; // C x C, C
  Real *Norm2Weight, *Norm2Bias;           // C
  Real *UpWeight, *UpBias;                 // 4C x C, 4C
  Real *DownWeight, *DownBias;             // C x 4C, C
  Real *LastNormWeight, *LastNormBias;     // C, once
};

/// What each step computes; the reverse by hand reads it again.
template <typename Real> struct TransformerActivations {
  Real *Embedded; // B x T x C
  // Each for every layer.
  Real *Norm1, *Norm1Mean, *Norm1Scale;  // B x T x C, B x T, B x T
  Real *Qkv;                             // B x T x 3C
  Real *Attention;                       // B x H x T x T
  Real *Heads, *Projected, *Middle;      // B x T x C
  Real *Norm2, *Norm2Mean, *Norm2Scale;  // B x T x C, B x T, B x T
  Real *Up, *Gelu;                       // B x T x 4C
  Real *Down, *Out;                      // B x T x C
  Real *LastNorm, *LastMean, *LastScale; // B x T x C, B x T, B x T, once
  Real *Probabilities;                   // B x T x V
  Real *Losses;                          // B x T
};

template <typename Real> struct Transformer {
  TransformerSizes Sizes;
  TransformerParameters<Real> P;
  TransformerActivations<Real> A;
};

template <typename Real> Real *transformerTake(Real *&At, size_t Count) {
  Real *Begin = At;
  At += Count;
  return Begin;
}

inline size_t transformerParameterCount(const TransformerSizes &S) {
  const size_t C = S.C;
  return (S.V + S.T) * C + S.Layers * (12 * C * C + 13 * C) + 2 * C;
}

template <typename Real>
void transformerPointParameters(TransformerParameters<Real> &P,
                                const TransformerSizes &S, Real *At) {
  const size_t C = S.C, L = S.Layers;
  P.SymbolEmbedding = transformerTake(At, S.V * C);
  P.PlaceEmbedding = transformerTake(At, S.T * C);
  P.Norm1Weight = transformerTake(At, L * C);
  P.Norm1Bias = transformerTake(At, L * C);
  P.QkvWeight = transformerTake(At, L * 3 * C * C);
  P.QkvBias = transformerTake(At, L * 3 * C);
  P.ProjectionWeight = transformerTake(At, L * C * C);
  P.ProjectionBias = transformerTake(At, L * C);
  P.Norm2Weight = transformerTake(At, L * C);
  P.Norm2Bias = transformerTake(At, L * C);
  P.UpWeight = transformerTake(At, L * 4 * C * C);
  P.UpBias = transformerTake(At, L * 4 * C);
  P.DownWeight = transformerTake(At, L * 4 * C * C);
  P.DownBias = transformerTake(At, L * C);
  P.LastNormWeight = transformerTake(At, C);
  P.LastNormBias = transformerTake(At, C);
}

inline size_t transformerActivationCount(const TransformerSizes &S) {
  const size_t BT = size_t(S.B) * S.T, C = S.C;
  return BT * (C + S.Layers * (18 * C + S.H * S.T + 4) + C + 2 + S.V + 1);
}

template <typename Real>
void transformerPointActivations(TransformerActivations<Real> &A,
                                 const TransformerSizes &S, Real *At) {
  const size_t BT = size_t(S.B) * S.T, C = S.C, L = S.Layers;
  A.Embedded = transformerTake(At, BT * C);
  A.Norm1 = transformerTake(At, L * BT * C);
  A.Norm1Mean = transformerTake(At, L * BT);
  A.Norm1Scale = transformerTake(At, L * BT);
  A.Qkv = transformerTake(At, L * BT * 3 * C);
  A.Attention = transformerTake(At, L * BT * S.H * S.T);
  A.Heads = transformerTake(At, L * BT * C);
  A.Projected = transformerTake(At, L * BT * C);
  A.Middle = transformerTake(At, L * BT * C);
  A.Norm2 = transformerTake(At, L * BT * C);
  A.Norm2Mean = transformerTake(At, L * BT);
  A.Norm2Scale = transformerTake(At, L * BT);
  A.Up = transformerTake(At, L * BT * 4 * C);
  A.Gelu = transformerTake(At, L * BT * 4 * C);
  A.Down = transformerTake(At, L * BT * C);
  A.Out = transformerTake(At, L * BT * C);
  A.LastNorm = transformerTake(At, BT * C);
  A.LastMean = transformerTake(At, BT);
  A.LastScale = transformerTake(At, BT);
  A.Probabilities = transformerTake(At, BT * S.V);
  A.Losses = transformerTake(At, BT);
}

template <typename Real>
void embedForward(Real *Out, const int *Symbols, const Real *SymbolEmbedding,
                  const Real *PlaceEmbedding, int B, int T, int C) {
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      Real *Row = Out + (b * T + t) * C;
      const Real *Symbol = SymbolEmbedding + Symbols[b * T + t] * C;
      const Real *Place = PlaceEmbedding + t * C;
      for (int i = 0; i < C; i++)
        Row[i] = Symbol[i] + Place[i];
    }
  }
}

template <typename Real>
void layernormForward(Real *Out, Real *Mean, Real *Scale, const Real *In,
                      const Real *Weight, const Real *Bias, int B, int T,
                      int C) {
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      const Real *X = In + (b * T + t) * C;
      Real Sum = 0;
      for (int i = 0; i < C; i++)
        Sum += X[i];
      Real M = Sum / C;
      Real Squares = 0;
      for (int i = 0; i < C; i++) {
        Real Shifted = X[i] - M;
        Squares += Shifted * Shifted;
      }
      Real S = 1 / std::sqrt(Squares / C + Real(1e-5));
      Real *Y = Out + (b * T + t) * C;
      for (int i = 0; i < C; i++)
        Y[i] = (X[i] - M) * S * Weight[i] + Bias[i];
      Mean[b * T + t] = M;
      Scale[b * T + t] = S;
    }
  }
}

/// A row of Weight for each of OC results. Without Bias if that is null.
template <typename Real>
void matmulForward(Real *Out, const Real *In, const Real *Weight,
                   const Real *Bias, int B, int T, int C, int OC) {
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      const Real *X = In + (b * T + t) * C;
      Real *Y = Out + (b * T + t) * OC;
      for (int o = 0; o < OC; o++) {
        Real Sum = Bias ? Bias[o] : 0;
        const Real *Row = Weight + o * C;
        for (int i = 0; i < C; i++)
          Sum += X[i] * Row[i];
        Y[o] = Sum;
      }
    }
  }
}

/// Qkv holds query, key and value side by side, C numbers each. Place t looks
/// at the places up to t.
template <typename Real>
void attentionForward(Real *Out, Real *Attention, const Real *Qkv, int B, int T,
                      int C, int H) {
  int Size = C / H;
  Real Scale = 1 / std::sqrt(Real(Size));
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      for (int h = 0; h < H; h++) {
        const Real *Query = Qkv + (b * T + t) * 3 * C + h * Size;
        Real *Row = Attention + ((b * H + h) * T + t) * T;
        Real Largest = -10000;
        for (int s = 0; s <= t; s++) {
          const Real *Key = Qkv + (b * T + s) * 3 * C + h * Size + C;
          Real Dot = 0;
          for (int i = 0; i < Size; i++)
            Dot += Query[i] * Key[i];
          Dot *= Scale;
          if (Dot > Largest)
            Largest = Dot;
          Row[s] = Dot;
        }
        Real Sum = 0;
        for (int s = 0; s <= t; s++) {
          Real E = std::exp(Row[s] - Largest);
          Sum += E;
          Row[s] = E;
        }
        Real Inverse = 1 / Sum;
        for (int s = 0; s < T; s++) {
          if (s <= t)
            Row[s] *= Inverse;
          else
            Row[s] = 0;
        }
        Real *Y = Out + (b * T + t) * C + h * Size;
        for (int i = 0; i < Size; i++)
          Y[i] = 0;
        for (int s = 0; s <= t; s++) {
          const Real *Value = Qkv + (b * T + s) * 3 * C + h * Size + 2 * C;
          Real P = Row[s];
          for (int i = 0; i < Size; i++)
            Y[i] += P * Value[i];
        }
      }
    }
  }
}

/// x times the normal distribution's share below x, by tanh.
template <typename Real> void geluForward(Real *Out, const Real *In, int N) {
  const Real Factor = std::sqrt(Real(2 / 3.14159265358979323846));
  for (int i = 0; i < N; i++) {
    Real X = In[i];
    Real Cube = Real(0.044715) * X * X * X;
    Out[i] = Real(0.5) * X * (1 + std::tanh(Factor * (X + Cube)));
  }
}

template <typename Real>
void residualForward(Real *Out, const Real *In, const Real *Added, int N) {
  for (int i = 0; i < N; i++)
    Out[i] = In[i] + Added[i];
}

/// Logits become probabilities where they are.
template <typename Real>
void softmaxForward(Real *Probabilities, int B, int T, int V) {
  for (int b = 0; b < B; b++) {
    for (int t = 0; t < T; t++) {
      Real *Row = Probabilities + (b * T + t) * V;
      Real Largest = -10000;
      for (int i = 0; i < V; i++)
        if (Row[i] > Largest)
          Largest = Row[i];
      Real Sum = 0;
      for (int i = 0; i < V; i++) {
        Row[i] = std::exp(Row[i] - Largest);
        Sum += Row[i];
      }
      for (int i = 0; i < V; i++)
        Row[i] /= Sum;
    }
  }
}

template <typename Real>
void crossEntropyForward(Real *Losses, const Real *Probabilities,
                         const int *Targets, int B, int T, int V) {
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      Losses[b * T + t] =
          -std::log(Probabilities[(b * T + t) * V + Targets[b * T + t]]);
}

/// The mean loss of predicting each place's target from the symbols up to it.
template <typename Real>
Real transformerLoss(Transformer<Real> *M, const int *Symbols,
                     const int *Targets) {
  int B = M->Sizes.B, T = M->Sizes.T, V = M->Sizes.V, C = M->Sizes.C;
  int H = M->Sizes.H, Layers = M->Sizes.Layers;
  TransformerParameters<Real> P = M->P;
  TransformerActivations<Real> A = M->A;
  embedForward(A.Embedded, Symbols, P.SymbolEmbedding, P.PlaceEmbedding, B, T,
               C);
  Real *In = A.Embedded;
  for (int l = 0; l < Layers; l++) {
    int Row = l * B * T, Block = l * B * T * C;
    Real *Norm1 = A.Norm1 + Block, *Norm2 = A.Norm2 + Block;
    Real *Qkv = A.Qkv + 3 * Block, *Heads = A.Heads + Block;
    Real *Projected = A.Projected + Block, *Middle = A.Middle + Block;
    Real *Up = A.Up + 4 * Block, *Gelu = A.Gelu + 4 * Block;
    Real *Down = A.Down + Block, *Out = A.Out + Block;
    layernormForward(Norm1, A.Norm1Mean + Row, A.Norm1Scale + Row, In,
                     P.Norm1Weight + l * C, P.Norm1Bias + l * C, B, T, C);
    matmulForward(Qkv, Norm1, P.QkvWeight + l * 3 * C * C,
                  P.QkvBias + l * 3 * C, B, T, C, 3 * C);
    attentionForward(Heads, A.Attention + l * B * H * T * T, Qkv, B, T, C, H);
    matmulForward(Projected, Heads, P.ProjectionWeight + l * C * C,
                  P.ProjectionBias + l * C, B, T, C, C);
    residualForward(Middle, In, Projected, B * T * C);
    layernormForward(Norm2, A.Norm2Mean + Row, A.Norm2Scale + Row, Middle,
                     P.Norm2Weight + l * C, P.Norm2Bias + l * C, B, T, C);
    matmulForward(Up, Norm2, P.UpWeight + l * 4 * C * C, P.UpBias + l * 4 * C,
                  B, T, C, 4 * C);
    geluForward(Gelu, Up, B * T * 4 * C);
    matmulForward(Down, Gelu, P.DownWeight + l * 4 * C * C, P.DownBias + l * C,
                  B, T, 4 * C, C);
    residualForward(Out, Middle, Down, B * T * C);
    In = Out;
  }
  layernormForward(A.LastNorm, A.LastMean, A.LastScale, In, P.LastNormWeight,
                   P.LastNormBias, B, T, C);
  matmulForward(A.Probabilities, A.LastNorm, P.SymbolEmbedding, (Real *)nullptr,
                B, T, C, V);
  softmaxForward(A.Probabilities, B, T, V);
  crossEntropyForward(A.Losses, A.Probabilities, Targets, B, T, V);
  Real Mean = 0;
  for (int i = 0; i < B * T; i++)
    Mean += A.Losses[i];
  return Mean / (B * T);
}

/// A model with its memory, and with that of its adjoints.
template <typename Real> struct TransformerInput {
  std::vector<Real> Parameters, Activations, DParameters, DActivations;
  std::vector<int> Symbols, Targets;
  Transformer<Real> Model, Adjoint;

  explicit TransformerInput(const TransformerSizes &S)
      : Parameters(transformerParameterCount(S)),
        Activations(transformerActivationCount(S)),
        DParameters(Parameters.size()), DActivations(Activations.size()) {
    Model.Sizes = Adjoint.Sizes = S;
    transformerPointParameters(Model.P, S, Parameters.data());
    transformerPointActivations(Model.A, S, Activations.data());
    transformerPointParameters(Adjoint.P, S, DParameters.data());
    transformerPointActivations(Adjoint.A, S, DActivations.data());
    // Numbers in (-1, 1) that look like noise, the same for every Real.
    unsigned State = 1;
    auto Next = [&] {
      State = (State * 1103515245u + 12345u) & 0x7fffffffu;
      return (State >> 16) / 16384.0 - 1;
    };
    for (Real &X : Parameters)
      X = Real(0.15 * Next());
    for (Real *Weights : {Model.P.Norm1Weight, Model.P.Norm2Weight})
      for (int I = 0; I < S.Layers * S.C; ++I)
        Weights[I] += 1;
    for (int I = 0; I < S.C; ++I)
      Model.P.LastNormWeight[I] += 1;
    for (int I = 0; I < S.B * S.T; ++I) {
      Symbols.push_back(int((Next() + 1) / 2 * S.V));
      Targets.push_back(int((Next() + 1) / 2 * S.V));
    }
  }
  TransformerInput(const TransformerInput &) = delete;
};

float transformer(TransformerInput<float> &I);
/// Leaves the gradient in DParameters.
void transformerGradient(TransformerInput<float> &I);

} // namespace programs

#endif
