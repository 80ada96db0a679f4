// Messages within functions that are not inlined, where nothing that goes into a call, or nothing
// that comes out of it, depends on an input of this rank: received into memory of the caller's,
// returned, received in one function and waited for in another, sent from a function with no
// result, behind a pointer to a function; a reduction by an own operation that is given constants.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#define APART static __attribute__((noinline))

APART void put(const double *from, int n, int to) {
  MPI_Send(from, n, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}
APART void putNumber(double number, int to) {
  double twice = 2 * number;
  MPI_Send(&twice, 1, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
}
APART void get(double *to, int n, int from) {
  MPI_Recv(to, n, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
APART double getNumber(int from) {
  double number;
  MPI_Recv(&number, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return number * number;
}
static double chain(const double *x, int n) {
  double y[2] = {0, 0}, last = 0;
  if (rgRank > 0) {
    get(y, 2, rgRank - 1);
    last = getNumber(rgRank - 1);
  }
  if (rgRank + 1 < rgSize) {
    put(x, 2, rgRank + 1);
    putNumber(x[n - 1] * x[2], rgRank + 1);
  }
  return y[0] * y[1] * y[1] + last * y[1];
}

typedef struct {
  double in[2], out[2];
  MPI_Request both[2];
} exchange;
APART void started(exchange *e) {
  MPI_Irecv(e->in, 2, MPI_DOUBLE, (rgRank + 1) % rgSize, 3, MPI_COMM_WORLD, &e->both[0]);
  MPI_Isend(e->out, 2, MPI_DOUBLE, (rgRank + rgSize - 1) % rgSize, 3, MPI_COMM_WORLD, &e->both[1]);
}
APART void finished(exchange *e) { MPI_Waitall(2, e->both, MPI_STATUSES_IGNORE); }
static double apart(const double *x, int n) {
  exchange e = {{1, 2}, {3, 4}, {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
  if (rgRank == rgSize - 1)
    e.out[0] = x[0] * x[n - 1], e.out[1] = exp(x[1]);
  started(&e);
  finished(&e);
  return e.in[0] * e.in[0] * e.in[1];
}

static double kept[2];
APART void spread(void) { MPI_Bcast(kept, 2, MPI_DOUBLE, rgSize - 1, MPI_COMM_WORLD); }
APART void nothing(void) {}
static double held(const double *x, int n) {
  void (*of[2])(void) = {nothing, spread};
  kept[0] = kept[1] = 1;
  if (rgRank == rgSize - 1)
    kept[0] = x[0] * x[1], kept[1] = sin(x[n - 1]);
  for (int i = 0; i < 2; ++i)
    of[i]();
  return kept[0] * kept[1] * (1 + rgRank);
}

static MPI_Op larger;
static void largerOf(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i)
    if (((double *)inout)[i] < ((double *)in)[i])
      ((double *)inout)[i] = ((double *)in)[i];
}
// What is reduced depends on the round before alone.
static double constants(const double *x, int n) {
  double s = 0.3;
  for (int k = 0; k < 3; ++k) {
    double a[2] = {s + rgRank, 0.5 * s}, y[2];
    MPI_Allreduce(a, y, 2, MPI_DOUBLE, larger, MPI_COMM_WORLD);
    s += y[0] * y[1];
  }
  return s * x[0] * x[n - 1];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  MPI_Op_create(largerOf, 1, &larger);
  RG_MPI_CHECK(chain, 4);
  RG_MPI_CHECK(apart, 4);
  RG_MPI_CHECK(held, 4);
  RG_MPI_CHECK(constants, 4);
  return rgEnd();
}
