//===- Fortran.td - flang's runtime ----------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and prototypes are those of flang 22. Expansions: runtime/fortran.c and
// fortran-numbers.c. What is not here (reading files, random numbers into arrays)
// is refused when it is active.
//
//===----------------------------------------------------------------------===//

let Section = "Fortran: allocation and assignment" in {
def fortran_assign : Expansion<"rg_fortran_assign", ["_FortranAAssign"], "V:PPPI">;
def fortran_assign_temporary
    : Expansion<"rg_fortran_assign", ["_FortranAAssignTemporary", "_FortranACopyInAssign"], "V:PPPI">;
def fortran_assign_fixed_length
    : Expansion<"rg_fortran_assign_fixed_length", ["_FortranAAssignExplicitLengthCharacter"], "V:PPPI">;
def fortran_set_bounds
    : Expansion<"rg_fortran_set_bounds",
                ["_FortranAAllocatableSetBounds", "_FortranAPointerSetBounds"], "V:PILL">;
def fortran_copy_descriptor
    : Expansion<"rg_fortran_copy_descriptor", ["_FortranACopyAndUpdateDescriptor"], "V:PPPNI">;
def fortran_allocate
    : Expansion<"rg_fortran_allocate", ["_FortranAAllocatableAllocate"], "I:PPNPPIP">;
def fortran_allocate_pointer
    : Expansion<"rg_fortran_allocate_pointer", ["_FortranAPointerAllocate"], "I:PNPPIP">;
def fortran_allocate_source
    : Expansion<"rg_fortran_allocate_source", ["_FortranAAllocatableAllocateSource"], "I:PPNPPI">;
def fortran_deallocate
    : Expansion<"rg_fortran_deallocate",
                ["_FortranAAllocatableDeallocate", "_FortranAPointerDeallocate"], "I:PNPPI">;
def fortran_begin_object
    : Expansion<"rg_fortran_begin_object", ["_FortranAAllocatableInitDerivedForAllocate"], "V:PPII">;
def fortran_begin_like : Expansion<"rg_fortran_begin_like", ["_FortranAAllocatableApplyMold"], "V:PPI">;
def fortran_deallocate_object
    : Expansion<"rg_fortran_deallocate_object", ["_FortranAAllocatableDeallocatePolymorphic"], "I:PPNPPI">;
def fortran_assign_object
    : Expansion<"rg_fortran_assign_object", ["_FortranAAssignPolymorphic"], "V:PPPI">;
let MovesOwner = 1 in
def fortran_move : Expansion<"rg_fortran_move", ["_FortranAMoveAlloc"], "I:PPPNPPI">;
def fortran_initialise
    : Expansion<"rg_fortran_initialise_all", ["_FortranAInitialize"], "V:PPI">;
def fortran_destroy : Expansion<"rg_fortran_destroy", ["_FortranADestroy", "_FortranADestroyWithoutFinalization"], "V:P">;
}

// A kind of number in names of flang's routines.
class FlangKind<string kind> {
  string Letter = !substr(kind, 0, 1);
  bit IsInteger = !eq(Letter, "i");
  bit IsComplex = !eq(Letter, "c");
  string Name = !cond(IsInteger: "Integer", IsComplex: "Complex", true: "Real") # !substr(kind, 1);
}

