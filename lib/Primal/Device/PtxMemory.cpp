//===- PtxMemory.cpp - memory and threads in inline PTX -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/PtxTranslation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace retrograd;

/// Through generic addresses and those of global memory, which are the same.
/// cvta.shared, cvta.to.shared: between generic pointers and numbers.
bool PtxTranslation::convertAddress() {
  if (!SharedNumbers || Predicate || !inShared() || Args.size() != 2 ||
      !onlyModifiers({"to", "shared", "shared::cta"}) || !type())
    return false;
  Value *V = read(Args[1], B.getInt64Ty());
  if (!V)
    return false;
  PointerType *Shared = PointerType::get(C, 3), *Generic = B.getPtrTy();
  Value *To =
      has("to")
          ? B.CreatePtrToInt(
                B.CreateAddrSpaceCast(B.CreateIntToPtr(V, Generic), Shared),
                type().T)
          : B.CreatePtrToInt(B.CreateAddrSpaceCast(sharedPointer(V), Generic),
                             type().T);
  return write(Args[0], To);
}

/// Copies that may be done at any time before they are waited for are done at
/// once.
bool PtxTranslation::copyAsync() {
  if (!SharedNumbers || Predicate || !has("async"))
    return false;
  if (has("commit_group") || has("wait_group") || has("wait_all"))
    return true;
  // cp.async.ca.shared.global [to], [from], size{, size of the source};
  if (!inShared() || !has("global") || Args.size() < 3 || Args.size() > 4 ||
      !all_of(Modifiers, [](StringRef M) {
        return is_contained({"async", "ca", "cg", "shared", "shared::cta",
                             "global", "L2::128B", "L2::64B", "L2::256B"},
                            M);
      }))
    return false;
  auto *Bytes = dyn_cast_or_null<ConstantInt>(read(Args[2], B.getInt64Ty()));
  Value *To = readAddress(Args[0]);
  Modifiers.assign({"global"}); // of the other address
  Value *From = readAddress(Args[1]);
  if (!Bytes || !To || !From)
    return false;
  uint64_t Size = Bytes->getZExtValue();
  if (Args.size() == 3) {
    B.CreateMemCpy(To, Align(Size), From, Align(Size), Size);
    return true;
  }
  // What the source has less than the size is filled with zeros.
  Value *Given = read(Args[3], B.getInt32Ty());
  if (!Given)
    return false;
  B.CreateMemSet(To, B.getInt8(0), Size, Align(Size));
  B.CreateMemCpy(To, Align(Size), From, Align(1),
                 B.CreateZExt(Given, B.getInt64Ty()));
  return true;
}

