// Messages between two ranks that wait: all modes of sending, exchanges, any source and
// tag, fewer numbers than there is room for, nobody at the other end, halves of ranks.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"

static double modes(const double *x, int n) {
  double v[3] = {x[0], x[1] * x[2], 1}, s = 0;
  static char space[4096];
  if (rgRank > 0) {
    MPI_Status status;
    MPI_Recv(v, 3, MPI_DOUBLE, rgRank - 1, 5, MPI_COMM_WORLD, &status);
  }
  for (int i = 0; i < 3; ++i)
    v[i] = v[i] * sin(x[i]) + x[i + 1];
  if (rgRank + 1 < rgSize) {
    if (rgRank % 4 == 0)
      MPI_Send(v, 3, MPI_DOUBLE, rgRank + 1, 5, MPI_COMM_WORLD);
    if (rgRank % 4 == 1)
      MPI_Ssend(v, 3, MPI_DOUBLE, rgRank + 1, 5, MPI_COMM_WORLD);
    if (rgRank % 4 == 2) {
      int size;
      void *back;
      MPI_Buffer_attach(space, sizeof space);
      MPI_Bsend(v, 3, MPI_DOUBLE, rgRank + 1, 5, MPI_COMM_WORLD);
      MPI_Buffer_detach(&back, &size);
    }
  }
  for (int i = 0; i < 3; ++i)
    s += v[i] * v[i] * x[n - 1];
  return s;
}

static double shift(const double *x, int n) {
  double from[4], to[4], s = 0;
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  for (int i = 0; i < 4; ++i)
    from[i] = x[i] * x[i];
  for (int k = 0; k < 3; ++k) {
    MPI_Sendrecv(from, 4, MPI_DOUBLE, right, k, to, 4, MPI_DOUBLE, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i)
      from[i] = cos(to[i]) * x[(i + k) % n];
  }
  MPI_Sendrecv_replace(to, 4, MPI_DOUBLE, left, 1, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    s += to[i] * from[i];
  return s;
}

static double edges(const double *x, int n) {
  double u[8], s = 0;
  int right = rgRank + 1 < rgSize ? rgRank + 1 : MPI_PROC_NULL, left = rgRank ? rgRank - 1 : MPI_PROC_NULL;
  u[0] = u[7] = 0.25;
  for (int i = 1; i < 7; ++i)
    u[i] = x[i % n] + 0.1 * i;
  for (int t = 0; t < 4; ++t) {
    MPI_Sendrecv(&u[6], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[7], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double old = u[0];
    for (int i = 1; i < 7; ++i) {
      double here = u[i];
      u[i] = here + 0.2 * (old - 2 * here + u[i + 1]) + 0.01 * here * here * x[0];
      old = here;
    }
  }
  for (int i = 1; i < 7; ++i)
    s += u[i] * u[i] * i;
  return s;
}

// The root takes what comes, and tells from the status what it was; less comes than
// there is room for.
static double any(const double *x, int n) {
  double s = x[0];
  if (rgRank == 0)
    for (int k = 1; k < rgSize; ++k) {
      double v[10];
      MPI_Status status;
      int count;
      MPI_Recv(v, 10, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      for (int i = 0; i < count; ++i)
        s += v[i] * v[i] * x[i % n] * (1 + status.MPI_SOURCE) * (status.MPI_TAG + 1);
    }
  else {
    double v[10];
    int count = 1 + rgRank % 4;
    for (int i = 0; i < count; ++i)
      v[i] = exp(-x[i]);
    MPI_Send(v, count, MPI_DOUBLE, 0, 10 - rgRank, MPI_COMM_WORLD);
  }
  return s;
}
// The size comes first.
static double probed(const double *x, int n) {
  double s = 0;
  if (rgRank % 2) {
    int count = 2 + rgRank % 3;
    double *v = malloc(count * sizeof *v);
    for (int i = 0; i < count; ++i)
      v[i] = x[i] * x[n - 1];
    MPI_Send(&count, 1, MPI_INT, rgRank - 1, 1, MPI_COMM_WORLD);
    MPI_Send(v, count, MPI_DOUBLE, rgRank - 1, 1, MPI_COMM_WORLD);
    free(v);
  } else if (rgRank + 1 < rgSize) {
    int count, seen;
    MPI_Status status;
    MPI_Recv(&count, 1, MPI_INT, rgRank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(rgRank + 1, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &seen);
    double *v = malloc(seen * sizeof *v);
    MPI_Recv(v, seen, MPI_DOUBLE, rgRank + 1, 1, MPI_COMM_WORLD, &status);
    for (int i = 0; i < count; ++i)
      s += v[i] * v[i] * x[i];
    free(v);
  }
  return s + x[1] * x[1];
}
// Floats; and sends in a function that is given nothing active.
static void tell(int to, float *v, int n) { MPI_Send(v, n, MPI_FLOAT, to, 0, MPI_COMM_WORLD); }
static double narrow(const double *x, int n) {
  float v[3] = {1, 2, 3};
  for (int i = 0; i < 3 && rgRank % 2; ++i)
    v[i] = (float)(0.5 * i);
  if (rgRank % 2) {
    tell(rgRank - 1, v, 3);
    return x[0];
  }
  if (rgRank + 1 < rgSize)
    MPI_Recv(v, 3, MPI_FLOAT, rgRank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return v[0] * x[0] + v[1] * x[1] * x[n - 1] + v[2];
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(modes, 5);
  RG_MPI_CHECK(shift, 5);
  RG_MPI_CHECK(edges, 4);
  RG_MPI_CHECK(any, 5);
  RG_MPI_CHECK(probed, 5);
  RG_MPI_CHECK(narrow, 5);
  return rgEnd();
}
