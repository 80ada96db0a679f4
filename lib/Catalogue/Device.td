//===- Device.td - GPUs ---------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CUDA and ROCm leave in device code: registers that tell who a thread is,
// barriers, votes, shuffles, and the device libraries' mathematics. Functions that
// C has, too (__nv_sin, __ocml_sin_f64), are names of the records in LibM.td:
// retrograd-tblgen adds them. See docs/GPU.md.
//
// A barrier is mirrored; a vote, whose result is no number, is kept on the tape
// and not run again, since the threads that meet there in the reverse sweep may be
// others.
//
//===----------------------------------------------------------------------===//

class DeviceIntrinsics<list<string> intrinsics> : InactiveInC<[]> {
  let Intrinsics = intrinsics;
  let Section = "Devices";
}

// Elements of textures are constants; what a kernel computes of coordinates has derivatives.
def device_textures : InactiveInC<["rg_texture_fact", "rg_texture_word", "rg_texture_number"]> {
  let ReadsByNumber = 1;
  let Section = "Devices";
  let Summary = "an element of a texture, with --offload=cpu";
}
def random_steps : InactiveInC<["rg_cuda_xorwow_skip"], "V:PZI"> {
  let Section = "Devices";
  let Summary = "steps of a generator of random numbers, with --offload=cpu";
}
defvar Axes = ["x", "y", "z"];
defvar OfAxis = ["llvm.nvvm.read.ptx.sreg.tid.", "llvm.nvvm.read.ptx.sreg.ntid.",
                 "llvm.nvvm.read.ptx.sreg.ctaid.", "llvm.nvvm.read.ptx.sreg.nctaid.",
                 "llvm.amdgcn.workitem.id.", "llvm.amdgcn.workgroup.id."];

let Pure = 1, Cheap = 1 in {
foreach axis = Axes in
  def thread_index_#axis : DeviceIntrinsics<!foreach(p, OfAxis, p # axis)> {
    let Summary = "who the thread is";
  }
let OfRuntime = 1, Section = "Devices", Summary = "how often a loop with a stride runs" in {
def strides : InactiveInC<["rg_strides_s32", "rg_strides_s64"]>;
def strides_unsigned : InactiveInC<["rg_strides_u32", "rg_strides_u64"]>;
}
def thread_registers : DeviceIntrinsics<
    ["llvm.nvvm.read.ptx.sreg.laneid", "llvm.nvvm.read.ptx.sreg.warpsize",
     "llvm.nvvm.read.ptx.sreg.lanemask.eq", "llvm.nvvm.read.ptx.sreg.lanemask.le",
     "llvm.nvvm.read.ptx.sreg.lanemask.lt", "llvm.nvvm.read.ptx.sreg.lanemask.ge",
     "llvm.nvvm.read.ptx.sreg.lanemask.gt", "llvm.nvvm.read.ptx.sreg.dynamic_smem_size",
     "llvm.nvvm.read.ptx.sreg.total_smem_size", "llvm.nvvm.isspacep.const",
     "llvm.nvvm.isspacep.global", "llvm.nvvm.isspacep.local", "llvm.nvvm.isspacep.shared",
     "llvm.amdgcn.wavefrontsize", "llvm.amdgcn.mbcnt.lo", "llvm.amdgcn.mbcnt.hi",
     "llvm.amdgcn.is.private", "llvm.amdgcn.is.shared", "llvm.amdgcn.dispatch.ptr",
     "llvm.amdgcn.implicitarg.ptr", "llvm.amdgcn.kernarg.segment.ptr"]> {
  let Summary = "who the thread is";
}
def device_integers : DeviceIntrinsics<
    !listconcat(
      ["llvm.nvvm.prmt", "llvm.nvvm.mulhi.i", "llvm.nvvm.mulhi.ui", "llvm.nvvm.mulhi.ll",
       "llvm.nvvm.mulhi.ull", "llvm.nvvm.mulhi.s", "llvm.nvvm.mulhi.us", "llvm.nvvm.sad.i", "llvm.nvvm.sad.ui"],
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.d2i." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.d2ui." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.d2ll." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.d2ull." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.f2i." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.f2ui." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.f2ll." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.f2ull." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.i2d." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.i2f." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ui2d." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ui2f." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ll2d." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ll2f." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ull2d." # r),
      !foreach(r, ["rn", "rz", "rm", "rp"], "llvm.nvvm.ull2f." # r))> {
  let Summary = "integer operands or results";
}
}

