// Collective routines, in place and not, of all operations; those that are waited for
// later; parts of the ranks.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#include <string.h>
#define MOST 8

static double sums(const double *x, int n) {
  double a[3], b[3] = {0}, c[3], s = 0, w = 1 + rgRank;
  for (int i = 0; i < 3; ++i)
    a[i] = x[i] * x[i + 1] * w, c[i] = sin(x[i]);
  MPI_Reduce(a, b, 3, MPI_DOUBLE, MPI_SUM, rgSize - 1, MPI_COMM_WORLD);
  if (rgRank == rgSize - 1)
    s += b[0] * b[1] + b[2];
  MPI_Allreduce(MPI_IN_PLACE, c, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  s += c[0] * c[1] * a[2];
  MPI_Reduce(rgRank == 0 ? MPI_IN_PLACE : c, c, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  s += c[2] * c[2] * x[n - 1];
  MPI_Bcast(c, 3, MPI_DOUBLE, rgSize / 2, MPI_COMM_WORLD);
  return s + c[0] * c[1] * x[0];
}
static double others(const double *x, int n) {
  double a[4], b[4] = {0}, s = 0;
  for (int i = 0; i < 4; ++i)
    a[i] = x[i] * (1 + (rgRank * 5 + i * 3) % 7);
  MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  s += b[0] + 0.1 * b[1];
  MPI_Allreduce(a, b, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  s += b[0] * b[2] * x[0];
  MPI_Reduce(a, b, 4, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rgRank == 0)
    s += b[1] * b[3];
  struct {
    double value;
    int where;
  } in[2], out[2];
  for (int i = 0; i < 2; ++i)
    in[i].value = a[i] * a[i + 1], in[i].where = rgRank;
  MPI_Allreduce(in, out, 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  s += out[0].value * (1 + out[0].where);
  MPI_Allreduce(in, out, 2, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  return s + out[1].value * (1 + out[1].where) * x[n - 1];
}
static double moves(const double *x, int n) {
  double all[3 * MOST] = {0}, mine[3], s = 0;
  for (int i = 0; i < 3; ++i)
    mine[i] = x[i] * cos(x[i + 1]);
  MPI_Gather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3 * rgSize && rgRank == 0; ++i)
    all[i] = all[i] * all[(i + 1) % (3 * rgSize)];
  MPI_Scatter(all, 3, MPI_DOUBLE, mine, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    s += mine[i] * mine[i] * x[i];
  MPI_Allgather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 3 * rgSize; ++i)
    s += all[i] * all[i] * x[i % n] * (i + 1);
  double to[2 * MOST], from[2 * MOST];
  for (int i = 0; i < 2 * rgSize; ++i)
    from[i] = x[i % n] * all[i];
  MPI_Alltoall(from, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * rgSize; ++i)
    s += to[i] * to[i] * (1 + i);
  // In place: what is there already counts.
  double own[2 * MOST] = {0};
  own[2 * rgRank] = x[0] * x[1];
  own[2 * rgRank + 1] = x[2];
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, own, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * rgSize; ++i)
    s += own[i] * own[i] * (2 + i + rgRank);
  MPI_Gather(rgRank == 0 ? MPI_IN_PLACE : own + 2 * rgRank, 2, MPI_DOUBLE, own, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(own, 2, MPI_DOUBLE, rgRank == 0 ? MPI_IN_PLACE : mine, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return s + (rgRank == 0 ? own[0] * own[1] : mine[0] * mine[1]) * x[n - 1];
}
static double uneven(const double *x, int n) {
  int counts[MOST], places[MOST], back[MOST], at[MOST], total = 0;
  for (int r = 0; r < rgSize; ++r) {
    counts[r] = 1 + r % 3;
    places[r] = total + r; // with gaps
    total += counts[r];
  }
  double all[64] = {0}, mine[4], s = 0;
  int m = counts[rgRank];
  for (int i = 0; i < m; ++i)
    mine[i] = x[i] * x[i];
  MPI_Allgatherv(mine, m, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < total + rgSize; ++i)
    s += all[i] * all[i] * x[i % n] * (1 + rgRank);
  MPI_Gatherv(mine, m, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, rgSize - 1, MPI_COMM_WORLD);
  for (int i = 0; i < total + rgSize && rgRank == rgSize - 1; ++i)
    all[i] *= all[i] * (1 + i);
  MPI_Scatterv(all, counts, places, MPI_DOUBLE, mine, m, MPI_DOUBLE, rgSize - 1, MPI_COMM_WORLD);
  for (int i = 0; i < m; ++i)
    s += mine[i] * x[n - 1];
  double from[64], to[64];
  int sum = 0;
  for (int r = 0; r < rgSize; ++r) {
    counts[r] = 1 + (r + rgRank) % 2;
    back[r] = 1 + (r + rgRank) % 2;
    places[r] = at[r] = 3 * r;
    sum = 3 * r + 3;
  }
  for (int i = 0; i < sum; ++i)
    from[i] = x[i % n] * (i + 1), to[i] = 0.5;
  MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, back, at, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < sum; ++i)
    s += to[i] * to[i] * (i + 1);
  return s;
}
static double parts(const double *x, int n) {
  int counts[MOST], total = 0;
  double a[64], b[8], s = 0;
  for (int r = 0; r < rgSize; ++r)
    total += counts[r] = 1 + r % 3;
  for (int i = 0; i < total; ++i)
    a[i] = x[i % n] * (1 + (i * 3 + rgRank * 5) % 7);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rgRank]; ++i)
    s += b[i] * b[i] * (1 + i);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rgRank]; ++i)
    s += b[i] * b[i] * (1 + i);
  double c[2 * MOST];
  for (int i = 0; i < 2 * rgSize; ++i)
    c[i] = x[i % n] * x[(i + 1) % n] * (1 + rgRank);
  MPI_Reduce_scatter_block(c, b, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  s += b[0] * b[1];
  MPI_Scan(a, b, 3 < total ? 3 : total, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  s += b[0] * b[0];
  MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  s += b[0] * x[1];
  b[0] = 1;
  MPI_Exscan(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return s + (rgRank ? b[0] * b[0] * x[2] : 0);
}
// Two at a time, waited for in different orders.
static double later(const double *x, int n) {
  double a[2] = {x[0] * x[1], x[2]}, b[2], c[2] = {x[1] * (1 + rgRank), x[0]}, d[2 * MOST], s = 0;
  MPI_Request r[2];
  MPI_Iallreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
  MPI_Iallgather(c, 2, MPI_DOUBLE, d, 2, MPI_DOUBLE, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[rgRank % 2], MPI_STATUS_IGNORE);
  MPI_Wait(&r[1 - rgRank % 2], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * rgSize; ++i)
    s += d[i] * d[i] * (i + 1) * b[0];
  MPI_Ibcast(b, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
  double t = s * x[n - 1];
  MPI_Iallreduce(&t, &a[0], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  return a[0] * b[1];
}
static double halves(const double *x, int n) {
  MPI_Comm half, ring;
  double s = 0, v[2] = {x[0] * x[1], x[2]}, w[2];
  int size, rank, wraps = 1, left, right, all = rgSize;
  MPI_Comm_split(MPI_COMM_WORLD, rgRank % 2, -rgRank, &half);
  MPI_Comm_size(half, &size);
  MPI_Comm_rank(half, &rank);
  MPI_Allreduce(v, w, 2, MPI_DOUBLE, MPI_SUM, half);
  s += w[0] * w[1] * (rank + 1);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &wraps, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  MPI_Sendrecv(w, 2, MPI_DOUBLE, right, 4, v, 2, MPI_DOUBLE, left, 4, ring, MPI_STATUS_IGNORE);
  MPI_Comm_free(&half);
  MPI_Comm_free(&ring);
  MPI_Barrier(MPI_COMM_WORLD);
  return s + v[0] * v[1] * x[n - 1];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(sums, 5);
  RG_MPI_CHECK(others, 5);
  RG_MPI_CHECK(moves, 5);
  RG_MPI_CHECK(uneven, 5);
  RG_MPI_CHECK(parts, 5);
  RG_MPI_CHECK(later, 5);
  RG_MPI_CHECK(halves, 5);
  return rgEnd();
}
