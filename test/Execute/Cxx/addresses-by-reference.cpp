// Addresses that are kept in integers and moved, word by word, by functions which do not know what they are: swapped, chosen, and copied
// from record to record, beside sizes that the same functions move.
// RG-LEVELS: O0 O1 O2
#include "rgvector.hpp"
#include <cmath>
#include <cstdint>
#include <utility>

struct Block {
  uintptr_t at;
  long n;
};

template <class T> __attribute__((noinline)) static void exchange(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
__attribute__((noinline)) static void copyTo(Block *to, const Block *from) {
  to->at = from->at;
  to->n = from->n;
}
__attribute__((noinline)) static void choose(uintptr_t *to, const uintptr_t *a, const uintptr_t *b, bool second) {
  *to = second ? *b : *a;
}

static double sum(const Block &b) {
  double s = 0;
  for (long i = 0; i < b.n; i++)
    s += std::sin(((double *)b.at)[i]) * (i + 1);
  return s;
}

static double swapped(const double *x, int n) {
  double a[3] = {x[0] * x[1], x[1], x[2]}, b[3] = {x[3], x[0] * x[4], x[5]};
  Block g{(uintptr_t)a, 3}, h{(uintptr_t)b, 2};
  exchange(g.at, h.at);
  exchange(g.n, h.n);
  return sum(g) + 2 * sum(h);
}

static double variables(const double *x, int n) {
  double a[3] = {x[0] * x[1], x[1], x[2]}, b[3] = {x[3], x[0] * x[4], x[5]};
  uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
  exchange(p, q);
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += ((double *)p)[i] * (i + 1) + std::sin(((double *)q)[i]);
  return s;
}

static double copied(const double *x, int n) {
  double a[3] = {x[0] * x[1], x[1], x[2]}, b[3] = {x[3], x[0] * x[4], x[5]};
  Block g{(uintptr_t)a, 3}, h{(uintptr_t)b, 2}, one, other;
  copyTo(&one, &g);
  copyTo(&other, &h);
  copyTo(&g, &other);
  return sum(g) + 2 * sum(one);
}

static double chosen(const double *x, int n) {
  double a[3] = {x[0] * x[1], x[1], x[2]}, b[3] = {x[3], x[0] * x[4], x[5]};
  uintptr_t p = (uintptr_t)a, q = (uintptr_t)b, r;
  double s = 0;
  for (int i = 0; i < 6; i++) {
    choose(&r, &p, &q, x[i] > 0.9);
    s += ((double *)r)[i % 3] * (i + 1);
  }
  return s;
}

int main() {
  check(chosen);
  check(swapped);
  check(variables);
  check(copied);
  return rgReport();
}
