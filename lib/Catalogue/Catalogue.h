//===- Catalogue.h - what we know about operations --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record per operation (an LLVM instruction, an intrinsic, a library
// routine), written in the .td files of this folder and compiled to tables by
// retrograd-tblgen. This header is the only way to ask.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_CATALOGUE_H
#define RETROGRAD_CATALOGUE_CATALOGUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include <memory>
#include <optional>

namespace retrograd {

/// What kind of derivative an operation has.
enum class RuleClass : uint8_t {
  /// Runs in the primal sweep only. Results carry no derivative, and nothing
  /// active is written through its pointer arguments (I/O, strings, clocks,
  /// random numbers, locks of the C library, rounding to integers, ...).
  Inactive,
  /// Derivative given by a formula per floating-point operand.
  Formula,
  /// Allocates memory; see Allocation.
  Allocation,
  /// Frees memory; see Deallocation.
  Deallocation,
  /// The operation is replaced, before analysis, by a call of a routine of the
  /// runtime bitcode (Expansion) whose body is then differentiated: complex
  /// functions, sincos, modf, frexp with pointer results, ...
  Expansion,
  /// Needs code of its own (memory intrinsics, realloc, va_*, ...); Handler
  /// says which.
  Handler,
  /// Derivatives are functions: of the user (Given) or of our runtime
  /// (Augment, Reverse, Forward). See docs/CustomRules.md.
  Rule
};

enum class HandlerKind : uint8_t {
  None,
  MemCpy,
  MemMove,
  MemSet,
  Realloc,
  Ignore, ///< marker intrinsics without effect: lifetime, assume, dbg, prefetch
  StackSave,
  StackRestore,
  ObjectSize,
  TapeBegin,
  TapeEnd,       ///< scopes of the tape of a derivative, differentiated again
  TapeDeferFree, ///< (arena, block, deallocator): freed when the scope ends
  TapeNote, ///< (arena, shadows and sizes): what becomes of the caller's blocks
  Elements, ///< reductions of vectors and moves of their elements
  Barrier,  ///< threads of a block or warp wait for each other; mirrored
  Protocol, ///< what threads of a team agree on; mirrored by the routine Text
  Reach,    ///< where a thread reads or writes; of the primal sweep alone
  Shuffle,  ///< a value from another thread of the warp: (mask, value, b, c)
  Convert,  ///< between formats of numbers: fpext and fptrunc as calls
  Refused,  ///< known, and without a derivative: the record's summary says why
  RefusedByName ///< the same of a routine that works on a device's memory; the
                ///< text follows its name
};

/// A node of a formula: an expression over arguments, the result and the seed.
/// Formulas are linear in Seed, so one text serves both modes: with Seed =
/// tangent of the operand it gives that operand's share of the result's
/// tangent; with Seed = adjoint of the result, its share of the operand's
/// adjoint.
struct FormulaNode {
  enum Op : uint8_t {
    Seed,
    Arg /*Index*/,
    Result,
    Const /*Value*/,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FNeg,
    Call,   ///< Callee applied to the children: a catalogue operation by id
    Select, ///< children: condition, then, else
    CmpOLT,
    CmpOGT,
    CmpOEQ,
    CmpOLE,
    CmpOGE,
    CmpUNO,    ///< condition; fcmp
    CmpIntEQ,  ///< condition: icmp eq of an integer argument and a constant
    IntAdd,    ///< integer argument plus a constant
    IntToFP,   ///< integer argument as the floating-point type of the result
    StrongZero ///< 0 where the seed is 0, whatever the child is there
  } K;
  unsigned Index = 0;     ///< Arg: operand number
  double Value = 0;       ///< Const
  llvm::StringRef Callee; ///< Call: id of the record to call
  llvm::StringRef Digits; ///< Const: decimal, as exact as long double needs
  llvm::ArrayRef<const FormulaNode *> Children;
};

/// What a call reads and writes behind one of its pointer operands.
struct OperandMemory {
  bool Reads = false, Writes = false;
  /// Letter of the numbers that lie there (see Operation.td), U if only others
  /// know what they are, 0 if nothing active can be there; '@' if the datatype
  /// in operand TypeAt says so; P if pointers lie there, beside what only
  /// others know, which the call follows.
  char Element = 0;
  /// P: what it does in memory that these lead to, in any number of steps.
  bool ReadsFurther = false, WritesFurther = false;
  /// And the letter of the numbers there, if they are all of one type.
  char Further = 0;
  unsigned TypeAt = 0;
};

/// Derivatives that the user wrote for a function. Null where there is none.
struct GivenDerivatives {
  llvm::Function *Augment = nullptr;
  llvm::Function *Reverse = nullptr;
  llvm::Function *Forward = nullptr;
  /// Forward takes the tape of this function.
  llvm::Function *ForwardAugment = nullptr;
  /// What runs in place of the function returns its result, too.
  bool AugmentGivesPrimal = false, ForwardGivesPrimal = false;
};

/// d result / d operand, times Seed.
struct Partial {
  unsigned Operand;
  const FormulaNode *Expression;
};

struct OperationRecord {
  llvm::StringRef Id; ///< unique, e.g. "sin", "fmul", "malloc"
  RuleClass Class;
  llvm::ArrayRef<Partial> Partials = {}; ///< Formula only
  /// Bit i: some partial reads operand i (as a primal value).
  uint32_t PartialsReadArgs = 0;
  /// Some partial reads the primal result.
  bool PartialsReadResult = false;
  HandlerKind Handler = HandlerKind::None;
  /// MemCpy, MemSet, and rules: "device" where the host may not be able to
  /// reach the memory. Rules: "standing" (Operation.td). Shuffle: the runtime's
  /// routine for the adjoint, without its type's suffix. Protocol: the
  /// runtime's routine for the reverse sweep, which takes the same operands and
  /// then the result. Refused: what it is, in words of the user's.
  llvm::StringRef Text = {};
  /// Allocation: operands whose product is the size in bytes (one or two);
  /// ZeroFills for calloc. Deallocator names the function that frees what this
  /// one made and takes just the pointer.
  llvm::ArrayRef<unsigned> SizeArgs = {};
  bool ZeroFills = false;
  /// Somebody else frees the block: the shadow lies in it, behind the primal.
  bool ShadowBehind = false;
  /// Allocation: the runtime's routine that makes the shadow, cleared, of
  /// memory that the host cannot write.
  llvm::StringRef Shadow = {};
  llvm::StringRef Deallocator = {};
  /// Deallocation: which operand is freed.
  unsigned FreedArg = 0;
  /// Expansion: routine of the runtime bitcode, same prototype.
  llvm::StringRef Expansion = {};
  /// Expansion: of all calls in the module. See Operation.td.
  bool Watched = false;
  /// The runtime's routine that gives what the library's handles stand for.
  llvm::StringRef Unbox = {};
  /// The runtime's routine that takes this one's place in a team of ours, in
  /// code that is not differentiated. See Operation.td.
  llvm::StringRef InPool = {};
  /// Rule of the runtime: its functions ("" for none), and per operand what
  /// memory it touches: "-" for none, else of r, w, m and an element letter.
  llvm::StringRef Augment = {}, Reverse = {}, Forward = {}, Memory = {};
  /// Rule of the runtime: Augment is given shadows, as Reverse is, and the
  /// number of lanes.
  bool AugmentShadows = false;
  /// Rule of the runtime: other processes take part. See Operation.td.
  bool Communicates = false;
  /// Rule of the user.
  const GivenDerivatives *Given = nullptr;
  /// The user said so: what else the function does is not known.
  bool OfUser = false;
  /// Calls functions that it is given, and those may write what they can see.
  bool CallsBack = false;
  /// Inactive: what its pointer operands point at may change, and nothing that
  /// this leads to.
  bool OneStep = false;
  /// Inactive: the operand that is a stream of the library; -1 for none.
  int StreamArg = -1;
  /// No memory effect but errno and no side effect: may be repeated anywhere
  /// (math functions). Result depends on the arguments alone.
  bool Pure = false;
  /// Pure and about as cheap as an arithmetic instruction.
  bool Cheap = false;
  /// The result is not rounded.
  bool Exact = false;
  /// May change the rounding mode.
  bool SetsRounding = false;
  /// Result letter, then operand letters (see Operation.td); empty for any.
  llvm::StringRef Prototype = {};
  /// Intrinsics only in this type (spelt as IR spells it) unless empty.
  llvm::StringRef OnlyType = {};
  /// A routine of our runtime, or one under a name that no program may define:
  /// its body, where visible, changes nothing.
  bool OfRuntime = false;
  /// What it copies are characters; its body, where visible, may be looked
  /// into.
  bool Waits = false;
  /// Memory that it reads is told by a number: a texture.
  bool ReadsByNumber = false;
  bool OfCharacters = false;
  /// Memory changes hands between variables that the program's TBAA tells
  /// apart.
  bool MovesOwner = false;
  /// Deallocation: memory of other allocations goes with the block.
  bool ReleasesOthers = false;
  /// Deallocation: of a block of the C library's heap, which knows its size.
  bool OfHeap = false;
  /// First library name (its double form) and first intrinsic, "" if none.
  llvm::StringRef LibraryName = {};
  llvm::StringRef IntrinsicName = {};
  /// Formula: where tests sample, as lowest and highest value per operand.
  llvm::ArrayRef<double> Samples = {};

