// Bodies that attract each other, some on each rank; in each step all get all positions by
// MPI_Allgather, and the shortest distance of all limits the step. The gradient by the
// positions is compared with that of one rank.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
enum { BODIES = 12, STEPS = 4 };

typedef struct {
  MPI_Comm comm;
  int first, count;
} Part;

static double energy(const double *start, const Part *part) {
  double at[3 * BODIES], moves[3 * BODIES] = {0}, all[3 * BODIES], kinetic = 0, longest = 0.01;
  for (int i = 0; i < 3 * part->count; ++i)
    at[i] = start[i];
  for (int s = 0; s < STEPS; ++s) {
    double nearest = 1e9, closest;
    MPI_Allgather(at, 3 * part->count, MPI_DOUBLE, all, 3 * part->count, MPI_DOUBLE, part->comm);
    double force[3 * BODIES] = {0};
    for (int i = 0; i < part->count; ++i)
      for (int j = 0; j < BODIES; ++j) {
        if (j == part->first + i)
          continue;
        double d[3], r2 = 0.01;
        for (int c = 0; c < 3; ++c) {
          d[c] = all[3 * j + c] - at[3 * i + c];
          r2 += d[c] * d[c];
        }
        nearest = r2 < nearest ? r2 : nearest;
        for (int c = 0; c < 3; ++c)
          force[3 * i + c] += d[c] / (r2 * sqrt(r2));
      }
    MPI_Allreduce(&nearest, &closest, 1, MPI_DOUBLE, MPI_MIN, part->comm);
    double dt = longest * sqrt(closest);
    for (int i = 0; i < 3 * part->count; ++i) {
      moves[i] += dt * force[i];
      at[i] += dt * moves[i];
    }
  }
  for (int i = 0; i < 3 * part->count; ++i)
    kinetic += moves[i] * moves[i] + 0.1 * at[i] * at[i] * at[i];
  return kinetic;
}

static void gradient(MPI_Comm comm, double *whole) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  Part part = {comm, rank * (BODIES / size), BODIES / size};
  double x[3 * BODIES], g[3 * BODIES] = {0}, d[3 * BODIES], more[3 * BODIES], less[3 * BODIES], mine[3 * BODIES] = {0},
      e = 1e-6, values[3] = {0}, sums[3];
  for (int i = 0; i < 3 * part.count; ++i) {
    int k = 3 * part.first + i;
    x[i] = sin(1.7 * k) + 0.3 * (k % 5);
    d[i] = 1 - 0.2 * (k % 8);
    more[i] = x[i] + e * d[i];
    less[i] = x[i] - e * d[i];
  }
  __enzyme_autodiff((void *)energy, enzyme_dup, x, g, enzyme_const, &part);
  for (int i = 0; i < 3 * part.count; ++i) {
    mine[3 * part.first + i] = g[i];
    values[0] += g[i] * d[i];
  }
  MPI_Allreduce(mine, whole, 3 * BODIES, MPI_DOUBLE, MPI_SUM, comm);
  values[1] = __enzyme_fwddiff((void *)energy, enzyme_dup, x, d, enzyme_const, &part);
  values[2] = (energy(more, &part) - energy(less, &part)) / (2 * e);
  MPI_Allreduce(values, sums, 3, MPI_DOUBLE, MPI_SUM, comm);
  rgCompare("bodies", sums[0], sums[1], sums[2]);
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  double together[3 * BODIES], alone[3 * BODIES];
  gradient(MPI_COMM_WORLD, together);
  gradient(MPI_COMM_SELF, alone);
  for (int k = 0; k < 3 * BODIES; ++k)
    rgCompare("the gradient of one rank", together[k], alone[k], alone[k]);
  return rgEnd();
}
