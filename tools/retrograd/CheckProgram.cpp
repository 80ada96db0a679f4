//===- CheckProgram.cpp - the program that a check compiles and runs ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three parts make the program. The first is written for the signature:
// variables that hold the arguments, and the three calls (primal, reverse,
// forward). The second is a table of every number in every argument, with the
// address of its value and of its shadow. The third, the same in all programs,
// walks the table.
//
// What is differentiated is one number, phi = result + sum of weight * output,
// over the result and all that f may write through pointers. Reverse mode gets
// its gradient in one call when the shadows start as the weights; forward mode
// and the differences get it one input at a time.
//
// A derivative is linear in its seed and its tangent, so one seed and one
// tangent show little: a rule that forgets its seed, or squares its tangent,
// agrees with differences at 1. Hence each input has a tangent of its own that
// is not 1, and there are two more runs: forward mode along a random direction
// of all inputs, and reverse mode with shadows that hold something before.
// These two also return the primal's result, and what they return and leave in
// memory must be what the function itself does: a rule runs the user's code
// instead of the function.
//
// Every array has slack behind it. A function that writes there, or whose phi
// depends on what is there, was given the wrong length: this is said, instead
// of comparing derivatives of what lay behind the array.
//
//===----------------------------------------------------------------------===//

#include "CheckProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <optional>

using namespace llvm;
using namespace retrograd;

int64_t retrograd::integerValue(const Parameter &P, const CheckSettings &S) {
  auto I = S.Integers.find(P.Name);
  return I == S.Integers.end() ? 4 : I->second;
}

/// The length a user gave, or 1 for references and lone structs, or the value
/// of the next integer parameter (`const double *x, int n`), or 4.
uint64_t retrograd::lengthOf(const Signature &F, size_t Index,
                             const CheckSettings &S) {
  const Parameter &P = F.Parameters[Index];
  if (auto I = S.Lengths.find(P.Name); I != S.Lengths.end())
    return I->second;
  if (P.How == Passing::Reference)
    return 1;
  for (size_t J = Index + 1; J < F.Parameters.size(); ++J)
    if (F.Parameters[J].isIntegerValue())
      return uint64_t(std::max<int64_t>(1, integerValue(F.Parameters[J], S)));
  return P.Leaves.size() == 1 ? 4 : 1;
}

namespace {

const char *RuntimeText = R"text(
enum { RgFloat, RgDouble, RgLongDouble };
struct RgNumber {
  const char *name;
  int kind;
  int active, output;
  int returned; /* its adjoint is returned, not added to a shadow */
  char *value, *shadow;
  long double start, weight, reverse;
  long double tangent, before; /* in a direction; in the shadow when it is added to */
  long double after;           /* what the function leaves */
  double low, high;
};
struct RgBlock { char *at, *copy; size_t bytes, used; };
static struct RgNumber rg_numbers[RG_NUMBERS + 1];
static struct RgBlock rg_blocks[RG_BLOCKS + 1];
static int rg_count, rg_block_count, rg_slack_value;
static FILE *rg_out;
static unsigned long long rg_state, rg_tangent_state;

static double rg_draw(unsigned long long *state, double low, double high) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}
static double rg_random(double low, double high) { return rg_draw(&rg_state, low, high); }
/* Not 1, and a power of two: what is linear in it is the same to the last bit. */
static float rg_random_tangent(void) {
  static const float sizes[4] = {0.25f, 0.5f, 2, 4};
  float t = sizes[(int)rg_draw(&rg_tangent_state, 0, 4)];
  return rg_draw(&rg_tangent_state, 0, 1) < 0.5 ? -t : t;
}
static long double rg_get(const char *p, int kind) {
  float f;
  double d;
  long double l;
  if (kind == RgFloat)
    return memcpy(&f, p, sizeof f), (long double)f;
  if (kind == RgDouble)
    return memcpy(&d, p, sizeof d), (long double)d;
  return memcpy(&l, p, sizeof l), l;
}
static void rg_set(char *p, int kind, long double v) {
  float f = (float)v;
  double d = (double)v;
  memcpy(p, kind == RgFloat ? (void *)&f : kind == RgDouble ? (void *)&d : (void *)&v,
         kind == RgFloat ? sizeof f : kind == RgDouble ? sizeof d : sizeof v);
}
static void rg_number(const char *name, int kind, char *value, char *shadow, int active,
                      int output, int returned, double low, double high) {
  struct RgNumber *n = &rg_numbers[rg_count++];
  n->name = name;
  n->kind = kind;
  n->value = value;
  n->shadow = shadow;
  n->active = active;
  n->output = output;
  n->returned = returned;
  n->low = low;
  n->high = high;
}
static void rg_block(void *at, size_t used, size_t bytes) {
  struct RgBlock *b = &rg_blocks[rg_block_count++];
  b->at = (char *)at;
  b->used = used;
  b->bytes = bytes;
  b->copy = (char *)malloc(bytes + 1);
  memcpy(b->copy, at, bytes);
}
/* All arguments as they were at the start of the point. */
static void rg_reset(void) {
  for (int i = 0; i < rg_block_count; ++i) {
    memcpy(rg_blocks[i].at, rg_blocks[i].copy, rg_blocks[i].bytes);
    memset(rg_blocks[i].at + rg_blocks[i].used, rg_slack_value,
           rg_blocks[i].bytes - rg_blocks[i].used);
  }
  for (int i = 0; i < rg_count; ++i)
    rg_set(rg_numbers[i].value, rg_numbers[i].kind, rg_numbers[i].start);
}
/* Atomic additions of many threads come in any order. */
static int rg_same(long double a, long double b) {
#ifdef RG_ANY_ORDER
  long double d = a < b ? b - a : a - b, size = a < 0 ? -a : a;
  return d <= (RG_FLOAT_RESULT ? 1e-4L : 1e-10L) * (1 + size);
#else
  return memcmp(&a, &b, 10) == 0;
#endif
}
static int rg_slack_written(void) {
  for (int i = 0; i < rg_block_count; ++i)
    for (size_t k = rg_blocks[i].used; k < rg_blocks[i].bytes; ++k)
      if (rg_blocks[i].at[k] != (char)rg_slack_value)
        return 1;
  return 0;
}
static long double rg_phi(void) {
  rg_reset();
  long double phi = rg_primal();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output)
      phi += rg_numbers[i].weight * rg_get(rg_numbers[i].value, rg_numbers[i].kind);
  return phi;
}
static int rg_finite(long double v) {
  double d = (double)v;
  unsigned long long bits;
  memcpy(&bits, &d, sizeof d);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}
