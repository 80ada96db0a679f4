//===- Cuda.td - the CUDA runtime in host code ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that handle device memory are expansions (runtime/cudacalls.c) in terms of
// a few operations of our own. Launches have records made per kernel
// (Parallel/HostLaunches). docs/HostDevice.md.
//
//===----------------------------------------------------------------------===//

let Section = "CUDA: memory" in {
def cuda_malloc : Expansion<"rg_expand_cudaMalloc", ["cudaMalloc"], "I:PZ">;
def cuda_free : Expansion<"rg_expand_cudaFree", ["cudaFree"], "I:P">;
def cuda_memcpy : Expansion<"rg_expand_cudaMemcpy", ["cudaMemcpy"], "I:PPZI">;
def cuda_memset : Expansion<"rg_expand_cudaMemset", ["cudaMemset"], "I:PIZ">;
def cuda_malloc_async : Expansion<"rg_expand_cudaMallocAsync", ["cudaMallocAsync"], "I:PZP">;
def cuda_free_async : Expansion<"rg_expand_cudaFreeAsync", ["cudaFreeAsync"], "I:PP">;
def cuda_malloc_managed
    : Expansion<"rg_expand_cudaMallocManaged", ["cudaMallocManaged"], "I:PZI">;
def cuda_malloc_host : Expansion<"rg_expand_cudaMallocHost", ["cudaMallocHost"], "I:PZ">;
def cuda_host_alloc : Expansion<"rg_expand_cudaHostAlloc", ["cudaHostAlloc"], "I:PZI">;
def cuda_host_pointer
    : Expansion<"rg_expand_cudaHostGetDevicePointer", ["cudaHostGetDevicePointer"], "I:PPI">;
def cuda_malloc_pitch
    : Expansion<"rg_expand_cudaMallocPitch", ["cudaMallocPitch"], "I:PPZZ">;
def cuda_malloc_3d : Expansion<"rg_expand_cudaMalloc3D", ["cudaMalloc3D"], "I:PP">;
def cuda_malloc_from_pool
    : Expansion<"rg_expand_cudaMallocFromPoolAsync", ["cudaMallocFromPoolAsync"], "I:PZPP">;
def cuda_free_host : Expansion<"rg_expand_cudaFreeHost", ["cudaFreeHost"], "I:P">;
def cuda_memcpy_async
    : Expansion<"rg_expand_cudaMemcpyAsync", ["cudaMemcpyAsync"], "I:PPZIP"> {
  let Graph = "copy - - - - s";
}
def cuda_memset_async
    : Expansion<"rg_expand_cudaMemsetAsync", ["cudaMemsetAsync"], "I:PIZP"> {
  let Graph = "fill - - - s";
}
def cuda_memcpy_2d
    : Expansion<"rg_expand_cudaMemcpy2D", ["cudaMemcpy2D"], "I:PZPZZZI">;
def cuda_memcpy_2d_async
    : Expansion<"rg_expand_cudaMemcpy2DAsync", ["cudaMemcpy2DAsync"], "I:PZPZZZIP"> {
  let Graph = "copy - - - - - - - s";
}
def cuda_memcpy_3d : Expansion<"rg_expand_cudaMemcpy3D", ["cudaMemcpy3D"], "I:P">;
def cuda_memcpy_3d_async
    : Expansion<"rg_expand_cudaMemcpy3DAsync", ["cudaMemcpy3DAsync"], "I:PP"> {
  let Graph = "copy b160 s";
}
def cuda_memset_2d : Expansion<"rg_expand_cudaMemset2D", ["cudaMemset2D"], "I:PZIZZ">;
def cuda_memset_2d_async
    : Expansion<"rg_expand_cudaMemset2DAsync", ["cudaMemset2DAsync"], "I:PZIZZP"> {
  let Graph = "fill - - - - - s";
}
def cuda_memset_3d : Expansion<"rg_expand_cudaMemset3D", ["cudaMemset3D"], "I:PIP">;
def cuda_memset_3d_async
    : Expansion<"rg_expand_cudaMemset3DAsync", ["cudaMemset3DAsync"], "I:PIPP">;
def cuda_memcpy_peer
    : Expansion<"rg_expand_cudaMemcpyPeer", ["cudaMemcpyPeer"], "I:PIPIZ">;
def cuda_memcpy_peer_async
    : Expansion<"rg_expand_cudaMemcpyPeerAsync", ["cudaMemcpyPeerAsync"], "I:PIPIZP"> {
  let Graph = "copy - - - - - s";
}
def cuda_memcpy_to_symbol
    : Expansion<"rg_expand_cudaMemcpyToSymbol", ["cudaMemcpyToSymbol"], "I:PPZZI">;
def cuda_memcpy_to_symbol_async
    : Expansion<"rg_expand_cudaMemcpyToSymbolAsync", ["cudaMemcpyToSymbolAsync"], "I:PPZZIP"> {
  let Graph = "copy - - - - - s";
}
def cuda_memcpy_from_symbol
    : Expansion<"rg_expand_cudaMemcpyFromSymbol", ["cudaMemcpyFromSymbol"], "I:PPZZI">;
def cuda_memcpy_from_symbol_async
    : Expansion<"rg_expand_cudaMemcpyFromSymbolAsync", ["cudaMemcpyFromSymbolAsync"],
                "I:PPZZIP"> {
  let Graph = "copy - - - - - s";
}
// Addresses and registrations of all the program are noted.
let Watched = 1 in {
def cuda_symbol_address
    : Expansion<"rg_expand_cudaGetSymbolAddress", ["cudaGetSymbolAddress"], "I:PP">;
def cuda_host_register
    : Expansion<"rg_expand_cudaHostRegister", ["cudaHostRegister"], "I:PZI">;
def cuda_host_unregister
    : Expansion<"rg_expand_cudaHostUnregister", ["cudaHostUnregister"], "I:P">;
}
def cuda_host_func
    : Expansion<"rg_expand_cudaLaunchHostFunc", ["cudaLaunchHostFunc"], "I:PPP"> {
  let Graph = "call s - -";
}
def cuda_callback
    : Expansion<"rg_expand_cudaStreamAddCallback", ["cudaStreamAddCallback"], "I:PPPI">;
}

// A routine of cuBLAS: its name is an expansion, which calls an operation of ours whose
// numbers are passed by value (runtime/cublas.cpp). T stands for D or G.
// How a graph has the call: operands for which the operation takes a T are numbers by
// address, real ones for R; what it does not take is the result.
class CublasGraph<string prototype, string operation, string letter, string memory = ""> {
  defvar Given = !substr(prototype, 2);
  defvar Taken = !substr(operation, 2);
  // The last operand is written, and not read.
  defvar Result = !if(!eq(!find(memory, "wT"), -1), !size(Taken), !sub(!size(Taken), 1));
  string Form = !foldl("cublas", !range(!size(Given)), All, I,
                       All#" "#!cond(!eq(I, 0): "h", !ge(I, Result): "r",
                                     !eq(!substr(Taken, I, 1), "T"): letter,
                                     !eq(!substr(Taken, I, 1), "R"):
                                       !if(!eq(letter, "Z"), "D", "G"),
                                     true: "-"));
}
multiclass CublasNames<string name, string prototype, string operation,
                       string suffix = "_v2"> {
  foreach P = ["D", "S"] in
    def P : Expansion<"rg_expand_cublas"#P#name, ["cublas"#P#name#suffix], prototype> {
      let Graph = CublasGraph<prototype, operation, !if(!eq(P, "D"), "D", "G")>.Form;
    }
}
multiclass Cublas<string name, string prototype, string operation, string memory,
                  string suffix = "_v2", string of = name>
    : CublasNames<name, prototype, operation, suffix> {
  foreach P = ["d", "s"] in {
    defvar Letter = !if(!eq(P, "d"), "D", "G");
    def _#P : Rule<"rg_cublas_"#P#of#"_augment", "rg_cublas_"#P#of#"_reverse",
                   "rg_cublas_"#P#of#"_forward", ["rg_cublas_"#P#of],
                   !subst("T", Letter, operation), !subst("T", Letter, memory)> {
      let OfRuntime = 1;
      let Text = "device";
    }
  }
}

