// Messages that are waited for later: all ways to wait, requests in structs, messages of
// one tag that overtake each other at the ends, requests that are started again, and a
// function that posts and one that waits.
// REQUIRES: mpi
// RG-RANKS: 1 2 3 4
#include "rgmpi.h"
#include <string.h>

struct halo {
  double in[2][3], out[2][3];
  MPI_Request request[4];
  int count;
};
static void post(struct halo *h, const double *x, int tag) {
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  h->count = 0;
  MPI_Irecv(h->in[0], 3, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, &h->request[h->count++]);
  MPI_Irecv(h->in[1], 3, MPI_DOUBLE, right, tag + 1, MPI_COMM_WORLD, &h->request[h->count++]);
  for (int i = 0; i < 3; ++i) {
    h->out[0][i] = x[i] * x[i];
    h->out[1][i] = sin(x[i + 1]);
  }
  MPI_Isend(h->out[0], 3, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &h->request[h->count++]);
  MPI_Issend(h->out[1], 3, MPI_DOUBLE, left, tag + 1, MPI_COMM_WORLD, &h->request[h->count++]);
}
static double take(struct halo *h, const double *x) {
  double s = 0;
  MPI_Status status[4];
  MPI_Waitall(h->count, h->request, status);
  for (int i = 0; i < 3; ++i)
    s += h->in[0][i] * x[i] + h->in[1][i] * h->in[0][i];
  return s;
}
static double halos(const double *x, int n) {
  struct halo *h = malloc(2 * sizeof *h);
  double s = 0;
  for (int t = 0; t < 3; ++t) {
    post(&h[0], x, 2 * t);
    post(&h[1], x + 1, 100 + 2 * t);
    double mine = s * x[n - 1];
    s += take(&h[1], x) + take(&h[0], x) * (t + 1) + 0.1 * mine;
  }
  free(h);
  return s;
}

// Which comes first is not known; the sum is.
static double ways(const double *x, int n) {
  int peers = rgSize - 1, k = 0, left, which, flag = 0, done[8];
  double in[8][2], out[8][2], s = 0;
  MPI_Request r[16], q;
  for (int i = 0; i < peers; ++i)
    MPI_Irecv(in[i], 2, MPI_DOUBLE, (rgRank + 1 + i) % rgSize, 1, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < peers; ++i) {
    out[i][0] = x[i] * (i + 1);
    out[i][1] = x[i] * x[i + 1];
    MPI_Isend(out[i], 2, MPI_DOUBLE, (rgRank + 1 + i) % rgSize, 1, MPI_COMM_WORLD, &r[peers + i]);
  }
  if (peers > 0) { // one by MPI_Waitany, the others by MPI_Waitsome
    MPI_Waitany(peers, r, &which, MPI_STATUS_IGNORE);
    s += in[which][0] * in[which][1] * (1 + which);
    for (left = peers - 1; left; left -= k) {
      MPI_Waitsome(peers, r, &k, done, MPI_STATUSES_IGNORE);
      for (int i = 0; i < k; ++i)
        s += in[done[i]][0] * in[done[i]][1] * (1 + done[i]);
    }
    while (!flag)
      MPI_Testall(peers, r + peers, &flag, MPI_STATUSES_IGNORE);
  }
  double mine = x[0], back = 0;
  MPI_Irecv(&back, 1, MPI_DOUBLE, rgRank, 2, MPI_COMM_WORLD, &q);
  MPI_Isend(&mine, 1, MPI_DOUBLE, rgRank, 2, MPI_COMM_WORLD, &r[0]);
  for (flag = 0; !flag;)
    MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  return s + back * back * x[n - 1];
}

// Messages of one tag: the sender waits for the last first, the receiver for the first.
static double order(const double *x, int n) {
  double v[3], w[3], s = 0;
  MPI_Request a[3], b[3];
  int right = (rgRank + 1) % rgSize, left = (rgRank + rgSize - 1) % rgSize;
  for (int i = 0; i < 3; ++i) {
    v[i] = exp(-x[i] * (i + 1));
    MPI_Isend(&v[i], 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &a[i]);
  }
  for (int i = 0; i < 3; ++i)
    MPI_Irecv(&w[i], 1, MPI_DOUBLE, i == 1 ? MPI_ANY_SOURCE : left, 7, MPI_COMM_WORLD, &b[i]);
  for (int i = 0; i < 3; ++i) {
    MPI_Wait(&a[2 - i], MPI_STATUS_IGNORE);
    MPI_Wait(&b[i], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; ++i)
    s += w[i] * x[i] * (i + 1) * x[n - 1];
  return s;
}

static double standing(const double *x, int n) {
  double in[2] = {0}, out[2], s = 0;
  MPI_Request r[2];
  MPI_Recv_init(in, 2, MPI_DOUBLE, (rgRank + rgSize - 1) % rgSize, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 2, MPI_DOUBLE, (rgRank + 1) % rgSize, 3, MPI_COMM_WORLD, &r[1]);
  for (int t = 0; t < 4; ++t) {
    out[0] = x[t % n] + in[1];
    out[1] = x[0] * x[1] * (t + 1) + in[0] * in[0];
    if (t % 2) {
      MPI_Start(&r[0]);
      MPI_Start(&r[1]);
    } else {
      MPI_Startall(2, r);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    s += in[0] * in[1];
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  return s;
}

/* What is complete at once may have the request of something else that is: collective
 * routines of one rank in MPICH, messages to nobody. Waited for in another order. */
static double shared(const double *x, int n) {
  double a[2] = {x[0] * x[0], x[1]}, sum[2], most, all[2] = {0, 0}, none[2] = {x[2], x[3]}, s;
  MPI_Request r[5];
  MPI_Comm self;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Iallreduce(a, sum, 2, MPI_DOUBLE, MPI_SUM, self, &r[0]);
  MPI_Isend(a, 2, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Iallreduce(a, &most, 1, MPI_DOUBLE, MPI_MAX, self, &r[2]);
  MPI_Irecv(none, 2, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Iallgather(&a[1], 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, self, &r[4]);
  MPI_Wait(&r[2], MPI_STATUS_IGNORE);
  s = most * most;
  MPI_Wait(&r[4], MPI_STATUS_IGNORE);
  s += all[0] * most;
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&self);
  return s + sum[0] * sum[1] + none[0] * none[1] * n;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(halos, 5);
  RG_MPI_CHECK(ways, 5);
  RG_MPI_CHECK(order, 4);
  RG_MPI_CHECK(standing, 4);
  RG_MPI_CHECK(shared, 4);
  return rgEnd();
}
