//===- CopyTags.cpp - what clang says of types ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Language/CopyTags.h"
#include "Catalogue/AccessTags.h"
#include "Primal/Language/FormatCopies.h"
#include "Request/EntryPoints.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// What a type consists of. A node of clang's is: parent, bytes, name, and for
/// each member its node, its place and its bytes. Scalars have no members; an
/// array has the node of its elements.
class LayoutOfTag {
public:
  explicit LayoutOfTag(LLVMContext &Ctx) : Ctx(Ctx) {}

  /// Pieces of the Bytes bytes at Base, which are one value of type Node, or
  /// several. False if there are too many.
  bool add(const MDNode *Node, uint64_t Base, uint64_t Bytes) {
    const uint64_t Each = Node ? number(Node, 1) : 0;
    if (!Each || !Bytes || (Bytes > Each && Bytes % Each) ||
        (isScalar(*Node) && !scalar(*Node, Each)))
      return addPiece(Base, Bytes, nullptr);
    if (Bytes < Each) { // the padding at its end is not copied
      if (!addOne(Node, Base, Each))
        return false;
      cutAt(Base + Bytes);
      return true;
    }
    for (uint64_t At = 0; At != Bytes; At += Each)
      if (!addOne(Node, Base + At, Each))
        return false;
    return true;
  }

  std::string text() const {
    std::string Text;
    raw_string_ostream OS(Text);
    ListSeparator Comma(",");
    for (const Piece &P : Pieces) {
      OS << Comma;
      writeMember(OS, {int64_t(P.Offset), int64_t(P.Size), P.Ty});
    }
    return Text;
  }

  bool hasTypes() const {
    return any_of(Pieces, [](const Piece &P) { return P.Ty; });
  }

private:
  struct Piece {
    uint64_t Offset, Size;
    Type *Ty; ///< null: nothing is known
  };
  static constexpr unsigned MostPieces = 1024;
  LLVMContext &Ctx;
  SmallVector<Piece, 16> Pieces;

  static uint64_t number(const MDNode *Node, unsigned At) {
    const auto *N =
        At < Node->getNumOperands()
            ? mdconst::dyn_extract<ConstantInt>(Node->getOperand(At))
            : nullptr;
    return N ? N->getZExtValue() : 0;
  }

  static bool isScalar(const MDNode &Node) {
    return Node.getNumOperands() <= 3;
  }

  Type *scalar(const MDNode &Node, uint64_t Bytes) {
    const auto *Name = Node.getNumOperands() == 3
                           ? dyn_cast<MDString>(Node.getOperand(2))
                           : nullptr;
    return Name ? namedScalar(Name->getString(), Bytes, Ctx) : nullptr;
  }

  bool addOne(const MDNode *Node, uint64_t Base, uint64_t Bytes) {
    if (Node->getNumOperands() <= 3) {
      const auto *Name = Node->getNumOperands() == 3
                             ? dyn_cast<MDString>(Node->getOperand(2))
                             : nullptr;
      return addPiece(Base, Bytes,
                      Name ? namedScalar(Name->getString(), Bytes, Ctx)
                           : nullptr);
    }
    for (unsigned K = 3; K + 2 < Node->getNumOperands(); K += 3)
      if (!add(dyn_cast<MDNode>(Node->getOperand(K)),
               Base + number(Node, K + 1), number(Node, K + 2)))
        return false;
    return true;
  }

  void cutAt(uint64_t End) {
    while (!Pieces.empty() && Pieces.back().Offset >= End)
      Pieces.pop_back();
    if (!Pieces.empty() && Pieces.back().Offset + Pieces.back().Size > End)
      Pieces.back() = {Pieces.back().Offset, End - Pieces.back().Offset,
                       nullptr};
  }

