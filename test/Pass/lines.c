// Source lines that the drivers ask for serve messages. LLVM's code generator gets none of them: it would look for variables in each function that has
// a line. Where somebody else wants lines they stay.
// DEFINE: %{flags} = -c
// DEFINE: %{passes} = %rgcc -O2 %{flags} -Xclang -fdebug-pass-manager %s -o %t.o 2>&1
// RUN: %{passes} | FileCheck --check-prefix=DROPPED %s
// DROPPED: Running pass: retrograd::DifferentiatePass
// DROPPED: DropLines
// RUN: %rgcc -O2 -c %s -o /dev/null -Xclang -mllvm -Xclang -print-before=greedy 2>&1 | FileCheck --check-prefix=CODE %s
// CODE: rg.f.grad
// CODE-NOT: debug-location
// REDEFINE: %{flags} = -S
// RUN: %{passes} | FileCheck --check-prefix=DROPPED %s
// REDEFINE: %{flags} = -c -O0
// RUN: %{passes} | FileCheck --check-prefix=DROPPED %s

// REDEFINE: %{flags} = -c
// RUN: %{passes} -g | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -gline-tables-only | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -Rpass=inline | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -Rpass-missed=regalloc | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -Rpass-analysis=asm-printer | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -fsave-optimization-record -foptimization-record-file=%t.yaml | FileCheck --check-prefix=KEPT %s
// RUN: %{passes} -emit-llvm | FileCheck --check-prefix=KEPT %s
// KEPT: Running pass: retrograd::DifferentiatePass
// KEPT-NOT: DropLines

// Messages have their lines.
// RUN: not %rgcc -O2 -c -DREFUSED %s -o /dev/null 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: lines.c:[[@LINE+8]]:29: error:
double __enzyme_autodiff(void *, ...);
double elsewhere(double);
#ifdef REFUSED
double f(double x) { return elsewhere(x) * x; }
#else
double f(double x) { return x * x; }
#endif
double g(double x) { return __enzyme_autodiff((void *)f, x); }
