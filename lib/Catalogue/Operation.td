//===- Operation.td - the vocabulary a catalogue record may use -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation that Retrograd knows is one record: an LLVM instruction, an
// intrinsic, or a routine of a library with all its names. retrograd-tblgen
// turns the records into the tables behind Catalogue.h, the reference page
// docs/user/Rules.md, and one test per differentiable routine; it rejects
// incomplete records (see checkRecord in tools/retrograd-tblgen).
//
// A formula in one example:
//
//   // z = atanh(x);  dz/dx = 1 / (1 - x^2)
//   def atanh : Math1<(sz (div S, (mul (sub 1, A0), (add 1, A0))))>,
//               Domain<["-0.9:0.9"]>;
//
// A0, A1, ... are the primal operands, R the primal result, and S the seed: the
// tangent of the operand in forward mode, the adjoint of the result in reverse
// mode. A formula is linear in S, which is why one text serves both modes. It
// is computed in the floating-point type of the result (lane by lane over
// vectors); number constants are written as integers or, in quotes, as decimal
// fractions with as many digits as the widest type deserves.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Words of formulas
//===----------------------------------------------------------------------===//

class FormulaOp;   // an operator of a dag
class FormulaLeaf; // an operand of a dag besides constants

// Arithmetic in the type of the result.
def add : FormulaOp;
def sub : FormulaOp;
def mul : FormulaOp;
def div : FormulaOp;
def neg : FormulaOp;
// (id S): the seed itself, where a partial must be a dag.
def id : FormulaOp;
// (call "id", args...): the operation with that record id, in the same type.
def call : FormulaOp;
// (sel condition, then, else). Both arms are computed.
def sel : FormulaOp;
// Conditions: ordered floating-point comparisons, and "one of them is NaN".
def olt : FormulaOp;
def ogt : FormulaOp;
def ole : FormulaOp;
def oge : FormulaOp;
def oeq : FormulaOp;
def uno : FormulaOp;
// Condition on an integer operand: (ieq A1, 0).
def ieq : FormulaOp;
// (iadd A0, -1): integer operand plus constant, for the operands of calls.
def iadd : FormulaOp;
// (tofp A0): integer operand as the type of the result.
def tofp : FormulaOp;
// (sz e): strong zero. 0 where the seed is 0 and e is NaN; e elsewhere. For
// coefficients that are infinite or NaN at a point that programs do reach,
// sqrt at 0 say: an output that does not depend on the operand has a zero seed,
// and its derivative must be 0 and not 0*inf.
def sz : FormulaOp;

def S : FormulaLeaf;  // the seed
def R : FormulaLeaf;  // the primal result
def A0 : FormulaLeaf; // primal operands
def A1 : FormulaLeaf;
def A2 : FormulaLeaf;

// The operand has no influence on the result where that is differentiable
// (the second operand of copysign). Only as a whole partial.
def NoShare;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Prototypes are strings "result:operands" with one letter per value:
//   F  the floating-point type of the form: double for `sin`, float for `sinf`,
//      long double for `sinl`, anything for an intrinsic (vectors included)
//   D  double     G  float      X  long double, whatever that is
//   I  int (32 bits)    L  long (64 bits)     Z  size_t
//   N  any integer      P  pointer            V  void
//   ?  anything, one value                    *  anything from here on
// The empty string accepts every prototype.
class Operation {
  // One line for the reference page.
  string Summary = "";
  // Library names. A name that ends in '*' is a prefix.
  list<string> Names = [];
  // Intrinsics by base name, without the suffix for their types.
  list<string> Intrinsics = [];
  // An LLVM instruction by mnemonic.
  string Instruction = "";
  string Prototype = "";
  // The names above are the double form; the float and the long double form
  // have the same names with suffix f and l ("__x_finite" -> "__xf_finite").
  bit HasForms = 0;
  // Restricts intrinsics to one type when not empty: "float", "double",
  // "x86_fp80", "<2 x double>", ... (of their first operand).
  string OnlyType = "";
  // The runtime's own routine, or one of a library under a name that no program may
  // define: its body, where visible, changes nothing.
  bit OfRuntime = 0;
  // Threads wait for each other in it, or tell each other: it stays a call until
  // derivatives exist, even where it is always inlined.
  bit Waits = 0;
  // Reads memory that a number stands for, as a texture object does: nobody sees
  // which.
  bit ReadsByNumber = 0;
  // Handles characters, and nothing else: what it copies are no numbers, even if it
  // has a body. A member function's object begins with the pointer to its characters,
  // which it may have replaced.
  bit OfCharacters = 0;
  // The memory of one variable becomes another's, though the program's alias facts
  // (TBAA) tell their contents apart: facts that hold as long as this is a call.
  bit MovesOwner = 0;
  // Deallocations: memory of other allocations lies in the block and goes with it.
  bit ReleasesOthers = 0;
  // Deallocation: of a block of the C library's heap, which knows its size.
  bit OfHeap = 0;
  // Calls functions that it is given, and those may write whatever they see.
  bit CallsBack = 0;
  // Inactive: changes at most what its pointer operands point at themselves. The
  // others may change all that leads to (a string's object, its characters).
  bit OneStep = 0;
  // The result depends on the operands alone and nothing else happens, errno
  // apart: may be repeated, moved and dropped.
  bit Pure = 0;
  // Pure, and about as cheap as an arithmetic instruction.
  bit Cheap = 0;
  // The result is not rounded: what rounding errors pass through unchanged.
  bit Exact = 0;
  // May leave another rounding mode behind: what is rounded before and after need
  // not be rounded alike.
  bit SetsRounding = 0;
  // Of names of a library whose handles are boxes of ours: the runtime's routine that
  // gives what is in the box. In code that is not differentiated, pointers that are
  // handed to the function go through it.
  string Unbox = "";
  // The runtime's routine, with the same prototype, that code which derivatives call
  // and do not differentiate gets in place of this one where a team of ours runs it
  // (runtime/pool.c): what a library does not know of our threads.
  string InPool = "";
  // Section of the reference page.
  string Section = "";
}

