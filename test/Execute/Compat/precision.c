// __enzyme_truncate_*: functions in fewer bits, against the same function written
// in them.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -ffp-contract=off
#include "rgtest.h"
#include <math.h>
#include <string.h>
typedef double (*fn2)(double, double);
typedef double (*fn1)(double);
typedef void (*fnArray)(double *, const double *, int);
typedef float (*fnFloat)(float);
fn2 __enzyme_truncate_op_func_2(void *, ...);
fn1 __enzyme_truncate_op_func_1(void *, ...);
fnArray __enzyme_truncate_op_func_array(void *, ...);
fnFloat __enzyme_truncate_op_func_float(void *, ...);
fn2 __enzyme_truncate_mem_func_2(void *, ...);
fn1 __enzyme_truncate_mem_func_1(void *, ...);
fnArray __enzyme_truncate_mem_func_array(void *, ...);
double __enzyme_truncate_mem_value(double, int, int);
double __enzyme_expand_mem_value(double, int, int);
double __enzyme_autodiff(void *, ...);

#define T(x) __enzyme_truncate_mem_value(x, 64, 32)
#define E(x) __enzyme_expand_mem_value(x, 64, 32)

__attribute__((noinline)) static double divide(double x, double y) { return x / y; }
static double mix(double x, double y) { return 0.1 * x + sqrt(y) - divide(x, y); }
static float mixF(float x, float y) { return 0.1f * x + sqrtf(y) - x / y; }
static double compare(double x, double y) { return x > y ? x * 2 : y + x; }
static double library(double x) { return sin(x) + exp(x); }
static float libraryF(float x) { return (float)sin((double)x) + (float)exp((double)x); }
static const double table[3] = {0.1, 0.2, 0.3};
static double lookup(double x) {
  double w[3] = {1.1, 2.2, 3.3}, s = 0;
  for (int i = 0; i < 3; ++i)
    s += table[i] * w[i] * x;
  return s;
}
static float lookupF(float x) {
  float w[3] = {1.1f, 2.2f, 3.3f}, t[3] = {0.1f, 0.2f, 0.3f}, s = 0;
  for (int i = 0; i < 3; ++i)
    s += t[i] * w[i] * x;
  return s;
}
static void squares(double *out, const double *in, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = in[i] * in[i] + i;
}
static float ofFloat(float x) { return x * x + 1; }
static int isLess(double x, double y) { return x < y; }
static double viaInt(double x, double y) { return (double)(long)(x * 10) + isLess(x, y); }
static double third(double x) { return x / 3; }
int __enzyme_iter(int, int);
static double hinted(double x) {
  double s = 0;
  for (int i = 0, n = __enzyme_iter(3, 1); i < n; ++i)
    s += x;
  return s;
}

int main(void) {
  fn2 op = __enzyme_truncate_op_func_2((void *)mix, 64, 32);
  float want = mixF(1.3f, 2.7f);
  RG_TRUE(op(1.3, 2.7) == want);
  RG_TRUE(mix(1.3, 2.7) != want);
  RG_TRUE(__enzyme_truncate_op_func_2((void *)mix, 64, 8, 23)(1.3, 2.7) == want);
  RG_TRUE(E(__enzyme_truncate_mem_func_2((void *)mix, 64, 32)(T(1.3), T(2.7))) == want);
  RG_TRUE(E(T(0.1)) == 0.1f);
  double bits = T(0.1);
  float low;
  memcpy(&low, &bits, 4);
  RG_TRUE(low == 0.1f);

  RG_TRUE(__enzyme_truncate_op_func_2((void *)compare, 64, 32)(3, 2) == 6);
  RG_TRUE(E(__enzyme_truncate_mem_func_2((void *)compare, 64, 32)(T(2), T(3))) == 5);
  // Equal in fewer bits.
  RG_TRUE(__enzyme_truncate_op_func_2((void *)compare, 64, 32)(1 + 1e-12, 1) == 2);
  RG_TRUE(__enzyme_truncate_op_func_1((void *)library, 64, 32)(0.7) == libraryF(0.7f));
  RG_TRUE(E(__enzyme_truncate_mem_func_1((void *)library, 64, 32)(T(0.7))) == libraryF(0.7f));
  // What the compiler folds of the tables it folds in double.
  RG_NEARF(E(__enzyme_truncate_mem_func_1((void *)lookup, 64, 32)(T(1.7))), lookupF(1.7f));
  RG_TRUE(__enzyme_truncate_op_func_2((void *)viaInt, 64, 32)(1.7, 2) == 18);
  RG_TRUE(E(__enzyme_truncate_mem_func_2((void *)viaInt, 64, 32)(T(1.7), T(2))) == 18);

  double in[4] = {0.1, 0.2, 0.3, 0.4}, out[4], inT[4], outT[4];
  __enzyme_truncate_op_func_array((void *)squares, 64, 32)(out, in, 4);
  for (int i = 0; i < 4; ++i)
    inT[i] = T(in[i]);
  __enzyme_truncate_mem_func_array((void *)squares, 64, 32)(outT, inT, 4);
  for (int i = 0; i < 4; ++i) {
    float f = (float)in[i];
    RG_TRUE(out[i] == f * f + i);
    RG_TRUE(E(outT[i]) == f * f + i);
  }

  // Half: ten bits behind the point.
  RG_TRUE(__enzyme_truncate_op_func_1((void *)third, 64, 16)(1.0) == 0x1.554p-2);
  RG_TRUE(__enzyme_truncate_op_func_float((void *)ofFloat, 32, 16)(3.0f) == 10);
  RG_TRUE(__enzyme_truncate_op_func_1((void *)third, 64, 5, 10)(1.0) == 0x1.554p-2);

  // The copy can be differentiated.
  RG_TRUE(fabs(__enzyme_autodiff((void *)__enzyme_truncate_op_func_1((void *)third, 64, 32), 1.0) - 1.0 / 3) < 1e-7);
  // Hints go with it.
  RG_TRUE(__enzyme_truncate_op_func_1((void *)hinted, 64, 32)(2.0) == 6);
  RG_NEAR(__enzyme_autodiff((void *)__enzyme_truncate_op_func_1((void *)hinted, 64, 32), 1.0), 4);
  return rgReport();
}
