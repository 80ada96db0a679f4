//===- MergeCopies.cpp - one body for functions that do the same ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partition that is refined, as states of an automaton are: functions of one
// shape begin as one class, and whoever names a member of a class names its
// first member. What differs from the first member then, by LLVM's comparison
// of functions, becomes a class of its own, until nothing differs any more. So
// cycles of functions that call each other are merged, too, which a comparison
// from callees to callers would not see.
//
//===----------------------------------------------------------------------===//

#include "Polish/MergeCopies.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

namespace {

/// The metadata of two functions' instructions: which node of the one stands
/// where the other has which. LLVM's comparison takes all nodes with as many
/// operands for equal; scopes of aliases would be another function's then.
class MetadataPairs {
public:
  bool agree(const Function &Left, const Function &Right) {
    return all_of(zip_equal(instructions(Left), instructions(Right)),
                  [this](auto Both) {
                    auto &[L, R] = Both;
                    return L.getOpcode() == R.getOpcode() && agree(L, R);
                  });
  }

private:
  bool agree(const Instruction &L, const Instruction &R) {
    SmallVector<std::pair<unsigned, MDNode *>, 4> OfL, OfR;
    L.getAllMetadataOtherThanDebugLoc(OfL);
    R.getAllMetadataOtherThanDebugLoc(OfR);
    return OfL.size() == OfR.size() &&
           all_of(zip_equal(OfL, OfR), [this](auto Both) {
             auto &[A, B] = Both;
             return A.first == B.first && pair(A.second, B.second);
           });
  }

  bool pair(const Metadata *L, const Metadata *R) {
    if (L == R)
      return pairAs(L, R);
    const auto *A = dyn_cast_or_null<MDNode>(L);
    const auto *B = dyn_cast_or_null<MDNode>(R);
    if (!A || !B || A->getNumOperands() != B->getNumOperands() ||
        A->isDistinct() != B->isDistinct())
      return false;
    const bool Known = LeftToRight.contains(A);
    if (!pairAs(A, B))
      return false;
    return Known ||
           all_of(zip_equal(A->operands(), B->operands()), [this](auto Both) {
             auto &[X, Y] = Both;
             return pair(X.get(), Y.get());
           });
  }

  /// L stands for R, and nothing else for either.
  bool pairAs(const Metadata *L, const Metadata *R) {
    return LeftToRight.try_emplace(L, R).first->second == R &&
           RightToLeft.try_emplace(R, L).first->second == L;
  }

  DenseMap<const Metadata *, const Metadata *> LeftToRight, RightToLeft;
};

class Copies {
public:
  explicit Copies(FunctionAnalysisManager &FAM) : FAM(FAM) {}

  void find(ArrayRef<Function *> Fs, const SmallPtrSetImpl<Function *> &Keep);
  void refine();
  void merge(SmallPtrSetImpl<Function *> &Gone);

private:
  using Class = SmallVector<Function *, 4>;
  struct Name {
    Use *At;
    Function *Named; ///< when it was written
  };

  int compare(Function &L, Function &R);
  SmallVector<Class, 4> split(const Class &Members);
  void nameFirstMembers();

  FunctionAnalysisManager &FAM;
  SmallVector<Class, 16> Classes;
  DenseMap<const Function *, unsigned> ClassOf;
  SmallVector<Name, 32> Names; ///< of members, in members
  GlobalNumberState Numbers;
};

} // namespace

/// Called, and handed to those who call it (as the region of a team), by
/// instructions that can be seen. Nobody compares addresses of derivatives.
static bool isNamedByInstructions(const Function &F) {
  return F.hasLocalLinkage() && !F.isDeclaration() && !F.isVarArg() &&
         all_of(F.users(), [](const User *U) { return isa<CallBase>(U); });
}

void Copies::find(ArrayRef<Function *> Fs,
                  const SmallPtrSetImpl<Function *> &Keep) {
  // Calls name the first member, which must take the same operands.
  MapVector<std::tuple<FunctionType *, unsigned, stable_hash>, Class> ByShape;
  for (Function *F : Fs)
    if (!Keep.contains(F) && isNamedByInstructions(*F))
      ByShape[{F->getFunctionType(), F->getInstructionCount(),
               StructuralHash(*F)}]
          .push_back(F);
  for (auto &[Shape, Members] : ByShape)
    if (Members.size() > 1) {
      for (const Function *F : Members)
        ClassOf[F] = Classes.size();
      Classes.push_back(std::move(Members));
    }
  for (const Class &Members : Classes)
    for (Function *F : Members)
      for (Use &U : F->uses())
        if (ClassOf.contains(cast<CallBase>(U.getUser())->getFunction()))
          Names.push_back({&U, F});
}