// The same for complex numbers: a number by value is two, N what lies behind them.
multiclass CublasComplex<string name, string prototype, string operation, string memory,
                         string suffix = "_v2", string of = name,
                         string numbers = operation> {
  foreach P = ["Z", "C"] in
    def P : Expansion<"rg_expand_cublas"#P#name, ["cublas"#P#name#suffix], prototype> {
      let Graph = CublasGraph<prototype, numbers, P, memory>.Form;
    }
  foreach P = ["z", "c"] in {
    defvar Letter = !if(!eq(P, "z"), "D", "G");
    def _#P : Rule<"rg_cublas_"#P#of#"_augment", "rg_cublas_"#P#of#"_reverse",
                   "rg_cublas_"#P#of#"_forward", ["rg_cublas_"#P#of],
                   !subst("R", Letter, !subst("T", Letter#Letter, operation)),
                   !subst("T", Letter, !subst("N", "- -", memory))> {
      let OfRuntime = 1;
      let Text = "device";
    }
  }
}

let Section = "CUDA: cuBLAS" in {
defm cublas_dot : Cublas<"dot", "I:PIPIPIP", "T:PIPIPI", "n - rT - rT -">;
defm cublas_nrm2 : Cublas<"nrm2", "I:PIPIP", "T:PIPI", "n - rT -">;
defm cublas_asum : Cublas<"asum", "I:PIPIP", "T:PIPI", "n - rT -">;
defm cublas_axpy : Cublas<"axpy", "I:PIPPIPI", "V:PITPIPI", "n - - rT - mT -">;
defm cublas_scal : Cublas<"scal", "I:PIPPI", "V:PITPI", "n - - mT -">;
defm cublas_copy : Cublas<"copy", "I:PIPIPI", "V:PIPIPI", "n - rT - mT -">;
defm cublas_swap : Cublas<"swap", "I:PIPIPI", "V:PIPIPI", "n - mT - mT -">;
defm cublas_gemv : Cublas<"gemv", "I:PIIIPPIPIPPI", "V:PIIITPIPITPI",
                          "n - - - - rT - rT - - mT -">;
defm cublas_ger : Cublas<"ger", "I:PIIPPIPIPI", "V:PIITPIPIPI", "n - - - rT - rT - mT -">;
defm cublas_symv : Cublas<"symv", "I:PIIPPIPIPPI", "V:PIITPIPITPI",
                          "n - - - rT - rT - - mT -">;
defm cublas_syr : Cublas<"syr", "I:PIIPPIPI", "V:PIITPIPI", "n - - - rT - mT -">;
defm cublas_syr2 : Cublas<"syr2", "I:PIIPPIPIPI", "V:PIITPIPIPI", "n - - - rT - rT - mT -">;
defm cublas_trmv : Cublas<"trmv", "I:PIIIIPIPI", "V:PIIIIPIPI", "n - - - - rT - mT -">;
defm cublas_trsv : Cublas<"trsv", "I:PIIIIPIPI", "V:PIIIIPIPI", "n - - - - rT - mT -">;
defm cublas_gemm : Cublas<"gemm", "I:PIIIIIPPIPIPPI", "V:PIIIIITPIPITPI",
                          "n - - - - - - rT - rT - - mT -">;
defm cublas_gemm_strided
    : Cublas<"gemmStridedBatched", "I:PIIIIIPPILPILPPILI", "V:PIIIIITPILPILTPILI",
             "n - - - - - - rT - - rT - - - mT - - -", "", "gemms">;
defm cublas_gemm_batched : CublasNames<"gemmBatched", "I:PIIIIIPPIPIPPII",
                                       "V:PIIIIITPIPITPII", "">;
defm cublas_gemv_batched
    : CublasNames<"gemvBatched", "I:PIIIPPIPIPPII", "V:PIIITPIPITPII", "">;
defm cublas_gemv_strided
    : CublasNames<"gemvStridedBatched", "I:PIIIPPILPILPPILI", "V:PIIITPILPILTPILI", "">;
defm cublas_trsm_batched
    : CublasNames<"trsmBatched", "I:PIIIIIIPPIPII", "V:PIIIIIITPIPII", "">;
defm cublas_symm : Cublas<"symm", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                          "n - - - - - rT - rT - - mT -">;
defm cublas_syrk : Cublas<"syrk", "I:PIIIIPPIPPI", "V:PIIIITPITPI",
                          "n - - - - - rT - - mT -">;
defm cublas_syr2k : Cublas<"syr2k", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                           "n - - - - - rT - rT - - mT -">;
defm cublas_trsm : Cublas<"trsm", "I:PIIIIIIPPIPI", "V:PIIIIIITPIPI",
                          "n - - - - - - - rT - mT -">;
defm cublas_trmm : Cublas<"trmm", "I:PIIIIIIPPIPIPI", "V:PIIIIIITPIPIPI",
                          "n - - - - - - - rT - rT - mT -">;
defm cublas_geam : Cublas<"geam", "I:PIIIIPPIPPIPI", "V:PIIIITPITPIPI",
                          "n - - - - - rT - - rT - mT -", "">;
defm cublas_dgmm : Cublas<"dgmm", "I:PIIIPIPIPI", "V:PIIIPIPIPI", "n - - - rT - rT - mT -", "">;
defm cublas_gbmv : Cublas<"gbmv", "I:PIIIIIPPIPIPPI", "V:PIIIIITPIPITPI",
                          "n - - - - - - rT - rT - - mT -">;
foreach name = ["tbmv", "tbsv"] in
  defm "cublas_"#name : Cublas<name, "I:PIIIIIPIPI", "V:PIIIIIPIPI", "n - - - - - rT - mT -">;
defm cublas_tpttr : Cublas<"tpttr", "I:PIIPPI", "V:PIIPPI", "n - - rT mT -", "">;
defm cublas_trttp : Cublas<"trttp", "I:PIIPIP", "V:PIIPIP", "n - - rT - mT", "">;
defm cublas_syrkx : Cublas<"syrkx", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                           "n - - - - - rT - rT - - mT -", "">;
// A number by value for each of the matrix that two numbers are multiplied by.
defm cublas_rot : Cublas<"rot", "I:PIPIPIPP", "V:PIPIPITTTT", "n - mT - mT - - - - -">;
defm cublas_sbmv : CublasNames<"sbmv", "I:PIIIPPIPIPPI", "V:PIIITPIPITPI">;
defm cublas_spmv : CublasNames<"spmv", "I:PIIPPPIPPI", "V:PIITPPITPI">;
defm cublas_spr : CublasNames<"spr", "I:PIIPPIP", "V:PIITPIP">;
defm cublas_spr2 : CublasNames<"spr2", "I:PIIPPIPIP", "V:PIITPIPIP">;
foreach P = ["D", "S", "Z", "C"] in {
  foreach name = ["tpmv", "tpsv"] in
    def "cublas_"#name#P
        : Expansion<"rg_expand_cublas"#P#name, ["cublas"#P#name#"_v2"], "I:PIIIIPPI"> {
      let Graph = "cublas h - - - - - - -";
    }
  // Its results are numbers: no graph has it.
  def "cublas_rotg"#P
      : Expansion<"rg_expand_cublas"#P#"rotg", ["cublas"#P#"rotg_v2"], "I:PPPPP">;
}
foreach P = ["D", "S"] in {
  def "cublas_rotm"#P
      : Expansion<"rg_expand_cublas"#P#"rotm", ["cublas"#P#"rotm_v2"], "I:PIPIPIP">;
  def "cublas_rotmg"#P
      : Expansion<"rg_expand_cublas"#P#"rotmg", ["cublas"#P#"rotmg_v2"], "I:PPPPPP">;
}
// Factorisations of batches: an operation per member (runtime/cusolver.cpp).
foreach P = ["d", "s"] in {
  defvar Letter = !if(!eq(P, "d"), "D", "G");
  defvar Capital = !if(!eq(P, "d"), "D", "S");
  foreach routine = [["getrf", "PIPIPPI", "PIPIPP", "n - mT - n n"],
                     ["getrs", "PIIIPIPPIPI", "PIIIPIPPIP", "n - - - rT - n mT - n"],
                     ["getri", "PIPIPPIPI", "PIPIPPIP", "n - rT - n wT - n"]] in {
    def "cublas_batch_"#P#routine[0]
        : Expansion<"rg_expand_cublas"#Capital#routine[0]#"Batched",
                    ["cublas"#Capital#routine[0]#"Batched"], "I:"#routine[1]>;
    def "cublas_member_"#P#routine[0]
        : Rule<"rg_cublas_"#P#routine[0]#"_augment", "rg_cublas_"#P#routine[0]#"_reverse",
               "rg_cublas_"#P#routine[0]#"_forward", ["rg_cublas_"#P#routine[0]],
               "V:"#routine[2], !subst("T", Letter, routine[3])> {
      let OfRuntime = 1;
      let Text = "device";
    }
  }
}

foreach name = ["dotu", "dotc"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIPIPIP", "V:PIPIPIP", "n - rT - rT - wT">;
defm cublas_complex_axpy : CublasComplex<"axpy", "I:PIPPIPI", "V:PITPIPI", "n - N rT - mT -">;
defm cublas_complex_scal : CublasComplex<"scal", "I:PIPPI", "V:PITPI", "n - N mT -">;
defm cublas_complex_copy : CublasComplex<"copy", "I:PIPIPI", "V:PIPIPI", "n - rT - mT -">;
defm cublas_complex_swap : CublasComplex<"swap", "I:PIPIPI", "V:PIPIPI", "n - mT - mT -">;
defm cublas_complex_gemv : CublasComplex<"gemv", "I:PIIIPPIPIPPI", "V:PIIITPIPITPI",
                                         "n - - - N rT - rT - N mT -">;
foreach name = ["geru", "gerc"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIPPIPIPI", "V:PIITPIPIPI", "n - - N rT - rT - mT -">;
defm cublas_complex_gemm : CublasComplex<"gemm", "I:PIIIIIPPIPIPPI", "V:PIIIIITPIPITPI",
                                         "n - - - - - N rT - rT - N mT -">;
defm cublas_complex_gemm_strided
    : CublasComplex<"gemmStridedBatched", "I:PIIIIIPPILPILPPILI", "V:PIIIIITPILPILTPILI",
                    "n - - - - - N rT - - rT - - N mT - - -", "", "gemms">;
defm cublas_complex_trsm : CublasComplex<"trsm", "I:PIIIIIIPPIPI", "V:PIIIIIITPIPI",
                                         "n - - - - - - N rT - mT -">;
defm cublas_complex_trmm : CublasComplex<"trmm", "I:PIIIIIIPPIPIPI", "V:PIIIIIITPIPIPI",
                                         "n - - - - - - N rT - rT - mT -">;
foreach name = ["trmv", "trsv"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIIIPIPI", "V:PIIIIPIPI", "n - - - - rT - mT -">;
foreach name = ["symm", "hemm"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                      "n - - - - N rT - rT - N mT -">;
defm cublas_complex_syrk : CublasComplex<"syrk", "I:PIIIIPPIPPI", "V:PIIIITPITPI",
                                         "n - - - - N rT - N mT -">;
defm cublas_complex_syr2k : CublasComplex<"syr2k", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                                          "n - - - - N rT - rT - N mT -">;
// Of real numbers (R) the operation takes an imaginary part of zero.
defm cublas_complex_herk : CublasComplex<"herk", "I:PIIIIPPIPPI", "V:PIIIITPITPI",
                                         "n - - - - N rT - N mT -", "_v2", "herk",
                                         "V:PIIIIRPIRPI">;
defm cublas_complex_her2k : CublasComplex<"her2k", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                                          "n - - - - N rT - rT - N mT -", "_v2", "her2k",
                                          "V:PIIIITPIPIRPI">;
foreach name = ["symv", "hemv"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIPPIPIPPI", "V:PIITPIPITPI", "n - - N rT - rT - N mT -">;
defm cublas_complex_syr : CublasComplex<"syr", "I:PIIPPIPI", "V:PIITPIPI", "n - - N rT - mT -">;
defm cublas_complex_her : CublasComplex<"her", "I:PIIPPIPI", "V:PIITPIPI", "n - - N rT - mT -",
                                        "_v2", "her", "V:PIIRPIPI">;
foreach name = ["syr2", "her2"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIPPIPIPI", "V:PIITPIPIPI", "n - - N rT - rT - mT -">;
defm cublas_complex_gbmv : CublasComplex<"gbmv", "I:PIIIIIPPIPIPPI", "V:PIIIIITPIPITPI",
                                         "n - - - - - N rT - rT - N mT -">;
foreach name = ["tbmv", "tbsv"] in
  defm "cublas_complex_"#name
      : CublasComplex<name, "I:PIIIIIPIPI", "V:PIIIIIPIPI", "n - - - - - rT - mT -">;
defm cublas_complex_tpttr : CublasComplex<"tpttr", "I:PIIPPI", "V:PIIPPI", "n - - rT mT -", "">;
defm cublas_complex_trttp : CublasComplex<"trttp", "I:PIIPIP", "V:PIIPIP", "n - - rT - mT", "">;
defm cublas_complex_syrkx : CublasComplex<"syrkx", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                                          "n - - - - N rT - rT - N mT -", "">;
defm cublas_complex_herkx : CublasComplex<"herkx", "I:PIIIIPPIPIPPI", "V:PIIIITPIPITPI",
                                          "n - - - - N rT - rT - N mT -", "", "herkx",
                                          "V:PIIIITPIPIRPI">;
defm cublas_complex_rot : CublasComplex<"rot", "I:PIPIPIPP", "V:PIPIPITTTT",
                                        "n - mT - mT - N N N N", "_v2", "rot",
                                        "V:PIPIPIRT">;
defm cublas_complex_geam : CublasComplex<"geam", "I:PIIIIPPIPPIPI", "V:PIIIITPITPIPI",
                                         "n - - - - N rT - N rT - mT -", "">;
defm cublas_complex_dgmm : CublasComplex<"dgmm", "I:PIIIPIPIPI", "V:PIIIPIPIPI",
                                         "n - - - rT - rT - mT -", "">;
foreach P = ["Z", "C"] in {
  foreach packed = [["hpmv", "PIIPPPIPPI", "PIITPPITPI"],
                    ["hbmv", "PIIIPPIPIPPI", "PIIITPIPITPI"], ["hpr", "PIIPPIP", "PIIRPIP"],
                    ["hpr2", "PIIPPIPIP", "PIITPIPIP"]] in
    def "cublas_"#packed[0]#P
        : Expansion<"rg_expand_cublas"#P#packed[0], ["cublas"#P#packed[0]#"_v2"], "I:"#packed[1]> {
      let Graph = CublasGraph<"I:"#packed[1], "V:"#packed[2], P>.Form;
    }
  // Products with fewer multiplications are those with more.
  def "cublas_gemm3m"#P
      : Expansion<"rg_expand_cublas"#P#"gemm", ["cublas"#P#"gemm3m"], "I:PIIIIIPPIPIPPI"> {
    let Graph = CublasGraph<"I:PIIIIIPPIPIPPI", "V:PIIIIITPIPITPI", P>.Form;
  }
  defvar Rotate = !if(!eq(P, "Z"), "Zdrot", "Csrot");
  def "cublas_"#Rotate : Expansion<"rg_expand_cublas"#Rotate, ["cublas"#Rotate#"_v2"], "I:PIPIPIPP"> {
    let Graph = CublasGraph<"I:PIPIPIPP", "V:PIPIPIRR", P>.Form;
  }
  foreach batch = [["gemvBatched", "PIIIPPIPIPPII", "PIIITPIPITPII"],
                   ["gemvStridedBatched", "PIIIPPILPILPPILI", "PIIITPILPILTPILI"],
                   ["trsmBatched", "PIIIIIIPPIPII", "PIIIIIITPIPII"]] in
    def "cublas_"#batch[0]#P
        : Expansion<"rg_expand_cublas"#P#batch[0], ["cublas"#P#batch[0]], "I:"#batch[1]> {
      let Graph = CublasGraph<"I:"#batch[1], "V:"#batch[2], P>.Form;
    }
  def "cublas_gemm_batched_"#P
      : Expansion<"rg_expand_cublas"#P#"gemmBatched", ["cublas"#P#"gemmBatched"],
                  "I:PIIIIIPPIPIPPII"> {
    let Graph = "cublas h - - - - - "#P#" - - - - "#P#" - - -";
  }
  defvar Of = !if(!eq(P, "Z"), "z", "c");
  defvar Letter = !if(!eq(P, "Z"), "D", "G");
  defvar Norm = !if(!eq(P, "Z"), "Dznrm2", "Scnrm2");
  defvar Scale = !if(!eq(P, "Z"), "Zdscal", "Csscal");
  defvar Sum = !if(!eq(P, "Z"), "Dzasum", "Scasum");
  def "cublas_"#Sum : Expansion<"rg_expand_cublas"#Sum, ["cublas"#Sum#"_v2"], "I:PIPIP"> {
    let Graph = "cublas h - - - r";
  }
  def "cublas_sum_"#P
      : Rule<"rg_cublas_"#Of#"asum_augment", "rg_cublas_"#Of#"asum_reverse",
             "rg_cublas_"#Of#"asum_forward", ["rg_cublas_"#Of#"asum"], Letter#":PIPI",
             "n - r"#Letter#" -"> {
    let OfRuntime = 1;
    let Text = "device";
  }
  def "cublas_"#Norm : Expansion<"rg_expand_cublas"#Norm, ["cublas"#Norm#"_v2"], "I:PIPIP"> {
    let Graph = "cublas h - - - r";
  }
  def "cublas_"#Scale : Expansion<"rg_expand_cublas"#Scale, ["cublas"#Scale#"_v2"], "I:PIPPI"> {
    let Graph = "cublas h - "#Letter#" - -";
  }
  def "cublas_norm_"#P
      : Rule<"rg_cublas_"#Of#"nrm2_augment", "rg_cublas_"#Of#"nrm2_reverse",
             "rg_cublas_"#Of#"nrm2_forward", ["rg_cublas_"#Of#"nrm2"], Letter#":PIPI",
             "n - r"#Letter#" -"> {
    let OfRuntime = 1;
    let Text = "device";
  }
}

