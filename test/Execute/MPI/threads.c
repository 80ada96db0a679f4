// Several threads of a rank send and receive at the same time, each with tags of its own
// (MPI_THREAD_MULTIPLE). What one has waited for, the library may give to another as a new request.
// REQUIRES: mpi
// RG-FLAGS: -fopenmp
// RG-RANKS: 1 3
// RG-THREADS: 3
#include "rgmpi.h"
#include <omp.h>

static double each(const double *x, int n) {
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    int t = omp_get_thread_num();
    double a = x[t % n] * x[(t + 2) % n], b[2];
    for (int k = 0; k < 12; ++k) {
      MPI_Request r[3];
      MPI_Irecv(&b[0], 1, MPI_DOUBLE, left, t, MPI_COMM_WORLD, &r[0]);
      MPI_Irecv(&b[1], 1, MPI_DOUBLE, right, t, MPI_COMM_WORLD, &r[1]);
      MPI_Isend(&a, 1, MPI_DOUBLE, right, t, MPI_COMM_WORLD, &r[2]);
      MPI_Send(&a, 1, MPI_DOUBLE, left, t, MPI_COMM_WORLD);
      MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
      a = 0.6 * a + 0.3 * b[0] * b[1];
    }
    s += a * a * (t + 1);
  }
  return s;
}

int main(int argc, char **argv) {
  int given;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rgRank);
  MPI_Comm_size(MPI_COMM_WORLD, &rgSize);
  if (given < MPI_THREAD_MULTIPLE)
    ++rgChecks;
  else
    for (int k = 0; k < 5; ++k)
      RG_MPI_CHECK(each, 5);
  return rgEnd();
}
