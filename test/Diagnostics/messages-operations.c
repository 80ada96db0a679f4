// A reduction by the program's own operation that does not wait. One process, without mpirun.
// REQUIRES: mpi
// RUN: env OMPI_CC=%build/bin/rg-clang MPICH_CC=%build/bin/rg-clang mpicc -O2 -g -w %s -o %t
// RUN: not %t later 2>&1 | FileCheck %s
// RUN: %t
// CHECK: retrograd: rank 0: the derivative of MPI_Iallreduce: it has no derivative with this operation; {{.*}}if it waits (MPI_Allreduce, not MPI_Iallreduce)
#include <mpi.h>
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

static MPI_Op own;
static void larger(void *in, void *inout, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; ++i)
    if (((double *)inout)[i] < ((double *)in)[i])
      ((double *)inout)[i] = ((double *)in)[i];
}
static double later(const double *x, int n) {
  double y[2];
  MPI_Request r;
  MPI_Iallreduce(x, y, 2, MPI_DOUBLE, own, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  return y[0] * y[1];
}
static double now(const double *x, int n) {
  double y[2];
  MPI_Allreduce(x, y, 2, MPI_DOUBLE, own, MPI_COMM_WORLD);
  return y[0] * y[1];
}
int main(int argc, char **argv) {
  double x[2] = {2, 3}, d[2] = {0};
  MPI_Init(&argc, &argv);
  MPI_Op_create(larger, 1, &own);
  if (argc > 1)
    __enzyme_autodiff((void *)later, enzyme_dup, x, d, enzyme_const, 2);
  else
    __enzyme_autodiff((void *)now, enzyme_dup, x, d, enzyme_const, 2);
  MPI_Finalize();
  return d[0] != 3 || d[1] != 2;
}