// Numbers of 16 bits: H half, Y bfloat16; the result may be a float.
foreach kind = [["h", "H", "H"], ["h", "H", "G"], ["y", "Y", "Y"], ["y", "Y", "G"]] in {
  defvar Name = "rg_cublas_"#kind[0]#"gemm"#!if(!eq(kind[2], "G"), "_s", "");
  def "cublas_narrow_"#kind[1]#kind[2]
      : Rule<Name#"_augment", Name#"_reverse", Name#"_forward", [Name],
             "V:PIIIIIGPILPILGPILIII",
             "n - - - - - - r"#kind[1]#" - - r"#kind[1]#" - - - m"#kind[2]#" - - - - -"> {
    let OfRuntime = 1;
    let Text = "device";
  }
}
def cublas_hgemm : Expansion<"rg_expand_cublasHgemm", ["cublasHgemm"], "I:PIIIIIPPIPIPPI"> {
  let Graph = "cublas h - - - - - H - - - - H - -";
}
def cublas_hgemm_strided
    : Expansion<"rg_expand_cublasHgemmStridedBatched", ["cublasHgemmStridedBatched"],
                "I:PIIIIIPPILPILPPILI"> {
  let Graph = "cublas h - - - - - H - - - - - - H - - - -";
}

foreach name = ["Idamax", "Idamin", "Isamax", "Isamin", "Izamax", "Izamin", "Icamax",
                "Icamin"] in
  def "cublas_"#name
      : Expansion<"rg_expand_cublas"#name, ["cublas"#name#"_v2"], "I:PIPIP"> {
    let Graph = "cublas h - - - r";
  }
