//===- Doctor.cpp - where a wrong derivative comes from -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "CallerText.h"
#include "Catalogue/Catalogue.h"
#include "Request/EntryPoints.h"
#include "Suspicions.h"
#include "UserModule.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace retrograd;

namespace {

class Doctor {
public:
  Doctor(const Invocation &I, Module &M,
         function_ref<Findings(const Subject &)> Examine,
         function_ref<Measured(const Subject &)> Measure)
      : I(I), M(M), Marks(collectRegistrations(M)), Examine(Examine),
        Measure(Measure) {
    // The address of a rule is taken by what registers it; it is called by
    // derivatives only.
    for (const Registration &R : Marks)
      for (Constant *C : R.Operands)
        if (Function *Rule = registeredFunction(C))
          Rules.insert(Rule);
  }

  const Function *root() const {
    // "f(double)" names one of several: the module knows them by name alone.
    StringRef Plain =
        StringRef(I.Function).take_until([](char C) { return C == '('; });
    const Function *Root = nullptr;
    for (const Function &F : M)
      if (!F.isDeclaration()) {
        std::string Name = nameInSource(F);
        if (Name == Plain || F.getName() == Plain ||
            StringRef(Name).ends_with(("::" + Plain).str()))
          Root = &F;
      }
    return Root;
  }

  bool hasRule() const {
    const Function *Root = root();
    return Root && any_of(Marks, [&](const Registration &R) {
             return R.Of == Root && is_contained({Registration::Gradient,
                                                  Registration::Derivative,
                                                  Registration::SplitDerivative,
                                                  Registration::FunctionLike},
                                                 R.K);
           });
  }

  bool computesInFloat() const {
    SetVector<const Function *> Work;
    if (const Function *Root = root())
      Work.insert(Root);
    for (size_t K = 0; K < Work.size(); ++K)
      for (const Instruction &Inst : instructions(*Work[K])) {
        // Moving floats loses nothing.
        const Type *T = Inst.getType()->getScalarType();
        if ((isa<BinaryOperator, CallBase>(Inst) || isa<FPTruncInst>(Inst)) &&
            T->isFloatingPointTy() && T->getPrimitiveSizeInBits() < 64)
          return true;
        if (const auto *C = dyn_cast<CallBase>(&Inst))
          if (const Function *Callee = C->getCalledFunction();
              Callee && !Callee->isDeclaration())
            Work.insert(Callee);
      }
    return false;
  }

  void run(const Findings &Found) {
    if (const Function *Root = root()) {
      Seen.insert(Root);
      descend(*Root, {I.Function, "", areTogether(*Root)}, Found);
    }
  }

private:
  using Call = std::pair<const Function *, unsigned>; ///< callee, line

  /// What F may call: by name, or, through pointers and virtual tables,
  /// functions of that type whose address is known to somebody.
  SmallVector<Call, 8> calleesOf(const Function &F) {
    SmallVector<Call, 8> Callees;
    auto Add = [&](const Function *Callee, const Instruction &At) {
      if (!Callee->isDeclaration() && !Rules.contains(Callee) &&
          Seen.insert(Callee).second)
        Callees.push_back(
            {Callee, At.getDebugLoc() ? At.getDebugLoc().getLine() : 0});
    };
    for (const Instruction &Inst : instructions(F))
      if (const auto *C = dyn_cast<CallBase>(&Inst)) {
        if (const Function *Callee = C->getCalledFunction())
          Add(Callee, Inst);
        else if (C->isIndirectCall())
          for (const Function &Candidate : M)
            if (Candidate.getFunctionType() == C->getFunctionType() &&
                Candidate.hasAddressTaken())
              Add(&Candidate, Inst);
      }
    return Callees;
  }

  Subject subjectOf(const Function &F, bool AsCaller) {
    Subject S{nameInSource(F), "", areTogether(F)};
    if (AsCaller)
      S.Caller = callerText(F, !StringRef(I.File).ends_with(".c"), I.isCuda());
    return S;
  }

  /// Checks F by itself, if that can be done. Of is how that was.
  Findings examine(const Function &F, Subject &Of) {
    Of = subjectOf(F, false);
    Findings Found;
    if (StringRef(Of.Function).starts_with("the lambda")) {
      Found.Known = false;
      Found.Reason = "it has no name";
      return Found;
    }
    Found = Examine(Of);
    if (Found.Known)
      return Found;
    Subject Again = subjectOf(F, true);
    if (Again.Caller.empty())
      return Found;
    Findings Other = Examine(Again);
    if (!Other.Known)
      return Found;
    Of = Again;
    return Other;
  }