/* By n, or along the direction of all tangents if that is null. */
static void rg_move(struct RgNumber *n, long double h) {
  if (n)
    n->start += h;
  for (int i = 0; !n && i < rg_count; ++i)
    if (rg_numbers[i].active)
      rg_numbers[i].start += h * rg_numbers[i].tangent;
}
/* bend: how far the slopes to both sides are apart. It goes with h, except at a kink. */
static long double rg_difference(struct RgNumber *n, long double h, long double *bend) {
  static long double at[RG_NUMBERS + 1];
  long double f[4];
  const int step[4] = {1, -1, 2, -2};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < rg_count; ++k)
      at[k] = rg_numbers[k].start;
    rg_move(n, step[i] * h);
    f[i] = rg_phi();
    for (int k = 0; k < rg_count; ++k)
      rg_numbers[k].start = at[k];
  }
  *bend = (f[0] - 2 * rg_phi() + f[1]) / h;
  return (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h);
}
static long double rg_absolute(long double v) { return v < 0 ? -v : v; }

/* The step is a power of two, so that x + h is exact where it can be. */
static long double rg_step(const struct RgNumber *n) {
  long double h = n->kind == RgFloat || RG_FLOAT_RESULT ? 0x1p-5L : 0x1p-10L, size = 1;
  while (size < rg_absolute(n->start))
    size *= 2;
  while (size > rg_absolute(n->start) * 2 && size > 0x1p-3L)
    size /= 2;
  return h * size;
}

#ifdef RG_TRACE
/* Which operation decided what, in the order of execution: of the point itself (run 0)
 * and of a step away from it (run 1). */
enum { RG_DECISIONS = 1 << 20 };
static struct RgDecision { int operation; long long outcome; } rg_decisions[2][RG_DECISIONS];
static int rg_decided[2], rg_run = -1;
#ifdef __cplusplus
extern "C"
#endif
__attribute__((used)) void rg_decide(int operation, long long outcome) {
  if (rg_run < 0 || rg_decided[rg_run] == RG_DECISIONS)
    return;
  struct RgDecision *d = &rg_decisions[rg_run][rg_decided[rg_run]++];
  d->operation = operation;
  d->outcome = outcome;
}
static void rg_decide_all(int run) {
  rg_run = run;
  rg_decided[run] = 0;
  rg_phi();
  rg_run = -1;
}
/* Names the first decision that a step of a number changes. */
static int rg_trace(void) {
  int first = RG_DECISIONS;
  const char *name = NULL;
  if (!rg_finite(rg_phi())) /* asked, so that sanitizers see what is never written */
    return 1;
  rg_decide_all(0);
  for (int i = 0; i < rg_count; ++i)
    for (int where = 0; rg_numbers[i].active && where < 6; ++where) {
      /* Where differences are taken. */
      static const double sides[6] = {-2, 2, -1, 1, -0.5, 0.5};
      struct RgNumber *n = &rg_numbers[i];
      long double at = n->start;
      n->start = at + sides[where] * rg_step(n);
      rg_decide_all(1);
      n->start = at;
      int k = 0;
      while (k < rg_decided[0] && k < rg_decided[1] &&
             rg_decisions[0][k].operation == rg_decisions[1][k].operation &&
             rg_decisions[0][k].outcome == rg_decisions[1][k].outcome)
        ++k;
      if (k < first && k < rg_decided[0]) {
        first = k;
        name = n->name;
      }
    }
  if (!name)
    return 0;
  int time = 0;
  for (int k = 0; k <= first; ++k)
    time += rg_decisions[0][k].operation == rg_decisions[0][first].operation;
  fprintf(rg_out, "decision %d %d %s\n", rg_decisions[0][first].operation, time, name);
  return 1;
}
#endif

