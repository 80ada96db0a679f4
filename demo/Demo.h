//===- Demo.h - how the demo measures, compares and reports -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per program:
//
//   reference   largest error of value and derivative against stored references
//               (demo/data, and ADBench's where present), entry by entry:
//               |value - ref| / max(|ref|, 1e-5 max|ref|)
//   central     largest difference to central differences over a sample of
//               inputs, relative to the largest entry of the derivative
//   ratio       time of the derivative / time of the primal, best of several
//               batches of each, alternating, in this one run
//   tape        most bytes of tape live at once in one derivative
//
//===----------------------------------------------------------------------===//

#ifndef DEMO_DEMO_H
#define DEMO_DEMO_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace demo {

/// Bounds on the errors; see demo/README.md for where they come from.
constexpr double ValueBound = 1e-10, DerivativeBound = 1e-8,
                 CentralBound = 1e-6;

using Vector = std::vector<double>;

/// A file of named blocks of numbers: lines `name rows cols`, then the rows.
class Reference {
public:
  explicit Reference(const std::string &Path);
  bool has(const std::string &Section) const { return Sections.count(Section); }
  /// Ends the program if there is no such section.
  const Vector &operator[](const std::string &Section) const;

private:
  std::string Path;
  std::map<std::string, Vector> Sections;
};

/// What is checked and measured of one program, and its row of the table.
class Row {
public:
  explicit Row(std::string Name) : Name(std::move(Name)) {}

  /// Compare with a reference. Sizes must agree.
  void checkValue(const Vector &Value, const Vector &Ref);
  void checkDerivative(const Vector &Value, const Vector &Ref);
  void checkDerivative(const double *Value, const Vector &Ref) {
    checkDerivative(Vector(Value, Value + Ref.size()), Ref);
  }
  /// Names one reference input that was used.
  void usedReference() { ++References; }

  /// Compare the derivative along Direction, which is Expected (one entry per
  /// output), with central differences of Primal at X; Scale is the largest
  /// entry of the whole derivative.
  using Function = std::function<void(const double *X, double *Out)>;
  void checkCentral(const Function &Primal, const Vector &X,
                    const Vector &Direction, const Vector &Expected,
                    double Scale);
  /// As above for a scalar function and a sample of the entries of Gradient.
  void checkGradient(const std::function<double(const double *)> &Primal,
                     const Vector &X, const Vector &Gradient);

  void measure(const std::function<void()> &Primal,
               const std::function<void()> &Derivative);

  /// Prints the row; true if all checks were within the bounds.
  bool print(size_t Inputs) const;

private:
  std::string Name;
  int References = 0;
  double ValueError = 0, DerivativeError = 0, CentralError = -1;
  double PrimalTime = 0, DerivativeTime = 0;
  int64_t TapeBytes = -1;
};

/// Some numbers out of [0, Count), without repetition, always the same ones.
std::vector<size_t> sample(size_t Count, size_t AtMost);

double largest(const Vector &V);

/// Where the inputs lie: the folder that the repository carries, and ADBench's
/// (empty if it is not there). From the command line.
struct Folders {
  Folders(int Argc, char **Argv);
  std::string Own, AdBench;
};

} // namespace demo

#endif
