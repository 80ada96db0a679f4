//===- Lstm.cpp - demo: a character LSTM -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Lstm.h"
#include "Demo.h"

using namespace programs;

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  demo::Row Row("LSTM");
  LstmInput L;
  demo::Vector Gradient;

  auto check = [&](const std::string &Stem) {
    L = readLstm(Stem + ".txt");
    demo::Reference Ref(Stem + ".ref.txt");
    Gradient.assign(L.numParameters(), 0);
    lstmGradient(L, L.Parameters.data(), Gradient.data());
    Row.checkValue({lstm(L, L.Parameters.data())}, Ref["objective"]);
    Row.checkDerivative(Gradient.data(), Ref["d_main"]);
    Row.checkDerivative(Gradient.data() + L.extraAt(), Ref["d_extra"]);
    Row.usedReference();
  };
  check(Folders.Own + "/lstm");
  if (!Folders.AdBench.empty())
    for (const char *Name : {"lstm_l2_c8", "lstm_l2_c1024", "lstm_l4_c1024"})
      check(Folders.AdBench + "/lstm/" + Name);

  L = makeLstm(2, 1024, 14);
  Gradient.assign(L.numParameters(), 0);
  lstmGradient(L, L.Parameters.data(), Gradient.data());
  Row.checkGradient([&](const double *P) { return lstm(L, P); }, L.Parameters,
                    Gradient);
  Row.measure([&] { lstm(L, L.Parameters.data()); },
              [&] { lstmGradient(L, L.Parameters.data(), Gradient.data()); });
  return !Row.print(L.numParameters());
}