static void rg_row(int point, const char *name, int isFloat, long double reverse, long double forward,
                   struct RgNumber *n, long double h, long double scale) {
  long double bend, bent, coarse = rg_difference(n, h, &bend), fine = rg_difference(n, h / 2, &bent);
  long double spread = rg_absolute(fine - coarse), kink = rg_absolute(2 * bent - bend);
  /* Where the slope is steep beside a bend, the bend goes with h, up to its third power. */
  if (!(kink <= 1e-3L * (rg_absolute(fine) + rg_absolute(reverse))))
    spread += kink;
  fprintf(rg_out, "row %d %s %s %.17Lg %.17Lg %.17Lg %.3Lg %.3Lg\n", point, name,
          isFloat ? "float" : "double", reverse, forward, fine, spread, scale);
}

/* Says what a derivative returned, or left in memory, that is not what the function does. */
static void rg_compare_values(int point, const char *mode, long double value, long double want) {
  long double largest = rg_absolute(want);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output && largest < rg_absolute(rg_numbers[i].after))
      largest = rg_absolute(rg_numbers[i].after);
  for (int i = -1; i < rg_count; ++i) {
    int isFloat = i < 0 ? RG_FLOAT_RESULT : rg_numbers[i].kind == RgFloat || RG_FLOAT_RESULT;
    if (i >= 0 && !rg_numbers[i].output)
      continue;
    long double is = i < 0 ? value : rg_get(rg_numbers[i].value, rg_numbers[i].kind);
    long double should = i < 0 ? want : rg_numbers[i].after;
    long double size = rg_absolute(should) + 1e-3L * largest + 1e-12L;
    if (!(rg_absolute(is - should) <= (isFloat ? 1e-4L : 1e-8L) * size))
      fprintf(rg_out, "value %d %s %s %.17Lg %.17Lg\n", point, mode, i < 0 ? "result" : rg_numbers[i].name,
              is, should);
  }
}

static int rg_point(int point) {
  for (int i = 0; i < rg_count; ++i) {
    struct RgNumber *n = &rg_numbers[i];
    n->start = rg_random(n->low, n->high);
    if (n->kind == RgFloat)
      n->start = (float)n->start;
    n->weight = n->output ? rg_random(-1, 1) : 0;
    if (!n->active) /* no derivative is asked for, of it or by it */
      n->weight = 0;
    if (n->kind == RgFloat)
      n->weight = (float)n->weight;
  }
  rg_slack_value = 0;
#ifdef RG_TRACE
  return rg_trace();
#endif
  long double first = rg_phi();
  int written = rg_slack_written();
  long double second = rg_phi();
  rg_slack_value = 0x3f;
  long double third = rg_phi();
  written |= rg_slack_written();
  rg_slack_value = 0;
  if (written)
    return fprintf(rg_out, "note bounds writes\n"), 1;
  if (!rg_finite(first))
    return fprintf(rg_out, "note finite %d\n", point), 1;
  if (!rg_same(first, second))
    return fprintf(rg_out, "note repeat\n"), 1;
  if (!rg_same(first, third))
    return fprintf(rg_out, "note bounds reads\n"), 1;

  rg_reset();
  long double value = rg_primal();
  for (int i = 0; i < rg_count; ++i) {
    struct RgNumber *n = &rg_numbers[i];
    n->after = rg_get(n->value, n->kind);
    n->tangent = n->active ? rg_random_tangent() : 0;
    n->before = n->output ? n->weight : rg_random_tangent();
  }

  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].weight);
  rg_reverse();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active)
      rg_numbers[i].reverse = rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);

  /* Once more, with shadows of inputs that hold something before: it is added to. */
  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].before);
  long double again = rg_reverse_value();
  rg_compare_values(point, "reverse", again, value);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active) {
      struct RgNumber *n = &rg_numbers[i];
      long double added = rg_get(n->shadow, n->kind) - (n->output || n->returned ? 0 : n->before);
      long double size = rg_absolute(n->reverse) + rg_absolute(n->before);
      if (!(rg_absolute(added - n->reverse) <=
            (n->kind == RgFloat || RG_FLOAT_RESULT ? 1e-4L : 1e-8L) * size))
        n->reverse = added;
    }

  for (int k = 0; k < rg_count; ++k) {
    struct RgNumber *n = &rg_numbers[k];
    if (!n->active)
      continue;
    rg_reset();
    for (int i = 0; i < rg_count; ++i)
      if (rg_numbers[i].shadow)
        rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, i == k ? n->tangent : 0);
    long double forward = rg_forward();
    for (int i = 0; i < rg_count; ++i)
      if (rg_numbers[i].output && rg_numbers[i].shadow)
        forward += rg_numbers[i].weight * rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);
    long double h = rg_step(n);
    rg_row(point, n->name, n->kind == RgFloat || RG_FLOAT_RESULT, n->reverse, forward / n->tangent, n, h, 0);
  }

  /* All inputs at once. */
  long double reverse = 0, scale = 0, h = 1;
  int isFloat = RG_FLOAT_RESULT;
  rg_reset();
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].active) {
      struct RgNumber *n = &rg_numbers[i];
      reverse += n->reverse * n->tangent;
      scale += rg_absolute(n->reverse * n->tangent);
      isFloat |= n->kind == RgFloat;
      if (h > rg_step(n))
        h = rg_step(n);
    }
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].shadow)
      rg_set(rg_numbers[i].shadow, rg_numbers[i].kind, rg_numbers[i].tangent);
  long double forward = rg_forward_value(&again);
  rg_compare_values(point, "forward", again, value);
  for (int i = 0; i < rg_count; ++i)
    if (rg_numbers[i].output && rg_numbers[i].shadow)
      forward += rg_numbers[i].weight * rg_get(rg_numbers[i].shadow, rg_numbers[i].kind);
  rg_row(point, "(direction)", isFloat, reverse, forward, NULL, h, scale);
  return 0;
}

