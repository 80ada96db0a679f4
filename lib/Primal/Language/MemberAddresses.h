//===- MemberAddresses.h - addresses of members in variables ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access to an element of an array of integers says that a struct declares
// the array, if its address does:
//
//   node->child[i] += 1;                        // int child[2]
//
// Programs hand the address on before they use it:
//
//   node.child[i] += 1;                         // std::array<int, 2> child:
//                                               // operator[] returns the
//                                               address
//   static void bump(int *k, int i) { k[i] += 1; }      // bump(node->child, i)
//
// Once functions are inlined, the struct is forgotten, and the array has no
// end: it might reach the numbers behind it. Of the front end's first code,
// this finds the pointers that, whatever way they came, are such addresses:
// through variables of pointer type, arguments, results and choices. It is a
// greatest fixpoint: what is asked for is followed back to where pointers come
// from, and one of another kind spoils all that it may become.
//
// A function's argument is such an address if all calls in the module pass one.
// A function that returns its argument (std::move) is asked call by call.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_LANGUAGE_MEMBERADDRESSES_H
#define RETROGRAD_PRIMAL_LANGUAGE_MEMBERADDRESSES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace llvm {
class Value;
} // namespace llvm

namespace retrograd {

class MemberAddresses {
public:
  /// IsMember says of an address that it is that of an integer, or of an array
  /// of integers, in a struct.
  explicit MemberAddresses(
      llvm::function_ref<bool(const llvm::Value *)> IsMember,
      llvm::ArrayRef<const llvm::Value *> Asked);

  bool contains(const llvm::Value *P) const;

private:
  struct Node {
    bool Spoiled = false;
    bool Grounded = false;
    llvm::SmallVector<unsigned, 2> Users; ///< what this may become
  };
  llvm::DenseMap<const llvm::Value *, unsigned> Number;
  std::vector<Node> Nodes;
};

} // namespace retrograd

#endif
