//===- CheckOwnCalls.cpp - checks at the user's own calls -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOwnCalls.h"
#include "CheckRun.h"
#include "Comparison.h"
#include "Examination.h"
#include "OwnCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// The settings by which a check stands at the point of the user's own call.
/// Nothing where they do not suffice: vectors, memory that nobody knows the
/// size of.
std::optional<CheckSettings> settingsAt(const OwnCall &Call, const Signature &F,
                                        const CheckSettings &Given) {
  if (Call.Arguments.size() != F.Parameters.size())
    return std::nullopt;
  CheckSettings S;
  S.Seed = Given.Seed;
  S.Points = 1;
  for (size_t K = 0; K < F.Parameters.size(); ++K)
    if (const Parameter &P = F.Parameters[K]; P.isIntegerValue())
      S.Integers[P.Name] = Call.Arguments[K].Integer;
  for (size_t K = 0; K < F.Parameters.size(); ++K) {
    const Parameter &P = F.Parameters[K];
    const OwnArgument &A = Call.Arguments[K];
    if (A.Constant)
      S.Constants.insert(P.Name);
    if (P.isIntegerValue())
      continue;
    if (P.How == Passing::Vector || A.Pointer != (P.How != Passing::Value))
      return std::nullopt;
    std::string &Bytes = S.Own[P.Name];
    if (P.How == Passing::Value) {
      float Single = float(A.Number);
      long double Long = A.Number;
      const void *At = &A.Number;
      if (P.Leaves.size() != 1)
        return std::nullopt;
      if (P.Leaves[0].Kind == NumberKind::Float)
        At = &Single;
      else if (P.Leaves[0].Kind == NumberKind::LongDouble)
        At = &Long;
      Bytes.assign((const char *)At, P.ElementBytes);
      continue;
    }
    // As many elements as the integers say, else all that there are.
    uint64_t There = P.ElementBytes ? A.Bytes.size() / P.ElementBytes : 0;
    bool Sized = Given.Lengths.count(P.Name) || P.How == Passing::Reference;
    for (size_t J = K + 1; J < F.Parameters.size(); ++J)
      Sized |= F.Parameters[J].isIntegerValue();
    if (Given.Lengths.count(P.Name))
      S.Lengths[P.Name] = Given.Lengths.at(P.Name);
    else if (!Sized)
      S.Lengths[P.Name] = std::min<uint64_t>(There, 4096);
    if (There == 0 || lengthOf(F, K, S) > There)
      return std::nullopt;
    Bytes = A.Bytes.substr(0, lengthOf(F, K, S) * P.ElementBytes);
  }
  return S;
}

/// Does [A, A + N) have a byte of [B, B + N)?
bool overlap(uint64_t A, uint64_t LengthA, uint64_t B, uint64_t LengthB) {
  return A && B && A < B + LengthB && B < A + LengthA;
}

