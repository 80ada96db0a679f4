// Messages between ranks and threads within each: halos, a parallel loop over the rank's
// part, and sums over threads and ranks.
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

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(smooth, 5);
  return rgEnd();
}
