// Reductions by operations of the program's own: not commutative, with a result that is
// not linear, of structs with a member that a datatype leaves out, in place, and of a
// part of the ranks; operations that are in variables, and one that works on integers.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#include <stddef.h>
#define MOST 8

typedef struct {
  double slope, shift;
} affine;
typedef struct {
  double mean;
  int kept; // not sent
  float weight;
} part;
static MPI_Op compose, soft, merge, bits;
static MPI_Datatype map, some;

// First *a, then *b: the order makes a difference.
static void composed(void *in, void *inout, int *n, MPI_Datatype *type) {
  affine *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    affine c = {a[i].slope * b[i].slope, b[i].slope * a[i].shift + b[i].shift};
    b[i] = c;
  }
}
static void softMaximum(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i) {
    double a = ((double *)in)[i], b = ((double *)inout)[i], m = a > b ? a : b;
    ((double *)inout)[i] = m + log(exp(a - m) + exp(b - m));
  }
}
static void merged(void *in, void *inout, int *n, MPI_Datatype *type) {
  part *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    float w = a[i].weight + b[i].weight;
    b[i].mean = (a[i].mean * a[i].weight + b[i].mean * b[i].weight) / w;
    b[i].weight = w;
  }
}
static void bitsOf(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i)
    ((int *)inout)[i] |= ((int *)in)[i];
}

static double ordered(const double *x, int n) {
  affine a[2], b[2], c[2] = {{0, 0}, {0, 0}};
  double s = 0;
  for (int i = 0; i < 2; ++i)
    a[i].slope = x[i] + 0.3 * rgRank, a[i].shift = sin(x[i + 1]);
  MPI_Allreduce(a, b, 2, map, compose, MPI_COMM_WORLD);
  s += b[0].slope * b[0].shift + b[1].shift * b[1].shift * x[0];
  MPI_Reduce(a, c, 2, map, compose, rgSize - 1, MPI_COMM_WORLD);
  s += c[0].slope * c[0].shift + c[1].shift;
  MPI_Scan(a, b, 2, map, compose, MPI_COMM_WORLD);
  s += b[0].slope * b[0].shift * (1 + rgRank);
  MPI_Exscan(a, b, 2, map, compose, MPI_COMM_WORLD);
  return s + b[1].slope * b[1].shift * x[n - 1];
}
static double inPlace(const double *x, int n) {
  double a[3], s = 0;
  for (int i = 0; i < 3; ++i)
    a[i] = x[i] * x[i + 1] * (1 + rgRank % 2);
  MPI_Allreduce(MPI_IN_PLACE, a, 3, MPI_DOUBLE, soft, MPI_COMM_WORLD);
  s += a[0] * a[1] * a[2];
  for (int i = 0; i < 3; ++i)
    a[i] *= x[i];
  MPI_Reduce(rgRank == 0 ? MPI_IN_PLACE : a, a, 3, MPI_DOUBLE, soft, 0, MPI_COMM_WORLD);
  s += a[0] * a[1];
  MPI_Scan(MPI_IN_PLACE, a, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD);
  return s + a[0] * a[1] * x[n - 1];
}
static double scattered(const double *x, int n) {
  int counts[MOST], total = 0;
  double a[64], b[8] = {0}, s = 0;
  for (int r = 0; r < rgSize; ++r)
    total += counts[r] = 1 + r % 3;
  for (int i = 0; i < total; ++i)
    a[i] = x[i % n] * (1 + (i * 3 + rgRank * 5) % 7);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, soft, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rgRank]; ++i)
    s += b[i] * b[i] * (1 + i);
  for (int i = 0; i < 2 * rgSize; ++i)
    a[i] = x[i % n] * x[(i + 1) % n] * (1 + rgRank);
  MPI_Reduce_scatter_block(a, b, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD);
  return s + b[0] * b[1];
}
static double means(const double *x, int n) {
  part a[2], b[2] = {{0, 5, 0}, {0, 7, 0}};
  int flags = 1 << rgRank, all;
  for (int i = 0; i < 2; ++i)
    a[i].mean = x[i] * x[i], a[i].weight = (float)(1 + rgRank + i), a[i].kept = 100;
  MPI_Allreduce(a, b, 2, some, merge, MPI_COMM_WORLD);
  MPI_Allreduce(&flags, &all, 1, MPI_INT, bits, MPI_COMM_WORLD);
  return (b[0].mean * b[0].kept + b[1].mean * b[1].mean * b[1].kept) * x[n - 1] * all;
}
// One call, several operations; MPI's own among them.
static double anyOf(const double *x, int n) {
  MPI_Op ops[3] = {MPI_SUM, soft, MPI_MAX};
  MPI_Comm half;
  double v[2] = {x[0] * x[1] * (1 + rgRank), x[2]}, w[2], s = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rgRank % 2, -rgRank, &half);
  for (int i = 0; i < 3; ++i) {
    MPI_Allreduce(v, w, 2, MPI_DOUBLE, ops[i], half);
    s += w[0] * w[1];
    v[i % 2] = w[1] * x[i];
  }
  MPI_Comm_free(&half);
  return s * x[n - 1];
}
// Made and freed within what is differentiated.
static double within(const double *x, int n) {
  MPI_Op op;
  double v[2] = {x[0] * x[1], x[2] * (1 + rgRank)}, w[2];
  MPI_Op_create(softMaximum, 0, &op);
  MPI_Scan(v, w, 2, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  return w[0] * w[1] * x[n - 1];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  int one[2] = {1, 1};
  MPI_Aint at[2] = {offsetof(part, mean), offsetof(part, weight)};
  MPI_Datatype each[2] = {MPI_DOUBLE, MPI_FLOAT}, whole;
  MPI_Type_contiguous(2, MPI_DOUBLE, &map);
  MPI_Type_create_struct(2, one, at, each, &whole);
  MPI_Type_create_resized(whole, 0, sizeof(part), &some);
  MPI_Type_commit(&map);
  MPI_Type_commit(&some);
  MPI_Op_create(composed, 0, &compose);
  MPI_Op_create(softMaximum, 1, &soft);
  MPI_Op_create(merged, 1, &merge);
  MPI_Op_create(bitsOf, 1, &bits);
  RG_MPI_CHECK(ordered, 5);
  RG_MPI_CHECK(inPlace, 5);
  RG_MPI_CHECK(scattered, 5);
  RG_MPI_CHECK(means, 5);
  RG_MPI_CHECK(anyOf, 5);
  RG_MPI_CHECK(within, 5);
  return rgEnd();
}
