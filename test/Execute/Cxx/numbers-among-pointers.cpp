// Doubles kept in members that are declared as pointers: assigned with their
// structs, moved by a vector that grows, copied by helpers that do not know
// what they copy, and beside integers and addresses in the same words.
// RG-LEVELS: O0 O1 O2 O3
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

// A message of a tag and a word, which is a number, or an integer whose bits
// could be one's, or an address that is followed.
struct Message {
  int tag;
  void *word;
};
static void put(Message *m, double v) {
  m->tag = 0;
  memcpy(&m->word, &v, sizeof v);
}
static double number(const void *word) {
  double v;
  memcpy(&v, &word, sizeof v);
  return v;
}

static double besideIntegers(const double *x, int n) {
  Message a[Count], b[Count];
  for (int i = 0; i < n; ++i)
    if (i % 2) {
      put(&a[i], x[i] * x[i]);
    } else {
      a[i].tag = 2;
      a[i].word = (void *)(0x3fe0000000000000l + i);
    }
  for (int i = 0; i < n; ++i)
    b[n - 1 - i] = a[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * (b[i].tag == 0 ? number(b[i].word)
                                  : double((long)b[i].word & 15) * x[0]);
  return s;
}

// Integers that were loaded, or converted: nothing computes an address of them.
static long table[Count] = {3, 5, 7, 9, 2, 4};
template <bool Loaded> static double besideGiven(const double *x, int n) {
  Message a[Count], b[Count];
  for (int i = 0; i < n; ++i)
    if (i % 2) {
      put(&a[i], x[i] * x[i]);
    } else {
      a[i].tag = 2;
      a[i].word = (void *)(Loaded ? table[i] : long(x[i] * 4 + 20.3));
    }
  for (int i = 0; i < n; ++i)
    b[n - 1 - i] = a[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * (b[i].tag == 0 ? number(b[i].word)
                                  : double((long)b[i].word & 15) * x[0]);
  return s;
}

// The same words hold numbers first, and integers then.
struct Pair {
  Word w;
  double u;
};
static double inTurns(const double *x, int n) {
  Pair a[Count], b[Count];
  double s = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < n; ++i) {
      if (round % 2) {
        a[i].w.p = (void *)(0x3fe0000000000000l + i);
      } else {
        double v = x[i] * x[i] + s * 0.01;
        memcpy(&a[i].w, &v, sizeof v);
      }
      a[i].u = x[i] * (round + 1);
    }
    for (int i = 0; i < n; ++i)
      b[n - 1 - i] = a[i];
    for (int i = 0; i < n; ++i)
      s +=
          b[i].u * (round % 2 ? double((long)b[i].w.p & 15) : number(b[i].w.p));
  }
  return s;
}

static double followed(const double *x, int n) {
  Message a[Count];
  for (int i = 0; i < n; ++i) {
    a[i].tag = i % 2;
    if (a[i].tag)
      a[i].word = (void *)&x[i];
    else
      put(&a[i], x[i] * x[i]);
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Message m = a[(i + 1) % Count];
    s += (i + 1) * (m.tag ? *(double *)m.word : number(m.word));
  }
  return s;
}

// Cells of a pool: free, they lead to the next one.
union Cell {
  Cell *next;
  double v;
  long n;
};
struct Pool {
  Cell cells[8];
  Cell *free;
  Cell *get() {
    Cell *c = free;
    free = c->next;
    return c;
  }
  void put(Cell *c) {
    c->next = free;
    free = c;
  }
};

static double pooled(const double *x, int n) {
  Pool p;
  p.free = nullptr;
  for (Cell &c : p.cells)
    p.put(&c);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Cell *a = p.get(), *b = p.get();
    a->v = x[i] * x[i];
    b->n = (long(i) << 40) + 3;
    Cell t = *a;
    *a = *b;
    *b = t;
    s += b->v * double(a->n % 7);
    p.put(a);
    p.put(b);
  }
  return s;
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
  check(besideIntegers);
  check(besideGiven<true>);
  check(besideGiven<false>);
  check(inTurns);
  check(followed);
  check(pooled);
  return rgReport();
}