/// Says what is wrong with the memory that a call is given; whether something
/// is.
bool checkMemory(const std::string &Place, const OwnCall &Call,
                 const Signature &F, const CheckSettings *At) {
  bool Bad = false;
  auto Say = [&](const Twine &Text) {
    outs() << Place << ": " << Text << "\n";
    Bad = true;
  };
  auto Length = [&](size_t K) {
    const Parameter &P = F.Parameters[K];
    return At ? lengthOf(F, K, *At) * P.ElementBytes
              : std::min<uint64_t>(Call.Arguments[K].Behind, P.ElementBytes);
  };
  for (size_t K = 0; K < Call.Arguments.size() && K < F.Parameters.size();
       ++K) {
    const OwnArgument &A = Call.Arguments[K];
    const std::string &Name = F.Parameters[K].Name;
    if (!A.Pointer || !F.Parameters[K].isFloating())
      continue;
    if (A.HasShadow && A.Shadow && A.ShadowBehind && A.Behind &&
        A.ShadowBehind < Length(K))
      Say("the shadow of '" + Name + "' is too small: " +
          Twine(A.ShadowBehind) + " bytes, for " + Twine(Length(K)));
    if (A.HasShadow && A.Shadow == A.Address)
      Say("'" + Name +
          "' is its own shadow, so it counts as constant, and its derivative "
          "is not computed");
    for (size_t J = 0; J < K; ++J) {
      const OwnArgument &B = Call.Arguments[J];
      const std::string &Other = F.Parameters[J].Name;
      if (!B.Pointer || !F.Parameters[J].isFloating())
        continue;
      bool Same = overlap(A.Address, Length(K), B.Address, Length(J));
      bool SameShadow = A.HasShadow && B.HasShadow &&
                        overlap(A.Shadow, Length(K), B.Shadow, Length(J));
      bool Written = !F.Parameters[K].ReadOnly || !F.Parameters[J].ReadOnly;
      if (SameShadow && !Same)
        Say("'" + Other + "' and '" + Name +
            "' have the same shadow, and are not the same memory: their "
            "derivatives are added to each other");
      if (Same && Written && A.HasShadow && B.HasShadow && !SameShadow)
        Say("'" + Other + "' and '" + Name +
            "' are the same memory, and their shadows are not: what is written "
            "by one name and "
            "read by the other has no derivative");
      if (Same && Written && A.HasShadow != B.HasShadow)
        Say("'" + Other + "' and '" + Name +
            "' are the same memory, and only one of them has a shadow: what is "
            "written by one name and "
            "read by the other counts as constant");
    }
  }
  return Bad;
}

} // namespace

void retrograd::findFault(const Invocation &I, const CheckSettings &S,
                          const Findings &Found) {
  diagnose(
      I, Found, [&](const Subject &Of) { return examine(I, S, Of); },
      [&](const Subject &Of) { return measure(I, S, Of); });
}

bool retrograd::checkOwnCalls(const Invocation &I, const Signature &F,
                              const CheckSettings &Given) {
  constexpr size_t Most = 4; // each is two compilations
  Workplace W(false);
  if (W.failed())
    return false;
  OwnProgram Program = recordOwnCalls(I, driverFor(I, F), W.file("program"));
  bool Wrong = false;
  if (!Program.Fault.empty()) {
    outs() << I.Shown
           << ": the program of the file itself, run with its derivatives: "
              "AddressSanitizer: "
           << Program.Fault << "\n";
    Wrong = true;
  }
  for (const OwnCall &Call :
       ArrayRef<OwnCall>(Program.Calls).take_front(Most)) {
    std::string Place = I.Shown + ":" + std::to_string(Call.Line);
    std::optional<CheckSettings> At = settingsAt(Call, F, Given);
    Wrong |= checkMemory(Place, Call, F, At ? &*At : nullptr);
    if (!At)
      continue;
    Invocation Quiet = I;
    Quiet.Keep = false;
    Comparison C;
    if (compare(Quiet, F, *At, C) != 0)
      continue;
    if (StringRef(C.Note).starts_with("finite")) {
      outs() << Place
             << ": the function is not finite at the point of this derivative "
                "call\n";
      continue;
    }
    if (!C.Note.empty())
      continue;
    if (!C.Found.wrong() && !C.Unsure) {
      outs() << Place
             << ": at the point of this derivative call they agree, too\n";
      continue;
    }
    outs() << Place << ": at the point of this derivative call:\n";
    C.report(I, *At);
    // Right with all of them active, wrong as the call marks them: then it is
    // the marks.
    if (C.Found.wrong() && !At->Constants.empty()) {
      CheckSettings Active = *At;
      Active.Constants = Given.Constants;
      Comparison All;
      if (compare(Quiet, F, Active, All) == 0 && All.Note.empty() &&
          !All.Found.wrong()) {
        outs() << Place
               << ": the fault is in this call: " << join(At->Constants, ", ")
               << (At->Constants.size() == 1 ? " is" : " are")
               << " marked enzyme_const, and derivatives flow through "
               << (At->Constants.size() == 1 ? "it" : "them") << "\n";
        Wrong = true;
        continue;
      }
    }
    Wrong |= C.Found.wrong();
    findFault(I, *At, C.Found);
  }
  return Wrong;
}
