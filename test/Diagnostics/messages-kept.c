// What is kept from before the derivative: persistent requests, whose buffers have no shadow that
// a derivative knows, and buffers without one. One process, without mpirun.
// REQUIRES: mpi
// RUN: env OMPI_CC=%build/bin/rg-clang MPICH_CC=%build/bin/rg-clang mpicc -O2 -g -w %s -o %t
// RUN: not %t start 2>&1 | FileCheck --check-prefix=START %s
// RUN: not %t again 2>&1 | FileCheck --check-prefix=START %s
// RUN: not --crash %t sent 2>&1 | FileCheck --check-prefix=SENT %s
// RUN: not --crash %t read 2>&1 | FileCheck --check-prefix=READ %s
// RUN: %t inactive
// START: retrograd: rank 0: the derivative of MPI_Start: the request was not made by this derivative
// SENT: a call of 'MPI_Allreduce': error: derivatives flow through memory that has no shadow: what is read here was written at a call of 'MPI_Allreduce' [RG1105]
// READ: messages-kept.c:[[@LINE+49]]: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at a call of 'MPI_Allreduce' [RG1105]
#include <mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

static double out[2], in[2];
static MPI_Request both[2];
static void makeBoth(void) {
  MPI_Send_init(out, 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(in, 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &both[1]);
}
static double start(const double *x, int n) {
  if (!both[0])
    makeBoth();
  for (int i = 0; i < 2; ++i)
    out[i] = x[i] * x[i];
  MPI_Startall(2, both);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  return in[0] * in[1];
}
// Integers have no derivative: a request of theirs may be made and started here.
static double inactive(const double *x, int n) {
  int number = n, got = 0;
  MPI_Request q[3];
  MPI_Send_init(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &q[0]);
  MPI_Recv_init(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &q[1]);
  MPI_Recv_init(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &q[2]);
  MPI_Startall(3, q);
  MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 3; ++i)
    MPI_Request_free(&q[i]);
  return x[0] * x[0] * got;
}
static double *kept;
static double sent(const double *x, int n) {
  double sum;
  if (!kept)
    kept = malloc(2 * sizeof *kept);
  MPI_Allreduce(x, kept, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(kept, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum * x[1];
}
static double readBack(const double *x, int n) {
  if (!kept)
    kept = malloc(2 * sizeof *kept);
  MPI_Allreduce(x, kept, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return kept[0] * kept[1];
}
int main(int argc, char **argv) {
  double x[2] = {2, 3}, d[2] = {0};
  MPI_Init(&argc, &argv);
  if (!strcmp(argv[1], "start"))
    makeBoth();
  for (int again = 0; again < 2; ++again) {
    memset(d, 0, sizeof d);
    if (!strcmp(argv[1], "start") || !strcmp(argv[1], "again"))
      __enzyme_autodiff((void *)start, enzyme_dup, x, d, enzyme_const, 2);
    if (!strcmp(argv[1], "inactive"))
      __enzyme_autodiff((void *)inactive, enzyme_dup, x, d, enzyme_const, 2);
    if (!strcmp(argv[1], "sent"))
      __enzyme_autodiff((void *)sent, enzyme_dup, x, d, enzyme_const, 2);
    if (!strcmp(argv[1], "read"))
      __enzyme_autodiff((void *)readBack, enzyme_dup, x, d, enzyme_const, 2);
  }
  MPI_Finalize();
  return fabs(d[0] - 8) > 1e-12;
}
