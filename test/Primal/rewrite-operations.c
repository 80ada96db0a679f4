// A reduction by an operation that is not MPI's own gathers, and calls the function behind
// the operation; of MPI's operations, and of integers, it stays what it is.
// RUN: %rgcc -O1 -mllvm -rg-print-primal -c %s -o %t.o 2>&1 | FileCheck %s
// MPICH's handles, without its header.
typedef int MPI_Op, MPI_Datatype, MPI_Comm;
#define MPI_COMM_WORLD 0x44000000
#define MPI_DOUBLE 0x4c00080b
#define MPI_INT 0x4c000405
#define MPI_SUM 0x58000003
int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Op_create(void (*)(void *, void *, int *, MPI_Datatype *), int, MPI_Op *);
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
MPI_Op least;
static void leastOf(void *in, void *inout, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; ++i)
    if (((double *)in)[i] < ((double *)inout)[i])
      ((double *)inout)[i] = ((double *)in)[i];
}
void make(void) { MPI_Op_create(leastOf, 1, &least); }
// CHECK: call i32 @rg.own.MPI_Allreduce(ptr {{.*}}, i32 {{.*}}1275070475, i32 {{.*}}%
// CHECK: call i32 @MPI_Allreduce(ptr {{.*}}, i32 {{.*}}1275069445, i32 {{.*}}%
// CHECK: call i32 @MPI_Allreduce(ptr {{.*}}, i32 {{.*}}1275070475, i32 {{.*}}1476395011
// CHECK: define internal i32 @rg.primal.rg.own.MPI_Allreduce
// CHECK: call i32 @MPI_Allgather(
double f(const double *x, int n) {
  double y[2];
  int all;
  MPI_Allreduce(x, y, 2, MPI_DOUBLE, least, MPI_COMM_WORLD);
  MPI_Allreduce(&n, &all, 1, MPI_INT, least, MPI_COMM_WORLD);
  MPI_Allreduce(x, &y[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y[0] * y[1] * all;
}
void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, x, dx, 8); }
