// Two kinds of records behind one pointer, by their tag: where one has an array
// of doubles, the other has floats. A copy of either would move both.
// With integers there: Execute/Cxx/type-erased.cpp.
// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, const double *, double *);
struct Small {
  double weight;
  long kind;
  float parts[3];
};
struct Large {
  double weight;
  long kind;
  double values[24];
  long count;
};
static void *copyOf(const void *p) {
  if (((const Small *)p)->kind == 0)
    return new Small(*(const Small *)p);
  return new Large(*(const Large *)p);
}
static double weigh(const void *p) {
  double s = ((const Small *)p)->weight;
  if (((const Small *)p)->kind == 0) {
    for (float part : ((const Small *)p)->parts)
      s += part;
  } else {
    const Large *q = (const Large *)p;
    for (long i = 0; i < q->count; ++i)
      s += q->values[i] * q->values[i];
  }
  return s;
}
double records(const double *x) {
  void *all[4];
  for (int i = 0; i < 2; ++i) {
    all[2 * i] = new Small{x[i] * 2, 0, {(float)x[i], (float)i, 1.5f}};
    auto *l = new Large{x[i + 2], 1, {}, 24};
    for (int k = 0; k < 24; ++k)
      l->values[k] = x[k % 5] * k;
    all[2 * i + 1] = l;
  }
  double r = 0;
  for (void *p : all)
    r += weigh(copyOf(p)) * weigh(p);
  return r;
}
void test(const double *x, double *dx) {
  // CHECK: records-by-kind.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the type of every byte that derivatives may flow through must be known, and 'records' moves bytes of unknown type: {{.*}} [RG1103]
  __enzyme_autodiff((void *)records, x, dx);
}