let Section = "Fortran: arrays" in {
def fortran_begin_constructor
    : Expansion<"rg_fortran_begin_constructor", ["_FortranAInitArrayConstructorVector"], "V:PPNPI">;
def fortran_push : Expansion<"rg_fortran_push", ["_FortranAPushArrayConstructorValue"], "V:PP">;
def fortran_push_scalar
    : Expansion<"rg_fortran_push_scalar", ["_FortranAPushArrayConstructorSimpleScalar"], "V:PP">;
def fortran_transpose : Expansion<"rg_fortran_transpose", ["_FortranATranspose"], "V:PPPI">;
def fortran_reshape : Expansion<"rg_fortran_reshape", ["_FortranAReshape"], "V:PPPPPPI">;
def fortran_spread : Expansion<"rg_fortran_spread", ["_FortranASpread"], "V:PPILPI">;
def fortran_cshift : Expansion<"rg_fortran_cshift", ["_FortranACshiftVector"], "V:PPLPI">;
def fortran_eoshift : Expansion<"rg_fortran_eoshift", ["_FortranAEoshiftVector"], "V:PPLPPI">;
def fortran_cshift_dim : Expansion<"rg_fortran_cshift_dim", ["_FortranACshift"], "V:PPPIPI">;
def fortran_eoshift_dim : Expansion<"rg_fortran_eoshift_dim", ["_FortranAEoshift"], "V:PPPPIPI">;
def fortran_pack : Expansion<"rg_fortran_pack", ["_FortranAPack"], "V:PPPPPI">;
def fortran_unpack : Expansion<"rg_fortran_unpack", ["_FortranAUnpack"], "V:PPPPPI">;
foreach kind = ["4", "8"] in {
  defvar number = !if(!eq(kind, "4"), "G", "D");
  def "fortran_dot_"#kind
      : Expansion<"rg_fortran_dot_r"#kind, ["_FortranADotProductReal"#kind], number#":PPPI">;
  def "fortran_norm2_"#kind
      : Expansion<"rg_fortran_norm2_r"#kind, ["_FortranANorm2_"#kind], number#":PPII">;
  foreach reduction = ["Sum", "Product", "Maxval", "Minval"] in
    def "fortran_"#!tolower(reduction)#"_"#kind
        : Expansion<"rg_fortran_"#!tolower(reduction)#"_r"#kind,
                    ["_FortranA"#reduction#"Real"#kind], number#":PPIIP">;
  def "fortran_sum_complex_"#kind
      : Expansion<"rg_fortran_sum_c"#kind, ["_FortranACppSumComplex"#kind], "V:PPPIIP">;
  def "fortran_product_complex_"#kind
      : Expansion<"rg_fortran_product_c"#kind, ["_FortranACppProductComplex"#kind], "V:PPPIIP">;
  def "fortran_reduce_"#kind
      : Expansion<"rg_fortran_reduce_r"#kind, ["_FortranAReduceReal"#kind#"Ref"], number#":PPPIIPPN">;
  def "fortran_reduce_values_"#kind
      : Expansion<"rg_fortran_reduce_values_r"#kind, ["_FortranAReduceReal"#kind#"Value"], number#":PPPIIPPN">;
  def "fortran_set_exponent_"#kind
      : Expansion<"rg_fortran_set_exponent_r"#kind, ["_FortranASetExponent"#kind], number#":"#number#"L">;
  def "fortran_dot_complex_"#kind
      : Expansion<"rg_fortran_dot_c"#kind, ["_FortranACppDotProductComplex"#kind], "V:PPPPI">;
}
foreach reduction = ["Sum", "Product", "Maxval", "Minval"] in
  def "fortran_"#!tolower(reduction)#"_dim"
      : Expansion<"rg_fortran_"#!tolower(reduction)#"_dim", ["_FortranA"#reduction#"Dim"], "V:PPIPIP">;
def fortran_norm2_dim : Expansion<"rg_fortran_norm2_dim", ["_FortranANorm2Dim"], "V:PPIPI">;
def fortran_transfer : Expansion<"rg_fortran_transfer", ["_FortranATransfer"], "V:PPPPI">;
// Pairs of kinds of which one is a number (int(8) with complex is not served). The runtime's routine is
// named by letter and kind.
foreach left = ["i4", "i8", "r4", "r8", "c4", "c8"] in
  foreach right = ["i4", "i8", "r4", "r8", "c4", "c8"] in {
    defvar L = FlangKind<left>;
    defvar R = FlangKind<right>;
    if !not(!or(!and(L.IsInteger, R.IsInteger), !and(!eq(left, "i8"), R.IsComplex),
                !and(!eq(right, "i8"), L.IsComplex))) then {
      def "fortran_matmul_"#left#"_"#right
          : Expansion<"rg_fortran_matmul_"#left#"_"#right, ["_FortranAMatmul"#L.Name#R.Name], "V:PPPPI">;
      def "fortran_matmul_transpose_"#left#"_"#right
          : Expansion<"rg_fortran_matmul_transpose_"#left#"_"#right,
                      ["_FortranAMatmulTranspose"#L.Name#R.Name], "V:PPPPI">;
    }
  }
def fortran_queries : InactiveInC<
    ["_FortranACount", "_FortranAAll", "_FortranAAny", "_FortranASize", "_FortranASizeDim",
     "_FortranALboundDim", "_FortranAIsContiguous", "_FortranAIsAssumedSize", "_FortranASumInteger*",
     "_FortranAMaxvalInteger*", "_FortranAMinvalInteger*", "_FortranAProductInteger*",
     "_FortranADotProductInteger*", "_FortranADotProductLogical",
     "_FortranAMaxloc*", "_FortranAMinloc*", "_FortranAFindloc*", "_FortranACountDim",
     "_FortranAAllDim", "_FortranAAnyDim",
     "_FortranAMatmulInteger4Integer4", "_FortranAMatmulInteger4Integer8",
     "_FortranAMatmulInteger8Integer4", "_FortranAMatmulInteger8Integer8",
     "_FortranAMatmulTransposeInteger4Integer4", "_FortranAMatmulTransposeInteger4Integer8",
     "_FortranAMatmulTransposeInteger8Integer4", "_FortranAMatmulTransposeInteger8Integer8",
     "_FortranAShape", "_FortranALbound", "_FortranAUbound"]> {
  let Summary = "integers and logicals out of arrays";
}
def fortran_questions_of_class
    : InactiveInC<["_FortranAClassIs", "_FortranASameTypeAs", "_FortranAExtendsTypeOf"]>;
}

let Section = "Fortran: characters" in {
def fortran_begin_characters
    : Expansion<"rg_fortran_begin_characters", ["_FortranAAllocatableInitCharacterForAllocate"], "V:PLIII">;
def fortran_trim : Expansion<"rg_fortran_trim", ["_FortranATrim"], "V:PPPI">;
def fortran_repeat : Expansion<"rg_fortran_repeat", ["_FortranARepeat"], "V:PPLPI">;
def fortran_adjustl : Expansion<"rg_fortran_adjustl", ["_FortranAAdjustl"], "V:PPPI">;
def fortran_adjustr : Expansion<"rg_fortran_adjustr", ["_FortranAAdjustr"], "V:PPPI">;
def fortran_places_in_characters
    : InactiveInC<["_FortranAIndex*", "_FortranAScan*", "_FortranAVerify*", "_FortranALenTrim*"]>;
}

let Section = "Fortran: numbers" in {
foreach kind = ["4", "8"] in {
  defvar number = !if(!eq(kind, "4"), "G", "D");
  def "fortran_mod_"#kind
      : Expansion<"rg_fortran_mod_r"#kind, ["_FortranAModReal"#kind], number#":"#number#number#"PI">;
  def "fortran_modulo_"#kind
      : Expansion<"rg_fortran_modulo_r"#kind, ["_FortranAModuloReal"#kind], number#":"#number#number#"PI">;
  def "fortran_scale_"#kind
      : Expansion<"rg_fortran_scale_r"#kind, ["_FortranAScale"#kind], number#":"#number#"L">;
  def "fortran_fraction_"#kind
      : Expansion<"rg_fortran_fraction_r"#kind, ["_FortranAFraction"#kind], number#":"#number>;
}
def fortran_powi_8 : Expansion<"rg_fortran_powi_c8", ["_FortranAzpowi"], "">;
def fortran_powi_4 : Expansion<"rg_fortran_powi_c4", ["_FortranAcpowi"], "">;
def fortran_steps : Inactive<
    ["_FortranASpacing*", "_FortranARRSpacing*", "_FortranAExponent*", "_FortranAIsFinite*",
     "_FortranAIsNaN*", "_FortranASelected*"]> {
  let Summary = "piecewise constant";
}
}

let Section = "Fortran: input and output, system" in {
def fortran_output : InactiveInC<
    ["_FortranAioBegin*", "_FortranAioOutput*", "_FortranAioEnd*", "_FortranAioSet*",
     "_FortranAioEnable*", "_FortranACharacterCompare*", "_FortranAF90*"]> {
  let Summary = "writing; what reads numbers is not here";
}
def fortran_system : InactiveInC<
    ["_FortranAStop*", "_FortranAErrorStop*", "_FortranAProgram*", "_FortranAReportFatal*",
     "_FortranAFailImage*", "_FortranAExit", "_FortranAAbort", "_FortranASystemClock*",
     "_FortranACpuTime", "_FortranADateAndTime", "_FortranARandomSeed*", "_FortranARandomInit",
     "_FortranAMapException*", "_FortranAfe*", "_FortranAGetEnv*", "_FortranACommandArgument*",
     "_FortranAPointerIsAssociated*", "_FortranAFlush", "_FortranAetime"]>;
}