bool PtxTranslation::memory() {
  if (inShared() && !SharedNumbers)
    return false;
  PtxType T = type();
  if (!T || Predicate || T.T->isIntegerTy(1))
    return false;
  if (Opcode == "atom" || Opcode == "red") {
    bool Returns = Opcode == "atom";
    if (!onlyModifiers({"global", "add", "exch", "min", "max", "and", "or",
                        "xor", "noftz", "relaxed", "gpu", "cta", "shared",
                        "shared::cta"}) ||
        Args.size() != 2u + Returns)
      return false;
    auto Op = has("add") ? (T.Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
              : has("exch") ? AtomicRMWInst::Xchg
              : has("min")  ? (T.Float    ? AtomicRMWInst::BAD_BINOP
                               : T.Signed ? AtomicRMWInst::Min
                                          : AtomicRMWInst::UMin)
              : has("max")  ? (T.Float    ? AtomicRMWInst::BAD_BINOP
                               : T.Signed ? AtomicRMWInst::Max
                                          : AtomicRMWInst::UMax)
              : has("and")  ? AtomicRMWInst::And
              : has("or")   ? AtomicRMWInst::Or
              : has("xor")  ? AtomicRMWInst::Xor
                            : AtomicRMWInst::BAD_BINOP;
    Value *P = readAddress(Args[Returns]), *V = read(Args[1 + Returns], T.T);
    if (!P || !V || Op == AtomicRMWInst::BAD_BINOP)
      return false;
    auto One = [&](Value *At, Value *Of) {
      return B.CreateAtomicRMW(
          Op, At, Of, Align(Of->getType()->getPrimitiveSizeInBits() / 8),
          AtomicOrdering::Monotonic);
    };
    if (!isa<VectorType>(T.T)) {
      Value *Old = One(P, V);
      return !Returns || write(Args[0], Old);
    }
    // Each half by itself, as PTX promises it.
    Value *Old = PoisonValue::get(T.T);
    for (unsigned Lane : {0u, 1u})
      Old =
          B.CreateInsertElement(Old,
                                One(Lane ? B.CreatePtrAdd(P, B.getInt64(2)) : P,
                                    B.CreateExtractElement(V, Lane)),
                                Lane);
    return !Returns || write(Args[0], Old);
  }
  if (!onlyModifiers({"global", "nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt",
                      "volatile", "relaxed", "gpu", "sys", "v2", "v4", "weak",
                      "cta", "shared", "shared::cta"}) ||
      Args.size() != 2)
    return false;
  bool Loads = Opcode == "ld",
       Ordered = has("volatile") || has("cv") || has("relaxed");
  Value *P = readAddress(Args[Loads]);
  if (!P)
    return false;
  SmallVector<StringRef, 4> Names;
  StringRef List = Args[!Loads];
  if (List.consume_front("{") && List.consume_back("}"))
    splitOperands(List, Names);
  else
    Names.push_back(List);
  unsigned Bytes = T.bits() / 8;
  if (Names.size() != (has("v4") ? 4u : has("v2") ? 2u : 1u))
    return false;
  for (auto [N, Name] : enumerate(Names)) {
    Value *At = N ? B.CreatePtrAdd(P, B.getInt64(N * Bytes)) : P;
    if (Loads) {
      if (!write(Name, B.CreateAlignedLoad(T.T, At, Align(Bytes), Ordered)))
        return false;
    } else {
      Value *V = read(Name, T.T);
      if (!V)
        return false;
      B.CreateAlignedStore(V, At, Align(Bytes), Ordered);
    }
  }
  return true;
}

bool PtxTranslation::hint() {
  return Args.size() == 1 && StringRef(Args[0]).starts_with("[");
}

bool PtxTranslation::threads() {
  if (Predicate)
    return false;
  auto Do = [&](StringRef Name, ArrayRef<Value *> With) {
    return intrinsic(Name, With) != nullptr;
  };
  if (Opcode == "membar" || Opcode == "fence") {
    StringRef Scope = has("sys")                ? "sys"
                      : has("gl") || has("gpu") ? "gl"
                      : has("cta")              ? "cta"
                                                : "";
    return !Scope.empty() && Args.empty() &&
           onlyModifiers({"sys", "gl", "gpu", "cta", "acq_rel", "sc"}) &&
           Do(("llvm.nvvm.membar." + Scope).str(), {});
  }
  if (Opcode == "bar" || Opcode == "barrier") {
    if (!has("sync") || Args.empty() ||
        !onlyModifiers({"sync", "warp", "cta", "aligned"}))
      return false;
    Value *Which = read(Args[0], B.getInt32Ty());
    if (!Which)
      return false;
    if (has("warp"))
      return Args.size() == 1 && Do("llvm.nvvm.bar.warp.sync", {Which});
    std::string Name = "llvm.nvvm.barrier.cta.sync.";
    if (has("aligned") || Opcode == "bar")
      Name += "aligned.";
    if (Args.size() == 1)
      return Do(Name + "all", {Which});
    Value *Count = read(Args[1], B.getInt32Ty());
    return Args.size() == 2 && Count && Do(Name + "count", {Which, Count});
  }
  if (Opcode == "activemask") {
    Value *R = intrinsic("llvm.nvvm.activemask", {});
    return Args.size() == 1 && R && write(Args[0], R);
  }
  if (Opcode == "vote") { // vote.sync.ballot.b32 d, p, mask
    if (Args.size() != 3 || !has("sync") || Modifiers.size() != 3)
      return false;
    Value *P = read(Args[1], B.getInt1Ty()),
          *Mask = read(Args[2], B.getInt32Ty());
    StringRef Kind = Modifiers[1];
    Value *R =
        P && Mask && is_contained({"ballot", "any", "all", "uni"}, Kind)
            ? intrinsic(("llvm.nvvm.vote." + Kind + ".sync").str(), {Mask, P})
            : nullptr;
    return R && write(Args[0], R);
  }
  return shuffle();
}

/// shfl.sync.down.b32 d|p, a, b, c, mask: p says whether b leads to a lane of
/// the segment that c describes (the pseudo code of PTX's manual).
bool PtxTranslation::shuffle() {
  if (Args.size() != 5 || Modifiers.size() != 3 || !has("sync"))
    return false;
  Value *V[4];
  for (unsigned N = 0; N != 4; ++N)
    if (!(V[N] = read(Args[N + 1], B.getInt32Ty())))
      return false;
  StringRef Mode = Modifiers[1];
  Value *R = intrinsic(("llvm.nvvm.shfl.sync." + Mode + ".i32").str(),
                       {V[3], V[0], V[1], V[2]});
  auto [To, Inside] = Args[0].split('|');
  if (!R || !write(To.trim(), R))
    return false;
  if (Inside.empty())
    return true;
  Value *Lane = intrinsic("llvm.nvvm.read.ptx.sreg.laneid", {});
  Value *By = B.CreateAnd(V[1], 31);
  Value *Segment = B.CreateAnd(B.CreateLShr(V[2], 8), 31);
  Value *First = B.CreateAnd(Lane, Segment);
  Value *NotSegment = B.CreateXor(Segment, 31);
  Value *Last = B.CreateOr(First, B.CreateAnd(V[2], NotSegment));
  Value *From = Mode == "up"     ? B.CreateSub(Lane, By)
                : Mode == "down" ? B.CreateAdd(Lane, By)
                : Mode == "bfly"
                    ? B.CreateXor(Lane, By)
                    : B.CreateOr(First, B.CreateAnd(By, NotSegment));
  return write(Inside.trim(), Mode == "up" ? B.CreateICmpSGE(From, Last)
                                           : B.CreateICmpSLE(From, Last));
}
