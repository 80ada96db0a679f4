// Tasks: shared and private variables, taskwait, taskgroup, dependences, `if` and
// `final`, recursion, critical regions in tasks, taskloop, tasks of several threads,
// tasks that are left to the end of the region or to a barrier, tasks outside of
// regions, in threads of the program's own.
// RG-FLAGS: -fopenmp -pthread
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <pthread.h>
static double two(const double *x, int n) {
  double a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(a)
    for (int i = 0; i < n / 2; ++i)
      a += x[i] * sin(x[i]);
#pragma omp task shared(b)
    for (int i = n / 2; i < n; ++i)
      b += x[i] * x[0];
#pragma omp taskwait
    a = a * b;
  }
  return a + b;
}

static double tree(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double left, right;
#pragma omp task shared(left) if (n > 3)
  left = tree(x, n / 2);
#pragma omp task shared(right) final(n < 5)
  right = tree(x + n / 2, n - n / 2);
#pragma omp taskwait
  return left + right + 0.01 * left * right;
}
static double recursion(const double *x, int n) {
  double r = 0;
#pragma omp parallel
#pragma omp single
  r = tree(x, n);
  return r;
}
static double outside(const double *x, int n) { return tree(x, n); }

static double groups(const double *x, int n) {
  double y[N] = {0}, z[N] = {0}, r = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(y, z) firstprivate(i)
      {
        y[i] = x[i] * x[(i + 1) % n];
        // A grandchild: the group waits for it, a taskwait would not.
#pragma omp task shared(z) firstprivate(i)
        z[i] = sin(x[i]);
      }
    }
    for (int i = 0; i < n; ++i)
      r += y[i] * z[(i + 2) % n];
  }
  return r;
}

static double dependences(const double *x, int n) {
  double a[N], b[N], sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(out : a[i]) shared(a) firstprivate(i)
      a[i] = x[i] * x[i];
    }
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : a[i], a[(i + 1) % n]) depend(out : b[i]) shared(a, b) firstprivate(i)
        b[i] = a[i] + 0.3 * sin(a[(i + 1) % n]);
      }
      for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : b[i]) depend(inout : a[i]) shared(a, b) firstprivate(i)
        a[i] = 0.5 * a[i] + b[i] * b[i] / (1 + b[i] * b[i]);
      }
    }
#pragma omp task depend(in : a[0]) shared(a, sum) if (0)
    sum += a[0];
#pragma omp taskwait
    for (int i = 0; i < n; ++i)
      sum += a[i] * b[i];
  }
  return sum;
}

static double exclusive(const double *x, int n) {
  double product = 1, s = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(product, s) firstprivate(i)
      {
        double v = 1 + 0.1 * x[i];
#pragma omp critical
        {
          product *= v;
          s += v * v;
        }
      }
#pragma omp critical
      product *= 1 + 0.01 * x[i];
    }
  }
  return product * s;
}

// Made by all, done at a barrier; what follows reads it. Some are left to the end.
static double barriers(const double *x, int n) {
  double y[N], z[N], r = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(y) firstprivate(i)
      y[i] = exp(0.1 * x[i]);
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      z[i] = y[i] * y[(i + 1) % n];
#pragma omp single nowait
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(z) firstprivate(i)
      z[i] *= x[i];
    }
  }
  for (int i = 0; i < n; ++i)
    r += z[i];
  return r;
}

static double loops(const double *x, int n) {
  double y[N], z[N], r = 0, last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(4) shared(y)
    for (int i = 0; i < n; ++i)
      y[i] = x[i] * sin(x[(i + 1) % n]);
#pragma omp taskloop num_tasks(5) shared(y, z) lastprivate(last)
    for (int i = n - 1; i >= 0; i -= 2) {
      last = y[i] * y[i];
      z[i] = last;
      if (i)
        z[i - 1] = y[i] * x[i - 1];
    }
#pragma omp taskloop shared(y, z)
    for (int i = 0; i < n; ++i)
      z[i] += y[i];
  }
  for (int i = 0; i < n; ++i)
    r += z[i] * (i + 1);
  return r + last;
}

static double steps(const double *x, int n) {
  double y[N], r = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
#pragma omp parallel
  for (int step = 0; step < 5; ++step) {
#pragma omp single
    for (int i = 0; i < n; i += 4) {
#pragma omp task shared(y) firstprivate(i)
      for (int k = i; k < i + 4 && k < n; ++k)
        y[k] += 0.1 * sin(y[k]) * x[k];
    }
  }
  for (int i = 0; i < n; ++i)
    r += y[i] * y[i];
  return r;
}

static double privates(const double *x, int n) {
  double s = 0, factor = x[0];
  double p[3] = {x[1], x[2], 2};
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 3; ++k) {
    factor *= 1.5;
#pragma omp task shared(s) firstprivate(factor, p, k)
    {
      double t = 0;
      for (int i = k; i < n; i += 3)
        t += factor * x[i] * p[(i + k) % 3];
      p[0] = t;
#pragma omp atomic
      s += p[0] * p[1];
    }
    p[1] += factor;
  }
  return s;
}

// Threads that a region starts have no team: they run their tasks at once.
struct half {
  const double *x;
  int n;
  double r;
};
static void *run(void *p) {
  struct half *h = (struct half *)p;
  h->r = tree(h->x, h->n);
  return 0;
}
static double threads(const double *x, int n) {
  double r = 0;
#pragma omp parallel for reduction(+ : r)
  for (int i = 0; i < 6; ++i) {
    struct half h = {x + i, n - i, 0};
    pthread_t t;
    pthread_create(&t, NULL, run, &h);
    double own = sin(x[i]);
    pthread_join(t, NULL);
    r += own * h.r;
  }
  return r;
}
int main(void) {
  POINT;
  CHECK(two);
  CHECK(recursion);
  CHECK(outside);
  CHECK(groups);
  CHECK(dependences);
  CHECK(exclusive);
  CHECK(barriers);
  CHECK(loops);
  CHECK(steps);
  CHECK(privates);
  CHECK(threads);
  return rgReport();
}
