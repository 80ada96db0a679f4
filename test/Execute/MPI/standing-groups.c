// Collective routines that are made once and started several times: each of them, in
// loops, beside persistent messages, started in another order on each rank, in place,
// on grids, and left to the end of the derivative without being freed.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#if MPI_VERSION < 4 && defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define STANDING(name) MPIX_##name##_init
#else
#define STANDING(name) MPI_##name##_init
#endif
#define NO_INFO MPI_INFO_NULL
#define MOST 8

static void run(MPI_Request *r) {
  MPI_Start(r);
  MPI_Wait(r, MPI_STATUS_IGNORE);
}

static double sums(const double *x, int n) {
  double a[2], b[2], most, least = 0, product, s = 0, t = x[0];
  MPI_Request all, biggest, smallest, times;
  STANDING(Allreduce)(a, b, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &all);
  STANDING(Allreduce)(&t, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, NO_INFO, &biggest);
  STANDING(Reduce)(&t, &least, 1, MPI_DOUBLE, MPI_MIN, rgSize - 1, MPI_COMM_WORLD, NO_INFO, &smallest);
  STANDING(Allreduce)(&t, &product, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, NO_INFO, &times);
  for (int i = 0; i < 4; ++i) {
    a[0] = t * x[1] * (1 + 0.1 * rgRank);
    a[1] = x[i % n] * x[2];
    run(&all);
    t = 0.5 * sin(0.1 * b[0]) + 0.1 * b[1] + 0.2 * rgRank;
    run(&biggest);
    run(&smallest);
    run(&times);
    s += most * least + product * b[0] * (i + 1);
  }
  MPI_Request_free(&all);
  MPI_Request_free(&biggest);
  MPI_Request_free(&smallest);
  MPI_Request_free(&times);
  return s;
}

/* Two at once, started and waited for in another order on odd ranks; nobody frees them. */
static double crossed(const double *x, int n) {
  double a[3] = {0}, b[3], c[MOST] = {0}, s = 0;
  MPI_Request r[3];
  STANDING(Allreduce)(a, b, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[0]);
#ifdef MPICH // 4.0 sends only what the first start has sent
  STANDING(Allreduce)(&a[1], c, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, NO_INFO, &r[1]);
#else
  STANDING(Allgather)(&a[2], 1, MPI_DOUBLE, c, 1, MPI_DOUBLE, MPI_COMM_WORLD, NO_INFO, &r[1]);
#endif
  STANDING(Barrier)(MPI_COMM_WORLD, NO_INFO, &r[2]);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      a[k] = x[(i + k) % n] * x[k] + s * 0.01;
    if (rgRank % 2) {
      MPI_Start(&r[1]);
      MPI_Start(&r[2]);
      MPI_Start(&r[0]);
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);
    } else {
      MPI_Startall(3, r);
      MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < rgSize; ++k)
      s += c[k] * b[k % 3] * (1 + rgRank);
  }
  return s;
}

static double parts(const double *x, int n) {
  int counts[MOST], places[MOST], total = 0;
  double in[64], out[64], back[64], s = 0;
  MPI_Request r[8];
  for (int k = 0; k < rgSize; ++k) {
    counts[k] = 1 + k % 2;
    places[k] = total;
    total += counts[k];
  }
  const int mine = counts[rgRank];
  for (int k = 0; k < 64; ++k)
    in[k] = out[k] = back[k] = 0;
  STANDING(Bcast)(in, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, NO_INFO, &r[0]);
  STANDING(Allgatherv)(in, mine, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, NO_INFO, &r[1]);
  STANDING(Scatterv)(out, counts, places, MPI_DOUBLE, back, mine, MPI_DOUBLE, 0, MPI_COMM_WORLD, NO_INFO, &r[2]);
  STANDING(Gatherv)(back, mine, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, rgSize - 1, MPI_COMM_WORLD, NO_INFO, &r[3]);
  STANDING(Reduce_scatter)(out, back, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[4]);
  STANDING(Scan)(back, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[5]);
  STANDING(Allreduce)(MPI_IN_PLACE, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[6]);
  STANDING(Exscan)(in, back, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[7]);
  for (int t = 0; t < 2; ++t) {
    for (int k = 0; k < 2; ++k)
      in[k] += x[k] * x[(k + t) % n] * (1 + rgRank);
    for (int k = 0; k < 8; ++k) {
      run(&r[k]);
      s += in[0] * in[1] + 0.1 * out[k % total] * back[0];
      in[k % 2] *= x[2];
    }
  }
  for (int k = 0; k < 8; ++k)
    MPI_Request_free(&r[k]);
  return s;
}