/// A member of one's own class is oneself: that is how LLVM's comparison knows
/// recursion.
void Copies::nameFirstMembers() {
  for (const Name &N : Names) {
    Function *In = cast<CallBase>(N.At->getUser())->getFunction();
    const unsigned Class = ClassOf.lookup(N.Named);
    N.At->set(Class == ClassOf.lookup(In) ? In : Classes[Class].front());
  }
}

/// In an order of all functions.
int Copies::compare(Function &L, Function &R) {
  if (int Order = FunctionComparator(&L, &R, &Numbers).compare())
    return Order;
  auto Personality = [this](const Function &F) {
    auto *Named = F.hasPersonalityFn()
                      ? dyn_cast<GlobalValue>(F.getPersonalityFn())
                      : nullptr;
    return Named ? Numbers.getNumber(Named) + 1 : 0;
  };
  const uint64_t OfL = Personality(L), OfR = Personality(R);
  return OfL < OfR ? -1 : OfL != OfR;
}

/// Members by whom they are like; the first one's part comes first.
SmallVector<Copies::Class, 4> Copies::split(const Class &Members) {
  // LLVM's comparison is an order, so that a part is found quickly; metadata
  // has none.
  SmallVector<SmallVector<Class, 1>, 4> Sorted;
  for (Function *F : Members) {
    auto *At = partition_point(Sorted, [&](const auto &Parts) {
      return compare(*Parts.front().front(), *F) < 0;
    });
    if (At == Sorted.end() || compare(*At->front().front(), *F) != 0)
      At = Sorted.insert(At, SmallVector<Class, 1>());
    auto *Like = find_if(*At, [&](const Class &Part) {
      return MetadataPairs().agree(*Part.front(), *F);
    });
    if (Like == At->end())
      At->push_back({F});
    else
      Like->push_back(F);
  }
  SmallVector<Class, 4> Parts;
  for (auto &Equal : Sorted)
    for (Class &Part : Equal)
      Parts.push_back(std::move(Part));
  auto *First = find_if(Parts, [&](const Class &Part) {
    return Part.front() == Members.front();
  });
  std::iter_swap(Parts.begin(), First);
  return Parts;
}

void Copies::refine() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    nameFirstMembers();
    for (unsigned C = 0, Known = Classes.size(); C != Known; ++C) {
      SmallVector<Class, 4> Parts = split(Classes[C]);
      for (Class &Part : drop_begin(Parts)) {
        for (const Function *F : Part)
          ClassOf[F] = Classes.size();
        Classes.push_back(std::move(Part));
        Changed = true;
      }
      Classes[C] = std::move(Parts.front());
    }
  }
}

void Copies::merge(SmallPtrSetImpl<Function *> &Gone) {
  for (const Name &N : Names)
    FAM.invalidate(*cast<CallBase>(N.At->getUser())->getFunction(),
                   PreservedAnalyses::none());
  for (const Class &Members : Classes)
    for (Function *F : drop_begin(Members)) {
      FAM.clear(*F, F->getName());
      F->replaceAllUsesWith(Members.front());
      Gone.insert(F);
    }
  for (Function *F : Gone)
    F->deleteBody();
  for (Function *F : Gone)
    F->eraseFromParent();
}

unsigned retrograd::mergeCopies(SmallVectorImpl<Function *> &Fs,
                                ArrayRef<Function *> Keep,
                                FunctionAnalysisManager &FAM) {
  const SmallPtrSet<Function *, 4> Kept(Keep.begin(), Keep.end());
  Copies Found(FAM);
  Found.find(Fs, Kept);
  Found.refine();
  SmallPtrSet<Function *, 32> Gone;
  Found.merge(Gone);
  erase_if(Fs, [&](Function *F) { return Gone.contains(F); });
  return Gone.size();
}
