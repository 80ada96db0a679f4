//===- Hand.cpp - demo: hand tracking -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Hand.h"
#include "Demo.h"

using namespace programs;

static bool run(const demo::Folders &Folders, bool Complicated) {
  const std::string Mode = Complicated ? "complicated" : "simple";
  demo::Row Row("HAND " + Mode + ", Jacobian");
  HandInput H;
  demo::Vector Jacobian, Residuals;

  auto evaluate = [&] {
    Residuals.assign(H.numRows(), 0);
    Jacobian.assign(size_t(H.numRows()) * H.numColumns(), 0);
    hand(H, H.Parameters.data(), Residuals.data());
    handJacobian(H, H.Parameters.data(), Jacobian.data());
  };
  auto check = [&](const std::string &Stem, const std::string &Model) {
    H = readHand(Stem + ".txt", Model, Complicated);
    demo::Reference Ref(Stem + ".ref.txt");
    evaluate();
    Row.checkValue(Residuals, Ref["err"]);
    Row.checkDerivative(Jacobian, Ref["jacobian"]);
    Row.usedReference();
  };
  check(Folders.Own + "/hand_" + Mode, Folders.Own + "/hand_model");
  // The last one is also the one that is measured.
  if (!Folders.AdBench.empty())
    for (const char *Size : {"_n2", "_t26_c100"})
      check(Folders.AdBench + "/hand/hand_" + Mode + Size,
            Folders.AdBench + "/hand/model");

  const int Columns = H.numColumns(), Own = Columns - HandPose;
  for (int Column = 0; Column < Columns; ++Column) {
    demo::Vector Direction(H.Parameters.size()), Expected(H.numRows());
    if (Column < Own)
      for (int C = 0; C < H.count(); ++C)
        Direction[HandPose + 2 * C + Column] = 1;
    else
      Direction[Column - Own] = 1;
    for (int R = 0; R < H.numRows(); ++R)
      Expected[R] = Jacobian[size_t(R) * Columns + Column];
    Row.checkCentral([&](const double *X, double *Out) { hand(H, X, Out); },
                     H.Parameters, Direction, Expected,
                     demo::largest(Jacobian));
  }
  Row.measure([&] { hand(H, H.Parameters.data(), Residuals.data()); },
              [&] { handJacobian(H, H.Parameters.data(), Jacobian.data()); });
  return Row.print(H.Parameters.size());
}

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  bool Simple = run(Folders, false), Complicated = run(Folders, true);
  return !(Simple && Complicated);
}
