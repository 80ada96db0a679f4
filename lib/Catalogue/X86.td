//===- X86.td - vector intrinsics of x86 that clang leaves in the IR ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of <immintrin.h> becomes plain vector IR. These do not. Of AVX-512, minima and
// maxima, rounding, approximations and conversions are known. Where they have a mask, it
// takes all lanes here: preparation makes a select of any other, and a plain conversion of
// one between floats (Primal/SpellMasks).
//
//===----------------------------------------------------------------------===//

class X86Formula<list<string> intrinsics, string prototype, list<dag> partials>
    : Formula<partials> {
  let Intrinsics = intrinsics;
  let Prototype = prototype;
  let Section = "Vector intrinsics of x86";
  let Cheap = 1;
}

// a < b ? a : b, so equal or unordered operands give the second.
def x86_min : X86Formula<["llvm.x86.sse.min.ps", "llvm.x86.sse2.min.pd",
                          "llvm.x86.avx.min.ps.256", "llvm.x86.avx.min.pd.256"], "F:FF",
                         [(sel (olt A0, A1), S, 0), (sel (olt A0, A1), 0, S)]>,
              Domain<["0.2:1", "1.1:2"]>, Kink<"ties and NaN: the second operand takes it">;
def x86_max : X86Formula<["llvm.x86.sse.max.ps", "llvm.x86.sse2.max.pd",
                          "llvm.x86.avx.max.ps.256", "llvm.x86.avx.max.pd.256"], "F:FF",
                         [(sel (ogt A0, A1), S, 0), (sel (ogt A0, A1), 0, S)]>,
              Domain<["0.2:1", "1.1:2"]>, Kink<"ties and NaN: the second operand takes it">;
// AVX-512: the operand behind them says how exceptions are reported.
def x86_min512 : X86Formula<["llvm.x86.avx512.min.ps.512", "llvm.x86.avx512.min.pd.512"],
                            "F:FFI", [(sel (olt A0, A1), S, 0), (sel (olt A0, A1), 0, S)]>,
                 Domain<["0.2:1", "1.1:2", "4:4"]>,
                 Kink<"ties and NaN: the second operand takes it">;
def x86_max512 : X86Formula<["llvm.x86.avx512.max.ps.512", "llvm.x86.avx512.max.pd.512"],
                            "F:FFI", [(sel (ogt A0, A1), S, 0), (sel (ogt A0, A1), 0, S)]>,
                 Domain<["0.2:1", "1.1:2", "4:4"]>,
                 Kink<"ties and NaN: the second operand takes it">;