int main(int argc, char **argv) {
  rg_out = argc > 1 ? fopen(argv[1], "w") : stdout;
  if (!rg_out)
    return 1;
  rg_arguments();
  rg_state = RG_SEED;
  rg_tangent_state = ~RG_SEED;
  for (int i = 0; i < 8; ++i) {
    rg_random(0, 1);
    rg_random_tangent();
  }
  for (int point = 1; point <= RG_POINTS; ++point)
    if (rg_point(point))
      break;
  fprintf(rg_out, "end\n");
  return fclose(rg_out) != 0;
}
)text";

/// What the program says about one parameter, in the pieces that calls need.
class ParameterText {
public:
  ParameterText(const Parameter &P, size_t Index)
      : P(P), Name("rg_" + std::to_string(Index)) {}

  std::string value() const { return Name; }
  std::string shadow() const { return Name + "_shadow"; }
  /// The type that a variable, or a parameter of an entry call, has.
  std::string variable() const {
    switch (P.How) {
    case Passing::Value:
      return P.Element;
    case Passing::Pointer:
    case Passing::Reference:
      return "rg_type_" + Name.substr(3) + " *";
    case Passing::Vector:
      return "std::vector<" + P.Element + "> *";
    case Passing::Span:
    case Passing::Eigen:
      break;
    }
    llvm_unreachable("Reader::Check admits no other way of passing");
  }
  /// As an argument of a plain call of f.
  std::string argument() const {
    switch (P.How) {
    case Passing::Value:
      return Name;
    case Passing::Pointer:
      return Name;
    case Passing::Reference:
      return P.Spelling.find("&&") == std::string::npos
                 ? "*" + Name
                 : "static_cast<" + P.Spelling + ">(*" + Name + ")";
    case Passing::Vector:
      return P.ByPointer ? Name : "*" + Name;
    case Passing::Span:
    case Passing::Eigen:
      break;
    }
    llvm_unreachable("Reader::Check admits no other way of passing");
  }
  std::string data(bool Shadow) const {
    std::string V = Shadow ? shadow() : value();
    if (P.How == Passing::Value)
      return "(char *)&" + V;
    return P.How == Passing::Vector ? "(char *)" + V + "->data()"
                                    : "(char *)" + V;
  }

private:
  const Parameter &P;
  std::string Name;
};

bool isActive(const Parameter &P, const CheckSettings &S) {
  return P.isFloating() && !S.Constants.count(P.Name);
}

void emitHead(raw_ostream &OS, const std::string &File) {
  OS << "#define main rg_main_of_the_user\n#include \"" << File
     << "\"\n#undef main\n"
     << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
}

/// Declares the entry call `Entry` with exact types, so that no argument is
/// promoted on its way, and returns the text of a call of it.
std::string emitEntry(raw_ostream &OS, const Signature &F,
                      const CheckSettings &S, StringRef Entry, bool Reverse,
                      StringRef Result, bool Primal = false) {
  OS << (F.OnDevice ? "__device__ " : "") << Result << " " << Entry << "(void *"
     << (Primal ? ", int" : "");
  std::string Scope = F.CPlusPlus && !F.OnDevice ? "rg_markers::" : "";
  std::string Call = (Entry + "((void *)(" + F.PointerType + ")" + F.Name +
                      (Primal ? ", " + Scope + "enzyme_primal_return" : ""))
                         .str();
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    bool Active = isActive(P, S);
    bool Shadow = Active && (P.How != Passing::Value || !Reverse);
    StringRef Marker = !Active  ? "enzyme_const"
                       : Shadow ? "enzyme_dup"
                                : "enzyme_out";
    OS << ", int, " << T.variable() << (Shadow ? ", " + T.variable() : "");
    Call += (", " + Scope + Marker + ", " + T.value()).str();
    if (Shadow)
      Call += ", " + T.shadow();
  }
  OS << ");\n";
  return Call + ")";
}

/// The struct of adjoints that reverse mode returns, by the rule of the entry
/// calls: nothing for none, the number itself for one.
std::string emitAdjointType(raw_ostream &OS, const Signature &F,
                            const CheckSettings &S,
                            std::vector<size_t> &Scalars) {
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    if (isActive(F.Parameters[I], S) && F.Parameters[I].How == Passing::Value)
      Scalars.push_back(I);
  if (Scalars.empty())
    return "void";
  if (Scalars.size() == 1)
    return F.Parameters[Scalars[0]].Element;
  OS << "struct rg_adjoints {";
  for (size_t I : Scalars)
    OS << " " << F.Parameters[I].Element << " a" << I << ";";
  OS << " };\n";
  return "struct rg_adjoints";
}

