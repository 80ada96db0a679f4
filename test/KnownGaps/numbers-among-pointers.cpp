// XFAIL: *
// Doubles kept in members that are declared as pointers: assigned with their
// structs, moved by a vector that grows, copied by helpers that do not know
// what they copy.
// The declaration of a pointer wins over what the program stores.
// RG-LEVELS: O2
// RG-FLAGS: -std=c++17
#include "rgvector.hpp"
#include <cstring>
#include <vector>

struct Word {
  void *p;
};
static constexpr int Count = 6;

static inline __attribute__((always_inline)) void
inlined(void *To, const void *From, size_t Bytes) {
  memcpy(To, From, Bytes);
}
static void called(void *To, const void *From, size_t Bytes) {
  memcpy(To, From, Bytes);
}
__attribute__((noinline)) static void apart(void *To, const void *From,
                                            size_t Bytes) {
  memcpy(To, From, Bytes);
}

using Copy = void (*)(void *, const void *, size_t);

template <Copy C> static double pushed(const double *x, int) {
  std::vector<Word> w(Count);
  for (int i = 0; i < Count; ++i) {
    double v = x[i] * x[i];
    C(&w[i], &v, sizeof v);
  }
  w.push_back(w[0]);
  double t = 0;
  for (const Word &q : w) {
    double v;
    C(&v, &q, sizeof v);
    t += v * v;
  }
  return t;
}

template <Copy C> static double assigned(const double *x, int) {
  Word w[Count];
  for (int i = 0; i < Count; ++i) {
    double v = x[i] * x[i];
    C(&w[i], &v, sizeof v);
  }
  Word q = w[1];
  double t = 0;
  C(&t, &q, sizeof t);
  for (int i = 0; i < Count; ++i) {
    double v;
    C(&v, &w[i], sizeof v);
    t += v * v;
  }
  return t;
}

static double grown(const double *x, int) {
  std::vector<void *> w(Count);
  for (int i = 0; i < Count; ++i)
    *(double *)&w[i] = x[i] * x[i];
  w.reserve(200);
  double t = 0;
  for (int i = 0; i < Count; ++i)
    t += *(double *)&w[i] * x[Count - 1 - i];
  return t;
}

static double copied(const double *x, int) {
  std::vector<Word> w(Count);
  for (int i = 0; i < Count; ++i) {
    double v = x[i] * x[i];
    inlined(&w[i], &v, sizeof v);
  }
  Word *n = new Word[Count];
  for (int i = 0; i < Count; ++i)
    n[i] = w[i];
  double t = 0;
  for (int i = 0; i < Count; ++i) {
    double v;
    inlined(&v, &n[i], sizeof v);
    t += v * v;
  }
  delete[] n;
  return t;
}

int main() {
  check(pushed<inlined>);
  check(pushed<called>);
  check(pushed<apart>);
  check(assigned<inlined>);
  check(assigned<called>);
  check(assigned<apart>);
  check(grown);
  check(copied);
  return rgReport();
}