// One dag per operand that has type F, in order; NoShare for none.
class Formula<list<dag> partials> : Operation {
  list<dag> Partials = partials;
  // Where the generated test samples: "lo:hi" per operand, integers included.
  list<string> Samples = [];
  // Bound on |derivative - reference| / max(1, |reference|) in the generated
  // double test. float and long double use bounds of their own beside it.
  string Tolerance = "1e-10";
  // What a C program calls the double form in the generated test; empty where C
  // has no name for it.
  string TestName = "";
  // The partials for people, where the formula hides the mathematics.
  list<string> Plain = [];
  // What happens where the function is not differentiable. For people.
  string Kink = "";
  let Pure = 1;
}

class Domain<list<string> samples> { list<string> Samples = samples; }
class Kink<string kink> { string Kink = kink; }
class Arithmetic { bit Cheap = 1; }
class Unrounded { bit Exact = 1; }
class Aliases<list<string> names> { list<string> Names = names; }
class Lowers<list<string> intrinsics> { list<string> Intrinsics = intrinsics; }

// Runs in the primal sweep only. Two promises: the result carries no
// derivative, and no active value is written through a pointer operand.
class Inactive<list<string> names, string prototype = ""> : Operation {
  let Names = names;
  let Prototype = prototype;
  // The runtime's routine that does the like to an object in a shadow, where the one
  // that the first operand points to begins or ends its life: given the shadow and, if
  // they may be one, the object.
  string Shadow = "";
  // "r": it writes no memory. "t": numbers that its pointer operands lead to become
  // text or bytes in other memory or in a file. "n": text or bytes become numbers in
  // memory that its pointer operands lead to.
  string Memory = "";
  // The operand that is a stream: an object of the library's, in which the program
  // keeps nothing. -1 for none.
  int StreamArg = -1;
}
// As C functions are: it knows no objects that hold pointers to more.
class InactiveInC<list<string> names, string prototype = "">
    : Inactive<names, prototype> {
  let OneStep = 1;
}

// Allocates: the size in bytes is the product of the operands SizeArgs.
class Allocation<list<string> names, string prototype, list<int> sizeArgs,
                 string deallocator> : Operation {
  let Names = names;
  let Prototype = prototype;
  list<int> SizeArgs = sizeArgs;
  string Deallocator = deallocator;
  bit ZeroFills = 0;
  // Somebody else frees the block, with all that lies in it: so the shadow lies
  // behind the primal in a block that is made large enough.
  bit ShadowBehind = 0;
  // A routine of the runtime that makes the shadow, cleared: of memory that the
  // host cannot write. It takes what the allocation takes, and the deallocator
  // frees what it makes.
  string Shadow = "";
}

class Deallocation<list<string> names, string prototype, int freedArg = 0>
    : Operation {
  let Names = names;
  let Prototype = prototype;
  int FreedArg = freedArg;
  // Takes the block alone and frees it, later, in place of this operation; the
  // operation itself where it takes nothing else.
  string Deallocator = "";
}

// Replaced by a routine of the runtime with the same prototype, before
// analysis; that routine's body is differentiated.
class Expansion<string routine, list<string> names, string prototype>
    : Operation {
  let Names = names;
  let Prototype = prototype;
  string Routine = routine;
  // The routine takes the call's place in all code of the module, that which is not
  // differentiated included: it notes what later calls cannot tell, the sizes behind a
  // handle say.
  bit Watched = 0;
  // What streams capture: the library, and a word per operand,
  //   h          the handle, which knows the stream
  //   D G H Z C  a number by address, on the host or on the device as the handle says:
  //              double, float, half, complex of doubles and of floats
  //   N@i,j      the same, of the type that operands i and j (both t) say
  //   r          a result by address, likewise
  //   t          a type of numbers: a constant, or graphs of derivatives have no such call
  //   d          a descriptor, which the program may change or destroy afterwards
  //   -          what it is given
  //   s          the stream. Such a routine is none of a library: instead of one stands
  //              which sort of node it is to CUDA, `copy`, `fill` or `call`, and each
  //              place that asks for it is told from all others
  //   b160       memory of 160 bytes that is read at once
  // "cublas h - D - - - -". Of a library the runtime has rg_<library>_stream(handle), _graph_enter,
  // _graph_leave and, as far as the words need them, _on_host, _number_bytes, _captured.
  string Graph = "";
}

