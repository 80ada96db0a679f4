// Reductions by operations of the program's own that do not wait, and ones that are
// started several times: several under way at once, of several datatypes, waited for by
// every routine in another order, between messages that other ranks wait for, in place.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#include <stddef.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define STANDING(name) MPIX_##name##_init
#else
#define STANDING(name) MPI_##name##_init
#endif
#define MOST 8

typedef struct {
  double slope, shift;
} affine;
static MPI_Op compose, soft;
static MPI_Datatype map;

static void composed(void *in, void *inout, int *n, MPI_Datatype *type) {
  affine *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    affine c = {a[i].slope * b[i].slope, b[i].slope * a[i].shift + b[i].shift};
    b[i] = c;
  }
}
static void softMaximum(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; ++i) {
    double a = ((double *)in)[i], b = ((double *)inout)[i], m = a > b ? a : b;
    ((double *)inout)[i] = m + log(exp(a - m) + exp(b - m));
  }
}

// A blocking reduction would hang: rank 0 sends only when the reduction is under way.
static double between(const double *x, int n) {
  double v[2] = {x[0] * x[1], x[2]}, w[2], token = x[0], s = 0;
  MPI_Request r;
  if (rgRank)
    MPI_Recv(&token, 1, MPI_DOUBLE, rgRank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  v[1] *= token;
  MPI_Iallreduce(v, w, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r);
  token = token * x[1];
  if (rgRank + 1 < rgSize)
    MPI_Send(&token, 1, MPI_DOUBLE, rgRank + 1, 1, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  s = w[0] * w[1];
  return s * x[n - 1] + token;
}

static double several(const double *x, int n) {
  affine a[2], b[2], c[2] = {{0, 0}, {0, 0}}, d[2] = {{0, 0}, {0, 0}};
  double v[3], w[3], s = 0;
  int which, flag = 0, many, done[4];
  MPI_Request r[4];
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < 2; ++i)
      a[i].slope = x[i] + 0.3 * rgRank, a[i].shift = sin(x[i + 1]) + 0.1 * s;
    for (int i = 0; i < 3; ++i)
      v[i] = x[i] * x[i + 1] * (1 + rgRank % 2) + t;
    MPI_Iallreduce(a, b, 2, map, compose, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(v, w, 3, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r[1]);
    MPI_Ireduce(a, c, 2, map, compose, rgSize - 1, MPI_COMM_WORLD, &r[2]);
    MPI_Iscan(a, d, 2, map, compose, MPI_COMM_WORLD, &r[3]);
    if (t) {
      MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
      s += which ? w[0] * w[1] : b[0].slope * b[1].shift;
      MPI_Wait(&r[!which], MPI_STATUS_IGNORE);
      s += which ? b[0].slope * b[1].shift : w[0] * w[1];
      for (flag = 0; !flag;)
        MPI_Testall(2, r + 2, &flag, MPI_STATUSES_IGNORE);
    } else {
      for (int left = 4; left; left -= many)
        MPI_Waitsome(4, r, &many, done, MPI_STATUSES_IGNORE);
      s += b[0].slope * b[0].shift + b[1].shift * b[1].shift * w[2];
    }
    s += c[0].slope * c[1].shift + d[0].slope * d[0].shift * (1 + rgRank);
    MPI_Iexscan(a, d, 2, map, compose, MPI_COMM_WORLD, &r[0]);
    for (flag = 0; !flag;)
      MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    s += d[1].slope * d[1].shift * x[n - 1];
  }
  return s;
}

static double parts(const double *x, int n) {
  int counts[MOST], total = 0;
  double a[64], b[8] = {0}, c[2], s = 0;
  MPI_Request r[3];
  for (int k = 0; k < rgSize; ++k)
    total += counts[k] = 1 + k % 3;
  for (int i = 0; i < 64; ++i)
    a[i] = x[i % n] * (1 + (i * 3 + rgRank * 5) % 7);
  c[0] = x[0] + rgRank;
  c[1] = x[1];
  MPI_Ireduce_scatter(a, b, counts, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r[0]);
  MPI_Ireduce_scatter_block(a, b + 4, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r[1]);
  MPI_Iallreduce(MPI_IN_PLACE, c, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < counts[rgRank]; ++i)
    s += b[i] * b[i] * (1 + i);
  return s + b[4] * b[5] + c[0] * c[1];
}

static double standing(const double *x, int n) {
  affine a[2], b[2] = {{0, 0}, {0, 0}};
  double v[2], w[2], t = x[0], s = 0;
  MPI_Request r[4];
  STANDING(Allreduce)(a, b, 2, map, compose, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  STANDING(Allreduce)(v, w, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  STANDING(Allreduce)(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
  STANDING(Scan)(MPI_IN_PLACE, v, 1, MPI_DOUBLE, soft, MPI_COMM_WORLD, MPI_INFO_NULL, &r[3]);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 2; ++i) {
      a[i].slope = x[i] + 0.2 * t, a[i].shift = x[(i + k) % n] * (1 + rgRank);
      v[i] = x[i] * x[i + 1] + 0.1 * k;
    }
    t = 0.1 * t + x[k];
    MPI_Startall(3, r);
    if (k == 1)
      MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    MPI_Start(&r[3]);
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    s += b[0].slope * b[1].shift + w[0] * w[1] + t * v[0];
  }
  for (int k = 0; k < 4; ++k)
    MPI_Request_free(&r[k]);
  return s;
}

// Messages that are started again, and an operation of the program's, in one program.
static double beside(const double *x, int n) {
  double edge[2] = {0, 0}, mine[2] = {x[0], x[1]}, most[2], s = 0;
  MPI_Request r[3];
  MPI_Recv_init(edge, 2, MPI_DOUBLE, (rgRank + rgSize - 1) % rgSize, 4, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(mine, 2, MPI_DOUBLE, (rgRank + 1) % rgSize, 4, MPI_COMM_WORLD, &r[1]);
  for (int t = 0; t < 3; ++t) {
    MPI_Startall(2, r);
    MPI_Iallreduce(mine, most, 2, MPI_DOUBLE, soft, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    s += most[0] * most[1];
    mine[0] = edge[1] * x[t % n] - 0.2 * most[0];
    mine[1] = edge[0] + x[1] * most[1];
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  return s;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  MPI_Type_contiguous(2, MPI_DOUBLE, &map);
  MPI_Type_commit(&map);
  MPI_Op_create(composed, 0, &compose);
  MPI_Op_create(softMaximum, 1, &soft);
  RG_MPI_CHECK(between, 4);
  RG_MPI_CHECK(several, 4);
  RG_MPI_CHECK(parts, 4);
#ifndef MPICH // 4.0 gives the datatype back too often
  RG_MPI_CHECK(standing, 4);
#endif
  RG_MPI_CHECK(beside, 4);
  return rgEnd();
}
