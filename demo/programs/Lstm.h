//===- Lstm.h - a character LSTM (ADBench) -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recurrent network of l layers predicts the next character of a text, each
// character being b bits. Every operation is elementwise over the b lanes. The
// state is carried from one character to the next, so the reverse sweep runs
// through the whole text and everything it needs has to be on the tape.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_LSTM_H
#define PROGRAMS_LSTM_H

#include "Numbers.h"
#include <cmath>
#include <string>
#include <vector>

namespace programs {

struct LstmInput {
  int Layers = 0, Characters = 0, Bits = 0;
  /// main[2 l][4 b] (weights and biases of forget, in, out, change), then
  /// extra[3][b] (input weights, output weights, output biases).
  std::vector<double> Parameters;
  std::vector<double> State; ///< [2 l][b]: hidden and cell of each layer
  std::vector<double> Text;  ///< [c][b]

  size_t extraAt() const { return size_t(8) * Layers * Bits; }
  size_t numParameters() const { return extraAt() + size_t(3) * Bits; }
};

inline LstmInput readLstm(const std::string &Path) {
  NumberReader In(Path);
  LstmInput L;
  L.Layers = In.integer(), L.Characters = In.integer(), L.Bits = In.integer();
  L.Parameters = In.numbers(L.numParameters());
  L.State = In.numbers(size_t(2) * L.Layers * L.Bits);
  L.Text = In.numbers(size_t(L.Characters) * L.Bits);
  return L;
}

inline LstmInput makeLstm(int Layers, int Characters, int Bits) {
  Random R(77 + Layers);
  LstmInput L;
  L.Layers = Layers, L.Characters = Characters, L.Bits = Bits;
  L.Parameters = R.uniforms(L.numParameters(), -1, 1);
  L.State = R.uniforms(size_t(2) * Layers * Bits, -1, 1);
  for (int I = 0; I < Characters * Bits; ++I)
    L.Text.push_back(R.uniform() < 0.4 ? 1.0 : 0.0);
  return L;
}

template <typename T> T sigmoid(T X) {
  using std::exp;
  return 1.0 / (1.0 + exp(-X));
}

/// One layer: reads its input, updates hidden and cell.
template <typename T>
void lstmLayer(int Bits, const T *Weights, const T *Biases, const T *Input,
               T *Hidden, T *Cell) {
  using std::tanh;
  for (int J = 0; J < Bits; ++J) {
    T Forget = sigmoid(T(Input[J] * Weights[J] + Biases[J]));
    T In = sigmoid(T(Hidden[J] * Weights[Bits + J] + Biases[Bits + J]));
    T Out = sigmoid(T(Input[J] * Weights[2 * Bits + J] + Biases[2 * Bits + J]));
    T Change =
        tanh(T(Hidden[J] * Weights[3 * Bits + J] + Biases[3 * Bits + J]));
    Cell[J] = Cell[J] * Forget + In * Change;
    Hidden[J] = Out * tanh(Cell[J]);
  }
}

template <typename T>
T lstmObjective(int Layers, int Characters, int Bits, const T *Main,
                const T *Extra, const double *InitialState,
                const double *Text) {
  using std::exp;
  using std::log;
  std::vector<T> State(InitialState, InitialState + 2 * Layers * Bits);
  std::vector<T> Input(Bits), Output(Bits);
  T Total = 0;
  for (int C = 0; C + 1 < Characters; ++C) {
    for (int J = 0; J < Bits; ++J)
      Input[J] = Text[C * Bits + J] * Extra[J];
    const T *Layer = Input.data();
    for (int K = 0; K < Layers; ++K) {
      T *Hidden = &State[2 * K * Bits], *Cell = Hidden + Bits;
      lstmLayer(Bits, Main + 8 * K * Bits, Main + (8 * K + 4) * Bits, Layer,
                Hidden, Cell);
      Layer = Hidden;
    }
    T Sum = 2;
    for (int J = 0; J < Bits; ++J) {
      Output[J] = Layer[J] * Extra[Bits + J] + Extra[2 * Bits + J];
      Sum += exp(Output[J]);
    }
    T Normaliser = log(Sum);
    for (int J = 0; J < Bits; ++J)
      Total += Text[(C + 1) * Bits + J] * (Output[J] - Normaliser);
  }
  return -Total / (Bits * (Characters - 1));
}

double lstm(const LstmInput &L, const double *Parameters);
void lstmGradient(const LstmInput &L, const double *Parameters,
                  double *Gradient);

} // namespace programs

#endif
