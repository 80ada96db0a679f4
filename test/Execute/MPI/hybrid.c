// Messages between ranks and threads within each: halos, a parallel loop over the rank's
// part, and sums over threads and ranks; messages within a region, by its first thread.
// REQUIRES: mpi
// RG-FLAGS: -fopenmp
// RG-RANKS: 1 2 3
// RG-THREADS: 1 2
#include "rgmpi.h"

static double smooth(const double *x, int n) {
  enum { CELLS = 16 };
  double u[CELLS + 2], v[CELLS + 2], mine = 0, all;
  int right = rgRank + 1 < rgSize ? rgRank + 1 : MPI_PROC_NULL, left = rgRank ? rgRank - 1 : MPI_PROC_NULL;
  for (int i = 0; i < CELLS + 2; ++i)
    u[i] = x[i % n] + 0.05 * i;
  for (int t = 0; t < 3; ++t) {
    MPI_Request r[4];
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&u[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
#pragma omp parallel for
    for (int i = 1; i <= CELLS; ++i)
      v[i] = u[i] + 0.2 * sin(u[i]) * (u[i - 1] - 2 * u[i] + u[i + 1]);
#pragma omp parallel for
    for (int i = 1; i <= CELLS; ++i)
      u[i] = v[i];
  }
#pragma omp parallel for reduction(+ : mine)
  for (int i = 1; i <= CELLS; ++i)
    mine += u[i] * u[i] * i;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all * x[0];
}

/* The other threads read what is sent while it is, so its adjoint comes beside theirs. */
static double within(const double *x, int n) {
  enum { CELLS = 12 };
  double u[CELLS + 2], v[CELLS + 2], s = 0, most, part = 0;
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  for (int i = 0; i < CELLS + 2; ++i)
    u[i] = x[i % n] + 0.05 * i;
#pragma omp parallel shared(u, v)
  {
    for (int t = 0; t < 3; ++t) {
#pragma omp master
      {
        MPI_Request r[2];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(&u[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      }
#pragma omp for
      for (int i = 2; i <= CELLS; ++i)
        v[i] = u[i] + 0.2 * sin(u[i]) * u[i - 1];
#pragma omp single
      v[1] = u[1] * u[0];
#pragma omp for
      for (int i = 1; i <= CELLS; ++i)
        u[i] = v[i];
    }
#pragma omp for reduction(+ : part)
    for (int i = 1; i <= CELLS; ++i)
      part += u[i] * u[i] * i;
#pragma omp single
    MPI_Allreduce(&part, &s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp master
    MPI_Allreduce(&u[1], &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  return s * x[0] + most;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(smooth, 5);
  RG_MPI_CHECK(within, 5);
  return rgEnd();
}
