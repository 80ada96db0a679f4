//===- CheckProgram.cpp - the program that a check compiles and runs ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three parts make the program. The first is written for the signature:
// variables that hold the arguments, and the three calls (primal, reverse,
// forward). The second is a table of every number in every argument, with the
// address of its value and of its shadow. The third, the same in all programs,
// walks the table.
//
// What is differentiated is one number, phi = result + sum of weight * output,
// over the result and all that f may write through pointers. Reverse mode gets
// its gradient in one call when the shadows start as the weights; forward mode
// and the differences get it one input at a time.
//
// A derivative is linear in its seed and its tangent, so one seed and one
// tangent show little: a rule that forgets its seed, or squares its tangent,
// agrees with differences at 1. Hence each input has a tangent of its own that
// is not 1, and there are two more runs: forward mode along a random direction
// of all inputs, and reverse mode with shadows that hold something before.
// These two also return the primal's result, and what they return and leave in
// memory must be what the function itself does: a rule runs the user's code
// instead of the function.
//
// Every array has slack behind it. A function that writes there, or whose phi
// depends on what is there, was given the wrong length: this is said, instead
// of comparing derivatives of what lay behind the array.
//
//===----------------------------------------------------------------------===//

#include "CheckProgram.h"
#include "CheckCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <optional>

using namespace llvm;
using namespace retrograd;

int64_t retrograd::integerValue(const Parameter &P, const CheckSettings &S) {
  auto I = S.Integers.find(P.Name);
  return I == S.Integers.end() ? 4 : I->second;
}

/// The length a user gave, or 1 for references and lone structs, or the value
/// of the next integer parameter (`const double *x, int n`), or 4.
uint64_t retrograd::lengthOf(const Signature &F, size_t Index,
                             const CheckSettings &S) {
  const Parameter &P = F.Parameters[Index];
  if (auto I = S.Lengths.find(P.Name); I != S.Lengths.end())
    return I->second;
  if (P.How == Passing::Reference)
    return 1;
  for (size_t J = Index + 1; J < F.Parameters.size(); ++J)
    if (F.Parameters[J].isIntegerValue())
      return uint64_t(std::max<int64_t>(1, integerValue(F.Parameters[J], S)));
  return P.Leaves.size() == 1 ? 4 : 1;
}

namespace {

/// Where the K-th element's number L lies in the bytes that the user's own call
/// has; null for random numbers.
const char *ownBytes(const CheckSettings &S, const Parameter &P, const Leaf &L,
                     uint64_t K) {
  auto Own = S.Own.find(P.Name);
  uint64_t At = K * P.ElementBytes + L.Offset;
  return Own == S.Own.end() || At + 1 > Own->second.size()
             ? nullptr
             : Own->second.data() + At;
}

std::optional<double> ownNumber(const CheckSettings &S, const Parameter &P,
                                const Leaf &L, uint64_t K) {
  const char *At = ownBytes(S, P, L, K);
  if (!At)
    return std::nullopt;
  auto Read = [&](auto V) {
    memcpy(&V, At, sizeof V);
    return double(V);
  };
  double V = L.Kind == NumberKind::Float    ? Read(float())
             : L.Kind == NumberKind::Double ? Read(double())
                                            : Read((long double)0);
  return std::isfinite(V) ? std::optional(V) : std::nullopt;
}

int64_t ownInteger(const CheckSettings &S, const Parameter &P, const Leaf &L,
                   uint64_t K, int64_t Otherwise) {
  const char *At = ownBytes(S, P, L, K);
  if (!At)
    return Otherwise;
  StringRef Type = L.Type;
  bool Unsigned =
      Type.starts_with("unsigned") || Type == "bool" || Type == "_Bool";
  unsigned Bytes = Type.contains("char") || Type.ends_with("ool") ? 1
                   : Type.contains("short")                       ? 2
                   : Type.contains("long")                        ? 8
                                                                  : 4;
  uint64_t V = 0;
  memcpy(&V, At, Bytes); // little-endian
  return Unsigned || Bytes == 8 ? int64_t(V) : SignExtend64(V, Bytes * 8);
}

} // namespace