def cublas_gemm3m_batched
    : Expansion<"rg_expand_cublasCgemmBatched", ["cublasCgemm3mBatched"], "I:PIIIIIPPIPIPPII"> {
  let Graph = "cublas h - - - - - C - - - - C - - -";
}
def cublas_gemm3m_strided
    : Expansion<"rg_expand_cublasCgemmStridedBatched", ["cublasCgemm3mStridedBatched"],
                "I:PIIIIIPPILPILPPILI"> {
  let Graph = "cublas h - - - - - C - - - - - - C - - - -";
}
def cublas_gemm_ex
    : Expansion<"rg_expand_cublasGemmEx", ["cublasGemmEx"], "I:PIIIIIPPIIPIIPPIIII"> {
  let Graph = "cublas h - - - - - N@15,17 - t - - t - N@15,17 - t - t -";
}
def cublas_gemm_batched_ex
    : Expansion<"rg_expand_cublasGemmBatchedEx", ["cublasGemmBatchedEx"],
                "I:PIIIIIPPIIPIIPPIIIII"> {
  let Graph = "cublas h - - - - - N@15,18 - t - - t - N@15,18 - t - - t -";
}
def cublas_hgemm_batched
    : Expansion<"rg_expand_cublasHgemmBatched", ["cublasHgemmBatched"], "I:PIIIIIPPIPIPPII"> {
  let Graph = "cublas h - - - - - H - - - - H - - -";
}
def cublas_sgemm_ex
    : Expansion<"rg_expand_cublasSgemmEx", ["cublasSgemmEx"], "I:PIIIIIPPIIPIIPPII"> {
  let Graph = "cublas h - - - - - G - t - - t - G - t -";
}
def cublas_gemm_strided_ex
    : Expansion<"rg_expand_cublasGemmStridedBatchedEx", ["cublasGemmStridedBatchedEx"],
                "I:PIIIIIPPIILPIILPPIILIII"> {
  let Graph = "cublas h - - - - - N@17,21 - t - - - t - - N@17,21 - t - - - t -";
}
foreach name = ["SetVector", "GetVector"] in {
  def "cublas_"#name : Expansion<"rg_expand_cublas"#name, ["cublas"#name], "I:IIPIPI">;
  def "cublas_"#name#"Async"
      : Expansion<"rg_expand_cublas"#name#"Async", ["cublas"#name#"Async"], "I:IIPIPIP">;
}
foreach name = ["SetMatrix", "GetMatrix"] in {
  def "cublas_"#name : Expansion<"rg_expand_cublas"#name, ["cublas"#name], "I:IIIPIPI">;
  def "cublas_"#name#"Async"
      : Expansion<"rg_expand_cublas"#name#"Async", ["cublas"#name#"Async"], "I:IIIPIPIP">;
}
def cublas_context : InactiveInC<
    ["cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasGetStream_v2",
     "cublasSetPointerMode_v2", "cublasGetPointerMode_v2", "cublasSetMathMode",
     "cublasGetMathMode", "cublasSetAtomicsMode", "cublasGetAtomicsMode", "cublasGetVersion_v2",
     "cublasGetProperty", "cublasSetWorkspace_v2", "cublasSetSmCountTarget",
     "cublasGetSmCountTarget", "cublasGetStatusString", "cublasGetStatusName",
     "cublasLoggerConfigure", "cublasLtCreate", "cublasLtDestroy", "cublasLtMatmulDesc*",
     "cublasLtMatrixLayout*", "cublasLtMatrixTransformDesc*", "cublasLtMatmulPreference*",
     "cublasLtMatmulAlgo*", "cublasLtGetStatus*", "cublasLtGetVersion", "cublasXtCreate",
     "cublasXtDestroy", "cublasXtDeviceSelect", "cublasXtSetBlockDim"]>;
}

let Section = "CUDA: cuFFT" in {
foreach name = ["C2C", "Z2Z"] in
  def "cufft_"#name : Expansion<"rg_expand_cufftExec"#name, ["cufftExec"#name], "I:IPPI"> {
    let Graph = "cufft h - - -";
  }
foreach name = ["R2C", "D2Z", "C2R", "Z2D"] in
  def "cufft_"#name : Expansion<"rg_expand_cufftExec"#name, ["cufftExec"#name], "I:IPP"> {
    let Graph = "cufft h - -";
  }
