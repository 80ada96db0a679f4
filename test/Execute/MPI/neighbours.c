// Collective routines among the neighbours of a topology: rings, where one rank may be both neighbours, or this
// rank itself; grids with borders; graphs with several edges between two ranks, in one direction, or none; blocks
// of different lengths, gaps, and forms that do not wait.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"

static MPI_Comm ring, grid, graph, whole;

static double inRing(const double *x, int n) {
  double out[4] = {x[0] * x[1], x[2], sin(x[3]), x[4] * x[4]}, in[4] = {0, 0, 0, 0};
  MPI_Neighbor_alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, ring);
  double s = in[0] * in[1] * in[1] + 3 * in[2] * in[3] * x[0];
  // Twice, so that what came goes on.
  MPI_Neighbor_alltoall(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, ring);
  for (int i = 0; i < 4; ++i)
    s += out[i] * (i + 1 + rgRank) * x[n - 1];
  return s;
}
static double inGrid(const double *x, int n) {
  double halo[4][2] = {{x[0], 1}, {2, x[1]}, {x[2] * x[0], x[3]}, {4, 5}}, all[4][3], s = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      all[i][j] = x[i] * 0.1;
  double mine[3] = {x[0] * x[4], x[1], exp(x[2])};
  MPI_Neighbor_allgather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, grid);
  for (int i = 0; i < 4; ++i)
    s += all[i][0] * all[i][1] * (i + 1) + all[i][2] * x[n - 1];
  int counts[4] = {1, 1, 2, 2}, places[4] = {7, 5, 0, 2}, from[4] = {0, 1, 4, 6};
  double got[8];
  for (int i = 0; i < 8; ++i)
    got[i] = x[i % n] * i;
  MPI_Neighbor_alltoallv(halo, counts, from, MPI_DOUBLE, got, counts, places, MPI_DOUBLE, grid);
  for (int i = 0; i < 8; ++i)
    s += got[i] * got[i] * (1 + 0.1 * i);
  return s;
}
// Rank r sends to r + 1 twice and to itself; the last one sends to nobody but itself.
static double inGraph(const double *x, int n) {
  int come = 1 + 2 * (rgRank > 0);
  double out[4] = {x[0] * x[1], x[2], x[3] * x[0], sin(x[4])}, in[4] = {0, 0, 0, 0}, all[9] = {0};
  MPI_Request r[2];
  MPI_Ineighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, graph, &r[0]);
  MPI_Ineighbor_allgather(out, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, graph, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  double s = 0;
  for (int i = 0; i < come; ++i)
    s += in[i] * in[i] * (i + 1);
  for (int i = 0; i < 3 * come; ++i)
    s += all[i] * all[(i + 1) % (3 * come)] * (i + 2);
  return s * x[n - 1];
}
static double everywhere(const double *x, int n) {
  double *all = malloc(rgSize * 2 * sizeof *all), out[2] = {x[0] * x[2], exp(x[1])}, s = 0;
  int *counts = malloc(2 * rgSize * sizeof *counts), *places = counts + rgSize;
  for (int r = 0; r < rgSize; ++r)
    counts[r] = r == rgRank ? 0 : 2, places[r] = 2 * (rgSize - 1 - r), all[2 * r] = all[2 * r + 1] = 0;
  int k = 0;
  for (int r = 0; r < rgSize; ++r)
    if (r != rgRank)
      counts[k] = 2, places[k++] = 2 * (rgSize - 1 - r);
  MPI_Neighbor_allgatherv(out, 2, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, whole);
  for (int i = 0; i < 2 * rgSize; ++i)
    s += all[i] * all[i] * (i + 1) * x[n - 1];
  free(all);
  free(counts);
  return s + out[0];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  int yes = 1, dims[2] = {0, 0}, borders[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &rgSize, &yes, 0, &ring);
  MPI_Dims_create(rgSize, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, borders, 0, &grid);
  int come[3] = {rgRank, rgRank - 1, rgRank - 1}, go[3] = {rgRank + 1, rgRank, rgRank + 1}, last = rgRank;
  int isLast = rgRank + 1 == rgSize;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rgRank ? 3 : 1, come, MPI_UNWEIGHTED, isLast ? 1 : 3,
                                 isLast ? &last : go, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  int *index = malloc(rgSize * sizeof *index), *edges = malloc(rgSize * rgSize * sizeof *edges), at = 0;
  for (int r = 0; r < rgSize; ++r) {
    for (int q = 0; q < rgSize; ++q)
      if (q != r)
        edges[at++] = q;
    index[r] = at;
  }
  MPI_Graph_create(MPI_COMM_WORLD, rgSize, index, edges, 0, &whole);
  RG_MPI_CHECK(inRing, 5);
  RG_MPI_CHECK(inGrid, 5);
  RG_MPI_CHECK(inGraph, 5);
  RG_MPI_CHECK(everywhere, 5);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&whole);
  free(index);
  free(edges);
  return rgEnd();
}