  /// Neither reads nor writes memory that its operands lead to.
  bool leavesMemoryAlone() const {
    return Handler == HandlerKind::Ignore ||
           Handler == HandlerKind::TapeBegin ||
           Handler == HandlerKind::TapeEnd ||
           Handler == HandlerKind::TapeDeferFree ||
           Handler == HandlerKind::TapeNote ||
           Handler == HandlerKind::Barrier ||
           Handler == HandlerKind::Protocol || Handler == HandlerKind::Reach;
  }
  /// Bit i: the partial of operand `Op` reads operand i.
  uint32_t argsReadByPartial(unsigned Op) const;
  bool resultReadByPartial(unsigned Op) const;

  /// Rule of the runtime: what a call touches behind operand `Op`.
  OperandMemory memoryBehind(unsigned Op) const;
  /// The call may write to memory that its operands do not lead to, and keep
  /// the pointers that it is given.
  bool hasUnknownEffects() const { return OfUser; }
};

/// The same, where a datatype that is constant in the call C tells: D, G, I for
/// integers (nothing active), B for bytes that may be anything, and '@' where
/// it is not known.
char elementBehind(const llvm::CallBase &C, unsigned Op,
                   const OperationRecord &R);

/// A function whose calls are watched in all code of a module, and the routine
/// of the runtime that takes their place.
void forEachWatched(
    llvm::function_ref<void(llvm::StringRef Name, llvm::StringRef Routine)> Do);

/// A function whose place a routine of the runtime takes, where a team of ours
/// runs code that is not differentiated.
void forEachInPool(
    llvm::function_ref<void(llvm::StringRef Name, llvm::StringRef Routine)> Do);

/// The runtime's routine that pointers handed to this function go through in
/// code that is not differentiated; "" for none.
llvm::StringRef unboxingFor(llvm::StringRef Name);

/// Routines of which a program with messages has the runtime's definition, as
/// far as it calls them.
llvm::ArrayRef<llvm::StringRef> routinesAtStart();

/// A named datatype of MPI: a global variable or a number.
struct MessageTypeRecord {
  char Letter;
  llvm::StringRef Global;
  int64_t Number;
};

/// Inline assembly that is an intrinsic.
struct AssemblyRecord {
  llvm::StringRef Text;
  llvm::StringRef Constraints; ///< without the clobbers
  llvm::StringRef Intrinsic;
  /// Operand i of the intrinsic is this operand of the assembly.
  llvm::ArrayRef<unsigned> Operands;
};

/// Building one costs about the time of compiling a small function; make one
/// per module, and only when there is something to differentiate.
class Catalogue {
public:
  Catalogue();
  ~Catalogue();
  Catalogue(const Catalogue &) = delete;
  Catalogue &operator=(const Catalogue &) = delete;
  /// The record that governs instruction I, or null. Calls: by name *and*
  /// prototype, and only when the callee has no body in this module (a user's
  /// own `sinc` is the user's). Intrinsics by id. Arithmetic by opcode.
  const OperationRecord *lookup(const llvm::Instruction &I) const;
  /// The record for a callee used by name, under the same conditions.
  const OperationRecord *lookupFunction(const llvm::Function &F) const;
  /// The intrinsic that a call of inline assembly can be replaced by, and what
  /// it takes of that call's operands; null if the assembly is not known.
  struct KnownAssembly {
    llvm::Function *Declaration;
    llvm::SmallVector<llvm::Value *, 3> Operands;
  };
  std::optional<KnownAssembly> intrinsicOf(llvm::CallBase &Assembly) const;
  /// Says of F, which may have a body, what the user declared: R governs its
  /// calls, in forward or reverse mode or in both. Copies R; what it refers to
  /// must outlive the catalogue.
  void declare(const llvm::Function &F, const OperationRecord &R,
               bool InForward, bool InReverse);
  /// Declarations hold for modes. Until told, a question is about any mode.
  void askFor(bool Forward);
  /// Some declaration holds in one mode only.
  bool modesDiffer() const;
  /// The declaration that governs F, or null.
  const OperationRecord *declared(const llvm::Function &F) const;

  /// The record of the library function Name, if T is a prototype of it.
  const OperationRecord *named(llvm::StringRef Name,
                               llvm::FunctionType *T) const;
  /// F, which may have a body, handles characters and nothing else.
  bool handlesCharacters(const llvm::Function &F) const;
  /// By record id; null if there is none.
  const OperationRecord *byId(llvm::StringRef Id) const;
  llvm::ArrayRef<OperationRecord> records() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace retrograd

#endif
