// A system call is not known to leave numbers alone; only those by which threads wait for a word are (test/Execute/Threads/signals.cpp).
// RUN: not %rgcc -O1 -c %s -o /dev/null 2>&1 | FileCheck %s
#include <sys/syscall.h>
#include <unistd.h>
void __enzyme_autodiff(void *, ...);
static double f(double *x, int fd) {
  double y[2];
  syscall(SYS_write, fd, x, sizeof *x);
  syscall(SYS_read, fd, y, sizeof y);
  return x[0] * y[0];
}
// CHECK: error: a call that derivatives flow through must have a body or a rule, and 'syscall' has neither [RG1101]
// CHECK: system-call.c:[[#@LINE-5]]:3: note: it is here, in 'f'
void g(double *x, double *d, int fd) { __enzyme_autodiff((void *)f, x, d, fd); }
