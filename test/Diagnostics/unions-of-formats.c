// A union of numbers of two formats, or of a float and a pointer, that is copied through local variables: what the copies move
// is not known, at any level.
// RUN: not %rgcc -O0 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMATS
// RUN: not %rgcc -O0 -DPOINTER -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %rgcc -O1 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMATS
// RUN: not %rgcc -O1 -DPOINTER -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %rgcc -O2 -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMATS
// RUN: not %rgcc -O2 -DPOINTER -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=POINTER
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

struct Leaf {
  int tag;
  union {
#ifdef POINTER
    float one;
    double *other;
#else
    double one;
    float other[2];
#endif
  };
};
#ifdef POINTER
#define OTHER(L) *(L).other
#define SET(L, X) kept[i] = (X), (L).other = &kept[i]
#else
#define OTHER(L) (L).other[0] * (double)(L).other[1]
#define SET(L, X) (L).other[0] = (X), (L).other[1] = 2
#endif

static double f(const double *x, int n) {
  struct Leaf v[6];
  double kept[6], s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].tag = i % 2;
    if (i % 2)
      v[i].one = x[i];
    else
      SET(v[i], x[i] * x[0]);
  }
  for (int i = 0; i + 1 < n; ++i) {
    struct Leaf a = v[i], b = v[i + 1];
    v[i] = b;
    v[i + 1] = a;
    if (x[i] > 0.9 && x[i] < 1.3) {
      struct Leaf c = x[i + 1] > 1.2 ? a : b;
      v[0] = c;
    }
  }
  for (int i = 0; i < n; ++i)
    s += v[i].tag ? v[i].one * v[i].one : OTHER(v[i]);
  return s;
}
void g(double *x, double *dx) {
  // FORMATS: unions-of-formats.c:[[#@LINE+2]]:3: error: the type of every byte that derivatives may flow through must be known, and 'f' moves bytes of unknown type: {{.*}} [RG1103]
  // POINTER: unions-of-formats.c:[[#@LINE+1]]:3: error: the type of every byte that derivatives may flow through must be known, and 'f' moves bytes of unknown type: {{.*}} [RG1103]
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, 6);
}
