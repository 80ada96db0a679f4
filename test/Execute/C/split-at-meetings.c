// Loops over rows that use a place, too, which may lie in the row (lib/Polish/SplitAtMeetings.cpp): wherever the two meet, in front of the row,
// at each of its ends, between two elements, nowhere, in rows that overlap, the derivative leaves what the primal leaves, bit for bit, and is right.
// RG-LEVELS: O0 O2 O3
// RG-SWITCHES: split-at-meetings
#include "rgtest.h"
#include <string.h>
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
typedef unsigned char Bytes;

#define AT(T, p, i) get_##T((p) + (long)(i) * (long)sizeof(T))
#define PUT(T, p, i, x) put_##T((p) + (long)(i) * (long)sizeof(T), x)
#define ACCESS(T)                                                                                                                          \
  static inline T get_##T(const Bytes *p) { T x; memcpy(&x, p, sizeof x); return x; }                                                       \
  static inline void put_##T(Bytes *p, T x) { memcpy(p, &x, sizeof x); }
ACCESS(unsigned)
ACCESS(char)
ACCESS(long)

// What follows reads and writes `at`, a row, and `to`, a place (or a second row), `trips` times.
#define PROGRAM(name, body)                                                                                                                \
  __attribute__((noinline)) static double name(double x, Bytes *at, Bytes *to, long trips) {                                               \
    for (long j = 0; j < trips; ++j) body                                                                                                  \
    return x * x * to[0];                                                                                                                  \
  }
PROGRAM(up, { PUT(unsigned, at, j, AT(unsigned, at, j) * 3 + AT(unsigned, to, 0)); PUT(unsigned, to, 0, AT(unsigned, to, 0) ^ AT(unsigned, at, j)); })
PROGRAM(down, { PUT(unsigned, at, 40 - j, AT(unsigned, at, 40 - j) * 5 + AT(unsigned, to, 0)); PUT(unsigned, to, 0, AT(unsigned, to, 0) + AT(unsigned, at, 40 - j)); })
PROGRAM(every_third, { PUT(unsigned, at, 3 * j, AT(unsigned, to, 0) + j); PUT(unsigned, to, 0, AT(unsigned, to, 0) * 7 + AT(unsigned, at, 3 * j)); })
PROGRAM(read_only, { PUT(unsigned, at, j, AT(unsigned, at, j) * 3 + AT(unsigned, to, 0)); })
PROGRAM(written_only, { PUT(unsigned, to, 0, AT(unsigned, at, j) * 3 + j); })
PROGRAM(stencil, { PUT(unsigned, at, j, AT(unsigned, at, j - 1) + 2 * AT(unsigned, at, j + 1) + AT(unsigned, to, 0)); PUT(unsigned, to, 0, AT(unsigned, to, 0) + j); })
PROGRAM(small_place, { PUT(long, at, j, AT(long, at, j) * 3 + AT(char, to, 0)); PUT(char, to, 0, AT(char, to, 0) + AT(long, at, j)); })
PROGRAM(large_place, { PUT(char, at, j, AT(char, at, j) * 3 + AT(long, to, 0)); PUT(long, to, 0, AT(long, to, 0) * 3 + AT(char, at, j)); })
PROGRAM(two_rows, { PUT(unsigned, at, j, AT(unsigned, at, j) + AT(unsigned, to, 3 * j)); PUT(unsigned, to, 5, AT(unsigned, to, 5) * 3 + AT(unsigned, at, j)); })
PROGRAM(places, { PUT(unsigned, at, 9, AT(unsigned, at, j) + AT(unsigned, to, 0)); PUT(unsigned, to, 1, AT(unsigned, at, 9) + AT(unsigned, at, j + 1)); PUT(unsigned, at, j, j * j); })
typedef double Program(double, Bytes *, Bytes *, long);
static Program *const programs[] = {up, down, every_third, read_only, written_only, stencil, small_place, large_place, two_rows, places};
#define GRADIENT(f) static void f##_gradient(double x, Bytes *at, Bytes *to, long trips) { __enzyme_autodiff((void *)f, x, enzyme_const, at, enzyme_const, to, enzyme_const, trips); }
GRADIENT(up) GRADIENT(down) GRADIENT(every_third) GRADIENT(read_only) GRADIENT(written_only) GRADIENT(stencil) GRADIENT(small_place)
GRADIENT(large_place) GRADIENT(two_rows) GRADIENT(places)
typedef void Gradient(double, Bytes *, Bytes *, long);
static Gradient *const gradients[] = {up_gradient, down_gradient, every_third_gradient, read_only_gradient, written_only_gradient,
                                      stencil_gradient, small_place_gradient, large_place_gradient, two_rows_gradient, places_gradient};