/// Replaces F by a sum of two calls of it with different weights. A rule that
/// forgets its seed, or that overwrites a shadow instead of adding to it,
/// agrees with differences of F alone, whose seed is 1 and whose shadows start
/// as zero.
void emitTwice(raw_ostream &OS, Signature &F) {
  if (F.Result == "void")
    return;
  std::string Declared, Passed;
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    StringRef Type = F.Parameters[I].Spelling;
    if (Type.contains('[') || Type.contains('(') || Type.contains("&&"))
      return;
    std::string Name = "rg_argument" + std::to_string(I);
    Declared += (I ? ", " : "") + Type.str() + " " + Name;
    Passed += (I ? ", " : "") + Name;
  }
  std::string Call = "((" + F.PointerType + ")" + F.Name + ")(" + Passed + ")";
  OS << (F.OnDevice ? "__device__ " : "") << "static " << F.Result
     << " rg_twice(" << Declared << ") {\n  " << F.Result
     << " rg_first = " << Call << ";\n  return 0.75f * rg_first + 1.5f * "
     << Call << ";\n}\n";
  F.Name = "rg_twice";
}

const char *WithoutDerivatives =
    "#define RG_TRACE\nstatic void rg_reverse(void) {}\n"
    "static long double rg_forward(void) { return 0; }\n"
    "static long double rg_reverse_value(void) { return 0; }\n"
    "static long double rg_forward_value(long double *value) { return *value = "
    "0; }\n";

/// The calls of derivatives: their texts, and the types that they return.
struct Entries {
  std::vector<size_t> Scalars; ///< parameters whose adjoints are returned
  std::string Adjoints, Reverse, Forward; ///< Adjoints: what Reverse returns
  std::string ReverseValue,
      ForwardValue; ///< with the primal's result, in a struct before the others
};

Entries emitEntries(raw_ostream &OS, const Signature &F,
                    const CheckSettings &S) {
  Entries E;
  E.Adjoints = emitAdjointType(OS, F, S, E.Scalars);
  E.Reverse = emitEntry(OS, F, S, "__enzyme_autodiff_check", true, E.Adjoints);
  E.Forward = emitEntry(OS, F, S, "__enzyme_fwddiff_check", false, F.Result);
  if (F.Result == "void") {
    E.ReverseValue = E.Reverse, E.ForwardValue = E.Forward;
    return E;
  }
  OS << "struct rg_reverse_values { " << F.Result << " value;";
  for (size_t I : E.Scalars)
    OS << " " << F.Parameters[I].Element << " a" << I << ";";
  OS << " };\nstruct rg_forward_values { " << F.Result
     << " value, tangent; };\n";
  E.ReverseValue = emitEntry(
      OS, F, S, "__enzyme_autodiff_value", true,
      E.Scalars.empty() ? F.Result : "struct rg_reverse_values", true);
  E.ForwardValue = emitEntry(OS, F, S, "__enzyme_fwddiff_value", false,
                             "struct rg_forward_values", true);
  return E;
}

/// The function, and its derivatives unless only decisions are traced.
void emitHostCalls(raw_ostream &OS, const Signature &F, const CheckSettings &S,
                   const Entries &E) {
  bool Returns = F.Result != "void";
  OS << "static long double rg_primal(void) {\n  "
     << (Returns ? "return (long double)" : "") << "((" << F.PointerType << ")"
     << F.Name << ")(";
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    OS << (I ? ", " : "") << ParameterText(F.Parameters[I], I).argument();
  OS << ");\n" << (Returns ? "" : "  return 0;\n") << "}\n";

  if (S.Trace) {
    OS << WithoutDerivatives;
    return;
  }
  auto Shadow = [&](size_t I) {
    return ParameterText(F.Parameters[I], I).shadow();
  };
  OS << "static void rg_reverse(void) {\n  ";
  if (E.Scalars.size() == 1)
    OS << Shadow(E.Scalars[0]) << " = ";
  else if (E.Scalars.size() > 1)
    OS << E.Adjoints << " r = ";
  OS << E.Reverse << ";\n";
  for (size_t I : E.Scalars)
    if (E.Scalars.size() > 1)
      OS << "  " << Shadow(I) << " = r.a" << I << ";\n";
  OS << "}\nstatic long double rg_forward(void) {\n  "
     << (Returns ? "return (long double)" : "") << E.Forward << ";\n"
     << (Returns ? "" : "  return 0;\n")
     << "}\nstatic long double rg_reverse_value(void) {\n";
  if (!Returns)
    OS << "  rg_reverse();\n  return 0;\n";
  else if (E.Scalars.empty())
    OS << "  return (long double)" << E.ReverseValue << ";\n";
  else {
    OS << "  struct rg_reverse_values r = " << E.ReverseValue << ";\n";
    for (size_t I : E.Scalars)
      OS << "  " << Shadow(I) << " = r.a" << I << ";\n";
    OS << "  return (long double)r.value;\n";
  }
  OS << "}\nstatic long double rg_forward_value(long double *value) {\n";
  if (Returns)
    OS << "  struct rg_forward_values r = " << E.ForwardValue
       << ";\n  *value = (long double)r.value;\n"
          "  return (long double)r.tangent;\n}\n";
  else
    OS << "  *value = 0;\n  return rg_forward();\n}\n";
}

