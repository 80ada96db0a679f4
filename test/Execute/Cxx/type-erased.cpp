// RG-LEVELS: O0 O1 O2 O3
// Objects behind pointers to void, copied by functions that alone know their
// types: nothing but the type of the copy says what its bytes are.
#include "rgtest.h"
#include <cmath>
#include <vector>
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

struct Table {
  double (*call)(const void *, double);
  void (*destroy)(void *);
  void *(*clone)(const void *);
};
template <class F>
const Table tableOf = {
    [](const void *p, double x) { return (*(const F *)p)(x); },
    [](void *p) { delete (F *)p; },
    [](const void *p) -> void * { return new F(*(const F *)p); }};

class Function {
  void *object;
  const Table *table;

public:
  template <class F> Function(F f) : object(new F(f)), table(&tableOf<F>) {}
  Function(const Function &o)
      : object(o.table->clone(o.object)), table(o.table) {}
  Function(Function &&o) : object(o.object), table(o.table) {
    o.object = nullptr;
  }
  ~Function() {
    if (object)
      table->destroy(object);
  }
  double operator()(double x) const { return table->call(object, x); }
};

static double chain(const double *x) {
  std::vector<Function> f;
  double a = x[0], b = x[1], c = x[2];
  int n = 3;
  f.push_back([a](double t) { return a * t; });
  f.push_back([b, c](double t) { return b * t * t + c; });
  f.push_back([x](double t) { return std::sin(t) * x[3]; });
  f.push_back([n](double t) { return t * n; });
  f.push_back([n, a, x](double t) { return t * a + x[n]; });
  std::vector<Function> g = f;
  double s = x[4];
  for (const Function &h : g)
    s = h(s);
  for (const Function &h : f)
    s += h(0.5);
  return s;
}

// By kind: members of a base, more than 128 bytes, integers in one kind of
// record where an array of the other has numbers.
struct Base {
  double weight;
  int kind;
};
struct Small : Base {
  long parts[3];
};
struct Large : Base {
  double values[24];
  long count;
};
static void *copyOf(const void *p) {
  if (((const Base *)p)->kind == 0)
    return new Small(*(const Small *)p);
  return new Large(*(const Large *)p);
}
static double weigh(const void *p) {
  const Base *b = (const Base *)p;
  double s = b->weight;
  if (b->kind == 0) {
    const Small *q = (const Small *)p;
    for (int i = 0; i < 3; ++i)
      s += b->weight * q->parts[i];
  } else {
    const Large *q = (const Large *)p;
    for (long i = 0; i < q->count; ++i)
      s += q->values[i] * q->values[i];
  }
  return s;
}
static double records(const double *x) {
  void *all[4];
  for (int i = 0; i < 2; ++i) {
    auto *s = new Small{{x[i] * 2, 0}, {i, 2, 3}};
    auto *l = new Large{{x[i + 2], 1}, {}, 24};
    for (int k = 0; k < 24; ++k)
      l->values[k] = x[k % 5] * k;
    all[2 * i] = s;
    all[2 * i + 1] = l;
  }
  double r = 0;
  for (void *p : all) {
    void *q = copyOf(p);
    r += weigh(q) * weigh(p);
    if (((Base *)p)->kind == 0) {
      delete (Small *)p;
      delete (Small *)q;
    } else {
      delete (Large *)p;
      delete (Large *)q;
    }
  }
  return r;
}

template <double (*F)(const double *)> static void check() {
  double x[5] = {0.7, 0.9, 1.1, 0.8, 1.2}, dx[5] = {0};
  __enzyme_autodiff<void>((void *)F, x, dx);
  for (int i = 0; i < 5; ++i) {
    double e[5] = {0};
    e[i] = 1;
    RG_NEAR(__enzyme_fwddiff<double>((void *)F, x, e), dx[i]);
    RG_GRAD(dx[i], F(x), x[i]);
  }
}

int main() {
  check<chain>();
  check<records>();
  return rgReport();
}
