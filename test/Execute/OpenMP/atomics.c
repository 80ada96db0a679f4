// Atomic updates, reads, writes and captures: undone in the order in which they came.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
static double products(const double *x, int n) {
  double s = 1, t = 100;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v = sin(x[i]) + 0.5;
#pragma omp atomic
    s *= v;
#pragma omp atomic update
    t = t / (v + 1);
  }
  return s * t;
}
static double reads(const double *x, int n) {
  double s = 0, t = 0, r = 0;
#pragma omp parallel reduction(+ : r)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      s += x[i] * x[i];
    }
#pragma omp single
    {
      double v;
#pragma omp atomic read
      v = s;
#pragma omp atomic write
      t = v * v;
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      r += t * x[i];
  }
  return r;
}
static double captures(const double *x, int n) {
  double s = 0, r = 0, y[N];
  float f = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v;
#pragma omp atomic capture
    { v = s; s += x[i]; }
    y[i] = v + x[i] - v;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v;
#pragma omp atomic capture
    v = r += y[i] * y[i];
    y[i] += 0 * v;
  }
  return s * r;
}
/* Acquire, release and seq_cst are flushes, too; one thread waits for the other. */
static double handed(const double *x, int n) {
  double cell = 0, out = 0;
  int ready = 0;
#pragma omp parallel num_threads(2) shared(cell, ready)
  {
    if (omp_get_num_threads() == 1) {
      cell = x[0] * x[1];
      out = cell * x[2];
    } else if (omp_get_thread_num() == 0) {
      cell = x[0] * x[1];
#pragma omp atomic write release
      ready = 1;
    } else {
      int is = 0;
      while (!is) {
#pragma omp atomic read acquire
        is = ready;
      }
      out = cell * x[2] * n;
    }
  }
  return out * out;
}
/* The same by flushes of the program's own, beside relaxed operations. */
static double flushed(const double *x, int n) {
  double cell = 0, out = 0;
  int ready = 0;
#pragma omp parallel num_threads(2) shared(cell, ready)
  {
    if (omp_get_num_threads() == 1) {
      cell = x[0] * x[1];
      out = cell * x[2];
    } else if (omp_get_thread_num() == 0) {
      cell = x[0] * x[1];
#pragma omp flush
#pragma omp atomic write
      ready = 1;
    } else {
      int is = 0;
      while (!is) {
#pragma omp atomic read
        is = ready;
      }
#pragma omp flush
      out = cell * x[2];
      cell = n; /* undone before the other thread's write */
    }
  }
  return out * out * x[3];
}
static double strict(const double *x, int n) {
  double p = 1;
  int count = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic seq_cst
    p *= x[i] + 0.5;
#pragma omp atomic seq_cst
    count += 1;
  }
  return p * count;
}
int main(void) {
  POINT;
  CHECK(handed);
  CHECK(flushed);
  CHECK(strict);
  CHECK(products);
  CHECK(reads);
  CHECK(captures);
  return rgReport();
}