/// The same for a __device__ function: kernels call it, or its derivative, in
/// all threads of the launch. The results of the threads are added up by the
/// host; so are their adjoints of numbers by value. All memory is managed, so
/// the host's part of the program need not know where it is.
void emitKernels(raw_ostream &OS, const Signature &F, const CheckSettings &S,
                 const Entries &E) {
  ArrayRef<size_t> Scalars = E.Scalars;
  uint64_t Threads = uint64_t(S.Grid) * S.Block;
  OS << "#define RG_ANY_ORDER\nenum { RG_THREADS = " << Threads << " };\n"
     << "static void rg_must(cudaError_t e) {\n  if (e == cudaSuccess)\n    "
        "return;\n"
        "  fprintf(stderr, \"retrograd: CUDA: %s\\n\", "
        "cudaGetErrorString(e));\n  exit(3);\n}\n"
        "static void *rg_device_calloc(size_t n, size_t bytes) {\n  void *p;\n"
        "  rg_must(cudaMallocManaged(&p, n * bytes));\n  memset(p, 0, n * "
        "bytes);\n  return p;\n}\n"
        "static double *rg_results(void) {\n  static double *p;\n  if (!p)\n"
        "    p = (double *)rg_device_calloc(RG_THREADS * "
     << std::max<size_t>(1, Scalars.size()) + 1
     << ", sizeof(double));\n  return p;\n}\n"
     << "static double rg_sum(int k) {\n  double s = 0;\n  for (int i = 0; i < "
        "RG_THREADS; ++i)\n"
        "    s += rg_results()[k * RG_THREADS + i];\n  return s;\n}\n";
  auto Kernel = [&](StringRef Name, bool ReverseShadows, bool Shadows,
                    const std::string &Body) {
    std::string Declared, Passed;
    for (size_t I = 0; I < F.Parameters.size(); ++I) {
      ParameterText T(F.Parameters[I], I);
      Declared += T.variable() + " " + T.value() + ", ";
      Passed += T.value() + ", ";
      if (Shadows && isActive(F.Parameters[I], S) &&
          (F.Parameters[I].How != Passing::Value || !ReverseShadows)) {
        Declared += T.variable() + " " + T.shadow() + ", ";
        Passed += T.shadow() + ", ";
      }
    }
    OS << "static __global__ void rg_kernel_" << Name << "(" << Declared
       << "double *rg_into) {\n"
       << "  int rg_me = blockIdx.x * blockDim.x + threadIdx.x;\n  "
          "(void)rg_me;\n  "
       << Body << "}\n"
       << "static void rg_launch_" << Name << "(void) {\n  rg_kernel_" << Name
       << "<<<" << S.Grid << ", " << S.Block << ">>>(" << Passed
       << "rg_results());\n  rg_must(cudaGetLastError());\n"
       << "  rg_must(cudaDeviceSynchronize());\n}\n";
  };
  bool Returns = F.Result != "void";
  std::string Plain = "((" + F.PointerType + ")" + F.Name + ")(";
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    Plain += (I ? ", " : "") + ParameterText(F.Parameters[I], I).argument();
  Kernel("primal", true, false,
         (Returns ? "rg_into[rg_me] = " : "") + Plain + ");\n");
  std::string Sum = Returns ? "rg_sum(0)" : "0";
  OS << "static long double rg_primal(void) {\n  rg_launch_primal();\n  return "
     << Sum << ";\n}\n";
  if (S.Trace) {
    OS << WithoutDerivatives;
    return;
  }
  auto Returned = [&](bool Value) { // in the places of rg_into
    std::string Text;
    for (size_t K = 0; K < Scalars.size(); ++K)
      Text += "  rg_into[" + std::to_string(K) +
              " * RG_THREADS + rg_me] = rg_r" +
              (Value || Scalars.size() > 1 ? ".a" + std::to_string(Scalars[K])
                                           : std::string()) +
              ";\n";
    return Text;
  };
  auto SumUp = [&] {
    for (size_t K = 0; K < Scalars.size(); ++K)
      OS << "  " << ParameterText(F.Parameters[Scalars[K]], Scalars[K]).shadow()
         << " = rg_sum(" << K << ");\n";
  };
  Kernel("reverse", true, true,
         (Scalars.empty() ? "" : E.Adjoints + " rg_r = ") + E.Reverse + ";\n" +
             Returned(false));
  OS << "static void rg_reverse(void) {\n  rg_launch_reverse();\n";
  SumUp();
  OS << "}\n";
  Kernel("forward", false, true,
         (Returns ? "rg_into[rg_me] = " : "") + E.Forward + ";\n");
  OS << "static long double rg_forward(void) {\n  rg_launch_forward();\n  "
        "return "
     << Sum << ";\n}\n";
  if (!Returns) {
    OS << "static long double rg_reverse_value(void) {\n  rg_reverse();\n  "
          "return 0;\n}\n"
          "static long double rg_forward_value(long double *value) {\n  *value "
          "= 0;\n  return rg_forward();\n}\n";
    return;
  }
  // The primal's result comes behind the adjoints.
  std::string Last = std::to_string(Scalars.size());
  Kernel("reverse_value", true, true,
         (Scalars.empty() ? F.Result : "struct rg_reverse_values") +
             " rg_r = " + E.ReverseValue + ";\n" + Returned(true) +
             "  rg_into[" + Last + " * RG_THREADS + rg_me] = rg_r" +
             (Scalars.empty() ? "" : ".value") + ";\n");
  OS << "static long double rg_reverse_value(void) {\n  "
        "rg_launch_reverse_value();\n";
  SumUp();
  OS << "  return rg_sum(" << Last << ");\n}\n";
  Kernel("forward_value", false, true,
         "struct rg_forward_values rg_r = " + E.ForwardValue +
             ";\n  rg_into[rg_me] = rg_r.tangent;\n  rg_into[RG_THREADS + "
             "rg_me] = rg_r.value;\n");
  OS << "static long double rg_forward_value(long double *value) {\n  "
        "rg_launch_forward_value();\n"
        "  *value = rg_sum(1);\n  return rg_sum(0);\n}\n";
}

