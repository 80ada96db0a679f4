// Widths and batches that say too little or too much.
// RUN: not %rgcc -O1 -c %s -o %t.o 2>&1 | FileCheck %s
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double __enzyme_batch(void *, ...);
struct two { double a, b; } __enzyme_fwddiff_two(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupv, enzyme_vector, enzyme_scalar, enzyme_buffer, enzyme_width;

double square(double x) { return x * x; }
double first(const double *p) { return p[0] * p[0]; }
double sink;
void test(double x, double *p, double *dp, int n) {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_width must be followed by a constant from 1 to 64, and may stand in a call once [RG1041]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, n, x, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_width must be followed by a constant from 1 to 64, and may stand in a call once [RG1041]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, 0, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: enzyme_width must be followed by a constant from 1 to 64, and may stand in a call once [RG1041]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, 2, enzyme_width, 2, x, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_width' must be followed by the argument that it governs [RG1010]
  sink = __enzyme_fwddiff((void *)square, x, x, enzyme_width);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: parameter 1 of 'square' is a double and must be followed by its shadow [RG1006]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, 3, x, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a derivative call must pass only the parameters of 'square' and their shadows, and 1 more are passed [RG1005]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, 2, x, x, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: the declared result of '__enzyme_fwddiff' must hold what the derivative of 'square' returns: a double, a double; it is declared to return a double [RG1016]
  sink = __enzyme_fwddiff((void *)square, enzyme_width, 2, x, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_dupv' must be followed by an integer, the distance between two lanes in bytes [RG1042]
  sink = __enzyme_fwddiff_two((void *)first, enzyme_width, 2, enzyme_dupv, p, dp).a;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_dupv' must be followed by the argument that it governs [RG1010]
  sink = __enzyme_fwddiff_two((void *)first, enzyme_width, 2, enzyme_dupv).a;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a marker with a distance between lanes is for memory, and parameter 1 of 'square' is a double [RG1043]
  sink = __enzyme_fwddiff_two((void *)square, enzyme_width, 2, enzyme_dupv, 8, x, x).a;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_vector' has no meaning in a call of '__enzyme_autodiff' [RG1044]
  sink = __enzyme_autodiff((void *)square, enzyme_vector, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: marker 'enzyme_dup' has no meaning in a call of '__enzyme_batch' [RG1044]
  sink = __enzyme_batch((void *)square, enzyme_width, 2, enzyme_dup, x, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: a marker with a distance between lanes is for memory, and parameter 1 of 'square' is a double [RG1043]
  sink = __enzyme_batch((void *)square, enzyme_width, 2, enzyme_buffer, 8, p);
}
// CHECK: {{[0-9]+}} errors generated
