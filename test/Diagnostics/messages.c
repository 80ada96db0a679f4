// What of MPI has no derivative is named at its line; so are numbers sent as bytes, where bytes do not tell what they
// are, and as characters.
// RUN: not %rgcc -O2 -g -DPUT %s -o /dev/null 2>&1 | FileCheck --check-prefix=PUT %s
// RUN: not %rgcc -O0 -g -DPUT %s -o /dev/null 2>&1 | FileCheck --check-prefix=PUT %s
// RUN: not %rgcc -O2 -g -DFILES %s -o /dev/null 2>&1 | FileCheck --check-prefix=FILES %s
// RUN: not %rgcc -O2 -g -DBYTES %s -o /dev/null 2>&1 | FileCheck --check-prefix=BYTES %s
// RUN: not %rgcc -O2 -g -DSUMMED %s -o /dev/null 2>&1 | FileCheck --check-prefix=SUMMED %s
// RUN: not %rgcc -O2 -g -DWHATEVER %s -o /dev/null 2>&1 | FileCheck --check-prefix=WHATEVER %s
// RUN: not %rgcc -O2 -g -DCHARS %s -o /dev/null 2>&1 | FileCheck --check-prefix=CHARS %s
// RUN: not %rgcc -O0 -g -DCHARS %s -o /dev/null 2>&1 | FileCheck --check-prefix=CHARS %s
// RUN: not %rgcc -O2 -g -DPACK %s -o /dev/null 2>&1 | FileCheck --check-prefix=PACK %s
// RUN: not %rgcc -O2 -g -DPARTS %s -o /dev/null 2>&1 | FileCheck --check-prefix=PARTS %s
// RUN: not %rgcc -O2 -g -DUNKNOWN %s -o /dev/null 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// RUN: not %rgcc -O2 -g -DCONSTANT %s -o /dev/null 2>&1 | FileCheck --check-prefix=CONSTANT %s
// MPICH's handles, without its header.
typedef int MPI_Comm, MPI_Datatype, MPI_Win, MPI_File;
#define MPI_COMM_WORLD 0x44000000
#define MPI_DOUBLE 0x4c00080b
#define MPI_BYTE 0x4c00010d
#define MPI_CHAR 0x4c000101
#define MPI_PACKED 0x4c00010f
int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int MPI_Put(const void *, int, MPI_Datatype, int, long, int, MPI_Datatype, MPI_Win);
int MPI_File_write(MPI_File, const void *, int, MPI_Datatype, void *);
int MPI_Pack(const void *, int, MPI_Datatype, void *, int, int *, MPI_Comm);
int MPI_Psend_init(const void *, int, long, MPI_Datatype, int, int, MPI_Comm, int, int *);
int MPI_Send_c(const void *, long, MPI_Datatype, int, int, MPI_Comm);
int MPI_Send_tomorrow(const void *, int, MPI_Datatype);
double __enzyme_autodiff(void *, ...);

int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int enzyme_dup, enzyme_const;

#ifdef CONSTANT
double g(const double *x, double *kept) {
// CONSTANT: {{.*}}constant argument{{.*}}[RG1105]
// CONSTANT: messages.c:[[@LINE+1]]:
  MPI_Bcast(kept, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return kept[0] * kept[1] * x[0];
}
#endif
#ifdef WHATEVER
double h(const double *x, void *given, int bytes) {
// WHATEVER: {{.*}}moves bytes of unknown type: a message of bytes {{.*}}[RG1103]
// WHATEVER: messages.c:[[@LINE+1]]:
  MPI_Bcast(given, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return x[0] * x[1];
}
#endif
double f(const double *x, int n) {
  double y[4] = {x[0] * x[0], x[1], x[2], n};
#ifdef PUT
// PUT: this parallel construct cannot be differentiated: one-sided communication {{.*}}[RG2202]
// PUT: messages.c:[[@LINE+1]]:
  MPI_Put(y, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, n);
#elif defined(FILES)
// FILES: this parallel construct cannot be differentiated: input and output by MPI{{.*}}[RG2202]
// FILES: messages.c:[[@LINE+1]]:
  MPI_File_write(n, y, 4, MPI_DOUBLE, 0);
#elif defined(BYTES)
  long double z[2] = {y[0], y[1]};
// BYTES: this parallel construct cannot be differentiated: a message whose datatype is bytes {{.*}}other than float and double{{.*}}[RG2202]
// BYTES: messages.c:[[@LINE+1]]:
  MPI_Send(z, sizeof z, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  y[2] = (double)(z[0] * z[1]);
#elif defined(SUMMED)
  float z[4] = {(float)y[0], (float)y[1]};
// SUMMED: this parallel construct cannot be differentiated: a collective routine whose datatype is bytes {{.*}}[RG2202]
// SUMMED: messages.c:[[@LINE+1]]:
  MPI_Bcast(z, sizeof z, MPI_BYTE, 0, MPI_COMM_WORLD);
  y[2] = z[0] * z[1];
#elif defined(CHARS)
// CHARS: this parallel construct cannot be differentiated: a message whose datatype is integers or characters {{.*}}[RG2202]
// CHARS: messages.c:[[@LINE+1]]:
  MPI_Send(y, 4 * sizeof *y, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
#elif defined(PACK)
  char packed[100];
  int at = 0;
  MPI_Pack(y, 4, MPI_DOUBLE, packed, sizeof packed, &at, MPI_COMM_WORLD);
// PACK: this parallel construct cannot be differentiated: a collective routine of a packed buffer{{.*}}[RG2202]
// PACK: messages.c:[[@LINE+1]]:
  MPI_Bcast(packed, at, MPI_PACKED, 0, MPI_COMM_WORLD);
// PACK: {{.*}}moves bytes of unknown type: a message of bytes {{.*}}[RG1103]
// PACK: messages.c:[[@LINE+1]]:
  MPI_Send(packed, at, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
#elif defined(PARTS)
// PARTS: this parallel construct cannot be differentiated: a message in parts{{.*}}[RG2202]
// PARTS: messages.c:[[@LINE+2]]:
  int request;
  MPI_Psend_init(y, 2, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, 0, &request);
// PARTS: this parallel construct cannot be differentiated: a routine with counts of MPI_Count{{.*}}[RG2202]
// PARTS: messages.c:[[@LINE+1]]:
  MPI_Send_c(y, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
#elif defined(UNKNOWN)
// UNKNOWN: 'MPI_Send_tomorrow' has neither {{.*}}[RG1101]
  MPI_Send_tomorrow(y, 4, MPI_DOUBLE);
#endif
  return y[0] * y[1] * y[2];
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0};
#ifdef CONSTANT
  double kept[2] = {1, 2};
  __enzyme_autodiff((void *)g, enzyme_dup, x, dx, enzyme_const, kept);
#endif
#ifdef WHATEVER
  extern void *whatever(int);
  __enzyme_autodiff((void *)h, enzyme_dup, x, dx, enzyme_dup, whatever(0), whatever(1), enzyme_const, 8);
#endif
  __enzyme_autodiff((void *)f, x, dx, 3);
}