void emitMarkersAndTypes(raw_ostream &OS, const Signature &F) {
  OS << (F.OnDevice ? "extern __device__ int enzyme_dup, enzyme_const, "
                      "enzyme_out, enzyme_primal_return;\n"
         : F.CPlusPlus
             ? "#undef enzyme_dup // macros of <retrograd/retrograd.h>\n"
               "#undef enzyme_const\n#undef enzyme_out\n"
               "#undef enzyme_primal_return\n"
               "namespace rg_markers { // the user's file may have its own\n"
               "int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n}\n"
             : "extern int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n"
               "int enzyme_dup, enzyme_const, enzyme_out, "
               "enzyme_primal_return;\n");
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    if (F.Parameters[I].How == Passing::Pointer ||
        F.Parameters[I].How == Passing::Reference)
      OS << "typedef __typeof__(" << F.Parameters[I].Element << ") rg_type_"
         << I << ";\n";
}

/// Where the K-th element's number L lies in the bytes that the user's own call
/// has; null for random numbers.
const char *ownBytes(const CheckSettings &S, const Parameter &P, const Leaf &L,
                     uint64_t K) {
  auto Own = S.Own.find(P.Name);
  uint64_t At = K * P.ElementBytes + L.Offset;
  return Own == S.Own.end() || At + 1 > Own->second.size()
             ? nullptr
             : Own->second.data() + At;
}

std::optional<double> ownNumber(const CheckSettings &S, const Parameter &P,
                                const Leaf &L, uint64_t K) {
  const char *At = ownBytes(S, P, L, K);
  if (!At)
    return std::nullopt;
  auto Read = [&](auto V) {
    memcpy(&V, At, sizeof V);
    return double(V);
  };
  double V = L.Kind == NumberKind::Float    ? Read(float())
             : L.Kind == NumberKind::Double ? Read(double())
                                            : Read((long double)0);
  return std::isfinite(V) ? std::optional(V) : std::nullopt;
}

int64_t ownInteger(const CheckSettings &S, const Parameter &P, const Leaf &L,
                   uint64_t K, int64_t Otherwise) {
  const char *At = ownBytes(S, P, L, K);
  if (!At)
    return Otherwise;
  StringRef Type = L.Type;
  bool Unsigned =
      Type.starts_with("unsigned") || Type == "bool" || Type == "_Bool";
  unsigned Bytes = Type.contains("char") || Type.ends_with("ool") ? 1
                   : Type.contains("short")                       ? 2
                   : Type.contains("long")                        ? 8
                                                                  : 4;
  uint64_t V = 0;
  memcpy(&V, At, Bytes); // little-endian
  return Unsigned || Bytes == 8 ? int64_t(V) : SignExtend64(V, Bytes * 8);
}

} // namespace

