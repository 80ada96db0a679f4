//===- LibM.td - the real functions of <math.h> ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record is one function with all its forms: double, float (suffix f), long
// double (suffix l), the glibc finite variants (__exp_finite), aliases of old
// (drem), and LLVM's intrinsic where there is one, which covers half, bfloat
// and vectors.
//
// A formula should
//   - read the result instead of computing a function again (exp: S R);
//   - not overflow or cancel where the function itself does not;
//   - say `sz` where its coefficient is infinite or NaN at a point of the
//     function's domain (see Operation.td), and say in Kink what comes out;
//   - let NaN through: the derivative at NaN is NaN.
// The table of all kinks is in README.md beside this file.
//
//===----------------------------------------------------------------------===//

// A function of floating-point operands named like its record.
class MathFn<string prototype, list<dag> partials> : Formula<partials> {
  let Names = [NAME];
  let Prototype = prototype;
  let HasForms = 1;
  let TestName = NAME;
  let Section = "Mathematical functions";
}
class Math1<dag d> : MathFn<"F:F", [d]>;
class Math2<dag d0, dag d1> : MathFn<"F:FF", [d0, d1]>;
class Math3<dag d0, dag d1, dag d2> : MathFn<"F:FFF", [d0, d1, d2]>;

// Also under the name that glibc's headers used under -ffinite-math-only.
class Finite<list<string> more = []> {
  list<string> Names = !listconcat([NAME, "__" # NAME # "_finite"], more);
}

// Piecewise constant: rounding and taking apart. No derivative anywhere.
class StepFn<string prototype> : Inactive<[], prototype> {
  let Names = [NAME];
  let HasForms = 1;
  let Pure = 1;
  let Section = "Rounding and classification";
}

//===----------------------------------------------------------------------===//
// Circular functions
//===----------------------------------------------------------------------===//

def sin : Math1<(mul S, (call "cos", A0))>, Domain<["-6:6"]>,
          Lowers<["llvm.sin", "llvm.experimental.constrained.sin"]>;
def cos : Math1<(neg (mul S, (call "sin", A0)))>, Domain<["-6:6"]>,
          Lowers<["llvm.cos", "llvm.experimental.constrained.cos"]>;
def tan : Math1<(mul S, (add 1, (mul R, R)))>, Domain<["-1.4:1.4"]>,
          Lowers<["llvm.tan", "llvm.experimental.constrained.tan"]>;
// (1-x)(1+x) and not 1-x^2: no cancellation near +-1.
def asin : Math1<(sz (div S, (call "sqrt", (mul (sub 1, A0), (add 1, A0)))))>,
           Domain<["-0.9:0.9"]>, Finite,
           Lowers<["llvm.asin", "llvm.experimental.constrained.asin"]>,
           Kink<"x = +-1: +inf">;
def acos : Math1<(sz (neg (div S, (call "sqrt", (mul (sub 1, A0), (add 1, A0))))))>,
           Domain<["-0.9:0.9"]>, Finite,
           Lowers<["llvm.acos", "llvm.experimental.constrained.acos"]>,
           Kink<"x = +-1: -inf">;
def atan : Math1<(div S, (add 1, (mul A0, A0)))>, Domain<["-5:5"]>,
           Lowers<["llvm.atan", "llvm.experimental.constrained.atan"]>;

// atan2(y, x): dy x/(x^2+y^2), dx -y/(x^2+y^2). Computed by the quotient r of
// the smaller through the larger, so that no square overflows or vanishes.
defvar yLarger = (ogt (call "fabs", A0), (call "fabs", A1));
defvar larger = (sel yLarger, A0, A1);
defvar ratio = (div (sel yLarger, A1, A0), larger);
defvar share = (div S, (mul larger, (add 1, (mul ratio, ratio))));
def atan2 : Math2<(sel (oeq larger, 0), 0, (sel yLarger, (mul ratio, share), share)),
                  (sel (oeq larger, 0), 0, (neg (sel yLarger, share, (mul ratio, share))))>,
            Domain<["-2:2", "0.3:2"]>, Finite,
            Lowers<["llvm.atan2", "llvm.experimental.constrained.atan2"]>,
            Kink<"(0, 0): both 0"> {
  let Plain = ["d * y / (x^2 + y^2)", "-d * x / (x^2 + y^2)"];
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

def sinh : Math1<(mul S, (call "cosh", A0))>, Domain<["-3:3"]>, Finite,
           Lowers<["llvm.sinh", "llvm.experimental.constrained.sinh"]>;
def cosh : Math1<(mul S, (call "sinh", A0))>, Domain<["-3:3"]>, Finite,
           Lowers<["llvm.cosh", "llvm.experimental.constrained.cosh"]>;
def tanh : Math1<(mul S, (mul (sub 1, R), (add 1, R)))>, Domain<["-3:3"]>,
           Lowers<["llvm.tanh", "llvm.experimental.constrained.tanh"]>;
// hypot and the product of roots keep x^2 from overflowing.
def asinh : Math1<(div S, (call "hypot", 1, A0))>, Domain<["-5:5"]>;
def acosh : Math1<(sz (div S, (mul (call "sqrt", (sub A0, 1)),
                                   (call "sqrt", (add A0, 1)))))>,
            Domain<["1.2:6"]>, Finite, Kink<"x = 1: +inf">;
def atanh : Math1<(sz (div S, (mul (sub 1, A0), (add 1, A0))))>,
            Domain<["-0.9:0.9"]>, Finite, Kink<"x = +-1: +inf">;

//===----------------------------------------------------------------------===//
// Exponentials, logarithms, powers
//===----------------------------------------------------------------------===//

defvar Ln2 = "0.693147180559945309417232121458176568075500134360255";
defvar Ln10 = "2.302585092994045684017991454684364207601101488628773";
defvar InvLn2 = "1.442695040888963407359924681001892137426645954152986";
defvar InvLn10 = "0.434294481903251827651128918916605082294397005803667";
defvar TwoOverSqrtPi = "1.128379167095512573896158903121545171688101258657998";

def exp : Math1<(mul S, R)>, Domain<["-4:4"]>, Finite,
          Lowers<["llvm.exp", "llvm.experimental.constrained.exp"]>;
def exp2 : Math1<(mul (mul S, R), Ln2)>, Domain<["-4:4"]>, Finite,
           Lowers<["llvm.exp2", "llvm.experimental.constrained.exp2"]>;
def exp10 : Math1<(mul (mul S, R), Ln10)>, Domain<["-2:2"]>,
            Aliases<["exp10", "__exp10_finite", "pow10"]>, Lowers<["llvm.exp10"]>;
// Not S (R + 1), which cancels for x << 0.
def expm1 : Math1<(mul S, (call "exp", A0))>, Domain<["-4:4"]>;
// Not S (R + 1) Ln2 or Ln10, as for expm1.
def exp2m1 : Math1<(mul (mul S, (call "exp2", A0)), Ln2)>, Domain<["-2:2"]> {
  let TestName = ""; // newer than the C library of Debian 12
}
def exp10m1 : Math1<(mul (mul S, (call "exp10", A0)), Ln10)>, Domain<["-2:2"]> {
  let TestName = ""; // newer than the C library of Debian 12
}

def log : Math1<(sz (div S, A0))>, Domain<["0.2:5"]>, Finite,
          Lowers<["llvm.log", "llvm.experimental.constrained.log"]>,
          Kink<"x = 0: +-inf by the sign of the zero">;
def log2 : Math1<(sz (div (mul S, InvLn2), A0))>, Domain<["0.2:5"]>, Finite,
           Lowers<["llvm.log2", "llvm.experimental.constrained.log2"]>,
           Kink<"x = 0: +-inf by the sign of the zero">;
def log10 : Math1<(sz (div (mul S, InvLn10), A0))>, Domain<["0.2:5"]>, Finite,
            Lowers<["llvm.log10", "llvm.experimental.constrained.log10"]>,
            Kink<"x = 0: +-inf by the sign of the zero">;
def log1p : Math1<(sz (div S, (add 1, A0)))>, Domain<["-0.8:5"]>,
            Kink<"x = -1: +inf">;
def log2p1 : Math1<(sz (div (mul S, InvLn2), (add 1, A0)))>, Domain<["-0.8:5"]>,
             Kink<"x = -1: +inf"> {
  let TestName = ""; // newer than the C library of Debian 12
}
def log10p1 : Math1<(sz (div (mul S, InvLn10), (add 1, A0)))>,
              Domain<["-0.8:5"]>, Kink<"x = -1: +inf"> {
  let TestName = ""; // newer than the C library of Debian 12
}

// dx: y x^(y-1), and 0 for y = 0 also where x = 0 makes x^-1 infinite. (Not 0 for every
// y = 0: its derivative by y is 1/x there.)
// dy: x^y log x, whose limit for x -> 0 is 0 when y > 0.
defvar powBase = (sel (oeq A1, 0), (sel (oeq A0, 0), 1, A0), A0);
def pow : Math2<(sz (mul S, (mul A1, (call "pow", powBase, (sub A1, 1))))),
                (sz (sel (oeq A0, 0),
                     (sel (oge A1, 0), 0, (neg (mul S, R))),
                     (mul S, (mul R, (call "log", A0)))))>,
          Domain<["0.3:3", "-2:3"]>, Finite,
          Lowers<["llvm.pow", "llvm.experimental.constrained.pow"]>,
          Kink<"y = 0: dx is 0. x = 0: dy is 0 for y >= 0, -x^y otherwise. x < 0: dy is NaN">;

def sqrt : Math1<(sz (div (mul "0.5", S), R))>, Domain<["0.2:6"]>, Finite,
           Lowers<["llvm.sqrt", "llvm.experimental.constrained.sqrt"]>,
           Kink<"x = 0: +inf">;
def cbrt : Math1<(sz (div S, (mul 3, (mul R, R))))>, Domain<["0.2:6"]>,
           Kink<"x = 0: +inf">;
// x^(-1/2): -1/2 x^(-3/2).
// By the result, which costs no division.
def rsqrt : Math1<(sz (mul (mul "-0.5", S), (mul R, (mul R, R))))>, Domain<["0.2:6"]>,
            Kink<"x = 0: -inf"> {
  let TestName = ""; // newer than the C library of Debian 12
}
def hypot : Math2<(sel (oeq R, 0), 0, (mul S, (div A0, R))),
                  (sel (oeq R, 0), 0, (mul S, (div A1, R)))>,
            Domain<["-2:2", "0.3:2"]>, Finite, Kink<"(0, 0): both 0">;

//===----------------------------------------------------------------------===//
// Special functions
//===----------------------------------------------------------------------===//

def erf : Math1<(mul (mul S, TwoOverSqrtPi), (call "exp", (neg (mul A0, A0))))>,
          Domain<["-2:2"]>;
def erfc : Math1<(neg (mul (mul S, TwoOverSqrtPi), (call "exp", (neg (mul A0, A0)))))>,
           Domain<["-2:2"]>;

// Gamma' = Gamma psi, (log |Gamma|)' = psi; psi comes with the runtime, and so
// does its derivative, so that second derivatives work too.
def tgamma : Math1<(mul S, (mul R, (call "rg_digamma", A0)))>, Domain<["0.6:5"]>,
             Aliases<["tgamma", "__tgamma_finite", "__gamma_r_finite"]>,
             Kink<"poles 0, -1, -2, ...: NaN"> {
  let Names = ["tgamma", "__tgamma_finite"];
}
def lgamma : Math1<(mul S, (call "rg_digamma", A0))>, Domain<["0.6:6"]>,
             Kink<"poles 0, -1, -2, ...: NaN"> {
  let Names = ["lgamma", "__lgamma_finite", "gamma"];
}

class RuntimeFn<string prototype, list<dag> partials> : MathFn<prototype, partials> {
  let OfRuntime = 1;
  let TestName = "";
  let Section = "Special functions of the runtime";
}
def rg_digamma : RuntimeFn<"F:F", [(mul S, (call "rg_polygamma", 1, A0))]>,
                 Domain<["0.6:6"]>, Kink<"poles 0, -1, -2, ...: NaN"> {
  let Summary = "psi(x), the logarithmic derivative of the gamma function";
}
// psi^(n)(x), n a small integer.
def rg_polygamma : RuntimeFn<"F:IF", [(mul S, (call "rg_polygamma", (iadd A0, 1), A1))]>,
                   Domain<["1:2", "0.6:6"]>, Kink<"poles 0, -1, -2, ...: NaN"> {
  let Summary = "the n-th derivative of psi at x";
}

// Bessel functions: J0' = -J1, Jn' = (J(n-1) - J(n+1)) / 2, the same for Y.
// The second form also serves J1, with no quotient J1/x to fail at 0.
def j0 : Math1<(neg (mul S, (call "j1", A0)))>, Domain<["0.2:8"]>, Finite;
def j1 : Math1<(mul (mul "0.5", S), (sub (call "j0", A0), (call "jn", 2, A0)))>,
         Domain<["0.2:8"]>, Finite;
def jn : MathFn<"F:IF", [(mul (mul "0.5", S), (sub (call "jn", (iadd A0, -1), A1),
                                                   (call "jn", (iadd A0, 1), A1)))]>,
         Domain<["-2:4", "0.2:8"]>, Finite;
def y0 : Math1<(neg (mul S, (call "y1", A0)))>, Domain<["0.5:8"]>, Finite;
def y1 : Math1<(mul (mul "0.5", S), (sub (call "y0", A0), (call "yn", 2, A0)))>,
         Domain<["0.5:8"]>, Finite;
def yn : MathFn<"F:IF", [(mul (mul "0.5", S), (sub (call "yn", (iadd A0, -1), A1),
                                                   (call "yn", (iadd A0, 1), A1)))]>,
         Domain<["-2:4", "0.8:8"]>, Finite;

//===----------------------------------------------------------------------===//
// Absolute value, maximum, fused operations
//===----------------------------------------------------------------------===//

// The last arm is met by 0, which it takes to 0, and by NaN, which stays NaN.
def fabs : Math1<(sel (ogt A0, 0), S, (sel (olt A0, 0), (neg S), (mul S, A0)))>,
           Domain<["0.1:3"]>, Arithmetic, Unrounded, Lowers<["llvm.fabs"]>, Kink<"x = 0: 0">;
// |x| with the sign of y.
def copysign : Math2<(sel (oeq A0, 0), 0,
                      (mul S, (mul (call "copysign", 1, A0), (call "copysign", 1, A1)))),
                     (NoShare)>,
               Domain<["0.1:3", "-3:-0.1"]>, Arithmetic, Unrounded, Lowers<["llvm.copysign"]>,
               Kink<"x = 0: 0, as fabs. The sign operand has no share">;

// Whoever wins takes the whole seed; equal operands (the two zeros included) take half
// of it each, as central differences do. So results that many compute, each from
// its own side (a maximum by shuffles between the lanes of a warp), have one derivative.
// fmax ignores one NaN operand, fmaximum does not.
class ExtremumPartials<FormulaOp firstWins, FormulaOp secondWins> {
  dag First = (sel (firstWins A0, A1), S,
               (sel (oeq A0, A1), (mul "0.5", S), (sel (uno A1, A1), S, 0)));
  dag Second = (sel (secondWins A0, A1), S,
                (sel (oeq A0, A1), (mul "0.5", S), (sel (uno A0, A0), S, 0)));
}
class Extremum<FormulaOp firstWins, FormulaOp secondWins>
    : Math2<ExtremumPartials<firstWins, secondWins>.First,
            ExtremumPartials<firstWins, secondWins>.Second>,
      Domain<["0.2:1", "1.1:2"]>, Arithmetic, Unrounded, Kink<"equal operands: half to each">;
class NaNExtremumPartials<FormulaOp firstWins, FormulaOp secondWins> {
  dag First = (sel (firstWins A0, A1), S,
               (sel (oeq A0, A1), (mul "0.5", S), (sel (uno A0, A1), (mul S, R), 0)));
  dag Second = (sel (secondWins A0, A1), S,
                (sel (oeq A0, A1), (mul "0.5", S), (sel (uno A0, A1), (mul S, R), 0)));
}
class NaNExtremum<FormulaOp firstWins, FormulaOp secondWins>
    : Math2<NaNExtremumPartials<firstWins, secondWins>.First,
            NaNExtremumPartials<firstWins, secondWins>.Second>,
      Domain<["0.2:1", "1.1:2"]>, Arithmetic, Unrounded,
      Kink<"equal operands: half to each. A NaN operand: NaN">;
def fmax : Extremum<ogt, olt>, Lowers<["llvm.maxnum", "llvm.experimental.constrained.maxnum"]>;
def fmin : Extremum<olt, ogt>, Lowers<["llvm.minnum", "llvm.experimental.constrained.minnum"]>;
def fmaximum_num : Extremum<ogt, olt>, Lowers<["llvm.maximumnum"]>;
def fminimum_num : Extremum<olt, ogt>, Lowers<["llvm.minimumnum"]>;
def fmaximum : NaNExtremum<ogt, olt>,
               Lowers<["llvm.maximum", "llvm.experimental.constrained.maximum"]>;
def fminimum : NaNExtremum<olt, ogt>,
               Lowers<["llvm.minimum", "llvm.experimental.constrained.minimum"]>;
// The operand whose magnitude is larger (smaller) takes the whole seed, whatever its
// sign. At equal magnitudes these are fmax and fmin, or fmaximum and fminimum: x = y
// shares, as there; at x = -y the value jumps, and the operand that is returned takes it.
class ByMagnitude<FormulaOp firstWins, FormulaOp secondWins, dag first, dag second>
    : Math2<(sel (firstWins (call "fabs", A0), (call "fabs", A1)), S,
             (sel (secondWins (call "fabs", A0), (call "fabs", A1)), 0, first)),
            (sel (secondWins (call "fabs", A0), (call "fabs", A1)), S,
             (sel (firstWins (call "fabs", A0), (call "fabs", A1)), 0, second))>,
      Domain<["-2:-1.1", "0.2:1"]>, Arithmetic, Unrounded;
class MagnitudeExtremum<FormulaOp firstWins, FormulaOp secondWins>
    : ByMagnitude<firstWins, secondWins, ExtremumPartials<firstWins, secondWins>.First,
                  ExtremumPartials<firstWins, secondWins>.Second>,
      Kink<"equal operands: half to each. x = -y: the operand that is returned">;
class NaNMagnitudeExtremum<FormulaOp firstWins, FormulaOp secondWins>
    : ByMagnitude<firstWins, secondWins, NaNExtremumPartials<firstWins, secondWins>.First,
                  NaNExtremumPartials<firstWins, secondWins>.Second>,
      Kink<"equal operands: half to each. x = -y: the operand that is returned. A NaN "
           "operand: NaN">;
def fmaximum_mag : NaNMagnitudeExtremum<ogt, olt>;
def fminimum_mag : NaNMagnitudeExtremum<olt, ogt>;
// fmaxmag and fminmag are older than C23 and differ for signalling NaNs alone.
def fmaximum_mag_num : MagnitudeExtremum<ogt, olt>, Aliases<["fmaximum_mag_num", "fmaxmag"]>;
def fminimum_mag_num : MagnitudeExtremum<olt, ogt>, Aliases<["fminimum_mag_num", "fminmag"]>;
def fdim : Math2<(sel (ole A0, A1), 0, S),
                 (sel (ole A0, A1), 0, (neg S))>,
           Domain<["1.1:2", "0.2:1"]>, Arithmetic, Kink<"x = y: both 0">;

def fma : Math3<(mul S, A1), (mul S, A0), (id S)>, Arithmetic,
          Domain<["-2:2", "-2:2", "-2:2"]>,
          Lowers<["llvm.fma", "llvm.fmuladd", "llvm.experimental.constrained.fma",
                  "llvm.experimental.constrained.fmuladd"]>;

//===----------------------------------------------------------------------===//
// Remainders, scaling, neighbours
//===----------------------------------------------------------------------===//

// R = x - n y with an integer n, constant away from the jumps: dy is -n, which
// (R - x)/y gives back with no doubt about how the quotient was rounded.
class Remainder : Math2<(id S), (mul S, (call "rint", (div (sub R, A0), A1)))>,
                  Domain<["2.05:2.2", "0.92:1.0"]>, Unrounded,
                  Kink<"the jumps: the derivative of the piece that holds the result">;
def fmod : Remainder, Finite;
def remainder : Remainder, Finite<["drem"]>;

// x 2^n.
def ldexp : MathFn<"F:FN", [(call "ldexp", S, A1)]>, Domain<["-2:2", "-3:3"]>,
            Lowers<["llvm.ldexp", "llvm.experimental.constrained.ldexp"]> {
  let Names = ["ldexp", "scalbn"];
}
def scalbln : MathFn<"F:FL", [(call "scalbln", S, A1)]>, Domain<["-2:2", "-3:3"]>;
def scalb : Math2<(call "scalb", S, A1), (NoShare)>,
            Domain<["-2:2", "2:2"]>, Finite,
            Kink<"defined for integers y alone: y has no share">;
// x 2^-ilogb(x): R/x is the power of two.
def significand : Math1<(sel (oeq A0, 0), 0, (mul S, (div R, A0)))>,
                  Domain<["2.1:3.9"]>, Kink<"powers of two: the derivative from above">;

// The neighbour of x moves with x.
def nextafter : Math2<(id S), (NoShare)>, Domain<["-2:2", "3:4"]>,
                Kink<"y only gives the direction: no share">;
def nexttoward : MathFn<"F:FX", [(id S)]>, Domain<["-2:2", "3:4"]>,
                 Kink<"y only gives the direction: no share">;
def nextup : Math1<(id S)>, Domain<["-2:2"]>;
def nextdown : Math1<(id S)>, Domain<["-2:2"]>;

//===----------------------------------------------------------------------===//
// Rounding and taking apart: no derivative
//===----------------------------------------------------------------------===//

let Cheap = 1 in {
def floor : StepFn<"F:F">,
            Lowers<["llvm.floor", "llvm.experimental.constrained.floor"]>;
def ceil : StepFn<"F:F">, Lowers<["llvm.ceil", "llvm.experimental.constrained.ceil"]>;
def trunc : StepFn<"F:F">,
            Lowers<["llvm.trunc", "llvm.experimental.constrained.trunc"]>;
def rint : StepFn<"F:F">, Lowers<["llvm.rint", "llvm.experimental.constrained.rint"]>;
def nearbyint : StepFn<"F:F">,
                Lowers<["llvm.nearbyint", "llvm.experimental.constrained.nearbyint"]>;
def round : StepFn<"F:F">,
            Lowers<["llvm.round", "llvm.experimental.constrained.round"]>;
def roundeven : StepFn<"F:F">,
                Lowers<["llvm.roundeven", "llvm.experimental.constrained.roundeven"]>;
}
def lround : StepFn<"N:F">, Lowers<["llvm.lround", "llvm.experimental.constrained.lround"]>;
def llround : StepFn<"N:F">,
              Lowers<["llvm.llround", "llvm.experimental.constrained.llround"]>;
def lrint : StepFn<"N:F">, Lowers<["llvm.lrint", "llvm.experimental.constrained.lrint"]>;
def llrint : StepFn<"N:F">,
             Lowers<["llvm.llrint", "llvm.experimental.constrained.llrint"]>;
def fromfp : StepFn<"?:FI?">;
def ufromfp : StepFn<"?:FI?">;
def fromfpx : StepFn<"?:FI?">;
def ufromfpx : StepFn<"?:FI?">;
def logb : StepFn<"F:F">;
def ilogb : StepFn<"I:F">;
def llogb : StepFn<"L:F">;
def nan : StepFn<"F:P">;
def finite : StepFn<"I:F">;
def isnan : StepFn<"I:F">;
def isinf : StepFn<"I:F">;
// glibc's classification routines behind the macros of <math.h>.
def __finite : StepFn<"I:F">;
def __isnan : StepFn<"I:F">;
def __isinf : StepFn<"I:F">;
def __signbit : StepFn<"I:F">;
def __fpclassify : StepFn<"I:F">;
def __issignaling : StepFn<"I:F">;
def __iseqsig : StepFn<"I:FF">;
def total_order : Inactive<["totalorder", "totalorderf", "totalorderl", "totalordermag",
                            "totalordermagf", "totalordermagl"], "I:PP"> {
  let Section = "Rounding and classification";
}

//===----------------------------------------------------------------------===//
// Several results, complex functions: bodies in runtime/expansions.{c,ll}
//===----------------------------------------------------------------------===//

let Section = "Expansions" in {
foreach form = ["", "f", "l"] in {
  def sincos#form : Expansion<"rg_expand_sincos"#form, ["sincos"#form], "V:FPP">;
  def modf#form : Expansion<"rg_expand_modf"#form, ["modf"#form], "F:FP">;
  def frexp#form : Expansion<"rg_expand_frexp"#form, ["frexp"#form], "F:FP">;
  def lgamma_r#form : Expansion<"rg_expand_lgamma_r"#form,
                                ["lgamma"#form#"_r", "gamma"#form#"_r",
                                 "__lgamma"#form#"_r_finite"], "F:FP">;
  def remquo#form : Expansion<"rg_expand_remquo"#form, ["remquo"#form], "F:FFP">;
  // Prototypes of complex functions are the ABI's business; their names are
  // reserved by the C standard.
  foreach function = ["creal", "cimag", "cabs", "carg", "conj", "cproj", "csqrt",
                      "cexp", "clog", "clog10", "cpow", "csin", "ccos", "ctan",
                      "csinh", "ccosh", "ctanh", "casin", "cacos", "catan",
                      "casinh", "cacosh", "catanh"] in
    def function#form : Expansion<"rg_expand_"#function#form, [function#form], "">;
}
// The compiler's own routines for complex * and /: float, double, long double.
foreach mode = ["s", "d", "x"] in {
  def "complex_mul_"#mode : Expansion<"rg_expand_mul"#mode#"c3", ["__mul"#mode#"c3"], "">;
  def "complex_div_"#mode : Expansion<"rg_expand_div"#mode#"c3", ["__div"#mode#"c3"], "">;
}
}

class IntrinsicExpansion<string intrinsic, string type, string mangled>
    : Expansion<"rg_expand_llvm_" # intrinsic # "_" # mangled, [], "?:F"> {
  let Intrinsics = ["llvm." # intrinsic];
  let OnlyType = type;
  let Section = "Expansions";
}
foreach intrinsic = ["sincos", "sincospi", "modf", "frexp"] in {
  def "llvm_"#intrinsic#"_f32" : IntrinsicExpansion<intrinsic, "float", "f32">;
  def "llvm_"#intrinsic#"_f64" : IntrinsicExpansion<intrinsic, "double", "f64">;
  def "llvm_"#intrinsic#"_f80" : IntrinsicExpansion<intrinsic, "x86_fp80", "f80">;
}
