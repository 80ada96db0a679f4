//===- Doctor.cpp - where a wrong derivative comes from -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "Catalogue/Catalogue.h"
#include "CheckRun.h"
#include "Request/EntryPoints.h"
#include "Request/Markers.h"
#include "Request/Registrations.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {

/// Runs the driver beside this tool into an IR file and reads that. Null if it
/// fails.
std::unique_ptr<Module> compile(const Invocation &I, StringRef DriverName,
                                std::vector<std::string> Words,
                                LLVMContext &Context) {
  SmallString<128> Output;
  if (sys::fs::createTemporaryFile("retrograd-doctor", "ll", Output))
    return nullptr;
  SmallString<256> Driver(I.BinDirectory);
  sys::path::append(Driver, DriverName);
  Words.insert(Words.begin(),
               {"-w", "-S", "-emit-llvm", "-o", Output.str().str(), "-mllvm",
                "-enzyme-enable=0"});
  Words.insert(Words.end(), I.Flags.begin(), I.Flags.end());
  // At -O0 each call and each operation is still at its line.
  Words.insert(Words.end(), {"-O0", "-g"});
  std::vector<StringRef> All{Driver};
  All.insert(All.end(), Words.begin(), Words.end());
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M;
  if (sys::ExecuteAndWait(Driver, All) == 0)
    M = parseIRFile(Output, Diagnostic, Context);
  if (M)
    linkBitcode(*M, I.Flags);
  (void)sys::fs::remove(Output);
  return M;
}

/// The user's file as IR with lines, without derivatives. Null if it cannot be
/// had.
std::unique_ptr<Module> readModule(const Invocation &I, LLVMContext &Context) {
  if (I.isCuda()) { // Device functions are in the device's half.
    std::vector<std::string> Words = readingFlags(I);
    Words.insert(Words.end(),
                 {"-Xclang", "-target-feature", "-Xclang", "+ptx88",
                  "--cuda-device-only", "--offload-arch=sm_90",
                  "--cuda-noopt-device-debug", "-Wno-unknown-cuda-version",
                  I.File});
    return compile(I, "rg-clang++", std::move(Words), Context);
  }
  return compile(I,
                 StringRef(I.File).ends_with(".c") ? "rg-clang" : "rg-clang++",
                 {I.File}, Context);
}

/// The name by which the user's program calls F; empty for what has no line.
std::string userName(const Function &F) {
  return F.getSubprogram() ? qualifiedName(*F.getSubprogram()) : "";
}

std::string place(const Invocation &I, unsigned Line) {
  return I.Shown + ":" + std::to_string(Line);
}

/// A rule, a mark or a claim of the user's about a function: what is said about
/// it.
struct Suspicion {
  std::string What;
  unsigned Line =
      0; ///< of the rule; 0: the line of the function it is registered for
  std::string Further = {}; ///< a second line, if there is more to say
};

/// Where the mark R stands: "damped.c:7, __enzyme_inactivefn_damped".
std::string placeOfMark(const Invocation &I, const Module &M,
                        const Registration &R) {
  unsigned Line = R.Line;
  if (const GlobalVariable *G =
          R.InGlobal ? M.getGlobalVariable(R.Name, true) : nullptr) {
    SmallVector<DIGlobalVariableExpression *, 1> Info;
    G->getDebugInfo(Info);
    if (!Info.empty())
      Line = Info[0]->getVariable()->getLine();
  }
  return (Line ? place(I, Line) + ": " : "") + R.Name;
}

unsigned lineOf(const Function *F) {
  return F && F->getSubprogram() ? F->getSubprogram()->getLine() : 0;
}