std::string retrograd::checkProgram(const std::string &File,
                                    const Signature &Given,
                                    const CheckSettings &S) {
  std::string Text;
  raw_string_ostream OS(Text);
  emitHead(OS, File);
  Signature F = Given;
  if (S.Twice)
    emitTwice(OS, F);
  emitMarkersAndTypes(OS, F);

  Entries E = emitEntries(OS, F, S);

  // Variables: static, so that the calls need no parameters.
  uint64_t Numbers = 0, Blocks = 0;
  OS << "enum { RG_SLACK_ELEMENTS = 256 };\n";
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    OS << "static " << T.variable() << " " << T.value();
    if (P.isIntegerValue())
      OS << " = (" << P.Element << ")" << integerValue(P, S);
    OS << ";\n";
    if (isActive(P, S))
      OS << "static " << T.variable() << " " << T.shadow() << ";\n";
  }

  if (F.OnDevice)
    emitKernels(OS, F, S, E);
  else
    emitHostCalls(OS, F, S, E);

  // The table of numbers, filled at the start.
  std::string Table;
  raw_string_ostream TS(Table);
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    bool Active = isActive(P, S),
         Writable = P.How != Passing::Value && !P.ReadOnly;
    if (P.isIntegerValue())
      continue;
    auto [Low, High] =
        S.Ranges.count(P.Name) ? S.Ranges.at(P.Name) : std::pair(S.Low, S.High);
    uint64_t Length = P.How == Passing::Value ? 1 : lengthOf(F, I, S);
    if (P.How != Passing::Value) {
      ++Blocks;
      std::string Bytes = std::to_string(P.ElementBytes * Length);
      if (P.How == Passing::Vector) {
        std::string New = "new std::vector<" + P.Element + ">(" +
                          std::to_string(Length) + ");\n";
        TS << "  " << T.value() << " = " << New;
        if (Active)
          TS << "  " << T.shadow() << " = " << New;
      } else {
        std::string New = "(" + T.variable() + ")" +
                          (F.OnDevice ? "rg_device_calloc(" : "calloc(") +
                          std::to_string(Length) + " + RG_SLACK_ELEMENTS, " +
                          std::to_string(P.ElementBytes) + ");\n";
        TS << "  " << T.value() << " = " << New;
        if (Active)
          TS << "  " << T.shadow() << " = " << New;
      }
      // Integers are small, different, and good as indices into the arrays.
      for (uint64_t K = 0; K < Length; ++K)
        for (const Leaf &L : P.Leaves)
          if (L.Kind == NumberKind::Integer)
            TS << "  *(" << L.Type << " *)(" << T.data(false) << " + "
               << K * P.ElementBytes + L.Offset << ") = (" << L.Type << ")"
               << ownInteger(S, P, L, K, int64_t(K % Length)) << "ll;\n";
      TS << "  rg_block(" << T.data(false) << ", " << Bytes << ", " << Bytes
         << (P.How == Passing::Vector ? ""
                                      : " + (size_t)RG_SLACK_ELEMENTS * " +
                                            std::to_string(P.ElementBytes))
         << ");\n";
    }
    for (uint64_t K = 0; K < Length; ++K)
      for (const Leaf &L : P.Leaves) {
        if (L.Kind == NumberKind::Integer)
          continue;
        std::string Shown = P.Name;
        if (P.How == Passing::Pointer || P.How == Passing::Vector)
          Shown += Length == 1 && P.How == Passing::Pointer &&
                           StringRef(L.Path).starts_with(".")
                       ? "->" + L.Path.substr(1)
                       : "[" + std::to_string(K) + "]" + L.Path;
        else
          Shown += L.Path;
        ++Numbers;
        auto [From, To] = std::pair(Low, High);
        if (std::optional<double> Own = ownNumber(S, P, L, K))
          From = To = *Own;
        uint64_t At = K * P.ElementBytes + L.Offset;
        TS << "  rg_number(\"" << Shown << "\", "
           << (L.Kind == NumberKind::Float    ? "RgFloat"
               : L.Kind == NumberKind::Double ? "RgDouble"
                                              : "RgLongDouble")
           << ", " << T.data(false) << " + " << At << ", "
           << (Active ? T.data(true) + " + " + std::to_string(At)
                      : std::string("NULL"))
           << ", " << Active << ", " << Writable << ", "
           << (P.How == Passing::Value) << ", " << format("%.17g", From) << ", "
           << format("%.17g", To) << ");\n";
      }
  }
  bool FloatResult = F.Result == "float";
  for (const Parameter &P : F.Parameters)
    for (const Leaf &L : P.Leaves)
      FloatResult |= L.Kind == NumberKind::Float;
  OS << "#define RG_NUMBERS " << Numbers << "\n#define RG_BLOCKS " << Blocks
     << "\n#define RG_SEED " << S.Seed << "ull\n#define RG_POINTS " << S.Points
     << "\n#define RG_FLOAT_RESULT " << FloatResult << "\n"
     << RuntimeText;
  // The table comes last but is used by main, hence the declaration in front.
  Text.insert(Text.find("int main(int argc"),
              "static void rg_arguments(void) {\n" + Table + "}\n\n");
  return Text;
}

std::string retrograd::gradientProgram(const std::string &File,
                                       const Signature &F) {
  std::string Text;
  raw_string_ostream OS(Text);
  CheckSettings S;
  emitHead(OS, File);
  emitMarkersAndTypes(OS, F);
  std::vector<size_t> Scalars;
  std::string Adjoints = emitAdjointType(OS, F, S, Scalars);
  std::string Call =
      emitEntry(OS, F, S, "__enzyme_autodiff_gradient", true, Adjoints);
  OS << (F.CPlusPlus ? "extern \"C\" " : "") << Adjoints << " rg_gradient(";
  bool First = true;
  for (size_t I = 0; I < F.Parameters.size(); ++I) {
    const Parameter &P = F.Parameters[I];
    ParameterText T(P, I);
    OS << (First ? "" : ", ") << T.variable() << " " << T.value();
    if (P.isFloating() && P.How != Passing::Value)
      OS << ", " << T.variable() << " " << T.shadow();
    First = false;
  }
  OS << (First ? "void" : "") << ") {\n  "
     << (Adjoints == "void" ? "" : "return ") << Call << ";\n}\n";
  return Text;
}
