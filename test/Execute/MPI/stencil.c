// A heat equation on a grid cut into tiles: halos by Irecv, Isend and Waitall, columns by
// a derived datatype, on a Cartesian communicator. The gradient of a sum over all tiles
// does not depend on the number of ranks: it is compared with that of one rank.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#include <string.h>
enum { N = 12, STEPS = 5 };

typedef struct {
  MPI_Comm comm;
  int rows, cols, row, col; // of this tile, and where it begins
} Tile;

static double heat(const double *start, const Tile *t) {
  int up, down, left, right, w = t->cols + 2;
  double *u = calloc((t->rows + 2) * w, sizeof *u), *v = calloc((t->rows + 2) * w, sizeof *v), sum = 0, all;
  MPI_Datatype column;
  MPI_Type_vector(t->rows, 1, w, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Cart_shift(t->comm, 0, 1, &up, &down);
  MPI_Cart_shift(t->comm, 1, 1, &left, &right);
  for (int i = 0; i < t->rows; ++i)
    for (int j = 0; j < t->cols; ++j)
      u[(i + 1) * w + j + 1] = start[i * t->cols + j];
  for (int s = 0; s < STEPS; ++s) {
    MPI_Request r[8];
    MPI_Irecv(&u[1], t->cols, MPI_DOUBLE, up, 0, t->comm, &r[0]);
    MPI_Irecv(&u[(t->rows + 1) * w + 1], t->cols, MPI_DOUBLE, down, 1, t->comm, &r[1]);
    MPI_Irecv(&u[w], 1, column, left, 2, t->comm, &r[2]);
    MPI_Irecv(&u[w + t->cols + 1], 1, column, right, 3, t->comm, &r[3]);
    MPI_Isend(&u[t->rows * w + 1], t->cols, MPI_DOUBLE, down, 0, t->comm, &r[4]);
    MPI_Isend(&u[w + 1], t->cols, MPI_DOUBLE, up, 1, t->comm, &r[5]);
    MPI_Isend(&u[w + t->cols], 1, column, right, 2, t->comm, &r[6]);
    MPI_Isend(&u[w + 1], 1, column, left, 3, t->comm, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= t->rows; ++i)
      for (int j = 1; j <= t->cols; ++j) {
        double here = u[i * w + j];
        v[i * w + j] = here + (0.1 + 0.02 * here) * (u[(i - 1) * w + j] + u[(i + 1) * w + j] + u[i * w + j - 1] +
                                                     u[i * w + j + 1] - 4 * here);
      }
    double *other = u;
    u = v;
    v = other;
  }
  for (int i = 0; i < t->rows; ++i)
    for (int j = 0; j < t->cols; ++j)
      sum += u[(i + 1) * w + j + 1] * u[(i + 1) * w + j + 1] * (1 + ((t->row + i) * 3 + t->col + j) % 4);
  MPI_Type_free(&column);
  free(u);
  free(v);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, t->comm);
  int rank;
  MPI_Comm_rank(t->comm, &rank);
  return rank == 0 ? all : 0;
}

static double initial(int i, int j) { return sin(0.5 * i + 1) * cos(0.3 * j) + 0.1 * ((i * 5 + j * 3) % 7); }

static void gradient(MPI_Comm comm, double *whole) {
  int size, rank, dims[2] = {0, 0}, wraps[2] = {0, 0}, at[2];
  Tile t;
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(comm, 2, dims, wraps, 0, &t.comm);
  MPI_Comm_rank(t.comm, &rank);
  MPI_Cart_coords(t.comm, rank, 2, at);
  t.rows = N / dims[0];
  t.cols = N / dims[1];
  t.row = at[0] * t.rows;
  t.col = at[1] * t.cols;
  double *x = malloc(t.rows * t.cols * sizeof *x), *g = calloc(t.rows * t.cols, sizeof *g), part[N * N] = {0};
  for (int i = 0; i < t.rows; ++i)
    for (int j = 0; j < t.cols; ++j)
      x[i * t.cols + j] = initial(t.row + i, t.col + j);
  __enzyme_autodiff((void *)heat, enzyme_dup, x, g, enzyme_const, &t);
  for (int i = 0; i < t.rows; ++i)
    for (int j = 0; j < t.cols; ++j)
      part[(t.row + i) * N + t.col + j] = g[i * t.cols + j];
  MPI_Allreduce(part, whole, N * N, MPI_DOUBLE, MPI_SUM, comm);
  // One direction: forward mode and differences.
  double *d = malloc(t.rows * t.cols * sizeof *d), *more = malloc(t.rows * t.cols * sizeof *d),
         *less = malloc(t.rows * t.cols * sizeof *d), e = 1e-5, mine = 0, values[3], sums[3];
  for (int k = 0; k < t.rows * t.cols; ++k) {
    d[k] = 1 - 0.1 * (k % 9);
    more[k] = x[k] + e * d[k];
    less[k] = x[k] - e * d[k];
    mine += g[k] * d[k];
  }
  values[0] = mine;
  values[1] = __enzyme_fwddiff((void *)heat, enzyme_dup, x, d, enzyme_const, &t);
  values[2] = (heat(more, &t) - heat(less, &t)) / (2 * e);
  MPI_Allreduce(values, sums, 3, MPI_DOUBLE, MPI_SUM, comm);
  rgCompare("heat", sums[0], sums[1], sums[2]);
  MPI_Comm_free(&t.comm);
  free(x), free(g), free(d), free(more), free(less);
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  static double together[N * N], alone[N * N];
  gradient(MPI_COMM_WORLD, together);
  gradient(MPI_COMM_SELF, alone);
  for (int k = 0; k < N * N; ++k)
    rgCompare("the gradient of one rank", together[k], alone[k], alone[k]);
  return rgEnd();
}
