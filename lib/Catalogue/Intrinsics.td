//===- Intrinsics.td - intrinsics that are not functions of libm ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intrinsics that compute what a function of libm computes are listed with that
// function in LibM.td. Here is the rest.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Floating-point values
//===----------------------------------------------------------------------===//

class IntrinsicFormula<string intrinsic, string prototype, list<dag> partials>
    : Formula<partials> {
  let Intrinsics = [intrinsic];
  let Prototype = prototype;
  let Section = "Intrinsics";
}

def powi : IntrinsicFormula<"llvm.powi", "F:FN",
             [(sel (ieq A1, 0), 0,
               (mul S, (mul (tofp A1), (call "powi", A0, (iadd A1, -1)))))]>,
           Domain<["0.4:2", "-3:4"]>, Kink<"n = 0: 0">,
           Lowers<["llvm.powi", "llvm.experimental.constrained.powi"]> {
  let Summary = "x^n for an integer n";
  let TestName = "__builtin_powi";
}
def canonicalize : IntrinsicFormula<"llvm.canonicalize", "F:F", [(id S)]>,
                   Domain<["-2:2"]>, Arithmetic;
def arithmetic_fence : IntrinsicFormula<"llvm.arithmetic.fence", "F:F", [(id S)]>,
                       Domain<["-2:2"]>, Arithmetic;
// A copy that only tells analyses something.
def ssa_copy : IntrinsicFormula<"llvm.ssa.copy", "F:F", [(id S)]>,
               Domain<["-2:2"]>, Arithmetic;

class IntrinsicHandler<string kind, list<string> intrinsics> : Handler<kind> {
  let Intrinsics = intrinsics;
  let Section = "Intrinsics";
}
let Pure = 1 in {
def reduce_fadd : IntrinsicHandler<"Elements", ["llvm.vector.reduce.fadd"]> {
  let Summary = "start + sum of the lanes";
}
def reduce_fmul : IntrinsicHandler<"Elements", ["llvm.vector.reduce.fmul"]> {
  let Summary = "start * product of the lanes";
}
def reduce_fminmax
    : IntrinsicHandler<"Elements",
                       ["llvm.vector.reduce.fmin", "llvm.vector.reduce.fmax",
                        "llvm.vector.reduce.fminimum", "llvm.vector.reduce.fmaximum"]> {
  let Summary = "the least or greatest lane; the first of equal ones takes the seed";
}
def vector_compress
    : IntrinsicHandler<"Elements", ["llvm.experimental.vector.compress"]> {
  let Summary = "the elements that a mask chooses, in a row";
}
def vector_last_active
    : IntrinsicHandler<"Elements", ["llvm.experimental.vector.extract.last.active"]> {
  let Summary = "the last element that a mask chooses";
}
def matrix_multiply : IntrinsicHandler<"Elements", ["llvm.matrix.multiply"]> {
  let Summary = "product of two matrices, whose elements lie column by column";
}
}

