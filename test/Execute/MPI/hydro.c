// Shock waves in a gas on quadrilaterals that move with it, over ranks and threads: forces that
// elements put on their corners are gathered by nodes, those on the seam of two ranks are
// exchanged and added, and the time step is the least over all elements of all ranks.
// REQUIRES: mpi
// RG-FLAGS: -fopenmp
// RG-RANKS: 1 2 3
// RG-THREADS: 1 3
#include "rgmpi.h"
#include <omp.h>
#include <string.h>
enum { ROWS = 4, COLUMNS = 5, ACROSS = COLUMNS + 1, NODES = (ROWS + 1) * ACROSS, ELEMENTS = ROWS * COLUMNS };

struct mesh {
  double x[NODES], y[NODES], u[NODES], v[NODES], fx[NODES], fy[NODES], mass[NODES];
  double e[ELEMENTS], p[ELEMENTS], area[ELEMENTS], corner[8 * ELEMENTS];
  int nodes[4 * ELEMENTS];
};
static double areaOf(const struct mesh *m, const int *n) {
  return 0.5 * ((m->x[n[2]] - m->x[n[0]]) * (m->y[n[3]] - m->y[n[1]]) - (m->x[n[3]] - m->x[n[1]]) * (m->y[n[2]] - m->y[n[0]]));
}
static void begin(struct mesh *m, const double *x, int n) {
  for (int i = 0; i <= ROWS; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      int k = i * ACROSS + j;
      m->x[k] = j + 0.02 * sin(3 * j + i + rgRank * ROWS);
      m->y[k] = i + rgRank * ROWS;
      m->u[k] = m->v[k] = 0;
    }
  for (int e = 0; e < ELEMENTS; ++e) {
    int first = e / COLUMNS * ACROSS + e % COLUMNS;
    int at[4] = {first, first + 1, first + 1 + ACROSS, first + ACROSS};
    memcpy(m->nodes + 4 * e, at, sizeof at);
    m->e[e] = 1 + x[e % n] * (e % 7 == 0 ? 4 : 0.5);
  }
}
// What both ranks of a seam have for its nodes is added up.
static void exchange(double *rows) {
  double mine[2][ACROSS], theirs[2][ACROSS] = {{0}};
  int up = rgRank + 1 < rgSize ? rgRank + 1 : MPI_PROC_NULL, down = rgRank ? rgRank - 1 : MPI_PROC_NULL;
  MPI_Request r[4];
  memcpy(mine[0], rows, sizeof mine[0]);
  memcpy(mine[1], rows + ROWS * ACROSS, sizeof mine[1]);
  MPI_Irecv(theirs[0], ACROSS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(theirs[1], ACROSS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(mine[1], ACROSS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(mine[0], ACROSS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  for (int j = 0; j < ACROSS; ++j) {
    rows[j] += theirs[0][j];
    rows[ROWS * ACROSS + j] += theirs[1][j];
  }
}
static double step(struct mesh *m, double dt) {
  double least[16], next = 1.2 * dt, all;
#pragma omp parallel for
  for (int e = 0; e < ELEMENTS; ++e) {
    const int *n = m->nodes + 4 * e;
    m->area[e] = areaOf(m, n);
    m->p[e] = 0.4 * m->e[e] / m->area[e];
    for (int k = 0; k < 4; ++k) {
      int before = n[(k + 3) % 4], after = n[(k + 1) % 4];
      m->corner[8 * e + 2 * k] = 0.5 * m->p[e] * (m->y[after] - m->y[before]);
      m->corner[8 * e + 2 * k + 1] = 0.5 * m->p[e] * (m->x[before] - m->x[after]);
    }
  }
#pragma omp parallel for
  for (int i = 0; i <= ROWS; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      double fx = 0, fy = 0, mass = 0;
      for (int k = 0; k < 4; ++k) {
        int row = i - (k >= 2), column = j - (k == 1 || k == 2), e = row * COLUMNS + column;
        if (row < 0 || row == ROWS || column < 0 || column == COLUMNS)
          continue;
        fx += m->corner[8 * e + 2 * k];
        fy += m->corner[8 * e + 2 * k + 1];
        mass += 0.25;
      }
      m->fx[i * ACROSS + j] = fx;
      m->fy[i * ACROSS + j] = fy;
      m->mass[i * ACROSS + j] = mass;
    }
  exchange(m->fx);
  exchange(m->fy);
  exchange(m->mass);
#pragma omp parallel
  {
    double mine = 1e3;
#pragma omp for
    for (int k = 0; k < NODES; ++k) {
      m->u[k] += dt * m->fx[k] / m->mass[k];
      m->v[k] += dt * m->fy[k] / m->mass[k];
      m->x[k] += dt * m->u[k];
      m->y[k] += dt * m->v[k];
    }
#pragma omp for
    for (int e = 0; e < ELEMENTS; ++e) {
      double area = areaOf(m, m->nodes + 4 * e), growth = area - m->area[e];
      double q = growth < 0 ? 2 * growth * growth / (area * dt * dt) : 0;
      m->e[e] -= (m->p[e] + 0.1 * q) * growth;
      double allowed = 0.1 * sqrt(area) / (sqrt(0.56 * m->e[e]) + 0.1);
      mine = allowed < mine ? allowed : mine;
    }
    least[omp_get_thread_num()] = mine;
  }
  for (int t = 0; t < omp_get_max_threads(); ++t)
    next = least[t] < next ? least[t] : next;
  MPI_Allreduce(&next, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return all;
}
static double hydro(const double *x, int n) {
  struct mesh m;
  double dt = 0.03, mine = 0;
  begin(&m, x, n);
  for (int t = 0; t < 5; ++t)
    dt = step(&m, dt);
  for (int e = 0; e < ELEMENTS; ++e)
    mine += m.e[e] * m.e[e] * (1 + e % 3);
  return mine;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(hydro, 9);
  return rgEnd();
}
