//===- HostLaunches.cpp - launches of kernels in host code ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/HostLaunches.h"
#include "Diagnostics/DiagnosticEngine.h"
#include "Parallel/LaunchForm.h"
#include "Support/Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Leaves of a kernel's operands. Each may become two pointers of its
/// derivative, of which a launch takes 4 KiB on any GPU.
static constexpr unsigned MostParameters = 200;

std::string retrograd::keepName(const Function &Run) {
  return ("rg.keep." + Run.getName().drop_front(LaunchPrefix.size())).str();
}

bool retrograd::isStub(const Function &F) {
  return !F.isDeclaration() && F.getName().contains("__device_stub__") &&
         !kernelOfStub(F.getName()).empty();
}

bool retrograd::hasLaunches(const Module &M) { return any_of(M, isStub); }

bool retrograd::keepStubs(Module &M) {
  bool Changed = false;
  for (Function &F : M)
    if (isStub(F)) {
      F.addFnAttr(Attribute::NoInline);
      F.removeFnAttr(Attribute::AlwaysInline);
      Changed = true;
    }
  return Changed;
}

HostLaunches::HostLaunches(Module &M, Catalogue &Cat,
                           StringMap<KernelFacts> *Facts)
    : M(M) {
  SmallVector<Function *, 8> Stubs;
  for (Function &F : M)
    if (isStub(F))
      Stubs.push_back(&F);
  for (Function *F : Stubs)
    makeLaunch(*F, Cat, Facts);
  writeGraphs();
}

/// Variables become those of this module. False, with the name, if one is not
/// here.
static bool findVariables(Module &M, KernelFacts &Facts, std::string &Missing) {
  for (KernelParameter &P : Facts.Parameters) {
    if (P.Variable.empty())
      continue;
    // A half that was brought here has its own names. Those of a file's own
    // variables have a suffix on the device.
    StringRef Own = StringRef(P.Variable).split("__static__").first;
    GlobalVariable *G = nullptr;
    for (const std::string &Name : {"rg.device." + P.Variable, P.Variable,
                                    "rg.device." + Own.str(), Own.str()})
      if (!G)
        G = M.getGlobalVariable(Name, /*AllowInternal=*/true);
    if (!G) {
      Missing = P.Variable;
      return false;
    }
    P.HostVariable = G->getName().str();
  }
  return true;
}

void HostLaunches::makeLaunch(Function &Stub, Catalogue &Cat,
                              StringMap<KernelFacts> *All) {
  LLVMContext &Ctx = M.getContext();
  IRBuilder<> B(Ctx);
  Launch L{&Stub, nullptr, kernelOfStub(Stub.getName()), nullptr, nullptr};
  KernelFacts *Facts = nullptr;
  std::string Missing;
  bool Variables = true;
  if (All)
    if (auto It = All->find(L.Kernel); It != All->end()) {
      Facts = &It->second;
      Variables = findVariables(M, *Facts, Missing);
    }
  L.Facts = Facts;
  SmallVector<Type *, 16> Types(6, B.getInt32Ty());
  Types.append({B.getInt64Ty(), B.getPtrTy()});
  bool Known = Facts && Facts->Refused.empty() && Variables &&
               Facts->Parameters.size() <= MostParameters;
  if (Known)
    for (const KernelParameter &P : Facts->Parameters)
      Types.push_back(P.K == KernelParameter::Struct ? B.getPtrTy() : P.T);
  L.Run = Function::Create(FunctionType::get(B.getVoidTy(), Types, false),
                           GlobalValue::InternalLinkage,
                           LaunchPrefix + L.Kernel, M);
  L.Run->addFnAttr(Attribute::NoInline);
  L.Run->setDoesNotThrow();
  if (Known)
    for (auto [N, P] : enumerate(Facts->Parameters)) {
      if (P.K == KernelParameter::Struct)
        L.Run->addParamAttr(LaunchPlaces + N,
                            Attribute::getWithByValType(Ctx, P.T));
      L.Run->addParamAttr(
          LaunchPlaces + N,
          P.Variable.empty()
              ? Attribute::get(Ctx, LaunchOf, std::to_string(P.Of))
              : Attribute::get(Ctx, LaunchVariable, P.HostVariable));
      L.Run->addParamAttr(
          LaunchPlaces + N,
          Attribute::get(Ctx, LaunchOffset, std::to_string(P.Offset)));
    }

  OperationRecord R;
  R.Id = "launch";
  auto Refuse = [&](const Twine &Why) {
    R.Class = RuleClass::Handler;
    R.Handler = HandlerKind::Refused;
    R.Text = Texts.emplace_back(
        ("a launch of '" + userName(L.Kernel) + "', " + Why).str());
    Cat.declare(*L.Run, R, true, true);
  };
  if (!Known)
    ReturnInst::Create(Ctx, BasicBlock::Create(Ctx, "", L.Run));
  if (!All)
    return Refuse(
        "whose code is not known when the host's half is compiled: compile "
        "with rg-clang++, which passes it on");
  if (!Facts)
    return Refuse("whose code is in another file");
  if (!Facts->Refused.empty())
    return Refuse("which " + Facts->Refused);
  if (!Variables)
    return Refuse("which uses the variable '" + userName(Missing) +
                  "', which has no counterpart on the host");
  if (!Known)
    return Refuse("which has too many parameters");
  std::string Memory = "- - - - - - - n", Prototype = "VIIIIIIZP";
  for (const KernelParameter &P : L.Facts->Parameters) {
    Memory += ' ';
    Prototype += '?';
    if (P.K != KernelParameter::Pointer && P.K != KernelParameter::Struct) {
      Memory += '-';
      continue;
    }
    bool Reads = P.Reads || P.K == KernelParameter::Struct;
    Memory += !Reads && !P.Writes ? 'n' : !P.Writes ? 'r' : Reads ? 'm' : 'w';
    if (P.Element && (Reads || P.Writes))
      Memory += P.Element;
    if (P.leads()) {
      Memory += !P.WritesFurther ? 'r' : P.ReadsFurther ? 'm' : 'w';
      if (P.Further)
        Memory += P.Further;
      R.AugmentShadows = true;
    }
  }
  R.Class = RuleClass::Rule;
  R.Memory = Texts.emplace_back(Memory);
  R.Prototype = Texts.emplace_back(Prototype);
  R.Text = "device";
  R.Augment = R.Reverse = R.Forward = L.Run->getName();
  R.OfRuntime = true;
  Cat.declare(*L.Run, R, true, true);
  L.Plain = writeKeep(L, Cat);
  writeRun(L);
  Launches.push_back(L);
}