  /// F is wrong. Is one of its callees? What cannot be checked by itself
  /// belongs to F: what it calls is asked instead.
  void descend(const Function &F, const Subject &Of, const Findings &Found) {
    SmallVector<const Function *, 4> Territory{&F};
    SmallVector<std::string, 4> Skipped;
    struct {
      const Function *Callee = nullptr;
      std::string Said;
      Subject Of;
      Findings Found;
    } Doubtful;
    for (size_t K = 0; K < Territory.size(); ++K) {
      const Function &Caller = *Territory[K];
      for (auto [Callee, Line] : calleesOf(Caller)) {
        std::string Name = nameInSource(*Callee);
        if (Name.empty() || isSystem(*Callee)) {
          Territory.push_back(Callee);
          continue;
        }
        Subject OfCallee;
        Findings Theirs = examine(*Callee, OfCallee);
        if (!Theirs.Known) {
          Territory.push_back(Callee);
          StringRef Reason = StringRef(Theirs.Reason).take_until([](char C) {
            return C == ';' || C == '\n';
          });
          // What makes and destroys objects is hidden from those who read the
          // program.
          if (isMaker(*Callee))
            continue;
          Skipped.push_back("'" + Name + "'" +
                            (Reason.empty() ? "" : " (" + Reason.str() + ")"));
          continue;
        }
        std::string CallerName = nameInSource(Caller).empty()
                                     ? nameInSource(F)
                                     : nameInSource(Caller);
        if (Theirs.wrong()) {
          outs() << placeIn(Caller, Line) << ": '" << CallerName << "' calls '"
                 << Name << "', whose own derivative is wrong\n";
          return descend(*Callee, OfCallee, Theirs);
        }
        if (Theirs.Unsure && !Doubtful.Callee)
          Doubtful = {Callee,
                      placeIn(Caller, Line) + ": '" + CallerName + "' calls '" +
                          Name + "', which differences cannot judge\n",
                      OfCallee, Theirs};
      }
    }
    if (Doubtful.Callee) {
      outs() << Doubtful.Said;
      return descend(*Doubtful.Callee, Doubtful.Of, Doubtful.Found);
    }
    name(F, Of, Found, Territory);
    if (!Skipped.empty())
      outs() << "  not examined by itself: " << join(Skipped, ", ") << "\n";
  }

  /// A line of F, which may be in a header.
  std::string placeIn(const Function &F, unsigned Line) const {
    StringRef File = F.getSubprogram() ? F.getSubprogram()->getFilename() : "";
    return File.empty() ||
                   sys::path::filename(File) == sys::path::filename(I.File)
               ? place(I, Line)
               : File.str() + ":" + std::to_string(Line);
  }

  raw_ostream &fault(unsigned Line, const Function &F, StringRef Verb) const {
    return outs() << place(I, Line) << ": the fault " << Verb << " in '"
                  << nameInSource(F) << "': ";
  }
  raw_ostream &faultAt(const Instruction &Inst, const Function &F,
                       StringRef Verb) const {
    const DebugLoc &L = Inst.getDebugLoc();
    return fault(L ? L.getLine() : lineOf(&F), F, Verb);
  }

  /// Says what is registered for Whose and can be the reason. Verb leads the
  /// first sentence, Again the others.
  bool nameRules(const Function &Whose, const Findings &Found, StringRef Verb,
                 StringRef Again) {
    bool Named = false;
    for (const Suspicion &S : suspicionsOf(I, Whose, Found, Marks)) {
      fault(S.Line ? S.Line : lineOf(&Whose), Whose, Named ? Again : Verb)
          << S.What << "\n";
      if (!S.Further.empty())
        outs() << "  " << S.Further << "\n";
      Named = true;
    }
    return Named;
  }

  /// Says which decision a small step of an input changes.
  void nameDecision(const Decision &D) const {
    bool Own = sys::path::filename(D.File) == sys::path::filename(I.File);
    outs() << (Own ? place(I, D.Line) : D.File + ":" + std::to_string(D.Line))
           << ": the fault is in '" << D.Function << "': " << D.What
           << "\n  measured: a small step of " << D.Number
           << " changes its outcome, at execution " << D.Time
           << " of this operation\n";
  }

  /// Says which marks drop a derivative in Territory, once each. Named:
  /// something has been named before.
  bool nameMarks(ArrayRef<const Function *> Territory, bool Named) {
    for (const Function *Part : Territory)
      for (const Instruction &Inst : instructions(*Part))
        if (std::string What = markOf(I, Inst, Marks);
            !What.empty() && Told.insert(What).second) {
          faultAt(Inst, *Part, Named ? "may also be" : "is") << What << "\n";
          Named = true;
        }
    return Named;
  }

  /// Says which operation of F may have no derivative, where F could not be run
  /// to see whether it matters.
  bool nameByReading(const Function &F) const {
    for (const Instruction &Inst : instructions(F))
      if (const char *Why = notDifferentiable(Inst)) {
        faultAt(Inst, F, "may be") << Why << "\n";
        return true;
      }
    for (const Instruction &Inst : instructions(F))
      if (branchesOnNumber(Inst)) {
        faultAt(Inst, F, "may be") << "it branches on a number here\n";
        return true;
      }
    return false;
  }

