//===- RuntimeLibrary.cpp - the runtime's bitcode in the user's module ----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bitcode was compiled for some generic CPU of the host, the user's module
// for whatever the user said. So whatever would tie the two to each other is
// taken off on the way: module flags, triple, CPU names, stack protectors.
//
//===----------------------------------------------------------------------===//

#include "Bitcode/RuntimeLibrary.h"
#include "Support/DispatchMarks.h"
#include "Support/Instrumentation.h"
#include "Target/Target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/IRMover.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace retrograd;

#include "AmdBitcode.inc"
#include "NvidiaBitcode.inc"
#include "RuntimeBitcode.inc"

static StringRef bitcodeFor(RuntimeKind Kind) {
  auto Text = [](const unsigned char *Start, unsigned long Size) {
    return StringRef(reinterpret_cast<const char *>(Start), Size);
  };
  switch (Kind) {
  case RuntimeKind::Nvidia:
    return Text(RetrogradNvidiaBitcode, RetrogradNvidiaBitcodeSize);
  case RuntimeKind::Amd:
    return Text(RetrogradAmdBitcode, RetrogradAmdBitcodeSize);
  case RuntimeKind::Host:
    break;
  }
  return Text(RetrogradRuntimeBitcode, RetrogradRuntimeBitcodeSize);
}

namespace {
/// The runtime of one kind of machine: a module for each of its files. To open
/// all of them for each routine would be most of what a derivative costs.
class RuntimeArchive {
public:
  explicit RuntimeArchive(RuntimeKind Kind) {
    MemoryBufferRef Bytes(bitcodeFor(Kind), "retrograd runtime");
    Expected<std::unique_ptr<object::Archive>> Opened =
        object::Archive::create(Bytes);
    if (!Opened) {
      consumeError(Opened.takeError());
      return;
    }
    Members = std::move(*Opened);
    for (const object::Archive::Symbol &S : Members->symbols())
      Defined.try_emplace(S.getName(), S);
  }

  bool defines(StringRef Name) const { return Defined.contains(Name); }

  /// The module that defines Name, bodies not yet read; null if none does.
  std::unique_ptr<Module> open(StringRef Name, LLVMContext &Ctx) const {
    auto It = Defined.find(Name);
    if (It == Defined.end())
      return nullptr;
    auto Parse = [&]() -> Expected<std::unique_ptr<Module>> {
      Expected<object::Archive::Child> Member = It->second.getMember();
      if (!Member)
        return Member.takeError();
      Expected<MemoryBufferRef> Bytes = Member->getMemoryBufferRef();
      if (!Bytes)
        return Bytes.takeError();
      return getLazyBitcodeModule(*Bytes, Ctx);
    };
    Expected<std::unique_ptr<Module>> Part = Parse();
    if (Part)
      return std::move(*Part);
    consumeError(Part.takeError());
    return nullptr;
  }

private:
  std::unique_ptr<object::Archive> Members;
  StringMap<object::Archive::Symbol> Defined;
};
} // namespace

/// Tape memory changes its type from call to call, so the type-based alias
/// facts of the code that manages it say too much. The other parts of the
/// runtime are differentiated and need theirs: they carry types.
static bool managesTape(const Function &F) {
  return F.getName().starts_with("rg_tape_") ||
         F.getName().starts_with("rg_split_") ||
         F.getName().starts_with("rg_team_") ||
         F.getName().starts_with("rg_pool_") ||
         F.getName().starts_with("rg_reach_") ||
         F.getName().starts_with("rg_inorder_") ||
         F.getName().starts_with("rg_thread_") ||
         F.getName().starts_with("rg_task_") ||
         F.getName().starts_with("rg_turn") ||
         F.getName().starts_with("rg_event") ||
         F.getName().starts_with("rg_once") ||
         F.getName().starts_with("rg_place") ||
         F.getName().starts_with("rg_clear_") ||
         F.getName().starts_with("rg_log_") ||
         F.getName().starts_with("rg_mpi_") ||
         F.getName().starts_with("rg_mpif_") ||
         F.getName().starts_with("rg_arena_") ||
         F.getName().starts_with("rg_string_");
}

/// Takes off what the bitcode was compiled for.
static void generalise(Function &F) {
  AttributeMask Mask;
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute())
      Mask.addAttribute(A.getKindAsString());
  for (Attribute::AttrKind K :
       {Attribute::UWTable, Attribute::StackProtect, Attribute::StackProtectReq,
        Attribute::StackProtectStrong})
    Mask.addAttribute(K);
  F.removeFnAttrs(Mask);
}