bool HostLaunches::specialise(const DerivativeRequest &R,
                              OperationRecord &Rule) {
  auto *L =
      find_if(Launches, [&](const Launch &L) { return L.Run == R.Primal; });
  if (L == Launches.end())
    return false;
  SmallVector<bool, 8> Active;
  std::string Name = L->Run->getName().str() + ".";
  for (auto [N, P] : enumerate(L->Facts->Parameters)) {
    bool CanBe =
        P.K == KernelParameter::Pointer
            ? P.Element != 0
            : P.K == KernelParameter::Float || P.K == KernelParameter::Double;
    Active.push_back(CanBe && R.Args[LaunchPlaces + N] != ArgActivity::Const);
    if (Active.back())
      Name += (Name.back() == '.' ? "" : "_") + std::to_string(N);
  }
  bool Forward = R.Mode == DerivativeMode::Forward;
  auto S = find_if(Specials, [&](const Special &S) {
    return S.Run == L->Run && S.Active == Active;
  });
  if (S == Specials.end()) {
    Special New;
    New.Run = L->Run;
    New.Active = Active;
    New.Augment = Name + ".augment";
    New.Reverse = Name + ".reverse";
    New.Forward = Name + ".forward";
    New.Record = makeRecord(*L, Active, Name);
    Specials.push_back(std::move(New));
    S = std::prev(Specials.end());
  }
  bool &Has = Forward ? S->HasForward : S->HasReverse;
  if (!Has) {
    Has = true;
    Wanted.push_back({L->Kernel,
                      L->Kernel + (Forward ? ".rg.fwd" : ".rg.rev") +
                          StringRef(Name).rsplit('.').second.str(),
                      Forward, Active, L->Facts, S->Record, false});
    // PTX has no dots in names.
    std::replace(Wanted.back().Name.begin(), Wanted.back().Name.end(), '.',
                 '_');
    if (Forward) {
      writeSweep(*L, *S, /*Forward=*/true);
    } else {
      writeAugment(*L, *S);
      writeSweep(*L, *S, /*Forward=*/false);
    }
  }
  Rule.Augment = S->Augment;
  Rule.Reverse = S->Reverse;
  Rule.Forward = S->Forward;
  return true;
}

void HostLaunches::bind(function_ref<Constant *(const Kernel &)> HandleOf,
                        Constant *Image, uint64_t ImageBytes) {
  for (const Kernel &K : Wanted) {
    auto *Old = cast<ConstantStruct>(K.Record->getInitializer());
    SmallVector<Constant *, 8> Members;
    for (unsigned I = 0; I != Old->getNumOperands(); ++I)
      Members.push_back(Old->getOperand(I));
    if (Image) {
      Members[2] = Image;
      Members[3] = ConstantInt::get(Members[3]->getType(), ImageBytes);
    }
    Members[K.Forward ? 5 : 4] = HandleOf(K);
    if (K.Together)
      Members[9] = ConstantInt::get(Members[9]->getType(), 1);
    K.Record->setInitializer(ConstantStruct::get(Old->getType(), Members));
  }
}

void HostLaunches::finish() {
  eraseGraphs();
  for (Launch &L : Launches)
    if (L.Run->use_empty())
      L.Run->eraseFromParent();
  Launches.clear();
}
