// Rules that cannot be used: each message says what to write.
// RUN: not %rgcc -O1 -c %s -DSIGNATURE -o %t.o 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// RUN: not %rgcc -O1 -c %s -DFORM -o %t.o 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not %rgcc -O1 -c %s -DIMPOSSIBLE -o %t.o 2>&1 | FileCheck %s --check-prefix=IMPOSSIBLE
// RUN: not %rgcc -O1 -c %s -DMODE -o %t.o 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not %rgcc -O1 -c %s -DRESULT -o %t.o 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not %rgcc -O1 -c %s -DLANES -o %t.o 2>&1 | FileCheck %s --check-prefix=LANES
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_width;

double f(double x, double *y, int n);

#ifdef SIGNATURE
double aug(double x, double *y, int n);
void *aug2(double x, double *y, double *dy, int n);
double rev(double x, double *y, double *dy, int n, void *tape);
double rev2(double x, double *y, double *dy, int n, double seed, void *tape);
float fwd(double x, double dx, double *y, double *dy, int n);
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)aug, (void *)rev2};
double g(double x, double *y, int n);
void *__enzyme_register_gradient_g[] = {(void *)g, (void *)aug2, (void *)rev};
double h(double x, double *y, int n);
void *__enzyme_register_derivative_h[] = {(void *)h, (void *)fwd};
// SIGNATURE: error: 'aug' must have the signature that a rule of 'f' asks for: struct { Tape tape; double primal; } aug(double x1, T *x2, T *dx2, int x3) [RG1111]
// SIGNATURE: error: 'rev' must have the signature that a rule of 'g' asks for: double rev(double x1, T *x2, T *dx2, int x3, double seed, Tape tape) [RG1111]
// SIGNATURE: error: 'fwd' must have the signature that a rule of 'h' asks for: struct { double primal; double tangent; } fwd(double x1, double dx1, T *x2, T *dx2, int x3) [RG1111]
double test(double x, double *y, double *dy) { return __enzyme_autodiff((void *)f, x, y, dy, 3); }
#endif

#ifdef FORM
void *aug(double x, double *y, double *dy, int n);
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)aug};
void *__enzyme_function_like_f[] = {(void *)f, (void *)"log1p"};
// FORM: error: registration '__enzyme_register_gradient_f' must be three functions: the function, its augmented function and its gradient [RG1112]
// FORM: error: registration '__enzyme_function_like_f' must be followed by the name of a known function of the same type, and 'log1p' is none [RG1112]
double test(double x, double *y, double *dy) { return __enzyme_autodiff((void *)f, x, y, dy, 3); }
#endif

#ifdef IMPOSSIBLE
struct matrix {
  double m[9];
};
double norm(struct matrix m);
double norm_fwd(struct matrix m, struct matrix dm);
void *__enzyme_register_derivative_norm[] = {(void *)norm, (void *)norm_fwd};
// IMPOSSIBLE: error: 'norm' cannot have a rule, since it takes a struct by value in memory [RG1113]
double test(double x, double *y, double *dy) { return __enzyme_autodiff((void *)f, x, y, dy, 3); }
#endif

#ifdef MODE
struct pair {
  double value, tangent;
} fwd(double x, double dx, double *y, double *dy, int n);
void *__enzyme_register_derivative_f[] = {(void *)f, (void *)fwd};
// MODE: rules.c:[[@LINE+1]]:{{[0-9]+}}: error: 'f' has no body and no rule for reverse mode [RG1114]
double test(double x, double *y, double *dy) { return __enzyme_autodiff((void *)f, x, y, dy, 3); }
#endif

#ifdef RESULT
void aug(double x, double *y, double *dy, int n);
double rev(double x, double *y, double *dy, int n, double seed);
void *__enzyme_register_gradient_f[] = {(void *)f, (void *)aug, (void *)rev};
double g(double x, double *y, int n) { return 2 * f(x, y, n); }
double g2(double x, double *y, int n) { double v = f(x, y, n); return v * v; }
// RESULT: error: the rule of 'f' must return the result of 'f' too: the program uses the result, and 'f' must not run twice [RG1115]
double test(double x, double *y, double *dy) { return __enzyme_autodiff((void *)g2, x, y, dy, 3); }
#endif

#ifdef LANES
struct pair {
  double value, tangent;
} fwd(double x, double dx, double *y, double *dy, int n);
void *__enzyme_register_derivative_f[] = {(void *)f, (void *)fwd};
void __enzyme_fwddiff_two(void *, ...);
// LANES: rules.c:[[@LINE+1]]:{{[0-9]+}}: error: the rule of 'f' handles memory and cannot be used for several derivatives at once [RG2111]
void test(double x, double *y, double *dy) { __enzyme_fwddiff_two((void *)f, enzyme_width, 2, x, 1.0, 2.0, y, dy, dy, 3); }
#endif
