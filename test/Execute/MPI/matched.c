// Messages that are matched by a probe and received later: of any source and tag, of sizes
// that the probe tells, received in another order than they were found, of integers among
// numbers of one tag, of nobody, and on a part of the ranks, where packets travel, too.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"

static double any(const double *x, int n) {
  double s = x[0];
  if (rgRank)
    for (int k = 0; k < 2; ++k) {
      double v[8];
      int count = 1 + (rgRank + k) % 4;
      for (int i = 0; i < count; ++i)
        v[i] = exp(-x[i] * (k + 1));
      MPI_Send(v, count, MPI_DOUBLE, 0, 5 - rgRank, MPI_COMM_WORLD);
    }
  for (int k = 2; k < 2 * rgSize && rgRank == 0; ++k) {
    MPI_Status status;
    MPI_Message m;
    int count;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    double *v = malloc(count * sizeof *v);
    MPI_Mrecv(v, count, MPI_DOUBLE, &m, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i)
      s += v[i] * v[i] * x[i % n] * (1 + status.MPI_SOURCE) * (status.MPI_TAG + 1);
    free(v);
  }
  return s;
}
// Two are found, the second is received first; their tags differ, so that forward mode knows them.
static double swapped(const double *x, int n) {
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize, flag = 0;
  double a[2] = {x[0] * x[1], x[2]}, b[3] = {x[3], x[1], x[0] * x[0]}, c[2], d[3];
  MPI_Request r[2], q;
  MPI_Message first, second;
  MPI_Isend(a, 2, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(b, 3, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[1]);
  MPI_Mprobe(left, 1, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
  while (!flag)
    MPI_Improbe(left, 2, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Imrecv(d, 3, MPI_DOUBLE, &second, &q);
  MPI_Mrecv(c, 2, MPI_DOUBLE, &first, MPI_STATUS_IGNORE);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  return c[0] * d[0] + c[1] * d[1] * d[2] * x[n - 1];
}
static double mixed(const double *x, int n) {
  int right = rgRank + 1 < rgSize ? rgRank + 1 : MPI_PROC_NULL, left = rgRank ? rgRank - 1 : MPI_PROC_NULL;
  double s = 0;
  for (int k = 0; k < 4; ++k) {
    double v = x[k] * x[k + 1], w = 0.5;
    int i = k + 1, j = 1;
    MPI_Message m;
    if (k % 2 == 0) {
      MPI_Send(&i, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
      MPI_Mprobe(left, 3, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
      MPI_Mrecv(&j, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    }
    MPI_Send(&v, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
    MPI_Mprobe(left, 3, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
    MPI_Mrecv(&w, 1, MPI_DOUBLE, &m, MPI_STATUS_IGNORE);
    s += w * w * j * x[k];
  }
  return s;
}
static double halves(const double *x, int n) {
  MPI_Comm half;
  int size, rank;
  double v[2] = {x[0] * x[1], x[2]}, w[2], s = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rgRank % 2, rgRank, &half);
  MPI_Comm_size(half, &size);
  MPI_Comm_rank(half, &rank);
  for (int k = 0; k < 3; ++k) {
    MPI_Request r;
    MPI_Message m;
    MPI_Isend(v, 2, MPI_DOUBLE, (rank + 1) % size, k, half, &r);
    MPI_Mprobe(MPI_ANY_SOURCE, k, half, &m, MPI_STATUS_IGNORE);
    MPI_Mrecv(w, 2, MPI_DOUBLE, &m, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    v[0] = sin(w[1]) * x[k];
    v[1] = w[0] * w[0];
    s += w[0] * w[1];
  }
  MPI_Comm_free(&half);
  return s * x[n - 1];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(any, 5);
  RG_MPI_CHECK(swapped, 5);
  RG_MPI_CHECK(mixed, 5);
  RG_MPI_CHECK(halves, 5);
  return rgEnd();
}
