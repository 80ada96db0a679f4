//===- Instructions.td - LLVM's floating-point instructions ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic only. What moves values about (loads, phis, casts, selects, vector
// and aggregate operations) is linear in an obvious way and belongs to the
// emitter.
//
//===----------------------------------------------------------------------===//

class Inst<string mnemonic, string prototype, list<dag> partials>
    : Formula<partials>, Arithmetic {
  let Instruction = mnemonic;
  let Prototype = prototype;
  let Section = "Instructions";
}

def fneg : Inst<"fneg", "F:F", [(neg S)]>, Domain<["-2:2"]>, Unrounded {
  let Summary = "-x";
}
def fadd : Inst<"fadd", "F:FF", [(id S), (id S)]>, Domain<["-2:2", "-2:2"]>,
           Lowers<["llvm.experimental.constrained.fadd"]> {
  let Summary = "x + y";
}
def fsub : Inst<"fsub", "F:FF", [(id S), (neg S)]>, Domain<["-2:2", "-2:2"]>,
           Lowers<["llvm.experimental.constrained.fsub"]> {
  let Summary = "x - y";
}
def fmul : Inst<"fmul", "F:FF", [(mul S, A1), (mul S, A0)]>,
           Domain<["-2:2", "-2:2"]>,
           Lowers<["llvm.experimental.constrained.fmul"]> {
  let Summary = "x * y";
}
// d(x/y)/dy = -x/y^2 = -(1/y) (x/y): the division S/y is shared with the other
// partial, and no square can overflow.
def fdiv : Inst<"fdiv", "F:FF",
                [(div S, A1), (neg (mul (div S, A1), R))]>,
           Domain<["-2:2", "0.5:2"]>,
           Lowers<["llvm.experimental.constrained.fdiv"]> {
  let Summary = "x / y";
}
// fdiv of a constant 1, which lookup() tells apart. A quotient takes long; the one that is
// there serves for both: 1/y is what S/y would multiply S by.
def reciprocal : Inst<"reciprocal", "F:FF",
                      [(mul S, R), (neg (mul (mul S, R), R))]>,
                 Domain<["1:1", "0.5:2"]> {
  let Summary = "1 / y (fdiv)";
}
// x - n y with n = trunc(x/y), which (R-x)/y gives back exactly even where the
// division x/y rounds up to the next integer.
def frem : Inst<"frem", "F:FF",
                [(id S),
                 (mul S, (call "rint", (div (sub R, A0), A1)))]>,
           Domain<["2.1:2.6", "0.9:1.0"]>, Unrounded,
           Lowers<["llvm.experimental.constrained.frem"]>,
           Kink<"at the jumps, where x/y is an integer: as if x moved away from 0"> {
  let Summary = "x - trunc(x / y) y";
  let Cheap = 0;
}