/// What is registered for F and can be the reason of what was found.
std::vector<Suspicion> suspicionsOf(const Invocation &I, const Function &F,
                                    const Findings &Found,
                                    ArrayRef<Registration> All) {
  std::vector<Suspicion> Result;
  const Function *Augmented = nullptr;
  for (const Registration &R : All)
    if (R.Of == &F &&
        (R.K == Registration::Augment || R.K == Registration::Gradient))
      if (Function *A = R.Operands.empty() ||
                                (R.K == Registration::Gradient && !R.InGlobal)
                            ? nullptr
                            : registeredFunction(R.Operands.front()))
        Augmented = A;
  for (const Registration &R : All) {
    if (R.Of != &F)
      continue;
    const Function *Rule =
        R.Operands.empty() ? nullptr : registeredFunction(R.Operands.back());
    switch (R.K) {
    case Registration::Gradient: {
      if (Found.ReverseValue)
        Result.push_back({"the augmented function that is registered for it "
                          "computes something else than it does",
                          lineOf(Augmented)});
      if (!Found.Reverse)
        break;
      // The gradient takes what the augmented function takes, the seed, and the
      // tape.
      bool Tape = Rule && Augmented &&
                  Rule->arg_size() > Augmented->arg_size() +
                                         F.getReturnType()->isFloatingPointTy();
      Result.push_back(
          {"the reverse rule that is registered for it does not fit it",
           lineOf(Rule),
           Tape && !Found.ReverseValue
               ? "or its augmented function, " + place(I, lineOf(Augmented)) +
                     ", which makes the tape"
               : ""});
      break;
    }
    case Registration::Derivative:
    case Registration::SplitDerivative:
      if (Found.ForwardValue)
        Result.push_back({"the forward rule that is registered for it computes "
                          "something else than it does",
                          lineOf(Rule)});
      if (Found.Forward)
        Result.push_back(
            {"the forward rule that is registered for it does not fit it",
             lineOf(Rule)});
      break;
    case Registration::Inactive:
      if (Found.Reverse || Found.Forward)
        Result.push_back(
            {"it is marked as inactive, so its derivative is dropped", 0,
             "the mark: " + placeOfMark(I, *F.getParent(), R)});
      break;
    case Registration::FunctionLike:
      if (Found.wrong())
        Result.push_back(
            {"it is declared to be like another function, and is not", 0,
             "the claim: " + placeOfMark(I, *F.getParent(), R)});
      break;
    default:
      break;
    }
  }
  return Result;
}

/// If Inst drops a derivative because the user said so: what is to be said of
/// it.
std::string markOf(const Invocation &I, const Instruction &Inst,
                   ArrayRef<Registration> All) {
  const Module &M = *Inst.getModule();
  auto Find = [&](const Value *V,
                  Registration::Kind K) -> const Registration * {
    for (const Registration &R : All)
      if (R.Of == V && R.K == K)
        return &R;
    return nullptr;
  };
  if (const auto *C = dyn_cast<CallBase>(&Inst)) {
    const Function *Callee = C->getCalledFunction();
    if (!Callee)
      return {};
    if (Callee->isDeclaration())
      if (const EntryPointName *Name = entryPointOf(Callee->getName())) {
        if (Name->Role == EntryRole::IgnoreDerivatives)
          return "__enzyme_ignore_derivatives drops the derivative of its "
                 "argument here";
        if (Name->Role == EntryRole::CallInactive)
          return "__enzyme_call_inactive drops the derivative of this call";
        if (any_of(C->args(), [](const Use &U) {
              return markerOf(U.get()).ends_with("_const");
            }))
          return "this derivative call marks an argument as constant: what "
                 "flows through it is dropped";
      }
    if (const Registration *R = Find(Callee, Registration::Inactive))
      return "the derivative of this call is dropped, for '" +
             demangle(Callee->getName()) +
             "' is marked as inactive\n  the mark: " + placeOfMark(I, M, *R);
    return {};
  }
  const Value *P = getLoadStorePointerOperand(&Inst);
  const Type *Moved = P ? getLoadStoreType(&Inst) : nullptr;
  if (!Moved || !Moved->isFPOrFPVectorTy())
    return {};
  const Value *Global = getUnderlyingObject(P);
  if (const Registration *R = Find(Global, Registration::InactiveGlobal))
    return "what goes through '" + demangle(Global->getName()) +
           "' has no derivative, for it is marked as inactive\n  the mark: " +
           placeOfMark(I, M, *R);
  return {};
}

/// Writes types and calls as C or C++, from debug information. Nothing where it
/// does not suffice.
class CallerText {
public:
  CallerText(const Function &F, bool CPlusPlus, bool OnDevice)
      : F(F), CPlusPlus(CPlusPlus), OnDevice(OnDevice) {}

