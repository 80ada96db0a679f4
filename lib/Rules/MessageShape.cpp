//===- MessageShape.cpp - messages of MPI that are bytes ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs send structs as bytes (MPI_BYTE, sizeof(struct) * n). Nothing of the
// message tells what numbers are in it; the types of the buffer's memory do, as
// of a memcpy. Where a word is one thing or another by turns, its shadow tells
// when the program runs.
//
// The derivative of a routine is one for all its calls. So what differs from
// call to call is told to the runtime in front of it:
//
//   rg_mpi_bytes_are(0, "24;0 8 2")   again and again 24 bytes, with two
//   doubles MPI_Send(records, 24 * n, MPI_BYTE, ..)   8 bytes behind the
//   beginning
//
//===----------------------------------------------------------------------===//

#include "Rules/MessageShape.h"
#include "Catalogue/Catalogue.h"
#include "Rules/Transfer.h"

using namespace llvm;
using namespace retrograd;

TransferShape retrograd::messageShape(const CallBase &C, unsigned Op,
                                      const OperationRecord &R,
                                      const ProgramFacts &Facts) {
  const Value *P = C.getArgOperand(Op);
  // The count of a message stands before its datatype. Of a type that is not
  // known here, it says nothing of bytes.
  const char Element = elementBehind(C, Op, R);
  const Value *Length = Element == 'B' || Element == 'K'
                            ? C.getArgOperand(R.memoryBehind(Op).TypeAt - 1)
                            : P;
  return transferShape(C, P, P, Length, Facts);
}

bool retrograd::knowsBytes(const Value *P, const TransferShape &S,
                           const ProgramFacts &Facts) {
  if (S.Known)
    return true;
  TypeAnalysis::ObjectId O = Facts.types().objectOf(P);
  return !S.Ambiguous && O != TypeAnalysis::NoObject &&
         !Facts.exposed().test(O) && !Facts.movesUnknownBytes();
}

/// The kinds of runtime/messages.h.
enum Kind : unsigned { Double = 0, Float = 1, Word = 3, None };
static Kind kindOf(const TypedLeaf &L) {
  if (L.Kind.FP->isFloatTy())
    return Float;
  return !L.Kind.FP->isDoubleTy() ? None : isShared(L) ? Word : Double;
}

static uint64_t sizeOf(Kind K) { return K == Float ? 4 : 8; }

static auto numbersOf(const TransferShape &S) {
  return make_filter_range(S.Leaves, [](const TypedLeaf &L) {
    return L.Kind.K == ByteKind::Float || isShared(L);
  });
}

/// Each rank may put in something else, or sums of them are formed.
static bool isCollective(const OperationRecord &R) {
  return !R.Forward.contains("send") && !R.Forward.contains("recv");
}

const char *retrograd::refusedBytes(const CallBase &C, unsigned Op,
                                    const OperationRecord &R,
                                    const TransferShape &S) {
  if (elementBehind(C, Op, R) == 'K' && isCollective(R))
    return "a collective routine of a packed buffer; send it to each rank, or "
           "give the numbers their datatype";
  if (S.Header)
    return "a message whose datatype is bytes, of a struct that ends in an "
           "array; send its members and the array by themselves, or give it a "
           "datatype";
  bool Words = true;
  for (const TypedLeaf &L : numbersOf(S)) {
    const Kind K = kindOf(L);
    if (K == None || L.Size % sizeOf(K))
      return "a message whose datatype is bytes and whose contents are numbers "
             "other than float and double; give it the datatype of the "
             "numbers";
    Words &= K != Float && L.Offset % 8 == 0;
  }
  if (!isCollective(R))
    return nullptr;
  if (!Words || S.Period % 8)
    return "a collective routine whose datatype is bytes and whose contents "
           "are numbers other than doubles at whole words; give it the "
           "datatype of the numbers";
  return nullptr;
}

void retrograd::tellBytes(IRBuilderBase &B, const CallBase &C,
                          const ProgramFacts &Facts, bool Forward,
                          function_ref<FunctionCallee(StringRef)> Runtime,
                          function_ref<Constant *(StringRef)> Text) {
  const OperationRecord *R = Facts.catalogue().lookup(C);
  if (!R || !R->Communicates)
    return;
  unsigned Which = 0;
  for (unsigned Op = 0; Op != C.arg_size(); ++Op) {
    if (!R->memoryBehind(Op).TypeAt)
      continue;
    const char Element = elementBehind(C, Op, *R);
    const unsigned Number = Which++;
    if (Element != 'B' && Element != 'K' && Element != '@')
      continue;
    // Ends of which nothing is known take part with nothing.
    std::string What = "1?";
    TransferShape S = messageShape(C, Op, *R, Facts);
    if (Forward) {
      What = "8;4 0 8";
    } else if (knowsBytes(C.getArgOperand(Op), S, Facts) &&
               !refusedBytes(C, Op, *R, S)) {
      uint64_t Period = std::max<uint64_t>(S.Period, 1);
      for (const TypedLeaf &L : S.Leaves)
        Period = S.Period ? Period : std::max(Period, L.Offset + L.Size);
      What = std::to_string(Period);
      raw_string_ostream Out(What);
      for (const TypedLeaf &L : numbersOf(S))
        Out << ";" << unsigned(kindOf(L)) << " " << L.Offset << " "
            << L.Size / sizeOf(kindOf(L));
      // What MPI_Pack has put into the buffer, or MPI_Unpack takes from it.
      if (!isCollective(*R))
        Out << (Element == 'K' ? "!!" : "!");
    } else if (Element == 'K') {
      What = "1!!";
    }
    B.CreateCall(Runtime("rg_mpi_bytes_are"), {B.getInt64(Number), Text(What)});
  }
}