// Eigen spells them in assembly, with the operands in the order of AT&T: the last
// is the destination, the one before it the first source.
foreach op = ["min", "max"] in
  foreach type = ["ps", "pd"] in {
    defvar isa = !if(!eq(type, "ps"), "sse", "sse2");
    def : AssemblyForm<op # type # " $1, $0", "=x,x,0",
                       ["llvm.x86." # isa # "." # op # "." # type], [1, 0]>;
    def : AssemblyForm<"v" # op # type # " $1, $2, $0", "=x,x,x",
                       ["llvm.x86." # isa # "." # op # "." # type,
                        "llvm.x86.avx." # op # "." # type # ".256"], [1, 0]>;
  }
foreach type = ["ps", "pd"] in
  def : AssemblyForm<"vfmadd231" # type # " $1, $2, $0", "=x,x,x,0", ["llvm.fma"],
                     [0, 1, 2]>;
// Approximations, to 12 bits, of 1/x and 1/sqrt(x): by the result, so that the
// derivative is that of what was computed.
def x86_rcp : X86Formula<["llvm.x86.sse.rcp.ps", "llvm.x86.avx.rcp.ps.256"], "F:F",
                         [(sz (neg (mul S, (mul R, R))))]>, Domain<["0.5:2"]>;
def x86_rsqrt : X86Formula<["llvm.x86.sse.rsqrt.ps", "llvm.x86.avx.rsqrt.ps.256"], "F:F",
                           [(sz (mul (mul "-0.5", S), (mul R, (mul R, R))))]>,
                Domain<["0.5:2"]>;
// To 14 bits; what a mask would leave is the second operand.
defvar Widths512 = ["128", "256", "512"];
def x86_rcp14 : X86Formula<!listconcat(
    !foreach(w, Widths512, "llvm.x86.avx512.rcp14.ps." # w),
    !foreach(w, Widths512, "llvm.x86.avx512.rcp14.pd." # w)), "F:F?N",
    [(sz (neg (mul S, (mul R, R))))]>, Domain<["0.5:2", "0.5:2", "-1:-1"]>;
def x86_rsqrt14 : X86Formula<!listconcat(
    !foreach(w, Widths512, "llvm.x86.avx512.rsqrt14.ps." # w),
    !foreach(w, Widths512, "llvm.x86.avx512.rsqrt14.pd." # w)), "F:F?N",
    [(sz (mul (mul "-0.5", S), (mul R, (mul R, R))))]>, Domain<["0.5:2", "0.5:2", "-1:-1"]>;

def x86_round : InactiveInC<[], ""> {
  let Intrinsics = !listconcat(
      ["llvm.x86.sse41.round.ps", "llvm.x86.sse41.round.pd",
       "llvm.x86.avx.round.ps.256", "llvm.x86.avx.round.pd.256"],
      !foreach(w, Widths512, "llvm.x86.avx512.mask.rndscale.ps." # w),
      !foreach(w, Widths512, "llvm.x86.avx512.mask.rndscale.pd." # w));
  let Section = "Vector intrinsics of x86";
  let Pure = 1;
}
// Comparisons and conversions to integers.
def x86_integers : InactiveInC<[], ""> {
  let Intrinsics = !listconcat(
      !foreach(p, ["eq", "lt", "le", "gt", "ge", "neq"], "llvm.x86.sse2.comi" # p # ".sd"),
      !foreach(p, ["eq", "lt", "le", "gt", "ge", "neq"], "llvm.x86.sse.comi" # p # ".ss"),
      !foreach(p, ["eq", "lt", "le", "gt", "ge", "neq"], "llvm.x86.sse2.ucomi" # p # ".sd"),
      !foreach(p, ["eq", "lt", "le", "gt", "ge", "neq"], "llvm.x86.sse.ucomi" # p # ".ss"),
      ["llvm.x86.sse.movmsk.ps", "llvm.x86.sse2.movmsk.pd", "llvm.x86.avx.movmsk.ps.256",
       "llvm.x86.avx.movmsk.pd.256", "llvm.x86.sse2.pmovmskb.128",
       "llvm.x86.avx2.pmovmskb", "llvm.x86.sse2.cvtsd2si", "llvm.x86.sse2.cvtsd2si64",
       "llvm.x86.sse2.cvttsd2si", "llvm.x86.sse2.cvttsd2si64", "llvm.x86.sse.cvtss2si",
       "llvm.x86.sse.cvtss2si64", "llvm.x86.sse.cvttss2si", "llvm.x86.sse.cvttss2si64",
       "llvm.x86.sse2.cvtps2dq", "llvm.x86.sse2.cvttps2dq", "llvm.x86.sse2.cvtpd2dq",
       "llvm.x86.sse2.cvttpd2dq", "llvm.x86.avx.cvt.ps2dq.256",
       "llvm.x86.avx.cvtt.ps2dq.256", "llvm.x86.avx.cvt.pd2dq.256",
       "llvm.x86.avx.cvtt.pd2dq.256"],
      !foreach(w, Widths512, "llvm.x86.avx512.mask.cmp.ps." # w),
      !foreach(w, Widths512, "llvm.x86.avx512.mask.cmp.pd." # w),
      !foreach(t, ["ps2dq", "ps2udq", "pd2dq", "pd2udq"],
               "llvm.x86.avx512.mask.cvt" # t # ".512"),
      !foreach(t, ["ps2dq", "ps2udq", "pd2dq", "pd2udq"],
               "llvm.x86.avx512.mask.cvtt" # t # ".512"));
  let Section = "Vector intrinsics of x86";
  let Pure = 1;
}
def x86_vzeroupper : Handler<"Ignore"> {
  let Intrinsics = ["llvm.x86.avx.vzeroupper", "llvm.x86.avx.vzeroall"];
  let Section = "Vector intrinsics of x86";
}

// The rest is spelt in plain IR in runtime/x86.ll.
class X86Expansion<string intrinsic>
    : Expansion<"rg_expand_x86_" # !subst(".", "_", intrinsic), [], ""> {
  let Intrinsics = ["llvm.x86." # intrinsic];
  let Section = "Vector intrinsics of x86";
}
foreach intrinsic = [
    "sse3.hadd.ps",
    "sse3.hsub.ps",
    "sse3.addsub.ps",
    "sse3.hadd.pd",
    "sse3.hsub.pd",
    "sse3.addsub.pd",
    "avx.hadd.ps.256",
    "avx.hsub.ps.256",
    "avx.addsub.ps.256",
    "avx.hadd.pd.256",
    "avx.hsub.pd.256",
    "avx.addsub.pd.256",
    "sse.min.ss",
    "sse.max.ss",
    "sse2.min.sd",
    "sse2.max.sd",
    "sse.rcp.ss",
    "sse.rsqrt.ss",
    "sse41.blendvps",
    "sse41.blendvpd",
    "avx.blendv.ps.256",
    "avx.blendv.pd.256",
    "fma.vfmaddsub.ps.256",
    "fma.vfmaddsub.pd.256",
    "sse41.dppd",
    "sse41.dpps",
    "avx.dp.ps.256",
    "sse2.cvtpd2ps",
    "avx.cvt.pd2.ps.256",
    "sse2.cvtsd2ss",
    "avx.maskload.ps",
    "avx.maskstore.ps",
    "avx.maskload.pd",
    "avx.maskstore.pd",
    "avx.maskload.ps.256",
    "avx.maskstore.ps.256",
    "avx.maskload.pd.256",
    "avx.maskstore.pd.256"] in
  def "x86_" # !subst(".", "_", intrinsic) : X86Expansion<intrinsic>;