// The same, of a library whose loops run in teams of ours in derivatives.
class PoolExpansion<string routine, list<string> names, string prototype>
    : Expansion<routine, names, prototype> {
  let InPool = routine;
}

// Derivatives are functions of the runtime (runtime/*.c), an empty string where
// there is none; see docs/CustomRules.md for what they take and return. Memory
// says per operand, separated by spaces, what lies behind it: "-" for a number,
// "n" for a pointer to nothing that can be active (a flag, an integer, a name),
// and for a pointer to numbers
//   r  read    w  written (and not read)    m  modified (read and written)
// followed by the letter of their type, D, G, H (half) or Y (bfloat16): "n n rD rD mD n". Operands that
// stand under the prototype's * are not handed to the rule. Of messages (MPI.td) also
//   r@2, w@2, m@2   numbers or not, as the datatype in operand 2 says
//   rK, mK          a packed buffer
//   i               read and written, and nothing that can be active
class Rule<string augment, string reverse, string forward, list<string> names,
           string prototype, string memory> : Operation {
  let Names = names;
  let Prototype = prototype;
  string Augment = augment;
  string Reverse = reverse;
  string Forward = forward;
  string Memory = memory;
  // Other processes take part: it has a reverse whatever is active here, what it
  // writes may be active, and what it reads may be wanted. One function for the
  // primal sweep and for forward mode, which is given shadows (runtime/messages.h).
  bit Communicates = 0;
  // "device": the memory is a device's. "devices": likewise, and others take part, each by
  // a call of its own: all of these have a derivative, whatever is active. "standing": what it makes is for other calls,
  // which have to know it whatever it moves.
  string Text = "";
}

// A datatype of MPI with a name: the letter of its numbers (D, G), I for integers, B
// for bytes that may be anything. Open MPI has global variables (and numbers in
// Fortran), MPICH numbers.
class MessageType<string letter, list<string> globals, list<int> numbers> {
  string Letter = letter;
  list<string> Globals = globals;
  list<int> Numbers = numbers;
}

// A function template of a library that does work of the program's in parallel, somewhere
// below; in primals a substitute does the same work (Guard/Methods.h). Function
// templates of a scope that are called Base.
class ParallelMethod<string kind, string scope, string base> {
  // How the method is given its work; see ParallelMethods.h.
  string Kind = kind;
  string Scope = scope;
  string Base = base;
  // Loop, Reduction: the member function that runs the body on a piece of the range.
  string RunBody = "";
  // What the range can be asked, and how one part of a body takes over what another
  // has found.
  string IsEmpty = "";
  string IsDivisible = "";
  string Join = "";
  // Scan: a body takes over what another has found, at the end.
  string Assign = "";
  // The end of the type by which the constructors that split a range or a body are known.
  string SplitTag = "";
  // Scan: the same of the calls of a body that add up a piece, and that write it.
  string AddTag = "";
  string WriteTag = "";
  // The partitioner that splits as far as ranges can be split; others may stop earlier.
  string SplitsAll = "";
  // Policies: the class template of those that are understood, its members that tell the
  // bounds, and the member of a reducer that begins a value.
  string Policy = "";
  string First = "";
  string Last = "";
  string Init = "";
  // The class template whose objects call the body for a tile, or that the body is told
  // of its team by.
  string Walk = "";
  // The argument of a policy by which its loops run on one thread, in order.
  string OneThread = "";
}

// Routines that write numbers of a text or of a file into memory
// (Primal/ReadNumbers.cpp). Kind: of ReadingKind in ReadingRoutines.h. At: the operand
// that is the format, or the address of what is read.
class ReadingRoutine<string kind, list<string> names, int at, string operation> {
  string Kind = kind;
  list<string> Names = names;
  int At = at;
  // Block: the operand that says how many bytes an element has, -1 for one; the
  // library's routine that says, of operand 0, how many were read, "" where the result
  // does.
  int Size = -1;
  string Counter = "";
  // Value: the letter of the number's type, N for an integer.
  string Letter = "";
  // What is left of the call is the operation with this id.
  string Operation = operation;
}

// Inline assembly that is an intrinsic: its text, its constraints without the
// clobbers, the intrinsic (one form per type of the result), and which operand
// of the assembly is which operand of the intrinsic. Replaced before analysis.
class AssemblyForm<string text, string constraints, list<string> intrinsics,
                   list<int> operands> {
  string Text = text;
  string Constraints = constraints;
  list<string> Intrinsics = intrinsics;
  list<int> Operands = operands;
}

// Needs code of its own: the name of a HandlerKind in Catalogue.h.
class Handler<string kind> : Operation {
  string Kind = kind;
  // What the handler has to know besides; see OperationRecord.
  string Text = "";
}