static double blocks(const double *x, int n) {
  double in[3 * MOST], out[3 * MOST], one[3], s = 0;
  double narrow[2], wide[2 * MOST] = {0};
  MPI_Request r[5];
  for (int k = 0; k < 3 * rgSize; ++k)
    in[k] = x[k % n] * (k + 1), out[k] = 0;
  STANDING(Alltoall)(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, MPI_COMM_WORLD, NO_INFO, &r[0]);
  STANDING(Reduce_scatter_block)(out, one, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[1]);
  STANDING(Gather)(narrow, 2, MPI_DOUBLE, wide, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, NO_INFO, &r[2]);
  STANDING(Scatter)(wide, 2, MPI_DOUBLE, narrow, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, NO_INFO, &r[3]);
  STANDING(Allreduce)(one, one + 1, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_SELF, NO_INFO, &r[4]);
  for (int t = 0; t < 3; ++t) {
    run(&r[0]);
    run(&r[1]);
    narrow[0] = 0.25 * one[0];
    narrow[1] = one[1] * x[0];
    run(&r[2]);
    run(&r[3]);
    run(&r[4]);
    s += one[0] * one[1] + 0.01 * narrow[0] * x[1];
    in[t] = s * 0.05;
  }
  return s;
}

static double grid(const double *x, int n) {
  int dims[1] = {rgSize}, periods[1] = {1}, counts[2] = {2, 2}, places[2] = {0, 2};
  double in[4], out[4], mine, near[2], s = 0;
  MPI_Comm line;
  MPI_Request r[2];
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  STANDING(Neighbor_alltoallv)(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, line, NO_INFO, &r[0]);
  STANDING(Neighbor_allgather)(&mine, 1, MPI_DOUBLE, near, 1, MPI_DOUBLE, line, NO_INFO, &r[1]);
  mine = x[0];
  for (int t = 0; t < 3; ++t) {
    for (int k = 0; k < 4; ++k)
      in[k] = x[k] * mine * (1 + t);
    run(&r[1]);
    run(&r[0]);
    s += near[0] * near[1] + out[0] * out[2] * x[n - 1] + out[1];
    mine = 0.3 * out[1] + 0.01 * near[0];
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Comm_free(&line);
  return s;
}

// Beside persistent messages: a step of a distributed method with a norm that is started with them.
static double both(const double *x, int n) {
  double edge[2] = {0, 0}, mine[2] = {x[0], x[1]}, norm = 0, all = 1, s = 0;
  MPI_Request r[3];
  MPI_Recv_init(edge, 2, MPI_DOUBLE, (rgRank + rgSize - 1) % rgSize, 4, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(mine, 2, MPI_DOUBLE, (rgRank + 1) % rgSize, 4, MPI_COMM_WORLD, &r[1]);
  STANDING(Allreduce)(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NO_INFO, &r[2]);
  for (int t = 0; t < 3; ++t) {
    norm = mine[0] * mine[0] + mine[1] * mine[1];
    MPI_Startall(3, r);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    mine[0] = (edge[1] + x[t % n]) / all;
    mine[1] = edge[0] * x[1];
    s += mine[0] * mine[1];
  }
  for (int k = 0; k < 3; ++k)
    MPI_Request_free(&r[k]);
  return s;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(sums, 4);
  RG_MPI_CHECK(crossed, 4);
  RG_MPI_CHECK(parts, 4);
#ifndef MPICH // the program itself ends in 4.0
  RG_MPI_CHECK(blocks, 4);
#endif
  RG_MPI_CHECK(grid, 4);
  RG_MPI_CHECK(both, 4);
  return rgEnd();
}