std::string retrograd::checkProgram(const std::string &File,
                                    const Signature &Given,
                                    const CheckSettings &S) {
  std::string Text;
  raw_string_ostream OS(Text);
  emitHead(OS, File);
  Signature F = Given;
  if (S.Twice)
    emitTwice(OS, F);
  emitMarkersAndTypes(OS, F);

  Entries E = emitEntries(OS, F, S);

  // Variables: static, so that the calls need no parameters.
  uint64_t Numbers = 0, Blocks = 0;
  OS << "enum { RG_SLACK_ELEMENTS = 256 };\n";
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    OS << "static " << T.variable() << " " << T.value();
    if (P.isIntegerValue())
      OS << " = (" << P.Element << ")" << integerValue(P, S);
    OS << ";\n";
    if (isActive(P, S))
      OS << "static " << T.variable() << " " << T.shadow() << ";\n";
  }

  if (F.OnDevice)
    emitKernels(OS, F, S, E);
  else
    emitHostCalls(OS, F, S, E);

  // The table of numbers, filled at the start.
  std::string Table;
  raw_string_ostream TS(Table);
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    bool Active = isActive(P, S),
         Writable = P.How != Passing::Value && !P.ReadOnly;
    if (P.isIntegerValue())
      continue;
    auto [Low, High] =
        S.Ranges.count(P.Name) ? S.Ranges.at(P.Name) : std::pair(S.Low, S.High);
    uint64_t Length = P.How == Passing::Value ? 1 : lengthOf(F, I, S);
    if (P.How != Passing::Value) {
      ++Blocks;
      std::string Bytes = std::to_string(P.ElementBytes * Length);
      if (P.How == Passing::Vector) {
        std::string New = "new std::vector<" + P.Element + ">(" +
                          std::to_string(Length) + ");\n";
        TS << "  " << T.value() << " = " << New;
        if (Active)
          TS << "  " << T.shadow() << " = " << New;
      } else {
        std::string New = "(" + T.variable() + ")" +
                          (F.OnDevice ? "rg_device_calloc(" : "calloc(") +
                          std::to_string(Length) + " + RG_SLACK_ELEMENTS, " +
                          std::to_string(P.ElementBytes) + ");\n";
        TS << "  " << T.value() << " = " << New;
        if (Active)
          TS << "  " << T.shadow() << " = " << New;
      }
      // Integers are small, different, and good as indices into the arrays.
      for (uint64_t K = 0; K < Length; ++K)
        for (const Leaf &L : P.Leaves)
          if (L.Kind == NumberKind::Integer)
            TS << "  *(" << L.Type << " *)(" << T.data(false) << " + "
               << K * P.ElementBytes + L.Offset << ") = (" << L.Type << ")"
               << ownInteger(S, P, L, K, int64_t(K % Length)) << "ll;\n";
      TS << "  rg_block(" << T.data(false) << ", " << Bytes << ", " << Bytes
         << (P.How == Passing::Vector ? ""
                                      : " + (size_t)RG_SLACK_ELEMENTS * " +
                                            std::to_string(P.ElementBytes))
         << ");\n";
    }
    for (uint64_t K = 0; K < Length; ++K)
      for (const Leaf &L : P.Leaves) {
        if (L.Kind == NumberKind::Integer)
          continue;
        std::string Shown = P.Name;
        if (P.How == Passing::Pointer || P.How == Passing::Vector)
          Shown += Length == 1 && P.How == Passing::Pointer &&
                           StringRef(L.Path).starts_with(".")
                       ? "->" + L.Path.substr(1)
                       : "[" + std::to_string(K) + "]" + L.Path;
        else
          Shown += L.Path;
        ++Numbers;
        auto [From, To] = std::pair(Low, High);
        if (std::optional<double> Own = ownNumber(S, P, L, K))
          From = To = *Own;
        uint64_t At = K * P.ElementBytes + L.Offset;
        TS << "  rg_number(\"" << Shown << "\", "
           << (L.Kind == NumberKind::Float    ? "RgFloat"
               : L.Kind == NumberKind::Double ? "RgDouble"
                                              : "RgLongDouble")
           << ", " << T.data(false) << " + " << At << ", "
           << (Active ? T.data(true) + " + " + std::to_string(At)
                      : std::string("NULL"))
           << ", " << Active << ", " << Writable << ", "
           << (P.How == Passing::Value) << ", " << format("%.17g", From) << ", "
           << format("%.17g", To) << ");\n";
      }
  }
  bool FloatResult = F.Result == "float";
  for (const Parameter &P : F.Parameters)
    for (const Leaf &L : P.Leaves)
      FloatResult |= L.Kind == NumberKind::Float;
  OS << "#define RG_NUMBERS " << Numbers << "\n#define RG_BLOCKS " << Blocks
     << "\n#define RG_SEED " << S.Seed << "ull\n#define RG_POINTS " << S.Points
     << "\n#define RG_FLOAT_RESULT " << FloatResult << "\n"
     << CheckWalk;
  // The table comes last but is used by main, hence the declaration in front.
  Text.insert(Text.find("int main(int argc"),
              "static void rg_arguments(void) {\n" + Table + "}\n\n");
  return Text;
}

std::string retrograd::gradientProgram(const std::string &File,
                                       const Signature &F) {
  std::string Text;
  raw_string_ostream OS(Text);
  CheckSettings S;
  emitHead(OS, File);
  emitMarkersAndTypes(OS, F);
  std::vector<size_t> Scalars;
  std::string Adjoints = emitAdjointType(OS, F, S, Scalars);
  std::string Call =
      emitEntry(OS, F, S, "__enzyme_autodiff_gradient", true, Adjoints);
  OS << (F.CPlusPlus ? "extern \"C\" " : "") << Adjoints << " rg_gradient(";
  bool First = true;
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    OS << (First ? "" : ", ") << T.variable() << " " << T.value();
    if (P.isFloating() && P.How != Passing::Value)
      OS << ", " << T.variable() << " " << T.shadow();
    First = false;
  }
  OS << (First ? "void" : "") << ") {\n  "
     << (Adjoints == "void" ? "" : "return ") << Call << ";\n}\n";
  return Text;
}