foreach P = ["d", "s"] in {
  defvar Letter = !if(!eq(P, "d"), "D", "G");
  def cufft_transform_#P : Rule<"rg_cufft_"#P#"_augment", "rg_cufft_"#P#"_reverse",
                                "rg_cufft_"#P#"_forward", ["rg_cufft_"#P], "V:IIIPP",
                                "- - - r"#Letter#" m"#Letter> {
    let OfRuntime = 1;
    let Text = "device";
  }
}
// Plans: their sizes are noted.
class CufftPlan<string name, string prototype>
    : Expansion<"rg_expand_cufft"#name, ["cufft"#name], prototype> {
  let Watched = 1;
}
def cufft_plan_1d : CufftPlan<"Plan1d", "I:PIII">;
def cufft_plan_2d : CufftPlan<"Plan2d", "I:PIII">;
def cufft_plan_3d : CufftPlan<"Plan3d", "I:PIIII">;
def cufft_plan_many : CufftPlan<"PlanMany", "I:PIPPIIPIIII">;
def cufft_make_plan_1d : CufftPlan<"MakePlan1d", "I:IIIIP">;
def cufft_make_plan_2d : CufftPlan<"MakePlan2d", "I:IIIIP">;
def cufft_make_plan_3d : CufftPlan<"MakePlan3d", "I:IIIIIP">;
def cufft_make_plan_many : CufftPlan<"MakePlanMany", "I:IIPPIIPIIIIP">;
def cufft_make_plan_many_64 : CufftPlan<"MakePlanMany64", "I:IIPPLLPLLILP">;
def cufft_xt_make_plan_many : CufftPlan<"XtMakePlanMany", "I:IIPPLLIPLLILPI">;
// And their streams, which the library does not tell.
def cufft_create : CufftPlan<"Create", "I:P">;
def cufft_set_stream : CufftPlan<"SetStream", "I:IP">;
def cufft_context : InactiveInC<
    ["cufftDestroy", "cufftGetVersion", "cufftGetProperty",
     "cufftSetWorkArea", "cufftSetAutoAllocation", "cufftGetSize", "cufftGetSize1d",
     "cufftGetSize2d", "cufftGetSize3d", "cufftGetSizeMany", "cufftGetSizeMany64",
     "cufftEstimate1d", "cufftEstimate2d", "cufftEstimate3d", "cufftEstimateMany"]>;
}

let Section = "CUDA: NCCL" in {
foreach P = ["d", "s", "h", "y"] in {
  defvar Letter = !cond(!eq(P, "d"): "D", !eq(P, "s"): "G", !eq(P, "h"): "H", true: "Y");
  def nccl_message_#P : Rule<"rg_nccl_"#P#"_augment", "rg_nccl_"#P#"_reverse",
                             "rg_nccl_"#P#"_forward", ["rg_nccl_"#P], "V:IPPZIIPP",
                             "- r"#Letter#" m"#Letter#" - - - n n"> {
    let OfRuntime = 1;
    let Text = "devices";
  }
}
foreach routine = [["AllReduce", "PPZIIPP"], ["Reduce", "PPZIIIPP"], ["Broadcast", "PPZIIPP"],
                   ["Bcast", "PZIIPP"], ["AllGather", "PPZIPP"], ["ReduceScatter", "PPZIIPP"],
                   ["Send", "PZIIPP"], ["Recv", "PZIIPP"], ["GroupStart", ""], ["GroupEnd", ""],
                   ["CommDestroy", "P"]] in
  def "nccl_"#routine[0]
      : Expansion<"rg_expand_nccl"#routine[0], ["nccl"#routine[0]], "I:"#routine[1]>;
def nccl_context : InactiveInC<
    ["ncclGetVersion", "ncclGetUniqueId", "ncclCommInitRank", "ncclCommInitAll",
     "ncclCommFinalize", "ncclCommGetAsyncError", "ncclCommCount", "ncclCommCuDevice",
     "ncclCommUserRank", "ncclGetErrorString", "ncclGetLastError"]>;
}

// Descriptors of cuSPARSE are boxes of ours (runtime/cusparse.cpp).
class CusparseBox<string name, string prototype>
    : Expansion<"rg_expand_cusparse"#name, ["cusparse"#name], prototype> {
  let Watched = 1;
}
let Section = "CUDA: cuSPARSE" in {
foreach P = ["d", "s"] in {
  defvar Letter = !if(!eq(P, "d"), "D", "G");
  def cusparse_product_#P : Rule<"rg_cusparse_"#P#"_augment", "rg_cusparse_"#P#"_reverse",
                                 "rg_cusparse_"#P#"_forward", ["rg_cusparse_"#P],
                                 "V:PII"#Letter#"PPPP"#Letter#"PPIP",
                                 "n - - - n r"#Letter#" n r"#Letter#" - n m"#Letter#" - n"> {
    let OfRuntime = 1;
    let Text = "device";
  }
}
foreach name = ["SpMV", "SpMV_bufferSize", "SpMV_preprocess"] in
  def "cusparse_"#name
      : Expansion<"rg_expand_cusparse"#name, ["cusparse"#name], "I:PIPPPPPIIP"> {
    let Graph = !if(!eq(name, "SpMV"), "cusparse h - N@7 d d N@7 d t - -", "");
  }
foreach name = ["SpMM", "SpMM_bufferSize", "SpMM_preprocess"] in
  def "cusparse_"#name
      : Expansion<"rg_expand_cusparse"#name, ["cusparse"#name], "I:PIIPPPPPIIP"> {
    let Graph = !if(!eq(name, "SpMM"), "cusparse h - - N@8 d d N@8 d t - -", "");
  }
foreach of = ["", "Const"] in {
  foreach format = ["Csr", "Csc"] in
    def "cusparse_"#of#format : CusparseBox<"Create"#of#format, "I:PLLLPPPIIII">;
  def "cusparse_"#of#"Coo" : CusparseBox<"Create"#of#"Coo", "I:PLLLPPPIII">;
  def "cusparse_"#of#"DnVec" : CusparseBox<"Create"#of#"DnVec", "I:PLPI">;
  def "cusparse_"#of#"DnMat" : CusparseBox<"Create"#of#"DnMat", "I:PLLLPII">;
}
foreach name = ["SpMat", "DnVec", "DnMat"] in {
  def "cusparse_destroy_"#name : CusparseBox<"Destroy"#name, "I:P">;
  def "cusparse_set_"#name : CusparseBox<name#"SetValues", "I:PP">;
  def "cusparse_get_"#name : CusparseBox<name#"GetValues", "I:PP">;
}
foreach name = ["Csr", "Csc", "Coo"] in
  def "cusparse_pointers_"#name : CusparseBox<name#"SetPointers", "I:PPPP">;
def cusparse_context : InactiveInC<
    ["cusparseCreate", "cusparseDestroy", "cusparseSetStream", "cusparseGetStream",
     "cusparseSetPointerMode", "cusparseGetPointerMode", "cusparseGetVersion",
     "cusparseGetProperty", "cusparseGetErrorName", "cusparseGetErrorString",
     "cusparseCreateMatDescr", "cusparseDestroyMatDescr", "cusparseSetMatType",
     "cusparseGetMatType", "cusparseSetMatFillMode", "cusparseGetMatFillMode",
     "cusparseSetMatDiagType", "cusparseGetMatDiagType", "cusparseSetMatIndexBase",
     "cusparseGetMatIndexBase"]>;
}

let Section = "CUDA: cuRAND" in {
foreach P = ["d", "s"] in {
  defvar Letter = !if(!eq(P, "d"), "D", "G");
  defvar Suffix = !if(!eq(P, "d"), "Double", "");
  def curand_draw_#P : Rule<"rg_curand_"#P#"_augment", "rg_curand_"#P#"_reverse",
                            "rg_curand_"#P#"_forward", ["rg_curand_"#P],
                            "V:PIPZ"#Letter#Letter, "n - w"#Letter#" - - -"> {
    let OfRuntime = 1;
    let Text = "device";
  }
  def curand_uniform_#P
      : Expansion<"rg_expand_curandGenerateUniform"#Suffix, ["curandGenerateUniform"#Suffix],
                  "I:PPZ">;
  foreach name = ["Normal", "LogNormal"] in
    def "curand_"#name#P : Expansion<"rg_expand_curandGenerate"#name#Suffix,
                                     ["curandGenerate"#name#Suffix], "I:PPZ"#Letter#Letter>;
}
foreach name = ["", "LongLong"] in
  def "curand_integers_"#name
      : Expansion<"rg_expand_curandGenerate"#name, ["curandGenerate"#name], "I:PPZ">;
def curand_poisson
    : Expansion<"rg_expand_curandGeneratePoisson", ["curandGeneratePoisson"], "I:PPZD">;
def curand_context : InactiveInC<
    ["curandCreateGenerator", "curandCreateGeneratorHost", "curandDestroyGenerator",
     "curandGetVersion", "curandGetProperty", "curandSetStream",
     "curandSetPseudoRandomGeneratorSeed", "curandSetGeneratorOffset",
     "curandSetGeneratorOrdering", "curandSetQuasiRandomGeneratorDimensions",
     "curandGenerateSeeds"]>;
}

