//===- CheckCalls.cpp - the calls in a check's program --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCalls.h"

using namespace llvm;
using namespace retrograd;

const char *const retrograd::WithoutDerivatives =
    "#define RG_TRACE\nstatic void rg_reverse(void) {}\n"
    "static long double rg_forward(void) { return 0; }\n"
    "static long double rg_reverse_value(void) { return 0; }\n"
    "static long double rg_forward_value(long double *value) { return *value = "
    "0; }\n";

void retrograd::emitMarkersAndTypes(raw_ostream &OS, const Signature &F) {
  OS << (F.OnDevice ? "extern __device__ int enzyme_dup, enzyme_const, "
                      "enzyme_out, enzyme_primal_return;\n"
         : F.CPlusPlus
             ? "#undef enzyme_dup // macros of <retrograd/retrograd.h>\n"
               "#undef enzyme_const\n#undef enzyme_out\n"
               "#undef enzyme_primal_return\n"
               "namespace rg_markers { // the user's file may have its own\n"
               "int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n}\n"
             : "extern int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n"
               "int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n");
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    if (F.Parameters[I].How == Passing::Pointer ||
        F.Parameters[I].How == Passing::Reference)
      OS << "typedef __typeof__(" << F.Parameters[I].Element << ") rg_type_"
         << I << ";\n";
}

bool retrograd::isActive(const Parameter &P, const CheckSettings &S) {
  return P.isFloating() && !S.Constants.count(P.Name);
}

void retrograd::emitHead(raw_ostream &OS, const std::string &File) {
  OS << "#define main rg_main_of_the_user\n#include \"" << File
     << "\"\n#undef main\n"
     << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
}

std::string retrograd::emitEntry(raw_ostream &OS, const Signature &F,
                                 const CheckSettings &S, StringRef Entry,
                                 bool Reverse, StringRef Result, bool Primal) {
  OS << (F.OnDevice ? "__device__ " : "") << Result << " " << Entry << "(void *"
     << (Primal ? ", int" : "");
  std::string Scope = F.CPlusPlus && !F.OnDevice ? "rg_markers::" : "";
  std::string Call = (Entry + "((void *)(" + F.PointerType + ")" + F.Name +
                      (Primal ? ", " + Scope + "enzyme_primal_return" : ""))
                         .str();
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    bool Active = isActive(P, S);
    bool Shadow = Active && (P.How != Passing::Value || !Reverse);
    StringRef Marker = !Active  ? "enzyme_const"
                       : Shadow ? "enzyme_dup"
                                : "enzyme_out";
    OS << ", int, " << T.variable() << (Shadow ? ", " + T.variable() : "");
    Call += (", " + Scope + Marker + ", " + T.value()).str();
    if (Shadow)
      Call += ", " + T.shadow();
  }
  OS << ");\n";
  return Call + ")";
}

std::string retrograd::emitAdjointType(raw_ostream &OS, const Signature &F,
                                       const CheckSettings &S,
                                       std::vector<size_t> &Scalars) {
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    if (isActive(F.Parameters[I], S) && F.Parameters[I].How == Passing::Value)
      Scalars.push_back(I);
  if (Scalars.empty())
    return "void";
  if (Scalars.size() == 1)
    return F.Parameters[Scalars[0]].Element;
  OS << "struct rg_adjoints {";
  for (size_t I : Scalars)
    OS << " " << F.Parameters[I].Element << " a" << I << ";";
  OS << " };\n";
  return "struct rg_adjoints";
}

