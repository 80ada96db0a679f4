//===- LinearAlgebra.td - BLAS and LAPACK ---------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each routine is an operation of our own (column-major, numbers by value) with a
// rule, and names that stand for it: docs/DenseLinearAlgebra.md. T stands for D in
// the double and for G in the float form.
//
//===----------------------------------------------------------------------===//

// The Fortran, CBLAS and LAPACKE names of a routine; "" where there is none.
multiclass DenseNames<string name, string fortran, string cblas, string lapacke = ""> {
  foreach P = ["d", "s"] in {
    defvar Letter = !if(!eq(P, "d"), "D", "G");
    def P#_fortran : Expansion<"rg_expand_"#P#name#"_", [P#name#"_"],
                               !subst("T", Letter, fortran)#"*">;
    if !ne(cblas, "") then
      def P#_cblas : Expansion<"rg_expand_cblas_"#P#name, ["cblas_"#P#name],
                               !subst("T", Letter, cblas)>;
    if !ne(lapacke, "") then
      def P#_lapacke : Expansion<"rg_expand_LAPACKE_"#P#name, ["LAPACKE_"#P#name],
                                 !subst("T", Letter, lapacke)>;
  }
}

// The operation itself: its prototype, and what it does to memory (see Rule).
multiclass Dense<string name, string operation, string memory, string fortran,
                 string cblas, string lapacke = "">
    : DenseNames<name, fortran, cblas, lapacke> {
  foreach P = ["d", "s"] in {
    defvar Letter = !if(!eq(P, "d"), "D", "G");
    def P : Rule<"rg_blas_"#P#name#"_augment", "rg_blas_"#P#name#"_reverse",
                 "rg_blas_"#P#name#"_forward", ["rg_blas_"#P#name],
                 !subst("T", Letter, operation), !subst("T", Letter, memory)> {
      let OfRuntime = 1;
    }
  }
}

