// Where all functions of the file are too many to tell objects apart, calls through pointers
// lead to what the differentiated function refers to. An object of another class, made
// outside, ends the program.
// RUN: %rgcxx -O0 %s -o %t && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// RUN: %rgcxx -O2 %s -o %t && %t 0
// RUN: not --crash %t 1 2>&1 | FileCheck %s
// CHECK: retrograd: in {{.*}}a call through a pointer reached the function at {{.*}}, which has no derivative
// CHECK-NOT: number
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>
extern int enzyme_const;
template <class T, class... Args> T __enzyme_autodiff(void *, Args...);
// As std::shared_ptr, but for what is known of the library's: its counts.
bool threads;
struct Block {
  int owners = 1, watchers = 1;
  virtual void dispose() = 0;
  static int add(int *count, int n) {
    if (threads)
      return __atomic_fetch_add(count, n, __ATOMIC_ACQ_REL);
    int old = *count;
    *count += n;
    return old;
  }
};
template <class T> struct Place : Block {
  T value;
  void dispose() override { value.~T(); }
  Place() : value() {}
};
template <class T> struct Shared {
  T *at = nullptr;
  Block *block = nullptr;
  Shared() = default;
  Shared(T *at, Block *block) : at(at), block(block) {}
  Shared(const Shared &o) : at(o.at), block(o.block) {
    if (block)
      Block::add(&block->owners, 1);
  }
  Shared &operator=(Shared o) {
    std::swap(at, o.at);
    std::swap(block, o.block);
    return *this;
  }
  ~Shared() {
    if (!block)
      return;
    constexpr long long Alone = 1 + (1LL << 32);
    if (__atomic_load_n((long long *)&block->owners, __ATOMIC_ACQUIRE) == Alone) {
      block->owners = block->watchers = 0;
      block->dispose();
      ::operator delete(block);
    } else if (Block::add(&block->owners, -1) == 1) {
      block->dispose();
      if (Block::add(&block->watchers, -1) == 1)
        ::operator delete(block);
    }
  }
  T *operator->() const { return at; }
};
template <class T> Shared<T> make() {
  auto *p = new Place<T>;
  return Shared<T>(&p->value, p);
}
struct Map {
  virtual ~Map() = default;
  virtual double of(double x) const = 0;
};
struct Square : Map {
  double of(double x) const override { return x * x; }
};
struct Triple : Map {
  double of(double x) const override { return 3 * x; }
};
struct Link {
  double v;
  Shared<Link> next;
};
double chain(const double *x) {
  auto p = make<Link>();
  p->next = make<Link>();
  p->next->v = *x;
  return p->next->v;
}
struct Node {
  double v = 0;
  std::vector<Shared<Node>> of;
};
Square mine;
double f(const Map *m, double x) {
  const Map *other = &mine;
  auto p = make<Node>(), q = make<Node>();
  q->v = m->of(x);
  p->of = {q, q};
  return p->of[0]->v + p->of[1]->v + other->of(x);
}
int main(int argc, char **argv) {
  Square s;
  Triple t;
  double x = 2, d = 0;
  __enzyme_autodiff<void>((void *)chain, &x, &d);
  const Map *m = argc > 1 && atoi(argv[1]) ? (const Map *)&t : &s;
  double g = __enzyme_autodiff<double>((void *)f, enzyme_const, m, x);
  std::printf("a number: %g\n", g);
  return g != 12 || d != 1;
}
