// Conjugate gradients on a matrix of which each rank has some rows: the neighbours' parts
// of the vector come as messages whose sizes and indices are worked out in front. The
// gradient by the matrix's entries and the right-hand side is compared with that of one rank.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
enum { N = 24, ENTRIES = 5, ITERATIONS = 8 };

// Rows [first, first + rows); columns as indices into own entries, then foreign ones.
typedef struct {
  MPI_Comm comm;
  int rank, size, first, rows, foreign;
  int column[N][ENTRIES];
  int from[8], sends[8];     // per rank: how many entries come, and go
  int want[8][N], give[8][N]; // which (global; local)
} Matrix;

static int columnOf(int row, int k) {
  static const int step[ENTRIES] = {0, 1, -1, 5, -5};
  return (row + step[k] + N) % N;
}
static int ownerOf(const Matrix *m, int row) { return row / (N / m->size); }

static void prepare(Matrix *m, MPI_Comm comm) {
  m->comm = comm;
  MPI_Comm_rank(comm, &m->rank);
  MPI_Comm_size(comm, &m->size);
  m->rows = N / m->size;
  m->first = m->rank * m->rows;
  m->foreign = 0;
  int place[N];
  for (int i = 0; i < N; ++i)
    place[i] = -1;
  for (int r = 0; r < m->size; ++r)
    m->from[r] = m->sends[r] = 0;
  for (int owner = 0; owner < m->size; ++owner) // foreign entries by owner
    for (int i = 0; i < m->rows; ++i)
      for (int k = 0; k < ENTRIES; ++k) {
        int c = columnOf(m->first + i, k);
        if (ownerOf(m, c) == owner && owner != m->rank && place[c] < 0) {
          place[c] = m->rows + m->foreign++;
          m->want[owner][m->from[owner]++] = c;
        }
      }
  for (int i = 0; i < m->rows; ++i)
    for (int k = 0; k < ENTRIES; ++k) {
      int c = columnOf(m->first + i, k);
      m->column[i][k] = ownerOf(m, c) == m->rank ? c - m->first : place[c];
    }
  MPI_Alltoall(m->from, 1, MPI_INT, m->sends, 1, MPI_INT, comm);
  for (int r = 0; r < m->size; ++r)
    MPI_Sendrecv(m->want[(m->rank + r) % m->size], m->from[(m->rank + r) % m->size], MPI_INT,
                 (m->rank + r) % m->size, 1, m->give[(m->rank + m->size - r) % m->size],
                 m->sends[(m->rank + m->size - r) % m->size], MPI_INT, (m->rank + m->size - r) % m->size, 1, comm,
                 MPI_STATUS_IGNORE);
  for (int r = 0; r < m->size; ++r)
    for (int i = 0; i < m->sends[r]; ++i)
      m->give[r][i] -= m->first;
}

static void multiply(const Matrix *m, const double *a, double *p, double *q) {
  MPI_Request requests[16];
  double out[8][N];
  int n = 0, at = m->rows;
  for (int r = 0; r < m->size; ++r)
    if (m->from[r]) {
      MPI_Irecv(p + at, m->from[r], MPI_DOUBLE, r, 2, m->comm, &requests[n++]);
      at += m->from[r];
    }
  for (int r = 0; r < m->size; ++r)
    if (m->sends[r]) {
      for (int i = 0; i < m->sends[r]; ++i)
        out[r][i] = p[m->give[r][i]];
      MPI_Isend(out[r], m->sends[r], MPI_DOUBLE, r, 2, m->comm, &requests[n++]);
    }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m->rows; ++i) {
    double s = 0;
    for (int k = 0; k < ENTRIES; ++k)
      s += a[i * ENTRIES + k] * p[m->column[i][k]];
    q[i] = s;
  }
}
static double dot(const Matrix *m, const double *x, const double *y) {
  double mine = 0, all;
  for (int i = 0; i < m->rows; ++i)
    mine += x[i] * y[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, m->comm);
  return all;
}
// entries: the matrix, then the right-hand side.
static double solve(const double *entries, const Matrix *m) {
  const double *b = entries + m->rows * ENTRIES;
  double *x = calloc(m->rows, sizeof *x), *r = malloc(m->rows * sizeof *r),
         *p = malloc((m->rows + m->foreign) * sizeof *p), *q = malloc(m->rows * sizeof *q);
  for (int i = 0; i < m->rows; ++i)
    r[i] = p[i] = b[i];
  double rr = dot(m, r, r);
  for (int k = 0; k < ITERATIONS; ++k) {
    multiply(m, entries, p, q);
    double alpha = rr / dot(m, p, q);
    for (int i = 0; i < m->rows; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double old = rr;
    rr = dot(m, r, r);
    for (int i = 0; i < m->rows; ++i)
      p[i] = r[i] + rr / old * p[i];
  }
  double s = 0;
  for (int i = 0; i < m->rows; ++i)
    s += x[i] * x[i] * (1 + (m->first + i) % 3);
  free(x), free(r), free(p), free(q);
  return s; // each rank its part of the sum
}

static void gradient(MPI_Comm comm, double *whole) {
  static Matrix m;
  prepare(&m, comm);
  int n = m.rows * (ENTRIES + 1);
  double *x = malloc(n * sizeof *x), *g = calloc(n, sizeof *g), *d = malloc(n * sizeof *d),
         *more = malloc(n * sizeof *d), *less = malloc(n * sizeof *d), part[N * (ENTRIES + 1)] = {0}, e = 1e-6,
         values[3] = {0}, sums[3];
  for (int i = 0; i < m.rows; ++i) {
    int row = m.first + i;
    for (int k = 0; k < ENTRIES; ++k)
      x[i * ENTRIES + k] = k == 0 ? 6 + 0.1 * (row % 4) : -1 - 0.01 * ((row + columnOf(row, k)) % 5);
    x[m.rows * ENTRIES + i] = 1 + 0.3 * sin(row);
  }
  __enzyme_autodiff((void *)solve, enzyme_dup, x, g, enzyme_const, &m);
  for (int i = 0; i < m.rows; ++i) {
    for (int k = 0; k < ENTRIES; ++k)
      part[(m.first + i) * ENTRIES + k] = g[i * ENTRIES + k];
    part[N * ENTRIES + m.first + i] = g[m.rows * ENTRIES + i];
  }
  MPI_Allreduce(part, whole, N * (ENTRIES + 1), MPI_DOUBLE, MPI_SUM, comm);
  for (int k = 0; k < n; ++k) {
    d[k] = 0.5 - 0.1 * (k % 7);
    more[k] = x[k] + e * d[k];
    less[k] = x[k] - e * d[k];
    values[0] += g[k] * d[k];
  }
  values[1] = __enzyme_fwddiff((void *)solve, enzyme_dup, x, d, enzyme_const, &m);
  values[2] = (solve(more, &m) - solve(less, &m)) / (2 * e);
  MPI_Allreduce(values, sums, 3, MPI_DOUBLE, MPI_SUM, comm);
  rgCompare("conjugate gradients", sums[0], sums[1], sums[2]);
  free(x), free(g), free(d), free(more), free(less);
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  static double together[N * (ENTRIES + 1)], alone[N * (ENTRIES + 1)];
  gradient(MPI_COMM_WORLD, together);
  gradient(MPI_COMM_SELF, alone);
  for (int k = 0; k < N * (ENTRIES + 1); ++k)
    rgCompare("the gradient of one rank", together[k], alone[k], alone[k]);
  return rgEnd();
}