  /// A function `rg_caller` that takes what a check can fill, and calls F.
  std::string write() {
    const DISubprogram *SP = F.getSubprogram();
    if (!SP || !SP->getType() || SP->getName().starts_with("~"))
      return {};
    std::map<unsigned, std::string> Names = parameterNames();
    DITypeRefArray Types = SP->getType()->getTypeArray();
    std::string Name = scoped(SP->getScope(), SP->getName()), Declared, Passed;
    if (Types.size() == 0 || Name.empty() || !Good)
      return {};
    bool Member = false;
    for (unsigned K = 1; K < Types.size(); ++K) {
      const DIType *T = Types[K];
      std::string Argument =
          Names.count(K) ? Names[K] : "rg_p" + std::to_string(K);
      bool This = T && K == 1 && (T->getFlags() & DINode::FlagArtificial);
      if (This) {
        const auto *Pointer = dyn_cast<DIDerivedType>(T);
        Declared +=
            spell(Pointer ? Pointer->getBaseType() : nullptr) + " &rg_self";
        Member = true;
        continue;
      }
      Declared += Declared.empty() ? "" : ", ";
      bool Struct = isStruct(T);
      Declared += spell(T) + (Struct ? " const *" : " ") + Argument;
      Passed += (Passed.empty() ? "" : ", ") + std::string(Struct ? "*" : "") +
                Argument;
    }
    std::string Result = spell(Types[0]), Call;
    if (Member) {
      StringRef Own = SP->getName();
      const auto *Class = dyn_cast_or_null<DIType>(SP->getScope());
      // A constructor is not called on an object.
      if (!Class || Own.take_until([](char C) {
            return C == '<';
          }) == Class->getName().take_until([](char C) { return C == '<'; }))
        return {};
      Call = "rg_self." + Name + "(" + Passed + ")";
    } else
      Call = Name + "(" + Passed + ")";
    if (isStruct(Types[0])) {
      Declared += (Declared.empty() ? "" : ", ") + Result + " *rg_result";
      Call = "*rg_result = " + Call;
      Result = "void";
    } else if (Result != "void")
      Call = "return " + Call;
    if (!Good || Declared.empty())
      return {};
    return (OnDevice ? "__device__ " : "") + Result + " rg_caller(" + Declared +
           ") {\n  " + Call + ";\n}\n";
  }

private:
  std::map<unsigned, std::string> parameterNames() {
    std::map<unsigned, std::string> Names;
    for (const Instruction &Inst : instructions(F))
      for (const DbgVariableRecord &R : filterDbgVars(Inst.getDbgRecordRange()))
        if (unsigned K = R.getVariable()->getArg();
            K && !R.getVariable()->getName().empty())
          Names[K] = R.getVariable()->getName().str();
    return Names;
  }

  static const DIType *plain(const DIType *T) {
    while (const auto *D = dyn_cast_or_null<DIDerivedType>(T))
      if (is_contained({dwarf::DW_TAG_typedef, dwarf::DW_TAG_const_type,
                        dwarf::DW_TAG_volatile_type},
                       D->getTag()))
        T = D->getBaseType();
      else
        break;
    return T;
  }
  static bool isStruct(const DIType *T) {
    const auto *C = dyn_cast_or_null<DICompositeType>(plain(T));
    return C && C->getTag() != dwarf::DW_TAG_enumeration_type;
  }

  std::string scoped(const DIScope *S, StringRef Name) {
    std::string Text = Name.str();
    for (; S; S = S->getScope())
      if (isa<DINamespace>(S)) {
        if (!S->getName().empty()) // what an anonymous one holds is visible
          Text = S->getName().str() + "::" + Text;
      } else if (isa<DICompositeType>(S)) {
        Good &= !S->getName().empty();
        Text = S->getName().str() + "::" + Text;
      } else if (isa<DISubprogram, DILexicalBlockBase>(S)) {
        Good = false; // local to a function
      } else
        break;
    return Text;
  }

