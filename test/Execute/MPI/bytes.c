// Structs and numbers that are sent as bytes: what they are, the buffer's types tell.
// REQUIRES: mpi
// RG-RANKS: 1 2 3
#include "rgmpi.h"
#include <stdlib.h>
#include <string.h>

static int right(void) { return (rgRank + 1) % rgSize; }
static int left(void) { return (rgRank + rgSize - 1) % rgSize; }

// As many as there are: the receiver has room for more.
struct atom {
  int id, kind;
  double at[3], speed;
};
static double atoms(const double *x, int n) {
  enum { Room = 8 };
  char *out = malloc(Room * sizeof(struct atom)), *in = malloc(Room * sizeof(struct atom));
  struct atom *a = (struct atom *)out;
  int many = 2 + rgRank, bytes;
  for (int i = 0; i < many; ++i) {
    a[i].id = i;
    a[i].kind = 1 + i % 2;
    for (int k = 0; k < 3; ++k)
      a[i].at[k] = x[(i + k) % n] * x[k] + i;
    a[i].speed = x[i % n] + rgRank;
  }
  MPI_Status status;
  MPI_Sendrecv(out, many * (int)sizeof *a, MPI_BYTE, right(), 0, in, Room * (int)sizeof *a, MPI_BYTE, left(), 0,
               MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  double s = 0;
  const struct atom *b = (const struct atom *)in;
  for (int i = 0; i < bytes / (int)sizeof *b; ++i)
    s += b[i].kind * b[i].at[0] * b[i].at[1] * b[i].speed + (b[i].id + 1) * b[i].at[2] * x[n - 1];
  free(out);
  free(in);
  return s;
}

// One struct with numbers of two formats and padding; requests.
struct mixed {
  int id;
  double big;
  float small[3];
  char name[5];
};
static double one(const double *x, int n) {
  struct mixed out, in;
  out.id = 2 + rgRank;
  out.big = x[0] * x[1];
  for (int i = 0; i < 3; ++i)
    out.small[i] = (float)(2 + i);
  strcpy(out.name, "none");
  MPI_Request r[2];
  MPI_Irecv(&in, sizeof in, MPI_BYTE, left(), 3, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(&out, sizeof out, MPI_BYTE, right(), 3, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  return in.id * in.big * in.big * in.small[0] * x[n - 1] + in.small[2] + in.name[0];
}

// Two kinds of records by one function, through pointers: a word is a number for
// one and integers for the other.
struct halo {
  int (*load)(const double *x, int n, char *to);
  double (*unload)(const char *from, int bytes);
};
static int load_atoms(const double *x, int n, char *to) {
  struct atom *a = (struct atom *)to;
  for (int i = 0; i < 3; ++i)
    a[i] = (struct atom){i, i + rgRank, {x[i], x[i] * x[n - 1], 1}, x[0]};
  return 3 * sizeof *a;
}
static double unload_atoms(const char *from, int bytes) {
  const struct atom *a = (const struct atom *)from;
  double s = 0;
  for (int i = 0; i < bytes / (int)sizeof *a; ++i)
    s += (a[i].id + a[i].kind) * a[i].at[0] * a[i].at[1] + a[i].speed * a[i].at[2];
  return s;
}
struct force {
  double f;
};
static int load_forces(const double *x, int n, char *to) {
  struct force *f = (struct force *)to;
  for (int i = 0; i < 7; ++i)
    f[i].f = x[i % n] * x[(i + 1) % n] * (1 + rgRank);
  return 7 * sizeof *f;
}
static double unload_forces(const char *from, int bytes) {
  const struct force *f = (const struct force *)from;
  double s = 0;
  for (int i = 0; i < bytes / (int)sizeof *f; ++i)
    s += f[i].f * f[i].f * (i + 1);
  return s;
}
static double exchange(const struct halo *h, const double *x, int n) {
  char *out = malloc(1000), *in = malloc(1000);
  int bytes = h->load(x, n, out);
  MPI_Status status;
  MPI_Sendrecv(out, bytes, MPI_BYTE, right(), 1, in, 1000, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  double s = h->unload(in, bytes);
  free(out);
  free(in);
  return s;
}
static struct halo *make(int forces) {
  struct halo *h = malloc(sizeof *h);
  h->load = forces ? load_forces : load_atoms;
  h->unload = forces ? unload_forces : unload_atoms;
  return h;
}
static double halos(const double *x, int n) {
  struct halo *a = make(0), *f = make(1);
  double s = exchange(a, x, n) + exchange(f, x, n) * x[0];
  free(a);
  free(f);
  return s;
}

// Collective routines; blocks of doubles.
static double together(const double *x, int n) {
  double a[4], b[4 * 8], c[4], s = 0;
  for (int i = 0; i < 4; ++i)
    a[i] = x[i % n] * x[n - 1 - i % n] + rgRank;
  MPI_Allgather(a, sizeof a, MPI_BYTE, b, sizeof a, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < 4 * rgSize; ++i)
    s += b[i] * b[i] * (1 + i);
  for (int i = 0; i < 4; ++i)
    c[i] = rgRank ? 0 : a[i] * 2;
  MPI_Bcast(c, sizeof c, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Scatter(b, 2 * sizeof(double), MPI_BYTE, a, 2 * sizeof(double), MPI_BYTE, rgSize - 1, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i)
    s += c[i] * c[i] * a[i];
  return s;
}

// A type that the program makes of bytes; started again and again; by one rank from
// numbers that depend on nothing.
static double often(const double *x, int n) {
  struct atom out[2], in[2];
  double s = 0;
  MPI_Datatype t;
  MPI_Type_contiguous(sizeof(struct atom), MPI_BYTE, &t);
  MPI_Type_commit(&t);
  MPI_Request r[2];
  MPI_Recv_init(in, 2, t, left(), 5, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 2, t, right(), 5, MPI_COMM_WORLD, &r[1]);
  memset(out, 0, sizeof out);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      out[i].kind = i + round;
      out[i].at[1] = rgRank == 1 ? 3 : x[round % n] * x[i];
      out[i].speed = x[n - 1];
    }
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i)
      s += in[i].kind * in[i].at[1] * in[i].at[1] + in[i].speed * in[i].at[1];
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Type_free(&t);
  return s;
}

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(atoms, 4);
  RG_MPI_CHECK(one, 4);
  RG_MPI_CHECK(halos, 4);
  RG_MPI_CHECK(together, 4);
  RG_MPI_CHECK(often, 4);
  return rgEnd();
}
