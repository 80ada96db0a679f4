// Two loops in a row run together where the second one reads what the first one has just stored, if nothing tells that
// their order matters (lib/Primal/Optimise/JoinLoops.cpp). test/Execute/C/join-loops.c asks whether it is right.
// RUN: %clang -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize -S -emit-llvm -fno-discard-value-names %s -o %t.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=join-loops -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OFF

// One loop is left, and what is handed on is not read. (Each loop has a note of its own, `!llvm.loop`.)
// CHECK-LABEL: define {{.*}} @rg.primal.joined(
// CHECK-NOT: load double, ptr %t
// CHECK-COUNT-1: !llvm.loop
// CHECK-NOT: !llvm.loop
// OFF-LABEL: define {{.*}} @rg.primal.joined(
// OFF-COUNT-2: !llvm.loop
void joined(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}

// The first one has an iteration more, which runs behind both. Something harmless stands between.
// CHECK-LABEL: define {{.*}} @rg.primal.longer(
// CHECK: fmul double %[[V:.*]], %[[V]]
// CHECK: !llvm.loop
// CHECK-NOT: !llvm.loop
// OFF-LABEL: define {{.*}} @rg.primal.longer(
// OFF-COUNT-2: !llvm.loop
void longer(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  b[0] = 1;
  for (int i = 1; i < n; ++i)
    b[i] = t[i - 1] * t[i - 1];
}

// Other members of one array of structs.
struct cell {
  double from, to, square;
};
// CHECK-LABEL: define {{.*}} @rg.primal.members(
// CHECK-COUNT-1: !llvm.loop
// CHECK-NOT: !llvm.loop
void members(int n, struct cell *c) {
  for (int i = 0; i < n; ++i)
    c[i].to = 2 * c[i].from;
  for (int i = 0; i < n; ++i)
    c[i].square = c[i].to * c[i].to;
}

// What comes later in the first loop is read, or overwritten, or overwrites.
// CHECK-LABEL: define {{.*}} @rg.primal.reads_ahead(
// CHECK-COUNT-2: !llvm.loop
void reads_ahead(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n - 1; ++i)
    b[i] = t[i] * t[i + 1];
}
// CHECK-LABEL: define {{.*}} @rg.primal.writes_ahead(
// CHECK-COUNT-2: !llvm.loop
void writes_ahead(int n, double *restrict a, double *restrict t) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    a[i + 1] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.one_place(
// CHECK-COUNT-2: !llvm.loop
void one_place(int n, const int *restrict where, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * b[where[i]];
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.backwards(
// CHECK-COUNT-2: !llvm.loop
void backwards(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = n; i-- > 0;)
    b[i] = t[i] * t[i];
}
// Elements that overlap.
// CHECK-LABEL: define {{.*}} @rg.primal.overlap(
// CHECK-COUNT-2: !llvm.loop
void overlap(int n, const double *restrict a, char *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    *(double *)(t + 4 * i) = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = *(double *)(t + 4 * i);
}

// The arrays may be one, whatever their types.
// CHECK-LABEL: define {{.*}} @rg.primal.may_alias(
// CHECK-COUNT-2: !llvm.loop
void may_alias(int n, const double *a, double *t, double *b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.other_type(
// CHECK-COUNT-2: !llvm.loop
void other_type(int n, const double *restrict a, double *t, float *b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = t[i];
}
// So may what stands between.
// CHECK-LABEL: define {{.*}} @rg.primal.between(
// CHECK-COUNT-2: !llvm.loop
void between(int n, const double *restrict a, double *restrict t, double *restrict b, double *c) {
  double *s = c == a ? t : c;
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  s[1] = 3;
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}

// Calls that others notice, or that read memory, between and in the loops.
void note(int);
double ask(double) __attribute__((pure));
double of(double) __attribute__((const));
// CHECK-LABEL: define {{.*}} @rg.primal.first_calls(
// CHECK-COUNT-2: !llvm.loop
void first_calls(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i], note(i);
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.calls_between(
// CHECK-COUNT-2: !llvm.loop
void calls_between(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  note(1);
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.second_calls(
// CHECK-COUNT-2: !llvm.loop
void second_calls(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    note(i), b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.asks(
// CHECK-COUNT-2: !llvm.loop
void asks(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = ask(t[i]);
}
// One that only computes is no call.
// CHECK-LABEL: define {{.*}} @rg.primal.computes(
// CHECK-COUNT-1: !llvm.loop
// CHECK-NOT: !llvm.loop
void computes(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = of(t[i]);
}
// CHECK-LABEL: define {{.*}} @rg.primal.volatiles(
// CHECK-COUNT-2: !llvm.loop
void volatiles(int n, const double *restrict a, volatile double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = t[i];
}

// Other numbers of iterations, and an end that only running tells.
// CHECK-LABEL: define {{.*}} @rg.primal.counts(
// CHECK-COUNT-2: !llvm.loop
void counts(int n, int m, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < m; ++i)
    b[i] = t[i] * t[i];
}
// CHECK-LABEL: define {{.*}} @rg.primal.two_more(
// CHECK-COUNT-2: !llvm.loop
void two_more(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 2; i < n; ++i)
    b[i] = t[i - 2] * t[i - 2];
}
// CHECK-LABEL: define {{.*}} @rg.primal.ends(
// CHECK-COUNT-2: !llvm.loop
void ends(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0)
      return;
    t[i] = 2 * a[i];
  }
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}

// A sum would keep the first loop from running in vectors.
// CHECK-LABEL: define {{.*}} @rg.primal.sum(
// CHECK-COUNT-2: !llvm.loop
double sum(int n, const double *restrict a, double *restrict t) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    s += t[i] * t[i];
  return s;
}

// Nothing is handed on.
// CHECK-LABEL: define {{.*}} @rg.primal.strangers(
// CHECK-COUNT-2: !llvm.loop
void strangers(int n, const double *restrict a, double *restrict t, double *restrict b) {
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = a[i] * a[i];
}

// The user has said how a loop is to be run.
// CHECK-LABEL: define {{.*}} @rg.primal.wishes(
// CHECK-COUNT-2: !llvm.loop
void wishes(int n, const double *restrict a, double *restrict t, double *restrict b) {
#pragma clang loop vectorize_width(2)
  for (int i = 0; i < n; ++i)
    t[i] = 2 * a[i];
  for (int i = 0; i < n; ++i)
    b[i] = t[i] * t[i];
}