let Section = "CUDA: cuSOLVER" in {
foreach P = ["d", "s"] in {
  defvar Letter = !if(!eq(P, "d"), "D", "G");
  defvar Capital = !if(!eq(P, "d"), "D", "S");
  foreach routine = [["getrf", "PIIPIPPP", "n - - mT - n n n"],
                     ["getrs", "PIIIPIPPIP", "n - - - rT - n mT - n"],
                     ["potrf", "PIIPIPIP", "n - - mT - n - n"],
                     ["potrs", "PIIIPIPIP", "n - - - rT - mT - n"]] in {
    def "cusolver_"#P#routine[0]
        : Expansion<"rg_expand_cusolverDn"#Capital#routine[0], ["cusolverDn"#Capital#routine[0]],
                    "I:"#routine[1]>;
    def "cusolver_rule_"#P#routine[0]
        : Rule<"rg_cusolver_"#P#routine[0]#"_augment", "rg_cusolver_"#P#routine[0]#"_reverse",
               "rg_cusolver_"#P#routine[0]#"_forward", ["rg_cusolver_"#P#routine[0]],
               "V:"#routine[1], !subst("T", Letter, routine[2])> {
      let OfRuntime = 1;
      let Text = "device";
    }
  }
}
def cusolver_context : InactiveInC<
    ["cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream", "cusolverDnGetStream",
     "cusolverGetVersion", "cusolverGetProperty", "cusolverDnDgetrf_bufferSize",
     "cusolverDnSgetrf_bufferSize", "cusolverDnDpotrf_bufferSize",
     "cusolverDnSpotrf_bufferSize"]>;
}

// The toolkit's headers convert numbers of 16 bits on the host in integer arithmetic.
let Section = "CUDA: numbers of 16 bits on the host", OfRuntime = 1 in {
def cuda_half_of_float
    : Expansion<"rg_expand_half_of_float", ["_ZL12__float2halff", "_ZL15__float2half_rnf"], "N:G">;
def cuda_half_of_double
    : Expansion<"rg_expand_half_of_double", ["_ZL13__double2halfd"], "N:D">;
def cuda_float_of_half
    : Expansion<"rg_expand_float_of_half", ["_ZL12__half2float6__half"], "G:N">;
def cuda_bfloat_of_float
    : Expansion<"rg_expand_bfloat_of_float",
                ["_ZL16__float2bfloat16f", "_ZL19__float2bfloat16_rnf"], "N:G">;
def cuda_bfloat_of_double
    : Expansion<"rg_expand_bfloat_of_double", ["_ZL17__double2bfloat16d"], "N:D">;
def cuda_float_of_bfloat
    : Expansion<"rg_expand_float_of_bfloat", ["_ZL16__bfloat162float13__nv_bfloat16"], "G:N">;
foreach way = ["rz", "rd", "ru"] in {
  def cuda_half_#way
      : Expansion<"rg_expand_half_"#way, ["_ZL15__float2half_"#way#"f"], "N:G">;
  def cuda_bfloat_#way
      : Expansion<"rg_expand_bfloat_"#way, ["_ZL19__float2bfloat16_"#way#"f"], "N:G">;
}
def rg_rounded : Formula<[(id S)]> {
  let Names = ["rg_rounded_half", "rg_rounded_bfloat"];
  let Prototype = "F:FI";
  let Samples = ["-2:2", "0:2"];
  let Kink = "a step function that follows the number: the result moves as the number does";
}
}