  std::string spell(const DIType *T) {
    if (!T)
      return "void";
    if (const auto *B = dyn_cast<DIBasicType>(T))
      return B->getName().str();
    if (const auto *C = dyn_cast<DICompositeType>(T)) {
      Good &= !C->getName().empty() && C->getTag() != dwarf::DW_TAG_array_type;
      StringRef Kind = CPlusPlus                                     ? ""
                       : C->getTag() == dwarf::DW_TAG_union_type     ? "union "
                       : C->getTag() == dwarf::DW_TAG_structure_type ? "struct "
                                                                     : "enum ";
      return Kind.str() + scoped(C->getScope(), C->getName());
    }
    const auto *D = dyn_cast<DIDerivedType>(T);
    if (!D) {
      Good = false;
      return {};
    }
    switch (D->getTag()) {
    case dwarf::DW_TAG_typedef:
      return scoped(D->getScope(), D->getName());
    case dwarf::DW_TAG_const_type:
      return spell(D->getBaseType()) + " const";
    case dwarf::DW_TAG_volatile_type:
      return spell(D->getBaseType()) + " volatile";
    case dwarf::DW_TAG_restrict_type:
      return spell(D->getBaseType());
    case dwarf::DW_TAG_pointer_type:
      Good &= !isa_and_nonnull<DISubroutineType>(D->getBaseType());
      return spell(D->getBaseType()) + " *";
    case dwarf::DW_TAG_reference_type:
      return spell(D->getBaseType()) + " &";
    case dwarf::DW_TAG_rvalue_reference_type:
      return spell(D->getBaseType()) + " &&";
    default:
      Good = false;
      return {};
    }
  }

  const Function &F;
  bool CPlusPlus, OnDevice, Good = true;
};

/// A comparison of numbers that decides a branch.
bool branchesOnNumber(const Instruction &I) {
  const auto *C = dyn_cast<FCmpInst>(&I);
  if (!C)
    return false;
  return any_of(C->users(),
                [](const User *U) { return isa<BranchInst, SelectInst>(U); });
}

/// Do threads that run F have to do with each other: does it ask who they are,
/// or wait for them?
bool areTogether(const Function &F) {
  SmallVector<const Function *, 8> Work{&F};
  DenseSet<const Function *> Seen{&F};
  while (!Work.empty())
    for (const Instruction &Inst : instructions(*Work.pop_back_val()))
      if (const auto *C = dyn_cast<CallBase>(&Inst))
        if (const Function *Callee = C->getCalledFunction()) {
          StringRef Name = Callee->getName();
          if (Name.starts_with("llvm.nvvm.read.ptx") ||
              Name.starts_with("llvm.nvvm.barrier") ||
              Name.starts_with("llvm.nvvm.bar") ||
              Name.starts_with("llvm.nvvm.shfl") ||
              Name.starts_with("llvm.nvvm.vote"))
            return true;
          if (!Callee->isDeclaration() && Seen.insert(Callee).second)
            Work.push_back(Callee);
        }
  return false;
}

/// Of the compiler's headers and the system's: nobody's fault is there, but
/// what they call may be the user's (std::transform).
bool isSystem(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return true;
  StringRef Directory = SP->getDirectory(), Name = SP->getFilename();
  SmallString<256> Path = Name;
  if (!sys::path::is_absolute(Name)) {
    Path = Directory;
    sys::path::append(Path, Name);
  }
  return StringRef(Path).starts_with("/usr/") ||
         sys::path::filename(Name).starts_with("__clang_cuda");
}

