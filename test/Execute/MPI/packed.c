// Packed buffers: what lies in them, the program knows that packs and unpacks.
// REQUIRES: mpi
// RG-RANKS: 1 2 3
#include "rgmpi.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int right(void) { return (rgRank + 1) % rgSize; }
static int left(void) { return (rgRank + rgSize - 1) % rgSize; }

// Numbers of three kinds one behind the other, of which doubles do not lie at
// whole words; more is sent than is filled.
static double mixed(const double *x, int n) {
  char out[200], in[200];
  int at = 0, many = 2 + rgRank % 2;
  double a[3], u[3], s = 0;
  float f[2], g[2];
  for (int i = 0; i < many; ++i)
    a[i] = x[i] * x[(i + 1) % n];
  f[0] = 2, f[1] = (float)(3 + rgRank);
  MPI_Pack(&many, 1, MPI_INT, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Pack(a, many, MPI_DOUBLE, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Pack(f, 2, MPI_FLOAT, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Pack(&a[1], 1, MPI_DOUBLE, out, sizeof out, &at, MPI_COMM_WORLD);
  MPI_Sendrecv(out, at, MPI_PACKED, right(), 1, in, sizeof in, MPI_PACKED, left(), 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  at = 0;
  MPI_Unpack(in, sizeof in, &at, &many, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(in, sizeof in, &at, u, many, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(in, sizeof in, &at, g, 2, MPI_FLOAT, MPI_COMM_WORLD);
  for (int i = 0; i < many; ++i)
    s += u[i] * u[i] * (i + 1);
  s += (double)g[0] * (double)g[1];
  MPI_Unpack(in, sizeof in, &at, u, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  return s * u[0];
}

// A buffer of its size, filled and sent again and again, to two ranks, without
// waiting; who receives asks for the size.
struct atom {
  int id;
  double at[3];
  float charge;
};
static double records(const double *x, int n) {
  struct atom a[3], b[3];
  MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT}, loose, one;
  MPI_Aint where[3] = {offsetof(struct atom, id), offsetof(struct atom, at), offsetof(struct atom, charge)};
  int blocks[3] = {1, 3, 1}, size;
  MPI_Type_create_struct(3, blocks, where, parts, &loose);
  MPI_Type_create_resized(loose, 0, sizeof(struct atom), &one);
  MPI_Type_commit(&one);
  MPI_Pack_size(3, one, MPI_COMM_WORLD, &size);
  char *out = malloc(size), *in = NULL;
  double s = 0;
  for (int round = 0; round < 3; ++round) {
    int at = 0, bytes;
    MPI_Request r[2];
    MPI_Status status;
    for (int i = 0; i < 3; ++i) {
      a[i].id = i + round;
      for (int k = 0; k < 3; ++k)
        a[i].at[k] = x[(i + k + round) % n] * x[k] + rgRank;
      a[i].charge = (float)i;
    }
    MPI_Pack(a, 2, one, out, size, &at, MPI_COMM_WORLD);
    if (round)
      MPI_Pack(&a[2], 1, one, out, size, &at, MPI_COMM_WORLD);
    MPI_Isend(out, at, MPI_PACKED, right(), round, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, at, MPI_PACKED, left(), 7, MPI_COMM_WORLD, &r[1]);
    for (int side = 0; side < 2; ++side) {
      MPI_Probe(side ? right() : left(), side ? 7 : round, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_PACKED, &bytes);
      in = malloc(bytes);
      MPI_Recv(in, bytes, MPI_PACKED, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
      at = 0;
      for (int i = 0; at < bytes; ++i) {
        MPI_Unpack(in, bytes, &at, &b[i], 1, one, MPI_COMM_WORLD);
        s += (b[i].id + 1 + side) * b[i].at[0] * b[i].at[1] + (double)b[i].charge * b[i].at[2];
      }
      free(in);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  free(out);
  MPI_Type_free(&loose);
  MPI_Type_free(&one);
  return s;
}

// Columns of a matrix; the buffer is copied, unpacked twice, and only partly.
static double columns(const double *x, int n) {
  double m[4][4], v[4], w[4];
  char *out = malloc(100), *twin = malloc(100), in[100];
  int at = 0, bytes;
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 16; ++i)
    m[i / 4][i % 4] = x[i % n] * (i + 1);
  MPI_Pack(&m[0][1], 1, column, out, 100, &at, MPI_COMM_WORLD);
  MPI_Pack(&m[0][3], 1, column, out, 100, &at, MPI_COMM_WORLD);
  memcpy(twin, out, at);
  bytes = at;
  MPI_Sendrecv(twin, bytes, MPI_PACKED, left(), 2, in, 100, MPI_PACKED, right(), 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  at = 32;
  MPI_Unpack(in, bytes, &at, v, 4, MPI_DOUBLE, MPI_COMM_WORLD);
  at = 16;
  MPI_Unpack(in, bytes, &at, w, 4, MPI_DOUBLE, MPI_COMM_WORLD);
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += v[i] * w[i] * (i + 1);
  MPI_Type_free(&column);
  free(out);
  free(twin);
  return s;
}

// Messages of several senders are collected in one block, which is kept elsewhere before it is unpacked.
static double collected(const double *x, int n) {
  char out[40], in[40], *block = malloc(80), kept[80];
  int at = 0, end = 0;
  double a = x[0] * x[rgRank % n], v, w[2], s = 0;
  float f = 2, g;
  MPI_Pack(&f, 1, MPI_FLOAT, out, 40, &at, MPI_COMM_WORLD);
  MPI_Pack(&a, 1, MPI_DOUBLE, out, 40, &at, MPI_COMM_WORLD);
  MPI_Pack(x + 1, 2, MPI_DOUBLE, out, 40, &at, MPI_COMM_WORLD);
  for (int from = 0; from < 2; ++from) {
    MPI_Status status;
    int bytes;
    MPI_Sendrecv(out, at, MPI_PACKED, from ? left() : right(), 4, in, 40, MPI_PACKED, from ? right() : left(), 4,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &bytes);
    memcpy(block + end, in, bytes);
    end += bytes;
  }
  memcpy(kept, block, end);
  free(block);
  at = 0;
  for (int from = 0; from < 2; ++from) {
    MPI_Unpack(kept, end, &at, &g, 1, MPI_FLOAT, MPI_COMM_WORLD);
    MPI_Unpack(kept, end, &at, &v, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(kept, end, &at, w, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    s += (from + 1) * v * v + (double)g * w[0] * w[1];
  }
  return s;
}

// Floats have derivatives of their own; differences are those of doubles.
#define SUMS(name, number, type)                                                                     \
  static double name(const double *x, int n) {                                                       \
    char out[80], in[80];                                                                            \
    int at = 0, one = 1;                                                                             \
    number a[4];                                                                                     \
    for (int i = 0; i < 4; ++i)                                                                      \
      a[i] = (number)(x[i] * x[n - 1 - i]);                                                          \
    MPI_Pack(&one, 1, MPI_INT, out, 80, &at, MPI_COMM_WORLD);                                        \
    MPI_Pack(a, 4, type, out, 80, &at, MPI_COMM_WORLD);                                              \
    MPI_Pack(x, 1, MPI_DOUBLE, out, 80, &at, MPI_COMM_WORLD);                                        \
    MPI_Sendrecv(out, at, MPI_PACKED, right(), 1, in, 80, MPI_PACKED, left(), 1, MPI_COMM_WORLD,     \
                 MPI_STATUS_IGNORE);                                                                 \
    double s = 0, y;                                                                                 \
    at = 4;                                                                                          \
    MPI_Unpack(in, 80, &at, a, 4, type, MPI_COMM_WORLD);                                             \
    MPI_Unpack(in, 80, &at, &y, 1, MPI_DOUBLE, MPI_COMM_WORLD);                                      \
    for (int i = 0; i < 4; ++i)                                                                      \
      s += (double)a[i] * (i + one) * y;                                                             \
    return s;                                                                                        \
  }
SUMS(floats, float, MPI_FLOAT)
SUMS(doubles, double, MPI_DOUBLE)
static void narrow(void) {
  enum { n = 4 };
  double x[n], d[n], g[n] = {0}, p[n], m[n], mine = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = 0.4 + 0.13 * i + 0.07 * rgRank;
    d[i] = 1 - 0.3 * i;
    p[i] = x[i] + 1e-5 * d[i];
    m[i] = x[i] - 1e-5 * d[i];
  }
  __enzyme_autodiff((void *)floats, enzyme_dup, x, g, enzyme_const, n);
  for (int i = 0; i < n; ++i)
    mine += g[i] * d[i];
  double reverse = rgSum(mine), forward = rgSum(__enzyme_fwddiff((void *)floats, enzyme_dup, x, d, enzyme_const, n));
  double differences = rgSum(doubles(p, n) - doubles(m, n)) / 2e-5;
  rgCompare("floats, reverse", reverse, reverse, differences);
  rgCompare("floats, forward", forward, forward, differences);
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  narrow();
  RG_MPI_CHECK(mixed, 4);
  RG_MPI_CHECK(records, 4);
  RG_MPI_CHECK(columns, 4);
  RG_MPI_CHECK(collected, 4);
  return rgEnd();
}