/// The function of M that asks least of the machine it is compiled for. A
/// function that says nothing is compiled for whatever machine a linker was
/// told, with all that machine's features: more than the program may use
/// (-march=native where a virtual machine hides some).
static const Function *leastDemanding(const Module &M) {
  const Function *Least = nullptr;
  size_t Fewest = 0;
  for (const Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute("target-cpu"))
      continue;
    size_t Features =
        F.getFnAttribute("target-features").getValueAsString().count('+');
    if (!Least || Features < Fewest) {
      Least = &F;
      Fewest = Features;
    }
  }
  return Least;
}

static void compileLike(Function &F, const Function &Other) {
  for (StringRef Kind : {"target-cpu", "target-features", "tune-cpu"})
    if (Other.hasFnAttribute(Kind))
      F.addFnAttr(Other.getFnAttribute(Kind));
}

/// Adds and removes what C cannot say.
static void describe(Function &F, const Target &Machine) {
  if (managesTape(F))
    for (Instruction &I : instructions(F)) {
      I.setMetadata(LLVMContext::MD_tbaa, nullptr);
      I.setMetadata(LLVMContext::MD_tbaa_struct, nullptr);
    }
  // The fields of chunks are touched only by functions that are never inlined,
  // so to the module they are inaccessible memory. Nor is the fast path left to
  // the host's inliner: a call outside of loops is worth more as a call, since
  // its result is known to alias nothing; CleanUp inlines the calls in loops.
  if (F.getName() == "rg_tape_alloc" || F.getName() == "rg_tape_zalloc") {
    F.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    // On a GPU a call costs more than what it may say, and CleanUp inlines it
    // late.
    F.addFnAttr(Machine.manyThreads() ? Attribute::AlwaysInline
                                      : Attribute::NoInline);
    F.addFnAttr(Attribute::NoUnwind);
    F.addRetAttr(Attribute::NoAlias);
    F.addRetAttr(Attribute::NonNull);
    F.addRetAttr(Attribute::getWithAlignment(F.getContext(), Align(16)));
  } else if (F.getName() == "rg_reach_from") {
    // It looks at the address alone.
    F.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F.addFnAttr(Attribute::NoUnwind);
    F.addFnAttr(Attribute::WillReturn);
    F.addParamAttr(0, Attribute::ReadNone);
    F.addParamAttr(
        0, Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none()));
  } else if (F.getName().starts_with("rg_format_")) {
    // They look at addresses alone.
    F.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F.addFnAttr(Attribute::NoUnwind);
    for (Argument &A : F.args())
      if (A.getType()->isPointerTy() && A.getArgNo() < 2) {
        A.addAttr(Attribute::ReadNone);
        A.addAttr(
            Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none()));
      }
  } else if (F.getName() == "rg_tape_alloc_slow") {
    F.setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly());
    F.addFnAttr(Attribute::NoUnwind);
  }
}

/// The runtime calls mathematical functions by their names in C; devices have
/// others for them.
static void useDeviceMath(Function &F, const Target &Machine) {
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic() ||
        Callee->getName().starts_with("rg_") || Callee->arg_empty())
      continue;
    Type *T = Callee->getArg(0)->getType();
    StringRef Name = Callee->getName();
    if (!T->isFloatTy() && !T->isDoubleTy())
      continue; // malloc and its like have one name everywhere
    if (T->isFloatTy())
      Name.consume_back("f");
    if (Name.starts_with("__"))
      continue; // has its own name already
    Call->setCalledFunction(Callee->getParent()->getOrInsertFunction(
        Machine.mathFunction(Name, T), Callee->getFunctionType(),
        Callee->getAttributes()));
  }
}

