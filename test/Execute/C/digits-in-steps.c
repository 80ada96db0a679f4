// What the bits of a number, read as an integer, say in steps is constant almost everywhere: the exponent, an index of few
// digits, a hash. So is a power of two whose bits are a rounded number. And words that are numbers and integers by turns are no
// digits of numbers, wherever they lie.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

static uint64_t bitsAt(const double *p) {
  uint64_t bits;
  memcpy(&bits, p, 8);
  return bits;
}
/// Away from where they step.
static void fill(double *y, const double *x, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 1.05 * x[i];
}
static double exponents(const double *x, int n) {
  double y[6], s = 0;
  fill(y, x, n);
  for (const double *p = y; p != y + n; ++p) {
    s += *p * ((int)(bitsAt(p) >> 52 & 0x7ff) - 1023);
    // A carry out of the mantissa.
    s += *p * *p * (double)((bitsAt(p) + 0x0009000000000000) >> 52);
  }
  return s;
}
static double fewDigits(const double *x, int n) {
  double y[6], s = 0;
  fill(y, x, n);
  for (const double *p = y; p != y + n; ++p) {
    int64_t k = (int64_t)(*p * 4);
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, 8);
    s += power * *p + (double)(bitsAt(p) >> 50 & 3) * *p;
  }
  return s;
}
static double hash(const double *x, int n) {
  double y[6], s = 0;
  fill(y, x, n);
  for (const double *p = y; p != y + n; ++p)
    s += *p * *p * (double)((bitsAt(p) & ~(uint64_t)0x3ffffffffffff) * 0x9e3779b97f4a7c15 >> 60);
  return s;
}
/// Numbers and integers in one stream of bytes.
static double stream(const double *x, int n) {
  unsigned char bytes[256];
  int64_t counts[6];
  unsigned at = 0;
  double s = 0;
  for (int i = 0; i < n; ++i)
    counts[i] = i * i + 1;
  for (int i = 0; i < n; ++i) {
    double y = x[i] * x[i];
    memcpy(bytes + at, &counts[i], 8);
    memcpy(bytes + at + 8, &y, 8);
    at += 16;
  }
  at = 0;
  for (int i = 0; i < n; ++i) {
    double y;
    int64_t count;
    memcpy(&count, bytes + at, 8);
    memcpy(&y, bytes + at + 8, 8);
    s += y * (double)count;
    at += 16;
  }
  return s;
}
struct Value {
  int isNumber;
  union {
    double number;
    int64_t count;
  };
};
static double valueOf(const struct Value *v) { return v->isNumber ? v->number : (double)v->count; }
static double tagged(const double *x, int n) {
  struct Value v[6], w[6];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    v[i].isNumber = i % 2;
    if (i % 2)
      v[i].number = x[i] * x[0];
    else
      v[i].count = i + 3;
  }
  // Of numbers alone; the other way is not taken.
  for (int i = 0; i < n; ++i) {
    w[i].isNumber = 1;
    w[i].number = x[i] * x[1];
  }
  for (int i = 0; i < n; ++i)
    s += x[1] * valueOf(&v[i]) + x[2] * valueOf(&w[i]);
  return s;
}
/// A header in front of the numbers, read as a copy.
static double block(const double *x, int n) {
  struct Header {
    int64_t count, factor;
  } header = {n, 3};
  char *bytes = (char *)malloc(sizeof header + n * 8);
  memcpy(bytes, &header, sizeof header);
  double *y = (double *)(bytes + sizeof header), s = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[0];
  struct Header again;
  memcpy(&again, bytes, sizeof again);
  for (int i = 0; i < again.count; ++i)
    s += y[i] * (double)again.factor;
  free(bytes);
  return s;
}

int main(void) {
  RG_CHECK_VECTOR(exponents);
  RG_CHECK_VECTOR(fewDigits);
  RG_CHECK_VECTOR(hash);
  RG_CHECK_VECTOR(stream);
  RG_CHECK_VECTOR(tagged);
  RG_CHECK_VECTOR(block);
  return rgReport();
}