let Section = "Linear algebra: BLAS" in {
defm blas_dot : Dense<"dot", "T:IPIPI", "- rT - rT -", "T:PPPPP", "T:IPIPI">;
defm blas_nrm2 : Dense<"nrm2", "T:IPI", "- rT -", "T:PPP", "T:IPI">;
defm blas_axpy : Dense<"axpy", "V:ITPIPI", "- - rT - mT -", "V:PPPPPP", "V:ITPIPI">;
defm blas_scal : Dense<"scal", "V:ITPI", "- - mT -", "V:PPPP", "V:ITPI">;
defm blas_copy : DenseNames<"copy", "V:PPPPP", "V:IPIPI">;
defm blas_swap : DenseNames<"swap", "V:PPPPP", "V:IPIPI">;
defm blas_asum : DenseNames<"asum", "T:PPP", "T:IPI">;
defm blas_rot : DenseNames<"rot", "V:PPPPPPP", "V:IPIPITT">;
defm blas_gemv : Dense<"gemv", "V:IIITPIPITPI", "- - - - rT - rT - - mT -",
                       "V:PPPPPPPPPPP", "V:IIIITPIPITPI">;
defm blas_ger : Dense<"ger", "V:IITPIPIPI", "- - - rT - rT - mT -",
                      "V:PPPPPPPPP", "V:IIITPIPIPI">;
defm blas_symv : Dense<"symv", "V:IITPIPITPI", "- - - rT - rT - - mT -",
                       "V:PPPPPPPPPP", "V:IIITPIPITPI">;
defm blas_syr : Dense<"syr", "V:IITPIPI", "- - - rT - mT -", "V:PPPPPPP", "V:IIITPIPI">;
defm blas_syr2 : Dense<"syr2", "V:IITPIPIPI", "- - - rT - rT - mT -",
                       "V:PPPPPPPPP", "V:IIITPIPIPI">;
defm blas_trmv : Dense<"trmv", "V:IIIIPIPI", "- - - - rT - mT -", "V:PPPPPPPP", "V:IIIIIPIPI">;
defm blas_trsv : Dense<"trsv", "V:IIIIPIPI", "- - - - rT - mT -", "V:PPPPPPPP", "V:IIIIIPIPI">;
defm blas_gemm : Dense<"gemm", "V:IIIIITPIPITPI", "- - - - - - rT - rT - - mT -",
                       "V:PPPPPPPPPPPPP", "V:IIIIIITPIPITPI">;
defm blas_symm : Dense<"symm", "V:IIIITPIPITPI", "- - - - - rT - rT - - mT -",
                       "V:PPPPPPPPPPPP", "V:IIIIITPIPITPI">;
defm blas_syrk : Dense<"syrk", "V:IIIITPITPI", "- - - - - rT - - mT -",
                       "V:PPPPPPPPPP", "V:IIIIITPITPI">;
defm blas_syr2k : Dense<"syr2k", "V:IIIITPIPITPI", "- - - - - rT - rT - - mT -",
                        "V:PPPPPPPPPPPP", "V:IIIIITPIPITPI">;
defm blas_trmm : Dense<"trmm", "V:IIIIIITPIPI", "- - - - - - - rT - mT -",
                       "V:PPPPPPPPPPP", "V:IIIIIIITPIPI">;
defm blas_trsm : Dense<"trsm", "V:IIIIIITPIPI", "- - - - - - - rT - mT -",
                       "V:PPPPPPPPPPP", "V:IIIIIIITPIPI">;

// Banded and packed: runtime/blas_stored.h.
defm blas_gbmv : DenseNames<"gbmv", "V:PPPPPPPPPPPPP", "V:IIIIIITPIPITPI">;
defm blas_sbmv : DenseNames<"sbmv", "V:PPPPPPPPPPP", "V:IIIITPIPITPI">;
defm blas_spmv : DenseNames<"spmv", "V:PPPPPPPPP", "V:IIITPPITPI">;
defm blas_tbmv : DenseNames<"tbmv", "V:PPPPPPPPP", "V:IIIIIIPIPI">;
defm blas_tbsv : DenseNames<"tbsv", "V:PPPPPPPPP", "V:IIIIIIPIPI">;
defm blas_tpmv : DenseNames<"tpmv", "V:PPPPPPP", "V:IIIIIPPI">;
defm blas_tpsv : DenseNames<"tpsv", "V:PPPPPPP", "V:IIIIIPPI">;
defm blas_spr : DenseNames<"spr", "V:PPPPPP", "V:IIITPIP">;
defm blas_spr2 : DenseNames<"spr2", "V:PPPPPPPP", "V:IIITPIPIP">;

// Rotations, and complex numbers, which are passed by address: loops, see
// runtime/blas_complex.cpp.
defm blas_rotg : DenseNames<"rotg", "V:PPPP", "V:PPPP">;
defm blas_rotm : DenseNames<"rotm", "V:PPPPPP", "V:IPIPIP">;
multiclass ComplexNames<string fortran, string cblas, string lapacke = ""> {
  defvar name = !subst("complex_", "", NAME);
  foreach P = ["z", "c"] in {
    defvar Real = !if(!eq(P, "z"), "d", "s");
    defvar Letter = !if(!eq(P, "z"), "D", "G");
    defvar Name = !subst("P", P, !subst("R", Real, name));
    def P#_fortran : Expansion<"rg_expand_"#Name#"_", [Name#"_"], !subst("T", Letter, fortran)#"*">;
    if !ne(cblas, "") then
      def P#_cblas : Expansion<"rg_expand_cblas_"#Name, ["cblas_"#Name], !subst("T", Letter, cblas)>;
    if !ne(lapacke, "") then
      def P#_lapacke : Expansion<"rg_expand_LAPACKE_"#Name, ["LAPACKE_"#Name], lapacke>;
  }
}
defm complex_Paxpy : ComplexNames<"V:PPPPPP", "V:IPPIPI">;
defm complex_Pscal : ComplexNames<"V:PPPP", "V:IPPI">;
defm complex_PRscal : ComplexNames<"V:PPPP", "V:ITPI">;
defm complex_Pcopy : ComplexNames<"V:PPPPP", "V:IPIPI">;
defm complex_Pswap : ComplexNames<"V:PPPPP", "V:IPIPI">;
defm complex_Pdotu : ComplexNames<"?:PPPPP", "">;
defm complex_Pdotc : ComplexNames<"?:PPPPP", "">;
foreach c = ["u", "c"] in foreach p = ["z", "c"] in
  def "complex_"#p#"dot"#c#"_sub"
      : Expansion<"rg_expand_cblas_"#p#"dot"#c#"_sub", ["cblas_"#p#"dot"#c#"_sub"], "V:IPIPIP">;
defm complex_RPnrm2 : ComplexNames<"T:PPP", "T:IPI">;
defm complex_RPasum : ComplexNames<"T:PPP", "T:IPI">;
defm complex_Pgemv : ComplexNames<"V:PPPPPPPPPPP", "V:IIIIPPIPIPPI">;
defm complex_Pgeru : ComplexNames<"V:PPPPPPPPP", "V:IIIPPIPIPI">;
defm complex_Pgerc : ComplexNames<"V:PPPPPPPPP", "V:IIIPPIPIPI">;
defm complex_Pgemm : ComplexNames<"V:PPPPPPPPPPPPP", "V:IIIIIIPPIPIPPI">;
// Hermitian and triangular: runtime/blas_hermitian.h.
defm complex_Phemv : ComplexNames<"V:PPPPPPPPPP", "V:IIIPPIPIPPI">;
defm complex_Phemm : ComplexNames<"V:PPPPPPPPPPPP", "V:IIIIIPPIPIPPI">;
defm complex_Pher : ComplexNames<"V:PPPPPPP", "V:IIITPIPI">;
defm complex_Pherk : ComplexNames<"V:PPPPPPPPPP", "V:IIIIITPITPI">;
foreach name = ["trsv", "trmv"] in
  defm complex_P#name : ComplexNames<"V:PPPPPPPP", "V:IIIIIPIPI">;
foreach name = ["trsm", "trmm"] in
  defm complex_P#name : ComplexNames<"V:PPPPPPPPPPP", "V:IIIIIIIPPIPI">;

// Floats that are added up as doubles.
def blas_dsdot_fortran : Expansion<"rg_expand_dsdot_", ["dsdot_"], "D:PPPPP*">;
def blas_dsdot_cblas : Expansion<"rg_expand_cblas_dsdot", ["cblas_dsdot"], "D:IPIPI">;
def blas_sdsdot_fortran : Expansion<"rg_expand_sdsdot_", ["sdsdot_"], "G:PPPPPP*">;
def blas_sdsdot_cblas : Expansion<"rg_expand_cblas_sdsdot", ["cblas_sdsdot"], "G:IGPIPI">;

def blas_index : InactiveInC<["idamax_", "isamax_", "cblas_idamax", "cblas_isamax", "izamax_",
                              "icamax_", "cblas_izamax", "cblas_icamax"]>;
}