void retrograd::emitTwice(raw_ostream &OS, Signature &F) {
  if (F.Result == "void")
    return;
  std::string Declared, Passed;
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    StringRef Type = F.Parameters[I].Spelling;
    if (Type.contains('[') || Type.contains('(') || Type.contains("&&"))
      return;
    std::string Name = "rg_argument" + std::to_string(I);
    Declared += (I ? ", " : "") + Type.str() + " " + Name;
    Passed += (I ? ", " : "") + Name;
  }
  std::string Call = "((" + F.PointerType + ")" + F.Name + ")(" + Passed + ")";
  OS << (F.OnDevice ? "__device__ " : "") << "static " << F.Result
     << " rg_twice(" << Declared << ") {\n  " << F.Result
     << " rg_first = " << Call << ";\n  return 0.75f * rg_first + 1.5f * "
     << Call << ";\n}\n";
  F.Name = "rg_twice";
}

Entries retrograd::emitEntries(raw_ostream &OS, const Signature &F,
                               const CheckSettings &S) {
  Entries E;
  E.Adjoints = emitAdjointType(OS, F, S, E.Scalars);
  E.Reverse = emitEntry(OS, F, S, "__enzyme_autodiff_check", true, E.Adjoints);
  E.Forward = emitEntry(OS, F, S, "__enzyme_fwddiff_check", false, F.Result);
  if (F.Result == "void") {
    E.ReverseValue = E.Reverse, E.ForwardValue = E.Forward;
    return E;
  }
  OS << "struct rg_reverse_values { " << F.Result << " value;";
  for (size_t I : E.Scalars)
    OS << " " << F.Parameters[I].Element << " a" << I << ";";
  OS << " };\nstruct rg_forward_values { " << F.Result
     << " value, tangent; };\n";
  E.ReverseValue = emitEntry(
      OS, F, S, "__enzyme_autodiff_value", true,
      E.Scalars.empty() ? F.Result : "struct rg_reverse_values", true);
  E.ForwardValue = emitEntry(OS, F, S, "__enzyme_fwddiff_value", false,
                             "struct rg_forward_values", true);
  return E;
}

void retrograd::emitHostCalls(raw_ostream &OS, const Signature &F,
                              const CheckSettings &S, const Entries &E) {
  bool Returns = F.Result != "void";
  OS << "static long double rg_primal(void) {\n  "
     << (Returns ? "return (long double)" : "") << "((" << F.PointerType << ")"
     << F.Name << ")(";
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    OS << (I ? ", " : "") << ParameterText(F.Parameters[I], I).argument();
  OS << ");\n" << (Returns ? "" : "  return 0;\n") << "}\n";

  if (S.Trace) {
    OS << WithoutDerivatives;
    return;
  }
  auto Shadow = [&](size_t I) {
    return ParameterText(F.Parameters[I], I).shadow();
  };
  OS << "static void rg_reverse(void) {\n  ";
  if (E.Scalars.size() == 1)
    OS << Shadow(E.Scalars[0]) << " = ";
  else if (E.Scalars.size() > 1)
    OS << E.Adjoints << " r = ";
  OS << E.Reverse << ";\n";
  for (size_t I : E.Scalars)
    if (E.Scalars.size() > 1)
      OS << "  " << Shadow(I) << " = r.a" << I << ";\n";
  OS << "}\nstatic long double rg_forward(void) {\n  "
     << (Returns ? "return (long double)" : "") << E.Forward << ";\n"
     << (Returns ? "" : "  return 0;\n")
     << "}\nstatic long double rg_reverse_value(void) {\n";
  if (!Returns)
    OS << "  rg_reverse();\n  return 0;\n";
  else if (E.Scalars.empty())
    OS << "  return (long double)" << E.ReverseValue << ";\n";
  else {
    OS << "  struct rg_reverse_values r = " << E.ReverseValue << ";\n";
    for (size_t I : E.Scalars)
      OS << "  " << Shadow(I) << " = r.a" << I << ";\n";
    OS << "  return (long double)r.value;\n";
  }
  OS << "}\nstatic long double rg_forward_value(long double *value) {\n";
  if (Returns)
    OS << "  struct rg_forward_values r = " << E.ForwardValue
       << ";\n  *value = (long double)r.value;\n"
          "  return (long double)r.tangent;\n}\n";
  else
    OS << "  *value = 0;\n  return rg_forward();\n}\n";
}
