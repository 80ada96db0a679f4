// The bits of numbers that reach an integer in memory by a call, as an argument, as a result or in a struct of
// registers, and are made a number again; and bits that a union reads as an address.
// RUN: not %rgcxx -w -std=c++20 -O0 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,O0
// RUN: not %rgcxx -w -std=c++20 -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,O1
// RUN: not %rgcxx -w -std=c++20 -O2 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,O1
// RUN: not %rgcxx -w -std=c++20 -O3 -march=native -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,O1
#include <bit>
#include <cstdint>
#include <cstdlib>
void __enzyme_autodiff(void *, ...);
#define REQUEST(F)                                                                                                     \
  void gradientOf##F(const double *x, double *dx, int n) { __enzyme_autodiff((void *)F, x, dx, n); }
#define APART __attribute__((noinline))

struct Record {
  uint64_t word;
  double factor;
};
APART static void put(Record &r, uint64_t word) { r.word = word; }
APART static uint64_t word(const Record &r) { return r.word; }
double argument(const double *x, int n) {
  Record all[16];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    put(all[i], std::bit_cast<uint64_t>(x[i] * x[i]));
    all[i].factor = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += std::bit_cast<double>(word(all[n - 1 - i])) * all[i].factor;
  return s;
}
// CHECK: bits-by-calls.cpp:[[#@LINE+3]]:{{[0-9]+}}: error: instruction '{{store|call}}' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
// O0: note: it is here, in 'put'
// O1: bits-by-calls.cpp:[[#@LINE-9]]:{{[0-9]+}}: note: it is here, in 'argument'
REQUEST(argument)

double readHere(const double *x, int n) {
  Record all[16];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    put(all[i], std::bit_cast<uint64_t>(x[i] * x[i]));
    all[i].factor = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += std::bit_cast<double>(all[n - 1 - i].word) * all[i].factor;
  return s;
}
// CHECK: bits-by-calls.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: instruction '{{store|call}}' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
REQUEST(readHere)

APART static uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }
APART static double number(uint64_t v) { return std::bit_cast<double>(v); }
double result(const double *x, int n) {
  Record all[16];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    all[i].word = bits(x[i] * x[i]);
    all[i].factor = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += number(all[n - 1 - i].word) * all[i].factor;
  return s;
}
// CHECK: bits-by-calls.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: instruction 'store' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
REQUEST(result)

struct Halves {
  uint32_t low, high;
  double factor;
};
APART void split(Halves &h, uint32_t low, uint32_t high) {
  h.low = low;
  h.high = high;
}
APART uint32_t low(const Halves &h) { return h.low; }
APART uint32_t high(const Halves &h) { return h.high; }
double halves(const double *x, int n) {
  Halves all[16];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t u = std::bit_cast<uint64_t>(x[i] * x[i]);
    split(all[i], uint32_t(u), uint32_t(u >> 32));
    all[i].factor = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += std::bit_cast<double>(uint64_t(high(all[i])) << 32 | low(all[i])) * all[i].factor;
  return s;
}
// O1: bits-by-calls.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: instruction 'call' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
REQUEST(halves)

struct Packet {
  uint64_t word;
  int kind;
};
APART static Packet pack(double v, int kind) { return {std::bit_cast<uint64_t>(v), kind}; }
APART static double unpack(Packet p) { return std::bit_cast<double>(p.word) * p.kind; }
double packets(const double *x, int n) {
  Packet all[32];
  double s = 0;
  for (int i = 0; i < n; ++i)
    all[i & 31] = pack(x[i] * x[i], i + 1);
  for (int i = 0; i < n; ++i)
    s += unpack(all[i & 31]);
  return s;
}
// O1: bits-by-calls.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: instruction 'store' cannot be differentiated here: the bits of an active number in a member that is declared an integer [RG2002]
REQUEST(packets)

struct Cell {
  union {
    double number;
    void *address;
  };
  Cell *next;
};
APART static void flip(Cell *c) {
  uintptr_t word = uintptr_t(c->address);
  c->address = (void *)(word ^ uintptr_t(1) << 63);
}
double addresses(const double *x, int n) {
  Cell *first = nullptr;
  for (int i = 0; i < n; ++i) {
    Cell *c = (Cell *)malloc(sizeof *c);
    c->number = x[i] * x[i];
    c->next = first;
    first = c;
  }
  double s = 0;
  for (Cell *c = first; c; c = c->next)
    flip(c);
  for (Cell *c = first; c; c = c->next)
    s += c->number * c->number * c->number;
  return s;
}
// CHECK: bits-by-calls.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: instruction 'store' cannot be differentiated here: a store of integers that may be parts of floating-point numbers [RG2002]
REQUEST(addresses)
