//===- Registrations.cpp - what users say of functions --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request/Registrations.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {
struct NamedKind {
  StringRef Name;
  Registration::Kind K;
};
constexpr NamedKind RegistrationNames[] = {
#define REGISTRATION(Name, Kind) {Name, Registration::Kind},
#include "Request/EntryPoints.def"
};
constexpr NamedKind AnnotationNames[] = {
#define ANNOTATION(Name, Kind) {Name, Registration::Kind},
#include "Request/EntryPoints.def"
};
} // namespace

static const NamedKind *registrationOf(const GlobalVariable &G) {
  const NamedKind *Best = nullptr;
  for (const NamedKind &N : RegistrationNames)
    if (G.getName().contains(N.Name) &&
        (!Best || N.Name.size() > Best->Name.size()))
      Best = &N;
  return Best;
}

bool retrograd::isRegistration(const GlobalVariable &G) {
  return registrationOf(G);
}

static Constant *stripped(Constant *C) {
  return cast<Constant>(C->stripPointerCastsAndAliases());
}

Function *retrograd::registeredFunction(Constant *C) {
  return C ? dyn_cast<Function>(stripped(C)) : nullptr;
}

StringRef retrograd::registeredText(const Constant *C) {
  if (auto *Data = dyn_cast_or_null<ConstantDataArray>(C))
    return Data->isCString() ? Data->getAsCString() : StringRef();
  StringRef Text;
  if (!C || !C->getType()->isPointerTy() || !getConstantStringInfo(C, Text))
    return {};
  return Text;
}

/// The scalars of an initialiser, in order.
static void flatten(Constant *C, SmallVectorImpl<Constant *> &Members) {
  if (auto *A = dyn_cast<ConstantAggregate>(C)) {
    for (Use &U : A->operands())
      flatten(cast<Constant>(U.get()), Members);
    return;
  }
  if (auto *Zero = dyn_cast<ConstantAggregateZero>(C)) {
    for (unsigned I = 0, N = Zero->getElementCount().getFixedValue(); I != N;
         ++I)
      flatten(Zero->getElementValue(I), Members);
    return;
  }
  Members.push_back(C);
}

static void readGlobals(Module &M, SmallVectorImpl<Registration> &Found) {
  for (GlobalVariable &G : M.globals()) {
    const NamedKind *Named = registrationOf(G);
    if (!Named || !G.hasInitializer())
      continue;
    SmallVector<Constant *, 4> Members;
    flatten(G.getInitializer(), Members);
    auto Make = [&](Constant *Of) -> Registration & {
      Registration R{Named->K};
      R.Name = G.getName().str();
      R.InGlobal = true;
      R.Of = dyn_cast_or_null<GlobalObject>(Of ? stripped(Of) : nullptr);
      return Found.emplace_back(std::move(R));
    };
    // Marks list the functions that they mark.
    if (Named->K == Registration::Inactive ||
        Named->K == Registration::InactiveGlobal ||
        Named->K == Registration::NoEffect) {
      for (Constant *Member : Members)
        Make(Member);
      continue;
    }
    Registration &R = Make(Members.empty() ? nullptr : Members.front());
    for (Constant *Member : drop_begin(Members, Members.empty() ? 0 : 1))
      R.Operands.push_back(Member);
  }
}

static const NamedKind *annotationOf(StringRef Text) {
  for (const NamedKind &N : AnnotationNames)
    if (Text == N.Name)
      return &N;
  return nullptr;
}

/// Clang's annotations: {what, text, file, line, arguments}. A text may carry
/// its argument behind an equals sign.
static void readAnnotations(Module &M, SmallVectorImpl<Registration> &Found) {
  GlobalVariable *All = M.getGlobalVariable("llvm.global.annotations");
  auto *List = All && All->hasInitializer()
                   ? dyn_cast<ConstantArray>(All->getInitializer())
                   : nullptr;
  if (!List)
    return;
  for (Use &U : List->operands()) {
    auto *Entry = dyn_cast<ConstantStruct>(U.get());
    if (!Entry || Entry->getNumOperands() < 2)
      continue;
    auto [Text, Argument] = registeredText(Entry->getOperand(1)).split('=');
    const NamedKind *Named = annotationOf(Text);
    if (!Named)
      continue;
    Registration R{Named->K};
    R.Name = Text.str();
    R.Of = dyn_cast<GlobalObject>(stripped(Entry->getOperand(0)));
    if (isa_and_nonnull<GlobalVariable>(R.Of) && R.K == Registration::Inactive)
      R.K = Registration::InactiveGlobal;
    if (auto *Line = Entry->getNumOperands() > 3
                         ? dyn_cast<ConstantInt>(Entry->getOperand(3))
                         : nullptr)
      R.Line = unsigned(Line->getZExtValue());
    if (!Argument.empty())
      R.Operands.push_back(
          ConstantDataArray::getString(M.getContext(), Argument));
    if (Entry->getNumOperands() > 4)
      if (auto *Arguments =
              dyn_cast<GlobalVariable>(stripped(Entry->getOperand(4)));
          Arguments && Arguments->hasInitializer())
        flatten(Arguments->getInitializer(), R.Operands);
    Found.push_back(std::move(R));
  }
}

/// Attributes and metadata of the IR.
static void readAttributes(Module &M, SmallVectorImpl<Registration> &Found) {
  for (Function &F : M)
    for (const NamedKind &N : AnnotationNames) {
      Registration R{N.K};
      R.Name = N.Name.str();
      R.Of = &F;
      bool Says = F.hasFnAttribute(N.Name);
      if (Says)
        if (StringRef Text = F.getFnAttribute(N.Name).getValueAsString();
            !Text.empty())
          R.Operands.push_back(
              ConstantDataArray::getString(M.getContext(), Text));
      if (MDNode *Node = F.getMetadata(N.Name)) {
        Says = true;
        for (const MDOperand &Op : Node->operands()) {
          if (auto *C = dyn_cast_or_null<ConstantAsMetadata>(Op.get()))
            R.Operands.push_back(C->getValue());
          else if (auto *S = dyn_cast_or_null<MDString>(Op.get()))
            R.Operands.push_back(
                ConstantDataArray::getString(M.getContext(), S->getString()));
        }
      }
      if (Says)
        Found.push_back(std::move(R));
    }
  for (GlobalVariable &G : M.globals())
    if (G.hasMetadata("enzyme_inactive") || G.hasAttribute("enzyme_inactive")) {
      Registration R{Registration::InactiveGlobal};
      R.Name = "enzyme_inactive";
      R.Of = &G;
      Found.push_back(std::move(R));
    }
}

SmallVector<Registration, 4> retrograd::collectRegistrations(Module &M) {
  SmallVector<Registration, 4> Found;
  readGlobals(M, Found);
  readAnnotations(M, Found);
  readAttributes(M, Found);
  return Found;
}
