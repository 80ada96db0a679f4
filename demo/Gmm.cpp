//===- Gmm.cpp - demo: Gaussian mixture fitting -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Gmm.h"
#include "Demo.h"

using namespace programs;

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  demo::Row Row("GMM");
  GmmInput G;
  demo::Vector Gradient;

  auto check = [&](const std::string &Stem) {
    G = readGmm(Stem + ".txt");
    demo::Reference Ref(Stem + ".ref.txt");
    Gradient.assign(G.numParameters(), 0);
    gmmGradient(G, G.Parameters.data(), Gradient.data());
    Row.checkValue({gmm(G, G.Parameters.data())}, Ref["objective"]);
    Row.checkDerivative(Gradient.data(), Ref["d_alphas"]);
    Row.checkDerivative(Gradient.data() + G.meansAt(), Ref["d_means"]);
    Row.checkDerivative(Gradient.data() + G.icfAt(), Ref["d_icf"]);
    Row.usedReference();
  };
  check(Folders.Own + "/gmm");
  if (!Folders.AdBench.empty())
    for (const char *Name :
         {"gmm_d2_K3_n1", "gmm_d2_K5", "gmm_d2_K5_wishart", "gmm_d10_K25"})
      check(Folders.AdBench + "/gmm/" + Name);

  G = makeGmm(10, 25, 1000);
  Gradient.assign(G.numParameters(), 0);
  gmmGradient(G, G.Parameters.data(), Gradient.data());
  Row.checkGradient([&](const double *P) { return gmm(G, P); }, G.Parameters,
                    Gradient);
  Row.measure([&] { gmm(G, G.Parameters.data()); },
              [&] { gmmGradient(G, G.Parameters.data(), Gradient.data()); });
  return !Row.print(G.numParameters());
}
