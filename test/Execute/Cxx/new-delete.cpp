// new and delete: scalars, arrays, classes with constructors and destructors,
// placement new in a buffer, nothrow, over-aligned.
#include "rgtest.h"
#include <new>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Buffer {
  double *Data;
  int Size;
  explicit Buffer(int n) : Data(new double[n]), Size(n) {}
  Buffer(const Buffer &o) : Buffer(o.Size) {
    for (int i = 0; i < Size; ++i)
      Data[i] = o.Data[i];
  }
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { delete[] Data; }
  double sum() const {
    double s = 0;
    for (int i = 0; i < Size; ++i)
      s += Data[i] * Data[i];
    return s;
  }
};
struct alignas(64) Aligned {
  double V[2];
};

static double scalar(double x) {
  double *p = new double(x), *q = new double;
  *q = *p * *p;
  *p = *q + 1;
  double r = *p * *q;
  delete p;
  delete q;
  return r;
}
static double buffers(double x, int n) {
  Buffer a(n);
  for (int i = 0; i < n; ++i)
    a.Data[i] = x * (i + 1);
  Buffer b(a);
  b.Data[0] *= a.sum();
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Buffer c(b);
    c.Data[i] = 1;
    s += c.sum();
  }
  return s;
}
static double placed(double x) {
  alignas(Buffer) char store[sizeof(Buffer)];
  Buffer *b = new (store) Buffer(2);
  b->Data[0] = x;
  b->Data[1] = x * x;
  double s = b->sum();
  b->~Buffer();
  Aligned *a = new (std::nothrow) Aligned;
  a->V[0] = s;
  a->V[1] = s * x;
  s = a->V[0] * a->V[1];
  delete a;
  return s;
}

int main() {
  RG_UNARY(scalar, 1.5);
  double x = 0.75;
  for (int n = 1; n < 5; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)buffers, x, n), buffers(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)buffers, x, 1.0, n), buffers(x, n), x);
  }
  RG_UNARY(placed, 0.8);
  return rgReport();
}