/// A constructor or a destructor.
bool isMaker(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  const auto *Class =
      SP ? dyn_cast_or_null<DICompositeType>(SP->getScope()) : nullptr;
  auto Plain = [](StringRef Name) {
    return Name.take_until([](char C) { return C == '<'; });
  };
  return SP && (SP->getName().starts_with("~") ||
                (Class && Plain(SP->getName()) == Plain(Class->getName())));
}

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
        std::string Name = userName(F);
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
    Subject S{userName(F), "", areTogether(F)};
    if (AsCaller)
      S.Caller =
          CallerText(F, !StringRef(I.File).ends_with(".c"), I.isCuda()).write();
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
        std::string Name = userName(*Callee);
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
        std::string CallerName =
            userName(Caller).empty() ? userName(F) : userName(Caller);
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

  raw_ostream &fault(unsigned Line, const Function &F, StringRef Verb = "is") {
    return outs() << place(I, Line) << ": the fault " << Verb << " in '"
                  << userName(F) << "': ";
  }

  /// F is wrong, and nothing that it calls is known to be.
  void name(const Function &F, const Subject &Of, const Findings &Found,
            ArrayRef<const Function *> Territory) {
    bool Named = false;
    auto Say = [&](const Function &Whose, const Suspicion &S, StringRef Verb) {
      fault(S.Line ? S.Line : lineOf(&Whose), Whose, Verb) << S.What << "\n";
      if (!S.Further.empty())
        outs() << "  " << S.Further << "\n";
      Named = true;
    };
    for (const Suspicion &S : suspicionsOf(I, F, Found, Marks))
      Say(F, S, "is");
    if (Named)
      return;

    Measured Seen = Measure(Of);
    if (const std::optional<Decision> &D = Seen.Changed) {
      bool Own = sys::path::filename(D->File) == sys::path::filename(I.File);
      outs() << (Own ? place(I, D->Line)
                     : D->File + ":" + std::to_string(D->Line))
             << ": the fault is in '" << D->Function << "': " << D->What
             << "\n  measured: a small step of " << D->Number
             << " changes its outcome, at execution " << D->Time
             << " of this operation\n";
      Named = true;
    }
    // A mark that drops a derivative does so in both modes.
    if (Found.Reverse && Found.Forward)
      for (const Function *Part : Territory)
        for (const Instruction &Inst : instructions(*Part))
          if (std::string What = markOf(I, Inst, Marks);
              !What.empty() && Told.insert(What).second) {
            const DebugLoc &L = Inst.getDebugLoc();
            fault(L ? L.getLine() : lineOf(Part), *Part,
                  Named ? "may also be" : "is")
                << What << "\n";
            Named = true;
          }
    // Of what could not be checked by itself, what is registered is all that is
    // known.
    for (const Function *Part : Territory.drop_front())
      for (const Suspicion &S : suspicionsOf(I, *Part, Found, Marks))
        Say(*Part, S, Named ? "may also be" : "may be");
    if (Named)
      return;
    if (Seen.Undefined) {
      outs() << *Seen.Undefined << "\n";
      return;
    }
    if (!Seen.Ran) {
      for (const Instruction &Inst : instructions(F))
        if (const char *Why = notDifferentiable(Inst)) {
          const DebugLoc &L = Inst.getDebugLoc();
          fault(L ? L.getLine() : lineOf(&F), F, "may be") << Why << "\n";
          return;
        }
      for (const Instruction &Inst : instructions(F))
        if (branchesOnNumber(Inst)) {
          const DebugLoc &L = Inst.getDebugLoc();
          fault(L ? L.getLine() : lineOf(&F), F, "may be")
              << "it branches on a number here\n";
          return;
        }
    }
    // What is in other files is not seen.
    Catalogue Known;
    SetVector<StringRef> Elsewhere;
    for (const Function *Part : Territory)
      for (const Instruction &Inst : instructions(*Part))
        if (const auto *C = dyn_cast<CallBase>(&Inst))
          if (const Function *Callee = C->getCalledFunction();
              Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
              !isEntryPoint(*Callee) && !Known.lookupFunction(*Callee))
            Elsewhere.insert(Callee->getName());
    if (!Elsewhere.empty()) {
      std::vector<std::string> Names;
      for (StringRef Name : Elsewhere)
        Names.push_back("'" + demangle(Name) + "'");
      outs() << place(I, lineOf(&F)) << ": the fault is in '" << userName(F)
             << "' or in what it calls in other files: " << join(Names, ", ")
             << "\n";
      return;
    }
    outs() << place(I, lineOf(&F)) << ": the fault is in '" << userName(F)
           << "' itself: ";
    if (!Found.wrong() && !Seen.Ran)
      outs()
          << "differences cannot judge it, and it cannot be run to see why\n";
    else if (!Found.wrong()) // Differences cannot judge, and no decision
                             // explains why.
      outs()
          << "it changes too fast for differences, or its results are noise\n";
    else
      outs() << "nothing in it is known to have no derivative"
             << (Seen.Ran ? ", and no decision in it depends on a small step"
                          : "")
             << (Found.Reverse && !Found.Forward
                     ? "; reverse mode alone is wrong, so look at what its "
                       "sweep keeps and reads again (docs/Debugging.md, part "
                       "3)"
                     : "")
             << "; please report it\n";
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
