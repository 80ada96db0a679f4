// Derived datatypes: columns, blocks, structs with integers, parts of arrays, resized
// ones; complex numbers; freed before the reverse sweep.
// REQUIRES: mpi
// RG-RANKS: 1 2 3
#include "rgmpi.h"
#include <complex.h>
#include <stddef.h>

static double columns(const double *x, int n) {
  double a[4][5], s = 0;
  MPI_Datatype column, wide;
  MPI_Type_vector(4, 1, 5, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &wide);
  MPI_Type_commit(&wide);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      a[i][j] = x[i] * x[j % n] + 0.1 * i * j;
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  MPI_Request r[2];
  MPI_Irecv(&a[0][0], 2, wide, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(&a[0][3], 2, wide, right, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Type_free(&wide);
  MPI_Type_free(&column);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      s += a[i][j] * a[i][j] * (i + 2 * j);
  return s;
}
struct particle {
  int id;
  double at[2];
  float mass;
  char name[4];
};
static double records(const double *x, int n) {
  struct particle p[2], q[2];
  int blocks[4] = {1, 2, 1, 4};
  MPI_Aint places[4] = {offsetof(struct particle, id), offsetof(struct particle, at),
                        offsetof(struct particle, mass), offsetof(struct particle, name)};
  MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_CHAR}, bare, t;
  MPI_Type_create_struct(4, blocks, places, types, &bare);
  MPI_Type_create_resized(bare, 0, sizeof(struct particle), &t);
  MPI_Type_commit(&t);
  for (int i = 0; i < 2; ++i) {
    p[i].id = rgRank + i;
    p[i].at[0] = x[i] * x[i + 1];
    p[i].at[1] = x[i + 2];
    p[i].mass = 2;
    p[i].name[0] = 'a';
  }
  MPI_Sendrecv(p, 2, t, (rgRank + 1) % rgSize, 0, q, 2, t, (rgRank + rgSize - 1) % rgSize, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&t);
  MPI_Type_free(&bare);
  double s = 0;
  for (int i = 0; i < 2; ++i)
    s += q[i].at[0] * q[i].at[1] * q[i].mass * (1 + q[i].id) * x[n - 1];
  return s;
}
static double pieces(const double *x, int n) {
  double a[24], s = 0;
  int lengths[3] = {2, 1, 3}, starts[3] = {0, 5, 9}, sizes[2] = {4, 6}, sub[2] = {2, 3}, from[2] = {1, 2};
  MPI_Datatype indexed, part;
  MPI_Type_indexed(3, lengths, starts, MPI_DOUBLE, &indexed);
  MPI_Type_create_subarray(2, sizes, sub, from, MPI_ORDER_C, MPI_DOUBLE, &part);
  MPI_Type_commit(&indexed);
  MPI_Type_commit(&part);
  for (int i = 0; i < 24; ++i)
    a[i] = x[i % n] * (i + 1 + rgRank);
  MPI_Bcast(a, 1, indexed, 0, MPI_COMM_WORLD);
  MPI_Bcast(a, 1, part, rgSize - 1, MPI_COMM_WORLD);
  for (int i = 0; i < 24; ++i)
    s += a[i] * a[i] * (i + 1);
  MPI_Type_free(&indexed);
  MPI_Type_free(&part);
  return s;
}
static double waves(const double *x, int n) {
  double complex z[3], w[3];
  for (int i = 0; i < 3; ++i)
    z[i] = x[i] + I * x[i + 1] * (1 + rgRank);
  MPI_Allreduce(z, w, 3, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += creal(w[i]) * cimag(w[i]) * x[n - 1];
  return s;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(columns, 4);
  RG_MPI_CHECK(records, 5);
  RG_MPI_CHECK(pieces, 5);
  RG_MPI_CHECK(waves, 5);
  return rgEnd();
}