  /// Says which functions of other files Territory calls: nothing is known of
  /// them.
  bool nameElsewhere(const Function &F,
                     ArrayRef<const Function *> Territory) const {
    Catalogue Known;
    SetVector<StringRef> Elsewhere;
    for (const Function *Part : Territory)
      for (const Instruction &Inst : instructions(*Part))
        if (const auto *C = dyn_cast<CallBase>(&Inst))
          if (const Function *Callee = C->getCalledFunction();
              Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
              !isEntryPoint(*Callee) && !Known.lookupFunction(*Callee))
            Elsewhere.insert(Callee->getName());
    if (Elsewhere.empty())
      return false;
    std::vector<std::string> Names;
    for (StringRef Name : Elsewhere)
      Names.push_back("'" + demangle(Name) + "'");
    outs() << place(I, lineOf(&F)) << ": the fault is in '" << nameInSource(F)
           << "' or in what it calls in other files: " << join(Names, ", ")
           << "\n";
    return true;
  }

  /// Says that no cause was found in F, and what that leaves.
  void nameNothing(const Function &F, const Findings &Found, bool Ran) const {
    raw_ostream &Out = outs() << place(I, lineOf(&F)) << ": the fault is in '"
                              << nameInSource(F) << "' itself: ";
    if (!Found.wrong()) {
      // Differences cannot judge, and no decision explains why.
      Out << (Ran ? "it changes too fast for differences, or its results are "
                    "noise\n"
                  : "differences cannot judge it, and it cannot be run to see "
                    "why\n");
      return;
    }
    Out << "nothing in it is known to have no derivative";
    if (Ran)
      Out << ", and no decision in it depends on a small step";
    if (Found.Reverse && !Found.Forward)
      Out << "; reverse mode alone is wrong, so look at what its sweep keeps "
             "and reads again (docs/Debugging.md, part 3)";
    Out << "; please report it\n";
  }

  /// F is wrong, and nothing that it calls is known to be.
  void name(const Function &F, const Subject &Of, const Findings &Found,
            ArrayRef<const Function *> Territory) {
    if (nameRules(F, Found, "is", "is"))
      return;
    Measured Seen = Measure(Of);
    bool Named = Seen.Changed.has_value();
    if (Named)
      nameDecision(*Seen.Changed);
    // A mark that drops a derivative does so in both modes.
    if (Found.Reverse && Found.Forward)
      Named = nameMarks(Territory, Named);
    // Of what could not be checked by itself, what is registered is all that is
    // known.
    for (const Function *Part : Territory.drop_front())
      Named |= nameRules(*Part, Found, Named ? "may also be" : "may be",
                         "may also be");
    if (Named)
      return;
    if (Seen.Undefined)
      outs() << *Seen.Undefined << "\n";
    else if ((Seen.Ran || !nameByReading(F)) && !nameElsewhere(F, Territory))
      nameNothing(F, Found, Seen.Ran);
  }

  const Invocation &I;
  Module &M;
  SmallVector<Registration, 4> Marks;
  function_ref<Findings(const Subject &)> Examine;
  function_ref<Measured(const Subject &)> Measure;
  DenseSet<const Function *> Seen, Rules;
  StringSet<> Told;
};

constexpr StringLiteral FindingsWord = "findings:";

} // namespace

std::string Findings::text() const {
  std::string Text = FindingsWord.str();
  for (auto [Is, Name] :
       {std::pair(Reverse, " reverse"), std::pair(Forward, " forward"),
        std::pair(ReverseValue, " reverse-value"),
        std::pair(ForwardValue, " forward-value"),
        std::pair(Unsure, " unsure")})
    if (Is)
      Text += Name;
  return Text;
}

void Findings::read(StringRef Output) {
  size_t At = Output.rfind(FindingsWord);
  if (At == StringRef::npos) {
    Known = false;
    return;
  }
  SmallVector<StringRef, 5> Words;
  Output.drop_front(At + FindingsWord.size())
      .take_until([](char C) { return C == '\n'; })
      .split(Words, ' ');
  Reverse = is_contained(Words, "reverse");
  Forward = is_contained(Words, "forward");
  ReverseValue = is_contained(Words, "reverse-value");
  ForwardValue = is_contained(Words, "forward-value");
  Unsure = is_contained(Words, "unsure");
}

void retrograd::diagnose(const Invocation &I, const Findings &Root,
                         function_ref<Findings(const Subject &)> Examine,
                         function_ref<Measured(const Subject &)> Measure) {
  LLVMContext Context;
  if (std::unique_ptr<Module> M = readModule(I, Context))
    Doctor(I, *M, Examine, Measure).run(Root);
}

bool retrograd::hasRule(const Invocation &I) {
  LLVMContext Context;
  std::unique_ptr<Module> M = readModule(I, Context);
  return M && Doctor(I, *M, {}, {}).hasRule();
}

bool retrograd::computesInFloat(const Invocation &I) {
  LLVMContext Context;
  std::unique_ptr<Module> M = readModule(I, Context);
  return M && Doctor(I, *M, {}, {}).computesInFloat();
}
