// Entry points that are refused by name, each with its own message.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
void *__enzyme_trace(void *, ...);
double __enzyme_likelihood(void *, ...);
void *__enzyme_condition(void *, ...);
double __enzyme_sample(void *, ...);
void __enzyme_observe(void *, ...);
double model(double x) { return x * x; }
void *sink;
double number;
void test(double x) {
  // CHECK: refused-families.c:[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_trace' belongs to probabilistic programming, which Retrograd does not support: a trace of random choices [RG2106]
  sink = __enzyme_trace((void *)model, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_likelihood' belongs to probabilistic programming, which Retrograd does not support: the likelihood of random choices
  number = __enzyme_likelihood((void *)model, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_condition' {{.*}}: random choices under conditions
  sink = __enzyme_condition((void *)model, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_sample' {{.*}}: a random choice
  number = __enzyme_sample((void *)model, x);
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_observe' {{.*}}: an observation
  __enzyme_observe((void *)model, x);
}
