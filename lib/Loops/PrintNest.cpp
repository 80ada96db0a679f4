//===- PrintNest.cpp - a nest and its order as text -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/PrintNest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <numeric>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

static void printArray(raw_ostream &OS, const Nest &N, unsigned K) {
  const NestArray &A = N.Arrays[K];
  OS << "  A" << K << " = ";
  if (A.Base) {
    A.Base->printAsOperand(OS, false);
    // From the first dimension to the last.
    OS << ", strides";
    for (const Term &T : llvm::reverse(A.Strides)) {
      OS << " " << T.C;
      for (const SCEV *F : T.Factors)
        OS << "*" << *F;
    }
  } else {
    for (const Cell &Each : N.Cells)
      if (Each.Array == K) {
        OS << (Each.Carried    ? "carried "
               : Each.InMemory ? "kept in memory "
                               : "kept ");
        Each.V->printAsOperand(OS, false);
      }
  }
  OS << "\n";
}

void loops::printNest(Loop &L, const Nest *N, const std::string &WhyNot) {
  raw_ostream &OS = errs();
  OS << "nest " << L.getName() << " of "
     << L.getHeader()->getParent()->getName() << "\n";
  if (!N) {
    OS << "  none: " << WhyNot << "\n";
    return;
  }
  for (auto &[S, K] : N->Parameters)
    OS << "  p" << K << " = " << *S << "\n";
  OS << "  asked " << N->Asked.text() << "\n";
  for (auto &[X, Y] : N->MayMeet)
    OS << "  asked A" << X << " apart from A" << Y << "\n";
  for (unsigned K = 0; K != N->Arrays.size(); ++K)
    printArray(OS, *N, K);
  for (unsigned K = 0; K != N->Statements.size(); ++K) {
    const Statement &S = N->Statements[K];
    OS << "  S" << K << (S.Sum >= 0 ? " (sum):" : ":");
    if (S.K == Statement::Store) {
      OS << *S.At << "\n";
    } else {
      OS << "  set ";
      S.V->printAsOperand(OS, false);
      OS << "\n";
    }
    OS << "    domain " << S.Domain.text() << "\n    writes "
       << S.Write.Where.text() << "\n";
    for (const Access &A : S.Reads)
      OS << "    reads " << A.Where.text() << "\n";
  }
}

namespace {

/// Counters, a tile's in parentheses unless there is one alone.
void printTerm(raw_ostream &OS, const TimeTerm &T) {
  std::string Text;
  unsigned Count = 0;
  for (int K = 0, E = std::max<int>(T.Loop + 1, T.Skew.size()); K < E; ++K)
    if (int64_t Times = T.times(K)) {
      Text += Times < 0 ? "-" : Count ? "+" : "";
      if (std::abs(Times) != 1)
        Text += std::to_string(std::abs(Times)) + "*";
      Text += "i" + std::to_string(K);
      ++Count;
    }
  if (T.C || !Count) {
    Text += (T.C < 0 || !Count ? "" : "+") + std::to_string(T.C);
    ++Count;
  }
  if (T.Tile && Count > 1)
    Text = "(" + Text + ")";
  OS << Text;
  if (T.Tile)
    OS << "/" << T.Tile;
}

/// The loops of an order from place Place on, of statements that share all
/// places before it.
void printTree(raw_ostream &OS, const Schedule &S,
               const std::vector<unsigned> &Group, unsigned Place) {
  const std::string Indent(4 + Place, ' ');
  std::map<int64_t, std::vector<unsigned>> Siblings;
  for (unsigned K : Group)
    Siblings[S.Times[K][Place].C].push_back(K);
  for (auto &[C, Members] : Siblings) {
    std::vector<unsigned> Inner, Deeper;
    for (unsigned K : Members) {
      if (Place + 1 < S.Times[K].size() && S.Times[K][Place + 1].isLoop())
        Inner.push_back(K);
      else if (any_of(drop_begin(S.Times[K], Place),
                      [](const TimeTerm &T) { return T.isLoop(); }))
        Deeper.push_back(K); // others have tiles here
      else
        OS << Indent << "S" << K << "\n";
    }
    if (!Deeper.empty())
      printTree(OS, S, Deeper, Place + 2);
    if (Inner.empty())
      continue;
    OS << Indent << "for";
    for (unsigned K : Inner) {
      const TimeTerm &T = S.Times[K][Place + 1];
      OS << " S" << K << ":";
      printTerm(OS, T);
      for (unsigned Q : T.Front) {
        OS << "+";
        printTerm(OS, S.Times[K][Q]);
      }
    }
    for (const Jam &J : S.Jams) {
      bool Here = J.Place == Place + 1;
      for (unsigned P = 0; P != J.Prefix.size() && Here; ++P)
        Here = S.Times[Inner.front()][2 * P].C == J.Prefix[P];
      if (Here)
        OS << ", " << J.Lanes << (J.Strip ? " in a strip" : " at a time");
    }
    OS << "\n";
    printTree(OS, S, Inner, Place + 2);
  }
}

} // namespace

void loops::printOrders(const Nest &N, ArrayRef<Scheduler::Proposal> Orders) {
  raw_ostream &OS = errs();
  if (Orders.empty())
    OS << "  left as it is\n";
  for (const Scheduler::Proposal &P : Orders) {
    OS << (&P == &Orders.front() ? "  " : "  or else ")
       << (P.Did.empty() ? "the program's order" : P.Did) << "\n";
    std::vector<unsigned> All(N.Statements.size());
    std::iota(All.begin(), All.end(), 0);
    printTree(OS, P.S, All, 0);
    OS << format("    takes %.2g of the program's time by one thread", P.Alone);
    if (P.Cost != P.Alone)
      OS << format(", %.2g by all", P.Cost);
    OS << "\n";
  }
}
