//===- Transfer.h - memcpy and its kin, in one form -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_TRANSFER_H
#define RETROGRAD_RULES_TRANSFER_H

#include "Rules/Rules.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {
class Catalogue;

/// A bulk write of memory.
struct Transfer {
  const llvm::Value *Dest;
  const llvm::Value *Source; ///< null for a fill
  const llvm::Value *Length; ///< bytes
  bool IsRealloc;            ///< Dest is the result, Length the new size
  bool MayOverlap;           ///< Dest and Source, without being the same
  bool OnDevice = false;     ///< memory that the host may not be able to reach
};

/// Of a memory intrinsic, or a call that the catalogue handles as one.
Transfer transferOf(const llvm::CallBase &C, const Catalogue &Cat);

/// Whether the runtime has to be told the primal P of an end of T, not only its
/// shadow: where one may be the other, and on devices, where the primal tells
/// that the shadow is a variable's, which lies on the host.
bool namesPrimal(const Transfer &T, const llvm::Value *P,
                 const ActivityAnalysis &A);

/// All that the program takes the memory behind P for is integers, but
/// registers that it writes there, or reads, are numbers: it keeps their bits.
bool keepsBits(const TypeAnalysis &TA, const llvm::Value *P);

/// The derivative itself makes the shadow of what P points to, so that of an
/// integer there is zero.
bool hasOwnShadow(const ProgramFacts &Facts, const llvm::Value *P);

/// What the shadow of the words that S stores, as far as they are no numbers,
/// has to be where numbers lie by turns: an integer that is its own shadow
/// would be taken for a derivative.
enum class WordShadow {
  AsItIs,
  AddressesOnly, ///< zero, unless it is an address: the running program tells
  Zero           ///< it is surely none
};
WordShadow shadowOfWords(const llvm::StoreInst &S, const ProgramFacts &Facts);

/// Floats lie at some of the Size bytes at P + Offset, and what the shadow of
/// an address leaves there would be adjoints of them: as doubles, addresses are
/// too small to be of consequence, but half of one is any float. So they are
/// cleared where the reverse sweep comes to what was stored there.
bool holdsSmallFloats(const llvm::Value *P, uint64_t Offset, uint64_t Size,
                      const ProgramFacts &Facts);

/// S stores a float where addresses lie by turns: the primal sweep clears the
/// shadow of one that was there before.
bool leavesNoAddress(const llvm::StoreInst &S, const ProgramFacts &Facts);
/// The same of the leaf L of a copy to Dest.
bool takesAddressesPlace(const TypedLeaf &L, const llvm::Value *Dest,
                         const ProgramFacts &Facts);

/// The copy T, of shape S, moves words of several kinds by turns, and no active
/// numbers: of all that, only the shadows of pointers count, wherever they lie.
bool movesAddressesOnly(const Transfer &T, const TransferShape &S,
                        const ActivityAnalysis &A);

/// The copy I, which is T of shape S, moves bytes of which nobody in the call
/// graph knows what they are, from and to active memory, and the running
/// program could find the numbers among them (runtime/unknown.c): it has one
/// thread.
bool couldMoveUnknown(const llvm::Instruction &I, const Transfer &T,
                      const TransferShape &S, const ActivityAnalysis &A);
/// It has to (ProgramFacts::movesUnknownBytes).
bool movesUnknown(const llvm::Instruction &I, const Transfer &T,
                  const TransferShape &S, const ActivityAnalysis &A);

/// The object, in its first word a pointer to characters, for which the
/// library's operation C may have found them another place; null if C is no
/// such operation. Who has a shadow of the object holds the old pointer there,
/// which may be freed already.
const llvm::Value *renewedHolder(const llvm::CallBase &C,
                                 const ProgramFacts &Facts);

/// Where one leaf of a transfer lies, as the runtime's routines over bulk
/// memory take it: Run bytes at Offset, repeated every Period bytes (0: once).
struct LeafRange {
  llvm::Value *Offset, *Period, *Run;
};
/// `Bytes` is the length of the whole transfer, an i64.
LeafRange leafRange(llvm::IRBuilderBase &B, const TransferShape &S,
                    const TypedLeaf &L, llvm::Value *Bytes);

/// Clears the part R of the shadow Dest, Bytes long, of DestPrimal (null: it is
/// known to be another place): by memset if R is one run, else by the runtime,
/// whose routines Runtime gives.
void emitClear(
    llvm::IRBuilderBase &B,
    llvm::function_ref<llvm::FunctionCallee(llvm::StringRef)> Runtime,
    llvm::Value *Dest, llvm::Value *DestPrimal, llvm::Value *Bytes, LeafRange R,
    bool OnDevice = false);

/// The shadow that Shadow, of the pointer Primal, stands for in what moves
/// device memory. Memory that a pointer leads to which was set outside of the
/// derivative has none at compile time, and a cleared one at run time.
llvm::Value *shadowOnDevice(
    llvm::IRBuilderBase &B,
    llvm::function_ref<llvm::FunctionCallee(llvm::StringRef)> Runtime,
    llvm::Value *Shadow, llvm::Value *Primal, unsigned Lane);

/// True if more than one leaf is of the kind that Which accepts, and the calls
/// that move one leaf each have to read from a copy (rg_apart).
bool movesInterfere(const Transfer &T, const TransferShape &S,
                    llvm::function_ref<bool(const TypedLeaf &)> Which);

} // namespace retrograd

#endif