/// Brings what Name is in Archive into M, with all that its part has of what it
/// needs. Adds what other parts have of it to Needed.
static bool bring(Module &M, const RuntimeArchive &Archive, StringRef Name,
                  SmallVectorImpl<std::string> &Needed) {
  const Target Machine(M);
  std::unique_ptr<Module> Runtime = Archive.open(Name, M.getContext());
  GlobalValue *Wanted = Runtime ? Runtime->getNamedValue(Name) : nullptr;
  if (!Wanted || Wanted->isDeclaration())
    return false;
  Runtime->setDataLayout(M.getDataLayout());
  Runtime->setTargetTriple(M.getTargetTriple());
  while (!Runtime->named_metadata_empty())
    Runtime->eraseNamedMetadata(&*Runtime->named_metadata_begin());
  const Function *Least = Machine.manyThreads() ? nullptr : leastDemanding(M);
  for (Function &F : *Runtime) {
    generalise(F);
    if (F.isDeclaration())
      continue;
    F.addFnAttr(OfRuntime);
    if (Least)
      compileLike(F, *Least);
  }
  // Units that were differentiated at compile time brought routines along, and
  // a linker has made them internal: no new code could refer to those.
  SmallVector<std::string, 16> Elsewhere;
  for (GlobalObject &GO : Runtime->global_objects()) {
    if (GO.hasLocalLinkage() ||
        (GO.isDeclaration() && !Archive.defines(GO.getName())))
      continue;
    if (GlobalValue *Present = M.getNamedValue(GO.getName());
        Present && Present->hasLocalLinkage()) {
      Present->setLinkage(GlobalValue::LinkOnceODRLinkage);
      Present->setVisibility(GlobalValue::HiddenVisibility);
    }
    if (GO.isDeclaration())
      Elsewhere.push_back(GO.getName().str());
  }

  // MemorySanitizer must see every write: what the user's functions are
  // instrumented for, the runtime is as well.
  const Function *Like = nullptr;
  for (const Function &F : M)
    if (!F.isDeclaration() && !F.getName().starts_with("rg_") &&
        (F.hasFnAttribute(Attribute::SanitizeAddress) ||
         F.hasFnAttribute(Attribute::SanitizeHWAddress) ||
         F.hasFnAttribute(Attribute::SanitizeMemory) ||
         F.hasFnAttribute(Attribute::SanitizeThread))) {
      Like = &F;
      break;
    }
  SmallVector<std::string, 8> Linked{Name.str()};
  auto AddWhatIsNeeded = [&](GlobalValue &GV, const IRMover::ValueAdder &Add) {
    const GlobalValue *Present = M.getNamedValue(GV.getName());
    if (GV.isDeclaration() || GV.hasLocalLinkage() ||
        (Present && !Present->isDeclaration()))
      return;
    Linked.push_back(GV.getName().str());
    Add(GV);
  };
  if (Error E = IRMover(M).move(std::move(Runtime), {Wanted}, AddWhatIsNeeded,
                                /*IsPerformingImport=*/false)) {
    consumeError(std::move(E));
    return false;
  }
  for (std::string &Other : Elsewhere)
    if (const GlobalValue *GV = M.getNamedValue(Other);
        GV && GV->isDeclaration() && !GV->use_empty())
      Needed.push_back(std::move(Other));

  for (const std::string &LinkedName : Linked) {
    auto *GO = dyn_cast_or_null<GlobalObject>(M.getNamedValue(LinkedName));
    if (!GO || GO->isDeclaration())
      continue;
    GO->setLinkage(GlobalValue::LinkOnceODRLinkage);
    GO->setVisibility(GlobalValue::HiddenVisibility);
    GO->setDSOLocal(true);
    if (M.getTargetTriple().supportsCOMDAT())
      GO->setComdat(M.getOrInsertComdat(LinkedName));
    if (auto *F = dyn_cast<Function>(GO)) {
      describe(*F, Machine);
      for (Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
          Call->addFnAttr(Attribute::get(F->getContext(), OfRuntime));
      if (Machine.manyThreads())
        useDeviceMath(*F, Machine);
      if (Like)
        copyInstrumentation(*Like, *F);
    }
  }
  return true;
}

Function *RuntimeLibrary::require(StringRef Name) {
  auto IsPresent = [&](StringRef Wanted) {
    const GlobalValue *GV = M.getNamedValue(Wanted);
    return GV && !GV->isDeclaration();
  };
  if (Function *F = M.getFunction(Name); F && !F->isDeclaration())
    return F;
  TimeTraceScope Scope("rg-runtime", Name);
  const RuntimeArchive Archive(Target(M).runtime());
  SmallVector<std::string, 8> Needed{Name.str()};
  while (!Needed.empty()) {
    const std::string Next = Needed.pop_back_val();
    if (!IsPresent(Next) && !bring(M, Archive, Next, Needed) && Next == Name)
      return nullptr;
  }
  return M.getFunction(Name);
}

Constant *RuntimeLibrary::text(StringRef Kind, StringRef Text) {
  std::string Key = (Kind + Text).str();
  if (GlobalVariable *Known = M.getGlobalVariable(Key, true))
    return Known;
  Constant *Bytes = ConstantDataArray::getString(M.getContext(), Text);
  auto *G = new GlobalVariable(M, Bytes->getType(), true,
                               GlobalValue::PrivateLinkage, Bytes, Key);
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return G;
}

bool RuntimeLibrary::resolveDeclarations() {
  SmallVector<std::string, 4> Names;
  for (const Function &F : M)
    if (F.isDeclaration() && F.getName().starts_with("rg_") && !F.use_empty())
      Names.push_back(F.getName().str());
  bool Any = false;
  for (const std::string &Name : Names)
    Any |= require(Name) != nullptr;
  return Any;
}
