// Memory made of functions: what it must be called with, and uses of its address that cannot be followed.
//
// RUN: not %rgcc -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | not grep -i "stack dump"
// RUN: not %rgcc -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
double *__enzyme_todense(void *, ...);
double __enzyme_sum(void *, ...);
double get(long at, double scale);
void set(double x, long at, double scale);
double wrong(double x);
double *sink;
void elsewhere(double *);
double number;
double *made(double *p, int choose) {
  double *d = __enzyme_todense((void *)get, (void *)set, 1.0);
  // CHECK-DAG: sparse-views.c:[[@LINE+1]]:{{[0-9]+}}: error: memory that '__enzyme_todense' represents by functions cannot be used in this way: its address is stored in memory [RG2107]
  sink = d;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}: it is passed to 'elsewhere', whose body is not here [RG2107]
  elsewhere(d);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}: this access is of another size than the numbers of its functions [RG2107]
  *(char *)d = 1;
  // CHECK-DAG: error: {{.*}}: its address may be this one or another [RG2107]
  (choose ? d : p)[2] = 1;
  return p;
}
// CHECK-DAG: error: {{.*}}: its address is returned to callers that are not known here; a static function would be inlined [RG2107]
double *returned(void) { return __enzyme_todense((void *)get, (void *)set, 2.0); }
void malformed(void *unknown) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_todense' must be called with a function that loads and one that stores, which are known when this is compiled [RG1035]
  __enzyme_todense(unknown, (void *)set)[0] = 1;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_todense' must be called with a function that returns a number for an offset in bytes and what follows here, and not 'wrong' [RG1035]
  __enzyme_todense((void *)wrong, (void *)set, 1.0)[0] = 1;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}: it is written, and 'get' is no function that takes a number of its kind, an offset in bytes and what follows [RG2107]
  __enzyme_todense((void *)get, (void *)get, 1.0)[0] = 1;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: '__enzyme_sum' must be called with numbers, of which it returns the sum of its arguments [RG1035]
  number = __enzyme_sum(unknown, 1.0);
}