let Section = "CUDA: the rest" in {
def cuda_errors : InactiveInC<
    ["cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName"]>;
def cuda_devices : InactiveInC<
    ["cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaGetDevice", "cudaSetDevice",
     "cudaGetDeviceCount", "cudaDeviceGetAttribute", "cudaGetDeviceProperties",
     "cudaGetDeviceProperties_v2", "cudaMemGetInfo", "cudaDeviceGetLimit",
     "cudaDeviceSetLimit", "cudaDriverGetVersion", "cudaRuntimeGetVersion",
     "cudaDeviceSetCacheConfig", "cudaProfilerStart", "cudaProfilerStop",
     "cudaDeviceCanAccessPeer", "cudaDeviceEnablePeerAccess", "cudaDeviceDisablePeerAccess",
     "cudaDeviceGetStreamPriorityRange", "cudaDeviceGetDefaultMemPool", "cudaDeviceGetMemPool",
     "cudaDeviceSetMemPool", "cudaMemPoolSetAttribute", "cudaMemPoolGetAttribute",
     "cudaMemPoolTrimTo", "cudaMemPoolCreate", "cudaMemPoolDestroy", "cudaMemAdvise*",
     "cudaMemPrefetchAsync*", "cudaPointerGetAttributes", "cudaStreamAttachMemAsync",
     "cudaStreamGetPriority", "cudaStreamGetFlags", "cudaHostGetFlags", "cudaGetSymbolSize",
     "cudaSetDeviceFlags", "cudaGetDeviceFlags", "cudaStreamIsCapturing"]>;
def cuda_driver_context : InactiveInC<
    ["cuInit", "cuDriverGetVersion", "cuGetError*", "cuDeviceGet*", "cuDeviceCanAccessPeer",
     "cuCtx*", "cuDevicePrimaryCtx*", "cuMemGetInfo*"]>;
def cudnn_context : InactiveInC<
    ["cudnnCreate*", "cudnnDestroy*", "cudnnGetVersion", "cudnnGetErrorString", "cudnnSetStream",
     "cudnnGetStream", "cudnnSetTensor4dDescriptor*", "cudnnSetTensorNdDescriptor*",
     "cudnnSetFilter4dDescriptor", "cudnnSetFilterNdDescriptor",
     "cudnnSetConvolution*", "cudnnSetActivationDescriptor*", "cudnnSetPooling*",
     "cudnnSetLRNDescriptor", "cudnnSetOpTensorDescriptor", "cudnnSetReduceTensorDescriptor",
     "cudnnGetTensor*", "cudnnGetFilter*", "cudnnGetConvolution*", "cudnnGetPooling*",
     "cudnnGetActivation*", "cudnnGetReductionWorkspaceSize", "cudnnGetReductionIndicesSize",
     "cudnnDropoutGetStatesSize", "cudnnDropoutGetReserveSpaceSize"]>;
def cutensor_context : InactiveInC<
    ["cutensorCreate*", "cutensorDestroy*", "cutensorGet*", "cutensorEstimateWorkspaceSize",
     "cutensorPlanGetAttribute", "cutensorInit*"]>;
def cuda_formats : InactiveInC<
    ["cudaCreateChannelDesc", "cudaGetChannelDesc", "cudaDestroyTextureObject",
     "cudaDestroySurfaceObject", "cudaGetTextureObject*", "cudaGetSurfaceObject*"]>;
def cuda_kernels : InactiveInC<
    ["cudaFuncSetAttribute", "cudaFuncGetAttributes", "cudaFuncSetCacheConfig",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaFuncSetSharedMemConfig",
     "cudaOccupancyAvailableDynamicSMemPerBlock",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"]>;
def cuda_events : InactiveInC<
    ["cudaEventCreate", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaEventRecordWithFlags",
     "cudaEventSynchronize",
     "cudaEventElapsedTime", "cudaEventDestroy", "cudaEventQuery", "cudaStreamCreate",
     "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
     "cudaStreamSynchronize", "cudaStreamQuery", "cudaStreamWaitEvent"]>;

// What changes device memory, or runs code, in ways that are not undone: whether
// derivatives flow through it or not, launches would find other memory in reverse.
class CudaRefused<string why, list<string> names> : Handler<"RefusedByName"> {
  let Names = names;
  let Text = why;
  let Summary = why;
}
def cuda_other_copies : CudaRefused<"which has no reverse; copy with cudaMemcpy",
    ["cudaMemcpy2DToArray*", "cudaMemcpy2DFromArray*", "cudaMemcpy2DArrayToArray",
     "cudaMemcpy3DPeer*", "cudaMemcpy3DBatch*", "cudaMemcpyToArray*", "cudaMemcpyFromArray*",
     "cudaMemcpyArrayToArray", "cudaMemcpyBatch*"]>;
def cuda_images : CudaRefused<
    "textures, surfaces and their arrays have no reverse; let kernels read memory of cudaMalloc by a pointer",
    ["cudaMallocArray", "cudaMalloc3DArray", "cudaMallocMipmappedArray", "cudaCreateTextureObject",
     "cudaCreateSurfaceObject"]>;
def cuda_graphs : CudaRefused<
    "graphs have a reverse where a stream captures them, or the program adds their nodes one behind "
    "the other, and they are launched in the file of their kernels",
    ["cudaGraph*", "cudaStreamBeginCapture*", "cudaStreamEndCapture"]>;
def cuda_launches : CudaRefused<"of which the compiler does not see the kernel",
    ["cudaLaunchKernel*", "cudaLaunchCooperativeKernel*", "cuLaunch*"]>;
def cuda_driver : CudaRefused<
    "a call of CUDA's driver interface; the calls of its runtime, cudaMalloc and cudaMemcpy say, "
    "have derivatives",
    ["cuMem*", "cuArray*", "cuMipmapped*", "cuTex*", "cuSurf*", "cuModule*", "cuLibrary*",
     "cuKernel*", "cuFunc*", "cuLink*", "cuGraph*", "cuStreamBeginCapture*"]>;
def cuda_no_kernel : CudaRefused<
    "a launch of what is no kernel of this file: a host function is called, and its derivative, "
    "too", ["__cudaPushCallConfiguration"]>;

// A routine of a library that has no rule. What makes and changes handles and descriptors
// is inactive and stands above: the error is told where numbers are computed.
class LibraryRefused<string instead, list<string> names>
    : CudaRefused<"which has no derivative"#instead#"; or give the function that calls it a "
                  "derivative of its own (docs/user/CustomRules.md)", names>;
def cublas_other : LibraryRefused<"; levels 1 to 3 of cublas_v2.h have one, and factorisations of batches",
                                  ["cublas*"]>;
def cublas_lt : LibraryRefused<"; cublasGemmEx and cublasGemmStridedBatchedEx have one",
                               ["cublasLt*", "cublasXt*"]>;
def cufft_other : LibraryRefused<"; transforms by cufftExec have one, and cufftXtMakePlanMany", ["cufft*"]>;
def cusparse_other : LibraryRefused<"; cusparseSpMV and cusparseSpMM have one", ["cusparse*"]> {
  let Unbox = "rg_cusparse_plain";
}
def cusparse_lt : LibraryRefused<"; cusparseSpMM has one, and cublasGemmEx", ["cusparseLt*"]>;
def cusolver_other : LibraryRefused<
    "; cusolverDn getrf, getrs, potrf and potrs of floats and doubles have one", ["cusolver*"]>;
def nccl_other : LibraryRefused<
    "; collective operations, ncclSend, ncclRecv and groups have one", ["nccl*"]>;
def curand_other : LibraryRefused<
    "; curandGenerate and its forms for uniform, normal, log-normal and Poisson's numbers have one",
    ["curandGenerate*"]>;
def cudnn_other : LibraryRefused<
    "; a kernel that does the same, or products by cuBLAS, have one", ["cudnn*"]>;
def cutensor_other : LibraryRefused<
    "; contractions that are products by cublasDgemmStridedBatched have one",
    ["cutensor*", "cuTensor*"]>;
def cuda_other_libraries : LibraryRefused<
    "; a kernel that does the same has one",
    ["cudss*", "nppi*", "npps*", "nvjpeg*", "nvshmem*", "AMGX_*", "magma_*", "custatevec*",
     "cudensitymat*", "cuFile*", "rocblas_*", "rocsparse_*", "rocsolver_*", "rocfft_*",
     "hipblas*", "hipfft*", "hipsparse*", "hipsolver*", "hiprand*", "miopen*"]>;
}

let Section = "The runtime" in {
// What is captured, where launches are rewritten (Parallel/LaunchGraphs.cpp).
def cuda_graph_clone : Expansion<"rg_expand_graph_clone", ["rg_graph_clone"], "I:PP">;
def cuda_graph_nodes : Expansion<"rg_expand_graph_nodes", ["rg_graph_nodes"], "I:PPP">;
def cuda_graph_append : Expansion<"rg_expand_graph_append", ["rg_graph_append"], "V:P">;
def cuda_graph_begin : Expansion<"rg_expand_graph_begin", ["rg_graph_begin"], "I:PI">;
def cuda_graph_create : Expansion<"rg_expand_graph_create", ["rg_graph_create"], "I:PI">;
def cuda_graph_add : Expansion<"rg_expand_graph_add", ["rg_graph_add"], "P:P">;
def cuda_graph_added : Expansion<"rg_expand_graph_added", ["rg_graph_added"], "I:P">;
def cuda_graph_add_empty
    : Expansion<"rg_expand_graph_add_empty", ["rg_graph_add_empty"], "I:PPPZ">;
def cuda_graph_fill_byte
    : Expansion<"rg_expand_graph_fill_byte", ["rg_graph_fill_byte"], "I:II">;
def cuda_graph_list : Expansion<"rg_expand_graph_list", ["rg_graph_list"], "P:P">;
def cuda_graph_list_add
    : Expansion<"rg_expand_graph_list_add", ["rg_graph_list_add"], "V:PPP">;
def cuda_graph_add_child
    : Expansion<"rg_expand_graph_add_child", ["rg_graph_add_child"], "I:PPPZP">;
def cuda_graph_order : Expansion<"rg_expand_graph_order", ["rg_graph_order"], "I:PPPZ">;
def cuda_graph_change : Expansion<"rg_expand_graph_change", ["rg_graph_change"], "P:P">;
def cuda_graph_changed : Expansion<"rg_expand_graph_changed", ["rg_graph_changed"], "I:PP">;
def cuda_graph_end : Expansion<"rg_expand_graph_end", ["rg_graph_end"], "I:PP">;
def cuda_graph_instantiate
    : Expansion<"rg_expand_graph_instantiate", ["rg_graph_instantiate"], "I:PPL">;
def cuda_graph_update : Expansion<"rg_expand_graph_update", ["rg_graph_update"], "I:PPP">;
def cuda_captured_number
    : Expansion<"rg_expand_captured_number", ["rg_captured_number"], "P:PLI">;
def cublas_number_bytes
    : Expansion<"rg_expand_cublas_number_bytes", ["rg_cublas_number_bytes"], "L:II">;
def cusparse_number_bytes
    : Expansion<"rg_expand_cusparse_number_bytes", ["rg_cusparse_number_bytes"], "L:I">;
def cusparse_captured : Expansion<"rg_expand_cusparse_captured", ["rg_cusparse_captured"], "P:P">;
def cuda_capture_status
    : Expansion<"rg_expand_capture_status", ["rg_capture_status"], "I:PP">;
}
let Section = "The runtime", OfRuntime = 1 in {
def gpu_malloc : Allocation<["rg_gpu_malloc"], "P:Z", [0], "rg_gpu_free"> {
  let Shadow = "rg_gpu_malloc_shadow";
}
def gpu_free : Deallocation<["rg_gpu_free"], "V:P">;
def gpu_malloc_managed : Allocation<["rg_gpu_malloc_managed"], "P:ZI", [0], "rg_gpu_free"> {
  let Shadow = "rg_gpu_malloc_managed_shadow";
}
def gpu_malloc_host : Allocation<["rg_gpu_malloc_host"], "P:ZI", [0], "rg_gpu_free_host"> {
  let Shadow = "rg_gpu_malloc_host_shadow";
}
def gpu_free_host : Deallocation<["rg_gpu_free_host"], "V:P">;
def gpu_copy_async : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy_async"];
  let Prototype = "P:PPZIP";
  let Text = "device";
}
def gpu_fill_async : Handler<"MemSet"> {
  let Names = ["rg_gpu_fill_async"];
  let Prototype = "P:PIZP";
  let Text = "device";
}
def gpu_copy_to_variable : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy_to_variable"];
  let Prototype = "P:PPZZIP";
  let Text = "device";
}
def gpu_copy_from_variable : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy_from_variable"];
  let Prototype = "P:PPZZIP";
  let Text = "device";
}
def graph_alloc : Allocation<["rg_graph_alloc"], "P:Z", [0], "rg_graph_free"> {
  let Shadow = "rg_graph_alloc_shadow";
}
def graph_free : Deallocation<["rg_graph_free"], "V:P">;
def capture_owner : InactiveInC<["rg_capture_owner"], "V:P">;
def capture_begin : InactiveInC<["rg_capture_begin"], "I:P">;
def capture_end : InactiveInC<["rg_capture_end"], "I:P">;
def capture_on : InactiveInC<["rg_capture_on"], "I:P">;
def capture_launch : InactiveInC<["rg_capture_launch"], "I:PPP">;
def capture_refuse : InactiveInC<["rg_capture_refuse"], "V:PP">;
def capture_refuse_any : InactiveInC<["rg_capture_refuse_any"], "V:P">;
def capture_record : InactiveInC<["rg_capture_record"], "I:PP">;
def capture_record_with : InactiveInC<["rg_capture_record_with"], "I:PPI">;
def capture_wait : InactiveInC<["rg_capture_wait"], "I:PPI">;
def graph_know : InactiveInC<["rg_graph_know"], "V:PP">;
def graph_join : InactiveInC<["rg_graph_join"], "V:PP">;
def graph_unsupported : InactiveInC<["rg_graph_unsupported"], "V:P">;
def capture_adding : InactiveInC<["rg_capture_adding"], "P:">;
def capture_added : InactiveInC<["rg_capture_added"], "V:">;
def graph_check : InactiveInC<["rg_graph_check"], "V:PPP">;
def graph_upload : InactiveInC<["rg_graph_upload"], "I:PP">;
def graph_destroy : InactiveInC<["rg_graph_destroy"], "I:P">;
def capture_no_result : InactiveInC<["rg_capture_no_result"], "V:P">;
def graph_call_done : InactiveInC<["rg_graph_call_done"], "V:IP">;
foreach library = [["cublas", "P"], ["cusparse", "P"], ["cufft", "I"]] in {
  def library[0]#"_stream" : InactiveInC<["rg_"#library[0]#"_stream"], "P:"#library[1]>;
  def library[0]#"_graph_enter"
      : InactiveInC<["rg_"#library[0]#"_graph_enter"], "V:"#library[1]#"PI">;
  def library[0]#"_graph_leave"
      : InactiveInC<["rg_"#library[0]#"_graph_leave"], "V:"#library[1]>;
}
def cublas_pointer_mode : InactiveInC<["rg_cublas_on_host"], "I:P">;
def cublas_amax : InactiveInC<["rg_cublas_amax"], "I:PIIPIP">;
foreach plan = [["Plan1d", "I:PIII"], ["Plan2d", "I:PIII"], ["Plan3d", "I:PIIII"],
                ["PlanMany", "I:PIPPIIPIIII"], ["MakePlan1d", "I:IIIIP"],
                ["MakePlan2d", "I:IIIIP"], ["MakePlan3d", "I:IIIIIP"],
                ["MakePlanMany", "I:IIPPIIPIIIIP"], ["MakePlanMany64", "I:IIPPLLPLLILP"],
                ["XtMakePlanMany", "I:IIPPLLIPLLILPI"], ["Create", "I:P"], ["SetStream", "I:IP"]] in
  def "cufft_noted_"#plan[0] : InactiveInC<["rg_cufft_"#plan[0]], plan[1]>;
def cufft_extent : InactiveInC<["rg_cufft_extent"], "Z:IIII">;
def cusparse_matrix : InactiveInC<["rg_cusparse_matrix"], "P:ILLLPPPIIII">;
def cusparse_vector : InactiveInC<["rg_cusparse_vector"], "P:LPI">;
def cusparse_dense : InactiveInC<["rg_cusparse_dense"], "P:LLLPII">;
def cusparse_of : InactiveInC<["rg_cusparse_of"], "P:P">;
def cusparse_again : InactiveInC<["rg_cusparse_again"], "P:PP">;
def cusparse_of_graph : InactiveInC<["rg_cusparse_of_graph"], "V:PP">;
def cusparse_destroy : InactiveInC<["rg_cusparse_destroy"], "I:P">;
def cusparse_numbers_are : InactiveInC<["rg_cusparse_numbers_are"], "I:PP">;
def cusparse_pointers_are : InactiveInC<["rg_cusparse_pointers_are"], "I:PPPP">;
def cusparse_numbers : InactiveInC<["rg_cusparse_numbers"], "Z:P">;
def cusparse_types : InactiveInC<["rg_cusparse_types"], "V:PPPIP">;
def cusparse_pointer_mode : InactiveInC<["rg_cusparse_on_host"], "I:P">;
def cusparse_prepare : InactiveInC<["rg_cusparse_prepare"], "I:PIIPPPPPIIPP">;
def cusparse_enter : InactiveInC<["rg_cusparse_enter"], "V:PP">;
def cusparse_leave : InactiveInC<["rg_cusparse_leave"], "V:P">;
def cusparse_ours : InactiveInC<["rg_cusparse_ours"], "V:PP">;
def curand_integers : InactiveInC<["rg_curand_integers"], "I:PIPZD">;
def nccl_other_types : InactiveInC<["rg_nccl_other"], "V:IPPZIIIPP">;
def nccl_ranks : InactiveInC<["rg_nccl_ranks"], "I:P">;
def nccl_destroy : InactiveInC<["rg_nccl_destroy"], "V:P">;
def cublas_types : InactiveInC<["rg_cublas_no_types"], "V:P">;
def gpu_library_status : InactiveInC<["rg_gpu_library_status"], "I:">;
def gpu_no_arrays : InactiveInC<["rg_gpu_no_arrays"], "V:PP">;
def gpu_wait_for : InactiveInC<["rg_gpu_wait_for"], "V:P">;
def gpu_launch_shared : InactiveInC<["rg_configured_shared"], "Z:P">;
def gpu_status : InactiveInC<["rg_gpu_status"], "I:">;
def gpu_freed : InactiveInC<["rg_gpu_freed"], "V:P">;
def gpu_symbol : InactiveInC<["rg_cuda_symbol"], "V:PZ">;
def gpu_launch_unknown : InactiveInC<["rg_launch_unknown"], "V:P">;
def gpu_variable_distance : InactiveInC<["rg_gpu_variable_distance"], "L:P">;
def gpu_register : InactiveInC<["rg_gpu_register"], "I:PZI">;
def gpu_unregister : InactiveInC<["rg_gpu_unregister"], "I:P">;
def gpu_copy : Handler<"MemCpy"> {
  let Names = ["rg_gpu_copy"];
  let Prototype = "P:PPZI";
  let Text = "device";
}
def gpu_fill : Handler<"MemSet"> {
  let Names = ["rg_gpu_fill"];
  let Prototype = "P:PIZ";
  let Text = "device";
}
}
def gpu_keep : Protocol<"rg_gpu_undo", ["rg_gpu_keep"], "P:PZ"> {
  let Summary = "device memory that is about to be overwritten; its reverse puts it back";
}
def gpu_keep_in : Protocol<"rg_gpu_undo_in", ["rg_gpu_keep_in"], "P:PZP"> {
  let Summary = "device memory that is about to be overwritten in a stream; its reverse puts it back";
}
def gpu_keep_variable : Protocol<"rg_gpu_undo_variable", ["rg_gpu_keep_variable"], "P:PZZ"> {
  let Summary = "a variable of the device that is about to be overwritten; its reverse puts it back";
}
def nccl_open : Protocol<"rg_nccl_close_again", ["rg_nccl_open"], "V:"> {
  let Summary = "a group of NCCL begins; in the reverse sweep it ends";
}
def nccl_close : Protocol<"rg_nccl_open_again", ["rg_nccl_close"], "V:"> {
  let Summary = "a group of NCCL ends; in the reverse sweep it begins";
}
