//===- CallerText.cpp - a function that calls another, as text ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallerText.h"
#include "UserModule.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include <map>

using namespace llvm;
using namespace retrograd;

namespace {

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
      // Nobody calls a constructor on an object.
      if (!isa_and_nonnull<DIType>(SP->getScope()) || isMaker(F))
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

} // namespace

std::string retrograd::callerText(const Function &F, bool CPlusPlus,
                                  bool OnDevice) {
  return CallerText(F, CPlusPlus, OnDevice).write();
}