// Strict floating point calls an intrinsic where other code has an instruction.
let Pure = 1, Cheap = 1 in
def convert : IntrinsicHandler<"Convert", ["llvm.experimental.constrained.fpext",
                                           "llvm.experimental.constrained.fptrunc"]> {
  let Summary = "another format of the number";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def llvm_memcpy : IntrinsicHandler<"MemCpy", ["llvm.memcpy", "llvm.memcpy.inline"]>;
def llvm_memmove : IntrinsicHandler<"MemMove", ["llvm.memmove"]>;
def llvm_memset : IntrinsicHandler<"MemSet", ["llvm.memset", "llvm.memset.inline"]>;
def llvm_stacksave : IntrinsicHandler<"StackSave", ["llvm.stacksave"]>;
def llvm_stackrestore : IntrinsicHandler<"StackRestore", ["llvm.stackrestore"]>;
def llvm_objectsize : IntrinsicHandler<"ObjectSize", ["llvm.objectsize"]>;

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

def markers : IntrinsicHandler<"Ignore",
    ["llvm.lifetime.start", "llvm.lifetime.end", "llvm.invariant.start",
     "llvm.invariant.end", "llvm.assume", "llvm.experimental.noalias.scope.decl",
     "llvm.dbg.declare", "llvm.dbg.value", "llvm.dbg.assign", "llvm.dbg.label",
     "llvm.prefetch", "llvm.donothing", "llvm.sideeffect", "llvm.pseudoprobe",
     "llvm.var.annotation", "llvm.codeview.annotation", "llvm.fake.use",
     "llvm.instrprof.increment", "llvm.instrprof.increment.step",
     "llvm.instrprof.cover", "llvm.instrprof.value.profile", "llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"]> {
  let Summary = "no effect on values";
}

//===----------------------------------------------------------------------===//
// No derivative
//===----------------------------------------------------------------------===//

class InactiveIntrinsics<list<string> intrinsics> : InactiveInC<[]> {
  let Intrinsics = intrinsics;
  let Section = "Intrinsics";
}
let Pure = 1, Cheap = 1 in
def integer_intrinsics : InactiveIntrinsics<
    ["llvm.is.fpclass", "llvm.is.constant", "llvm.expect", "llvm.expect.with.probability",
     "llvm.ctpop", "llvm.ctlz", "llvm.cttz",
     "llvm.bswap", "llvm.bitreverse", "llvm.fshl", "llvm.fshr", "llvm.abs",
     "llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax", "llvm.scmp", "llvm.ucmp",
     "llvm.sadd.sat", "llvm.uadd.sat", "llvm.ssub.sat", "llvm.usub.sat",
     "llvm.sshl.sat", "llvm.ushl.sat",
     "llvm.sadd.with.overflow", "llvm.uadd.with.overflow",
     "llvm.ssub.with.overflow", "llvm.usub.with.overflow",
     "llvm.smul.with.overflow", "llvm.umul.with.overflow",
     "llvm.fptosi.sat", "llvm.fptoui.sat",
     "llvm.vector.reduce.add", "llvm.vector.reduce.mul", "llvm.vector.reduce.and",
     "llvm.vector.reduce.or", "llvm.vector.reduce.xor", "llvm.vector.reduce.smin",
     "llvm.vector.reduce.smax", "llvm.vector.reduce.umin", "llvm.vector.reduce.umax",
     "llvm.experimental.constrained.fcmp", "llvm.experimental.constrained.fcmps",
     "llvm.experimental.constrained.fptosi", "llvm.experimental.constrained.fptoui",
     "llvm.experimental.constrained.sitofp", "llvm.experimental.constrained.uitofp",
     "llvm.eh.typeid.for", "llvm.allow.runtime.check", "llvm.allow.ubsan.check",
     "llvm.get.active.lane.mask", "llvm.experimental.cttz.elts"]> {
  let Summary = "integer results";
}
def environment_intrinsics : InactiveIntrinsics<
    ["llvm.readcyclecounter", "llvm.readsteadycounter", "llvm.vscale",
     "llvm.get.rounding", "llvm.get.fpenv", "llvm.get.fpmode",
     "llvm.returnaddress", "llvm.frameaddress", "llvm.addressofreturnaddress",
     "llvm.x86.sse.stmxcsr", "llvm.x86.sse2.pause",
     "llvm.x86.sse.sfence", "llvm.x86.sse2.lfence", "llvm.x86.sse2.mfence",
     "llvm.x86.rdtsc", "llvm.x86.rdtscp"]> {
  let Summary = "machine state";
}
let SetsRounding = 1 in
def rounding_intrinsics : InactiveIntrinsics<
    ["llvm.set.rounding", "llvm.set.fpenv", "llvm.reset.fpenv", "llvm.set.fpmode",
     "llvm.reset.fpmode", "llvm.x86.sse.ldmxcsr"]> {
  let Summary = "rounding mode and exceptions";
}