enum { Size = 2048 };
static Bytes one[Size], other[Size];
static void exactly(void) {
  const long trips[] = {1, 15, 16, 17, 40};
  for (unsigned p = 0; p < sizeof programs / sizeof *programs; ++p)
    for (unsigned t = 0; t < 5; ++t)
      for (long place = -17; place < 340; place += place > 150 && place < 310 ? 5 : 1) {
        for (int k = 0; k < Size; ++k) one[k] = other[k] = (Bytes)(k * 37 + (k >> 5));
        programs[p](1, one + 512, one + 512 + place, trips[t]);
        gradients[p](1, other + 512, other + 512 + place, trips[t]);
        if (memcmp(one, other, Size)) {
          printf("program %u, %ld trips, place at %ld: differs\n", p, trips[t], place);
          RG_NEAR(1, 0);
          break;
        }
      }
}

// d[k][j] and d[i][k], of which d[i][j] may be either.
__attribute__((noinline)) static void relax(double *a, int n, int k) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double way = a[(long)i * n + k] * 0.7 + a[(long)k * n + j];
      a[(long)i * n + j] = a[(long)i * n + j] < way ? a[(long)i * n + j] : way;
    }
}
// Backwards, and what is used is a product.
__attribute__((noinline)) static void eliminate(double *a, int n, int k) {
  for (int i = 0; i < n; ++i)
    for (int j = n - 1; j >= 0; --j)
      a[(long)i * n + j] -= 0.01 * a[(long)i * n + k] * a[(long)k * n + j];
}
// The place is a sum of its row.
__attribute__((noinline)) static void gather(double *a, int n, int k) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[(long)i * n + k] += 0.1 * a[(long)i * n + j] * a[(long)i * n + j];
}
typedef void Nest(double *, int, int);
enum { N = 37 };
static double a[N * N], d[N * N], along[N * N];
static void compare(const char *name, Nest *f, int k) {
  double value[2], by = 0;
  const double h = 1e-6;
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < N * N; ++i) a[i] = 1 + 0.3 * ((i * 29) % 31) / 31.0 + (side ? h : -h) * along[i];
    f(a, N, k);
    value[side] = 0;
    for (int i = 0; i < N * N; ++i) value[side] += a[i] * (1 + 0.001 * i);
  }
  for (int i = 0; i < N * N; ++i) a[i] = 1 + 0.3 * ((i * 29) % 31) / 31.0, d[i] = 1 + 0.001 * i;
  if (f == relax) __enzyme_autodiff((void *)relax, enzyme_dup, a, d, enzyme_const, N, enzyme_const, k);
  if (f == eliminate) __enzyme_autodiff((void *)eliminate, enzyme_dup, a, d, enzyme_const, N, enzyme_const, k);
  if (f == gather) __enzyme_autodiff((void *)gather, enzyme_dup, a, d, enzyme_const, N, enzyme_const, k);
  for (int i = 0; i < N * N; ++i) by += d[i] * along[i];
  rgCompare(__FILE__, __LINE__, name, by, (value[1] - value[0]) / (2 * h), 1e-6);
}

int main(void) {
  exactly();
  for (int i = 0; i < N * N; ++i) along[i] = 0.3 + 0.01 * (i % 11);
  for (int k = 0; k < N; k += k == 1 || k == 34 ? 1 : 3) {
    compare("relax", relax, k);
    compare("eliminate", eliminate, k);
    compare("gather", gather, k);
  }
  return rgReport();
}