  bool addPiece(uint64_t Offset, uint64_t Size, Type *Ty) {
    if (!Pieces.empty()) {
      Piece &Last = Pieces.back();
      if (Offset < Last.Offset)
        return false;
      // Bit-fields share their bytes.
      if (Offset < Last.Offset + Last.Size) {
        Last = {Last.Offset, std::max(Last.Size, Offset + Size - Last.Offset),
                nullptr};
        return true;
      }
    }
    if (Pieces.size() == MostPieces)
      return false;
    Pieces.push_back({Offset, Size, Ty});
    return true;
  }
};

} // namespace

/// Copy's tag, if it has one, as a fact.
static void noteDeclared(MemTransferInst &Copy) {
  const MDNode *Tag = Copy.getMetadata(LLVMContext::MD_tbaa);
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  // Base type, type of the access, place, bytes.
  const auto *Node = Tag && Tag->getNumOperands() >= 4
                         ? dyn_cast<MDNode>(Tag->getOperand(1))
                         : nullptr;
  if (!Node || !Length || Length->isZero())
    return;
  LayoutOfTag Layout(Copy.getContext());
  if (Layout.add(Node, 0, Length->getZExtValue()) && Layout.hasTypes())
    noteLayout(Copy, SourceFact::Declared,
               {Layout.text(), int64_t(Length->getZExtValue())});
}

PreservedAnalyses KeepCopyTagsPass::run(Module &M, ModuleAnalysisManager &) {
  const bool Asks = hasEntryCalls(M);
  for (Function &F : M) {
    F.removeFnAttr(Attribute::SanitizeType);
    if (Asks)
      hintFormatCopies(F);
    for (Instruction &I : instructions(F)) {
      if (auto *Copy = dyn_cast<MemTransferInst>(&I))
        noteDeclared(*Copy);
      I.setMetadata(LLVMContext::MD_tbaa, nullptr);
    }
  }
  if (NamedMDNode *Errno = M.getNamedMetadata("llvm.errno.tbaa"))
    M.eraseNamedMetadata(Errno);
  return PreservedAnalyses::all(); // nobody has asked anything yet
}

/// The tag Tag as one that names the type of the access and nothing else.
static MDNode *freeTag(const MDNode &Tag, bool InStruct) {
  const auto *Type =
      Tag.getNumOperands() >= 3 ? dyn_cast<MDNode>(Tag.getOperand(1)) : nullptr;
  const StringRef Name = tagTypeName(Type);
  // Through a pointer to integers anything may be copied; a member that is one
  // is one.
  const bool OfMember = InStruct || (Type && Tag.getOperand(0) != Type);
  const bool IsInteger = !namesPointer(Name) && Name != "double" &&
                         Name != "float" && Name != "long double";
  return IsInteger && !OfMember
             ? nullptr
             : writtenTag(Name, OfMember && !InStruct, Tag.getContext());
}

/// The members that a struct's copy lists: place, bytes and tag of each.
static MDNode *freeMembers(const MDNode &Members) {
  SmallVector<Metadata *, 12> Operands(Members.op_begin(), Members.op_end());
  for (Metadata *&Operand : Operands)
    if (const auto *Tag = dyn_cast<MDNode>(Operand))
      Operand = freeTag(*Tag, /*InStruct=*/true);
  return is_contained(Operands, nullptr)
             ? nullptr
             : MDNode::get(Members.getContext(), Operands);
}

PreservedAnalyses FreeTagsPass::run(Module &M, ModuleAnalysisManager &) {
  const bool Keep = BeforeLink || hasEntryCalls(M);
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa))
        I.setMetadata(LLVMContext::MD_tbaa,
                      Keep ? freeTag(*Tag, /*InStruct=*/false) : nullptr);
      if (const MDNode *Members = I.getMetadata(LLVMContext::MD_tbaa_struct))
        I.setMetadata(LLVMContext::MD_tbaa_struct,
                      Keep ? freeMembers(*Members) : nullptr);
    }
  if (NamedMDNode *Errno = M.getNamedMetadata("llvm.errno.tbaa"))
    M.eraseNamedMetadata(Errno);
  return PreservedAnalyses::all(); // nobody has asked anything yet
}