def votes : DeviceIntrinsics<
    ["llvm.nvvm.activemask", "llvm.nvvm.vote.all", "llvm.nvvm.vote.any", "llvm.nvvm.vote.uni",
     "llvm.nvvm.vote.ballot", "llvm.nvvm.vote.all.sync", "llvm.nvvm.vote.any.sync",
     "llvm.nvvm.vote.uni.sync", "llvm.nvvm.vote.ballot.sync", "llvm.nvvm.match.any.sync.i32",
     "llvm.nvvm.match.any.sync.i64", "llvm.nvvm.match.all.sync.i32p",
     "llvm.nvvm.match.all.sync.i64p", "llvm.nvvm.elect.sync", "llvm.nvvm.redux.sync.add",
     "llvm.nvvm.redux.sync.and", "llvm.nvvm.redux.sync.or", "llvm.nvvm.redux.sync.xor",
     "llvm.nvvm.redux.sync.min", "llvm.nvvm.redux.sync.max", "llvm.nvvm.redux.sync.umin",
     "llvm.nvvm.redux.sync.umax", "llvm.amdgcn.ballot", "llvm.amdgcn.readfirstlane"]> {
  let Summary = "integers of the threads of a warp together";
}
def device_environment : DeviceIntrinsics<
    ["llvm.nvvm.read.ptx.sreg.clock", "llvm.nvvm.read.ptx.sreg.clock64",
     "llvm.nvvm.read.ptx.sreg.globaltimer", "llvm.nvvm.read.ptx.sreg.smid",
     "llvm.nvvm.read.ptx.sreg.nsmid", "llvm.nvvm.read.ptx.sreg.warpid",
     "llvm.nvvm.read.ptx.sreg.nwarpid", "llvm.nvvm.read.ptx.sreg.gridid", "llvm.nvvm.nanosleep",
     "llvm.nvvm.membar.cta", "llvm.nvvm.exit", "llvm.nvvm.reflect", "llvm.amdgcn.s.sleep",
     "llvm.amdgcn.s.getreg", "llvm.amdgcn.s.memtime"]> {
  let Summary = "clocks, waiting, fences inside of a block";
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

def block_barrier : Handler<"Barrier"> {
  let Intrinsics = ["llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.nvvm.barrier.cta.sync.all",
                    "llvm.amdgcn.s.barrier"];
  let Summary = "of all threads of a block; the adjoint of a barrier is a barrier in the mirrored place";
  let Section = "Devices";
}
def part_barrier : Handler<"Barrier"> {
  let Intrinsics = ["llvm.nvvm.barrier.cta.sync.aligned.count", "llvm.nvvm.barrier.cta.sync.count",
                    "llvm.nvvm.bar.warp.sync"];
  let Section = "Devices";
  let Summary = "of some threads of a block; likewise";
}

def block_vote : Handler<"Barrier"> {
  let Intrinsics = ["llvm.nvvm.barrier.cta.red.and.aligned.all", "llvm.nvvm.barrier.cta.red.and.all",
                    "llvm.nvvm.barrier.cta.red.or.aligned.all", "llvm.nvvm.barrier.cta.red.or.all",
                    "llvm.nvvm.barrier.cta.red.popc.aligned.all", "llvm.nvvm.barrier.cta.red.popc.all"];
  let Summary = "a barrier that counts; its adjoint is a barrier";
  let Section = "Devices";
}

// One thread of each block calls it, between two barriers of its block. What blocks on a GPU
// make of fences and flags by themselves is refused: device_fences.
def grid_barrier : Handler<"Protocol"> {
  let Names = ["rg_cuda_grid_barrier", "rg_grid_barrier"]; // with --offload=cpu, on a GPU
  let Prototype = "V:";
  let OfRuntime = 1;
  let Waits = 1;
  let Section = "Devices";
  let Summary = "blocks of the grid wait for each other; their reverse does, too";
}

// A member of grid_group, from CUDA's headers (runtime/gpu/grid.c).
def grid_sync : Expansion<"rg_expand_grid_sync",
                          ["_ZNK18cooperative_groups4__v110grid_group4syncEv"], "V:P"> {
  let OfRuntime = 1;
  let Waits = 1;
  let Section = "Devices";
}

class DeviceShuffle<string mode> : Handler<"Shuffle"> {
  let Intrinsics = ["llvm.nvvm.shfl.sync." # mode # ".f32"];
  let Names = ["rg_shfl_" # mode # "_f64"];
  let OfRuntime = 1;
  let Text = "rg_shfl_" # mode # "_adjoint_";
  let Section = "Devices";
  let Summary = "a value of another thread of the warp; its adjoint goes back there";
}
def shfl_up : DeviceShuffle<"up">;
def shfl_down : DeviceShuffle<"down">;
def shfl_bfly : DeviceShuffle<"bfly">;
def shfl_idx : DeviceShuffle<"idx">;
def shuffles_of_integers : DeviceIntrinsics<
    !foreach(mode, ["up", "down", "bfly", "idx"], "llvm.nvvm.shfl.sync." # mode # ".i32")> {
  let Summary = "integers; halves of numbers moved so are refused";
}
// The headers split a double into two integers; by their names they are whole.
class ShuffleOfDouble<string mode, string name> : Expansion<"rg_expand_shfl_" # mode # "_f64", [name], "D:IDII"> {
  let Section = "Devices";
}
def shfl_up_double : ShuffleOfDouble<"up", "_Z14__shfl_up_syncjdji">;
def shfl_down_double : ShuffleOfDouble<"down", "_Z16__shfl_down_syncjdji">;
def shfl_xor_double : ShuffleOfDouble<"bfly", "_Z15__shfl_xor_syncjdii">;
def shfl_idx_double : ShuffleOfDouble<"idx", "_Z11__shfl_syncjdii">;

class DeviceRefused<string text, list<string> intrinsics> : Handler<"Refused"> {
  let Intrinsics = intrinsics;
  let Text = text;
  let Section = "Devices";
  let Summary = "refused in reverse mode";
}
def device_fences : DeviceRefused<
    "a fence that other blocks can see: blocks that wait for each other within a kernel cannot be reversed",
    ["llvm.nvvm.membar.gl", "llvm.nvvm.membar.sys", "llvm.nvvm.barrier.cluster.arrive",
     "llvm.nvvm.barrier.cluster.wait", "llvm.nvvm.barrier.cluster.arrive.aligned",
     "llvm.nvvm.barrier.cluster.wait.aligned"]>;
def split_barriers : DeviceRefused<
    "a barrier in two halves (arrive and wait)",
    ["llvm.nvvm.barrier.cta.arrive.aligned.count", "llvm.nvvm.barrier.cta.arrive.count",
     "llvm.nvvm.mbarrier.init", "llvm.nvvm.mbarrier.init.shared", "llvm.nvvm.mbarrier.arrive",
     "llvm.nvvm.mbarrier.arrive.shared", "llvm.nvvm.mbarrier.test.wait",
     "llvm.nvvm.mbarrier.test.wait.shared"]>;

//===----------------------------------------------------------------------===//
// Mathematics
//===----------------------------------------------------------------------===//

class DeviceMath<list<string> names, list<string> intrinsics, string prototype, list<dag> partials>
    : Formula<partials> {
  let Names = names;
  let Intrinsics = intrinsics;
  let Prototype = prototype;
  let Section = "Devices";
}
defvar Pi = "3.141592653589793238462643383279502884197169399375106";
defvar Roundings = ["rn", "rz", "rm", "rp"];
defvar LibRoundings = ["rn", "rz", "rd", "ru"];
class RoundedNames<string op> {
  list<string> Names = !listconcat(!foreach(r, LibRoundings, "__nv_d" # op # "_" # r),
                                   !foreach(r, LibRoundings, "__nv_f" # op # "_" # r));
}
class RoundedIntrinsics<string op> {
  list<string> List = !listconcat(!foreach(r, Roundings, "llvm.nvvm." # op # "." # r # ".d"),
                                  !foreach(r, Roundings, "llvm.nvvm." # op # "." # r # ".f"),
                                  !foreach(r, Roundings, "llvm.nvvm." # op # "." # r # ".ftz.f"));
}
let Cheap = 1 in {
def device_add : DeviceMath<RoundedNames<"add">.Names, RoundedIntrinsics<"add">.List, "F:FF",
                            [(id S), (id S)]>, Domain<["-2:2", "-2:2"]>;
def device_sub : DeviceMath<RoundedNames<"sub">.Names, [], "F:FF",
                            [(id S), (neg S)]>, Domain<["-2:2", "-2:2"]>;
def device_mul : DeviceMath<RoundedNames<"mul">.Names, RoundedIntrinsics<"mul">.List, "F:FF",
                            [(mul S, A1), (mul S, A0)]>, Domain<["-2:2", "-2:2"]>;
def device_fma : DeviceMath<!listconcat(!foreach(r, LibRoundings, "__nv_fma_" # r),
                                        !foreach(r, LibRoundings, "__nv_fmaf_" # r),
                                        !foreach(r, LibRoundings, "__nv_fmaf_ieee_" # r)),
                            RoundedIntrinsics<"fma">.List, "F:FFF",
                            [(mul S, A1), (mul S, A0), (id S)]>, Domain<["-2:2", "-2:2", "-2:2"]>;
def device_div : DeviceMath<!listconcat(RoundedNames<"div">.Names, ["__nv_fast_fdividef"]),
                            !listconcat(RoundedIntrinsics<"div">.List,
                                        ["llvm.nvvm.div.approx.f", "llvm.nvvm.div.approx.ftz.f",
                                         "llvm.nvvm.div.full", "llvm.nvvm.div.full.ftz"]), "F:FF",
                            [(sz (div S, A1)), (sz (neg (div (mul S, R), A1)))]>, Domain<["-2:2", "0.5:2"]>;
def device_rcp : DeviceMath<RoundedNames<"rcp">.Names,
                            !listconcat(RoundedIntrinsics<"rcp">.List,
                                        ["llvm.nvvm.rcp.approx.ftz.f", "llvm.nvvm.rcp.approx.ftz.d"]),
                            "F:F", [(sz (neg (mul S, (mul R, R))))]>, Domain<["0.5:2"]>;
def device_sqrt : DeviceMath<RoundedNames<"sqrt">.Names,
                             !listconcat(RoundedIntrinsics<"sqrt">.List,
                                         ["llvm.nvvm.sqrt.f", "llvm.nvvm.sqrt.approx.f",
                                          "llvm.nvvm.sqrt.approx.ftz.f"]),
                             "F:F", [(sz (div (mul S, "0.5"), R))]>, Domain<["0.2:5"]>;
def device_rsqrt : DeviceMath<["__nv_frsqrt_rn"],
                              ["llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f",
                               "llvm.nvvm.rsqrt.approx.d", "llvm.nvvm.rsqrt.approx.ftz.d"],
                              "F:F", [(sz (mul (mul S, "-0.5"), (mul R, (mul R, R))))]>, Domain<["0.2:5"]>;
def device_abs : DeviceMath<[], ["llvm.nvvm.fabs", "llvm.nvvm.fabs.ftz"], "F:F",
                            [(sel (oeq A0, 0), 0, (mul S, (call "copysign", 1, A0)))]>, Domain<["0.5:2"]>;
def device_saturate : DeviceMath<["__nv_saturatef"],
                                 ["llvm.nvvm.saturate.f", "llvm.nvvm.saturate.d", "llvm.nvvm.saturate.ftz.f"],
                                 "F:F", [(sel (ogt A0, 0), (sel (olt A0, 1), S, 0), 0)]>, Domain<["0.1:0.9"]>;
def device_max : DeviceMath<[], ["llvm.nvvm.fmax.f", "llvm.nvvm.fmax.d", "llvm.nvvm.fmax.ftz.f"], "F:FF",
                            [ExtremumPartials<ogt, olt>.First, ExtremumPartials<ogt, olt>.Second]>, Domain<["-2:2", "-2:2"]>;
def device_min : DeviceMath<[], ["llvm.nvvm.fmin.f", "llvm.nvvm.fmin.d", "llvm.nvvm.fmin.ftz.f"], "F:FF",
                            [ExtremumPartials<olt, ogt>.First, ExtremumPartials<olt, ogt>.Second]>, Domain<["-2:2", "-2:2"]>;
// The fast units: as cheap as arithmetic.
def device_fast_sin : DeviceMath<["__nv_fast_sinf"], ["llvm.nvvm.sin.approx.f", "llvm.nvvm.sin.approx.ftz.f"],
                                 "F:F", [(mul S, (call "device_fast_cos", A0))]>, Domain<["-3:3"]>;
def device_fast_cos : DeviceMath<["__nv_fast_cosf"], ["llvm.nvvm.cos.approx.f", "llvm.nvvm.cos.approx.ftz.f"],
                                 "F:F", [(neg (mul S, (call "device_fast_sin", A0)))]>, Domain<["-3:3"]>;
def device_fast_exp2 : DeviceMath<[], ["llvm.nvvm.ex2.approx", "llvm.nvvm.ex2.approx.ftz"], "F:F",
                                  [(mul (mul S, R), Ln2)]>, Domain<["-4:4"]>;
def device_fast_exp : DeviceMath<["__nv_fast_expf"], [], "F:F", [(mul S, R)]>, Domain<["-4:4"]>;
def device_fast_exp10 : DeviceMath<["__nv_fast_exp10f"], [], "F:F", [(mul (mul S, R), Ln10)]>, Domain<["-2:2"]>;
def device_fast_log2 : DeviceMath<["__nv_fast_log2f"],
                                  ["llvm.nvvm.lg2.approx.f", "llvm.nvvm.lg2.approx.ftz.f", "llvm.nvvm.lg2.approx.d"],
                                  "F:F", [(sz (div (mul S, InvLn2), A0))]>, Domain<["0.2:5"]>;
def device_fast_log : DeviceMath<["__nv_fast_logf"], [], "F:F", [(sz (div S, A0))]>, Domain<["0.2:5"]>;
def device_fast_log10 : DeviceMath<["__nv_fast_log10f"], [], "F:F", [(sz (div (mul S, InvLn10), A0))]>,
                        Domain<["0.2:5"]>;
def device_fast_tanh : DeviceMath<["__nv_fast_tanhf"], [], "F:F",
                                  [(mul S, (sub 1, (mul R, R)))]>, Domain<["-2:2"]>;
}
def device_fast_tan : DeviceMath<["__nv_fast_tanf"], [], "F:F", [(mul S, (add 1, (mul R, R)))]>, Domain<["-1:1"]>;
def device_fast_pow : DeviceMath<["__nv_fast_powf"], [], "F:FF",
                                 [(sz (mul S, (mul A1, (call "pow", A0, (sub A1, 1))))),
                                  (sz (mul S, (mul R, (call "log", A0))))]>, Domain<["0.5:2", "-2:2"]>;
class LibDevice1<dag d> : DeviceMath<["__nv_" # NAME, "__nv_" # NAME # "f"], [], "F:F", [d]>;
def rcbrt : LibDevice1<(sz (neg (div (mul S, R), (mul 3, A0))))>, Domain<["0.2:5"]>;
def sinpi_device : DeviceMath<["__nv_sinpi", "__nv_sinpif"], [], "F:F",
    [(mul S, (mul Pi, (call "cos", (mul A0, Pi))))]>, Domain<["-1:1"]>;
def cospi_device : DeviceMath<["__nv_cospi", "__nv_cospif"], [], "F:F",
    [(neg (mul S, (mul Pi, (call "sin", (mul A0, Pi)))))]>, Domain<["-1:1"]>;
def erfcx : LibDevice1<(mul S, (sub (mul 2, (mul A0, R)), TwoOverSqrtPi))>, Domain<["-1:3"]>;
def normcdf : LibDevice1<(mul S, (mul "0.398942280401432677939946059934381868475858631164935",
                                      (call "exp", (mul "-0.5", (mul A0, A0)))))>, Domain<["-3:3"]>;
def erfinv : LibDevice1<(div (mul S, (call "exp", (mul R, R))), TwoOverSqrtPi)>, Domain<["-0.9:0.9"]>;
def rhypot : DeviceMath<["__nv_rhypot", "__nv_rhypotf"], [], "F:FF",
    [(sz (neg (mul S, (mul A0, (mul R, (mul R, R)))))), (sz (neg (mul S, (mul A1, (mul R, (mul R, R))))))]>,
    Domain<["0.5:2", "0.5:2"]>;
def norm3d : DeviceMath<["__nv_norm3d", "__nv_norm3df"], [], "F:FFF",
    [(sz (div (mul S, A0), R)), (sz (div (mul S, A1), R)), (sz (div (mul S, A2), R))]>,
    Domain<["0.5:2", "0.5:2", "0.5:2"]>;
def rnorm3d : DeviceMath<["__nv_rnorm3d", "__nv_rnorm3df"], [], "F:FFF",
    [(sz (neg (mul S, (mul A0, (mul R, (mul R, R)))))), (sz (neg (mul S, (mul A1, (mul R, (mul R, R)))))),
     (sz (neg (mul S, (mul A2, (mul R, (mul R, R))))))]>, Domain<["0.5:2", "0.5:2", "0.5:2"]>;

def device_powi : DeviceMath<["__nv_powi", "__nv_powif"], [], "F:FN",
    [(sel (ieq A1, 0), 0, (mul S, (mul (tofp A1), (call "device_powi", A0, (iadd A1, -1)))))]>,
    Domain<["0.4:2", "-3:4"]>;
def erfcinv : LibDevice1<(neg (div (mul S, (call "exp", (mul R, R))), TwoOverSqrtPi))>, Domain<["0.1:1.9"]>;
def normcdfinv : LibDevice1<(mul S, (mul "2.506628274631000502415765284811045253006986740609938",
                                         (call "exp", (mul "0.5", (mul R, R)))))>, Domain<["0.1:0.9"]>;
def cyl_bessel_i0 : LibDevice1<(mul S, (call "cyl_bessel_i1", A0))>, Domain<["0.2:4"]>;
def cyl_bessel_i1 : LibDevice1<(mul S, (sub (call "cyl_bessel_i0", A0), (div R, A0)))>, Domain<["0.2:4"]>;

// Integers, and what numbers are asked that is a step: no derivative.
defvar Widths = ["int", "uint", "ll", "ull"];
let Section = "Devices" in {
def library_integers : InactiveInC<
    ["__nv_abs", "__nv_llabs", "__nv_min", "__nv_max", "__nv_umin", "__nv_umax", "__nv_llmin", "__nv_llmax",
     "__nv_ullmin", "__nv_ullmax", "__nv_mulhi", "__nv_umulhi", "__nv_mul64hi", "__nv_umul64hi", "__nv_mul24",
     "__nv_umul24", "__nv_sad", "__nv_usad", "__nv_hadd", "__nv_rhadd", "__nv_uhadd", "__nv_urhadd", "__nv_brev",
     "__nv_brevll", "__nv_clz", "__nv_clzll", "__nv_ffs", "__nv_ffsll", "__nv_popc", "__nv_popcll", "__nv_byte_perm"]>;
def library_steps : InactiveInC<
    !listconcat(["__nv_isnand", "__nv_isnanf", "__nv_isinfd", "__nv_isinff", "__nv_isfinited", "__nv_finitef",
                 "__nv_signbitd", "__nv_signbitf"],
                !foldl([]<string>, Widths, All, w,
                       !listconcat(All, !foreach(r, LibRoundings, "__nv_double2" # w # "_" # r),
                                   !foreach(r, LibRoundings, "__nv_float2" # w # "_" # r))))>;
def library_numbers_of_integers : InactiveInC<
    !foldl(["__nv_int2double_rn", "__nv_uint2double_rn"]<string>, Widths, All, w,
           !listconcat(All, !foreach(r, LibRoundings, "__nv_" # w # "2float_" # r),
                       !if(!or(!eq(w, "ll"), !eq(w, "ull")), !foreach(r, LibRoundings, "__nv_" # w # "2double_" # r),
                           []<string>)))>;
foreach form = ["", "f"] in {
  def nv_sincos#form : Expansion<"rg_expand_sincos"#form, ["__nv_sincos"#form], "V:FPP">;
  def nv_sincospi#form : Expansion<"rg_expand_sincospi"#form, ["__nv_sincospi"#form], "V:FPP">;
  def nv_norm4d#form : Expansion<"rg_expand_norm4d"#form, ["__nv_norm4d"#form], "F:FFFF">;
  def nv_rnorm4d#form : Expansion<"rg_expand_rnorm4d"#form, ["__nv_rnorm4d"#form], "F:FFFF">;
  def nv_modf#form : Expansion<"rg_expand_modf"#form, ["__nv_modf"#form], "F:FP">;
  def nv_frexp#form : Expansion<"rg_expand_frexp"#form, ["__nv_frexp"#form], "F:FP">;
}
def nv_narrow : Expansion<"rg_expand_narrow", ["__nv_double2float_rn"], "G:D">;
def nv_fast_sincosf : Expansion<"rg_expand_sincosf", ["__nv_fast_sincosf"], "V:FPP">;
}