let Section = "Linear algebra: LAPACK" in {
defm lapack_getrf : Dense<"getrf", "I:IIPIP", "- - mT - n", "V:PPPPPP", "", "I:IIIPIP">;
defm lapack_getrs : Dense<"getrs", "I:IIIPIPPI", "- - - rT - n mT -", "V:PPPPPPPPP", "",
                          "I:INIIPIPPI">;
defm lapack_gesv : DenseNames<"gesv", "V:PPPPPPPP", "", "I:IIIPIPPI">;
defm lapack_getri : Dense<"getri", "I:IPIP", "- mT - n", "V:PPPPPPP", "", "I:IIPIP">;
defm lapack_potrf : Dense<"potrf", "I:IIPI", "- - mT -", "V:PPPPP", "", "I:INIPI">;
defm lapack_potrs : Dense<"potrs", "V:IIIPIPI", "- - - rT - mT -", "V:PPPPPPPP", "",
                          "I:INIIPIPI">;
defm lapack_posv : DenseNames<"posv", "V:PPPPPPPP", "", "I:INIIPIPI">;
defm lapack_potri : DenseNames<"potri", "V:PPPPP", "", "I:INIPI">;
defm lapack_gels : DenseNames<"gels", "V:PPPPPPPPPPP", "", "I:INIIIPIPI">;
defm lapack_gtsv : DenseNames<"gtsv", "V:PPPPPPPP", "", "I:IIIPPPPI">;
defm lapack_trtrs : DenseNames<"trtrs", "V:PPPPPPPPPP", "">;
defm lapack_geqrf : Dense<"geqrf", "I:IIPIP", "- - mT - wT", "V:PPPPPPPP", "", "I:IIIPIP">;
defm lapack_ormqr : Dense<"ormqr", "I:IIIIIPIPPI", "- - - - - rT - rT mT -",
                          "V:PPPPPPPPPPPPP", "", "I:INNIIIPIPPI">;
defm lapack_orgqr : Dense<"orgqr", "I:IIIPIP", "- - - mT - rT", "V:PPPPPPPPP", "",
                          "I:IIIIPIP">;
defm lapack_syev : Dense<"syev", "I:IIIPIP", "- - - mT - wT", "V:PPPPPPPPP", "",
                         "I:INNIPIP">;

defm complex_Pgetrf : ComplexNames<"V:PPPPPP", "", "I:IIIPIP">;
defm complex_Pgetrs : ComplexNames<"V:PPPPPPPPP", "", "I:INIIPIPPI">;
defm complex_Ppotrf : ComplexNames<"V:PPPPP", "", "I:INIPI">;
defm complex_Ppotrs : ComplexNames<"V:PPPPPPPP", "", "I:INIIPIPI">;
defm complex_Pposv : ComplexNames<"V:PPPPPPPP", "", "I:INIIPIPI">;
defm complex_Pgesv : ComplexNames<"V:PPPPPPPP", "", "I:IIIPIPPI">;

def lapack_workspace : InactiveInC<["rg_blas_dgetri_space", "rg_blas_sgetri_space",
  "rg_blas_dgeqrf_space", "rg_blas_sgeqrf_space", "rg_blas_dormqr_space",
  "rg_blas_sormqr_space", "rg_blas_dorgqr_space", "rg_blas_sorgqr_space",
  "rg_blas_dsyev_space", "rg_blas_ssyev_space"]> { let OfRuntime = 1; }
}
