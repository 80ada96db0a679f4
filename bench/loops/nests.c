// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thirty dense loop nests of linear algebra, stencils, dynamic programming and statistics, as their mathematics is published, without
// restrict and without hints: the primal's time, the gradient's, and the gradient against central differences in one direction. The
// arrays that a nest writes are also read as its result: the adjoint of each of their elements is given.
//
// Twelve have a gradient by hand (hand.c), which is timed beside ours, and compared with it by --check.
//
//   nests [--size=N] [--check] [NAME...]
#include "nests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#define M(A) double A[n][n]
#define V(x) double x[n]

static void gemm(int n, M(C), M(A), M(B)) {
  EACH(i, 0, n) {
    EACH(j, 0, n) C[i][j] *= 1.2;
    EACH(k, 0, n) EACH(j, 0, n) C[i][j] += 1.5 * A[i][k] * B[k][j];
  }
}
static void two_products(int n, M(D), M(A), M(B), M(C), M(T)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    T[i][j] = 0;
    EACH(k, 0, n) T[i][j] += 1.5 * A[i][k] * B[k][j];
  }
  EACH(i, 0, n) EACH(j, 0, n) {
    D[i][j] *= 1.2;
    EACH(k, 0, n) D[i][j] += T[i][k] * C[k][j];
  }
}
static void three_products(int n, M(E), M(A), M(B), M(F), M(C), M(D), M(G)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    E[i][j] = 0;
    EACH(k, 0, n) E[i][j] += A[i][k] * B[k][j];
  }
  EACH(i, 0, n) EACH(j, 0, n) {
    F[i][j] = 0;
    EACH(k, 0, n) F[i][j] += C[i][k] * D[k][j];
  }
  EACH(i, 0, n) EACH(j, 0, n) {
    G[i][j] = 0;
    EACH(k, 0, n) G[i][j] += E[i][k] * F[k][j];
  }
}
static void atax(int n, M(A), V(x), V(y), V(t)) {
  EACH(i, 0, n) y[i] = 0;
  EACH(i, 0, n) {
    t[i] = 0;
    EACH(j, 0, n) t[i] += A[i][j] * x[j];
    EACH(j, 0, n) y[j] += A[i][j] * t[i];
  }
}
static void bicg(int n, M(A), V(s), V(q), V(p), V(r)) {
  EACH(i, 0, n) s[i] = 0;
  EACH(i, 0, n) {
    q[i] = 0;
    EACH(j, 0, n) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * p[j];
    }
  }
}
static void mvt(int n, V(x), V(y), V(u), V(v), M(A)) {
  EACH(i, 0, n) EACH(j, 0, n) x[i] += A[i][j] * u[j];
  EACH(i, 0, n) EACH(j, 0, n) y[i] += A[j][i] * v[j];
}
static void gesummv(int n, M(A), M(B), V(t), V(x), V(y)) {
  EACH(i, 0, n) {
    t[i] = y[i] = 0;
    EACH(j, 0, n) {
      t[i] += A[i][j] * x[j];
      y[i] += B[i][j] * x[j];
    }
    y[i] = 1.5 * t[i] + 1.2 * y[i];
  }
}
static void gemver(int n, M(A), V(u), V(v), V(w), V(z), V(x), V(y), V(r), V(s)) {
  EACH(i, 0, n) EACH(j, 0, n) A[i][j] += u[i] * v[j] + w[i] * z[j];
  EACH(i, 0, n) EACH(j, 0, n) x[i] += 1.2 * A[j][i] * y[j];
  EACH(i, 0, n) x[i] += r[i];
  EACH(i, 0, n) EACH(j, 0, n) s[i] += 1.5 * A[i][j] * x[j];
}
static void syrk(int n, M(C), M(A)) {
  EACH(i, 0, n) {
    EACH(j, 0, i + 1) C[i][j] *= 1.2;
    EACH(k, 0, n) EACH(j, 0, i + 1) C[i][j] += 1.5 * A[i][k] * A[j][k];
  }
}
static void syr2k(int n, M(C), M(A), M(B)) {
  EACH(i, 0, n) {
    EACH(j, 0, i + 1) C[i][j] *= 1.2;
    EACH(k, 0, n) EACH(j, 0, i + 1) C[i][j] += A[j][k] * 1.5 * B[i][k] + B[j][k] * 1.5 * A[i][k];
  }
}
static void symm(int n, M(C), M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double t = 0;
    EACH(k, 0, i) {
      C[k][j] += 1.5 * B[i][j] * A[i][k];
      t += B[k][j] * A[i][k];
    }
    C[i][j] = 1.2 * C[i][j] + 1.5 * B[i][j] * A[i][i] + 1.5 * t;
  }
}
static void trmm(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    EACH(k, i + 1, n) B[i][j] += A[k][i] * B[k][j];
    B[i][j] *= 1.5;
  }
}
static void doitgen(int n, M(A), M(C), V(s)) {
  for (int r = 0; r < 8; r++) EACH(q, 0, n) {
    EACH(p, 0, n) {
      s[p] = 0;
      EACH(k, 0, n) s[p] += A[q][k] * C[k][p];
    }
    EACH(p, 0, n) A[q][p] = s[p];
  }
}
static void trisolv(int n, M(L), V(x), V(b)) {
  EACH(i, 0, n) {
    x[i] = b[i];
    EACH(j, 0, i) x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
}
static void cholesky(int n, M(A)) {
  EACH(i, 0, n) {
    EACH(j, 0, i) {
      EACH(k, 0, j) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    EACH(k, 0, i) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}
static void lu(int n, M(A)) {
  EACH(i, 0, n) {
    EACH(j, 0, i) {
      EACH(k, 0, j) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    EACH(j, i, n) EACH(k, 0, i) A[i][j] -= A[i][k] * A[k][j];
  }
}
static void ludcmp(int n, M(A), V(b), V(x), V(y)) {
  EACH(i, 0, n) {
    EACH(j, 0, i) {
      double w = A[i][j];
      EACH(k, 0, j) w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    EACH(j, i, n) {
      double w = A[i][j];
      EACH(k, 0, i) w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  EACH(i, 0, n) {
    double w = b[i];
    EACH(j, 0, i) w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (int i = n - 1; i >= 0; i--) {
    double w = y[i];
    EACH(j, i + 1, n) w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}
static void gramschmidt(int n, M(A), M(R), M(Q)) {
  EACH(k, 0, n) {
    double norm = 0;
    EACH(i, 0, n) norm += A[i][k] * A[i][k];
    R[k][k] = sqrt(norm);
    EACH(i, 0, n) Q[i][k] = A[i][k] / R[k][k];
    EACH(j, k + 1, n) {
      R[k][j] = 0;
      EACH(i, 0, n) R[k][j] += Q[i][k] * A[i][j];
      EACH(i, 0, n) A[i][j] -= Q[i][k] * R[k][j];
    }
  }
}
static void durbin(int n, V(r), V(y)) {
  double z[n];
  y[0] = -r[0];
  double beta = 1, alpha = -r[0];
  EACH(k, 1, n) {
    beta *= 1 - alpha * alpha;
    double sum = 0;
    EACH(i, 0, k) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    EACH(i, 0, k) z[i] = y[i] + alpha * y[k - i - 1];
    EACH(i, 0, k) y[i] = z[i];
    y[k] = alpha;
  }
}
static void covariance(int n, M(D), M(C), V(mean)) {
  EACH(j, 0, n) {
    mean[j] = 0;
    EACH(i, 0, n) mean[j] += D[i][j];
    mean[j] /= n;
  }
  EACH(i, 0, n) EACH(j, 0, n) D[i][j] -= mean[j];
  EACH(i, 0, n) EACH(j, i, n) {
    C[i][j] = 0;
    EACH(k, 0, n) C[i][j] += D[k][i] * D[k][j];
    C[i][j] /= n - 1.0;
    C[j][i] = C[i][j];
  }
}
static void correlation(int n, M(D), M(C), V(mean), V(dev)) {
  EACH(j, 0, n) {
    mean[j] = 0;
    EACH(i, 0, n) mean[j] += D[i][j];
    mean[j] /= n;
    dev[j] = 0;
    EACH(i, 0, n) dev[j] += (D[i][j] - mean[j]) * (D[i][j] - mean[j]);
    dev[j] = sqrt(dev[j] / n);
    dev[j] = dev[j] <= 0.1 ? 1.0 : dev[j];
  }
  EACH(i, 0, n) EACH(j, 0, n) {
    D[i][j] -= mean[j];
    D[i][j] /= sqrt((double)n) * dev[j];
  }
  EACH(i, 0, n - 1) {
    C[i][i] = 1;
    EACH(j, i + 1, n) {
      C[i][j] = 0;
      EACH(k, 0, n) C[i][j] += D[k][i] * D[k][j];
      C[j][i] = C[i][j];
    }
  }
  C[n - 1][n - 1] = 1;
}
static void jacobi_1d(int n, V(A), V(B)) {
  EACH(t, 0, n) {
    EACH(i, 1, n - 1) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    EACH(i, 1, n - 1) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}
static void jacobi_2d(int n, M(A), M(B)) {
  for (int t = 0; t < 20; t++) {
    EACH(i, 1, n - 1) EACH(j, 1, n - 1) B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    EACH(i, 1, n - 1) EACH(j, 1, n - 1) A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}
static void seidel_2d(int n, M(A)) {
  for (int t = 0; t < 20; t++)
    EACH(i, 1, n - 1) EACH(j, 1, n - 1)
      A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] +
                 A[i + 1][j] + A[i + 1][j + 1]) / 9;
}
static void fdtd_2d(int n, M(ex), M(ey), M(hz), V(source)) {
  for (int t = 0; t < 20; t++) {
    EACH(j, 0, n) ey[0][j] = source[t];
    EACH(i, 1, n) EACH(j, 0, n) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    EACH(i, 0, n) EACH(j, 1, n) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    EACH(i, 0, n - 1) EACH(j, 0, n - 1) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}
// A cube of side s in an n by n array.
static void heat_3d(int n, M(A2), M(B2)) {
  int s = side(n);
  double(*A)[s][s] = (void *)A2, (*B)[s][s] = (void *)B2;
  for (int t = 0; t < 10; t++) {
    EACH(i, 1, s - 1) EACH(j, 1, s - 1) EACH(k, 1, s - 1)
      B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2 * A[i][j][k] + A[i - 1][j][k]) +
                   0.125 * (A[i][j + 1][k] - 2 * A[i][j][k] + A[i][j - 1][k]) +
                   0.125 * (A[i][j][k + 1] - 2 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
    EACH(i, 1, s - 1) EACH(j, 1, s - 1) EACH(k, 1, s - 1)
      A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2 * B[i][j][k] + B[i - 1][j][k]) +
                   0.125 * (B[i][j + 1][k] - 2 * B[i][j][k] + B[i][j - 1][k]) +
                   0.125 * (B[i][j][k + 1] - 2 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
  }
}
static void adi(int n, M(u), M(v), M(p), M(q)) {
  const double a = -0.6, b = 2.2, c = -0.6, d = -0.3, e = 1.6, f = -0.3;
  for (int t = 0; t < 5; t++) {
    EACH(i, 1, n - 1) {
      v[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = v[0][i];
      EACH(j, 1, n - 1) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
      }
      v[n - 1][i] = 1;
      for (int j = n - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    EACH(i, 1, n - 1) {
      u[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = u[i][0];
      EACH(j, 1, n - 1) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
      }
      u[i][n - 1] = 1;
      for (int j = n - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}
static void deriche(int n, M(in), M(out), M(y1), M(y2)) {
  const double a1 = 0.3, a2 = -0.2, a3 = 0.25, a4 = -0.1, b1 = 0.7, b2 = -0.3;
  EACH(i, 0, n) {
    double ym1 = 0, ym2 = 0, xm1 = 0;
    EACH(j, 0, n) {
      y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = in[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
    double yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
    for (int j = n - 1; j >= 0; j--) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = in[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  EACH(i, 0, n) EACH(j, 0, n) out[i][j] = y1[i][j] + y2[i][j];
  EACH(j, 0, n) {
    double tm1 = 0, ym1 = 0, ym2 = 0;
    EACH(i, 0, n) {
      y1[i][j] = a1 * out[i][j] + a2 * tm1 + b1 * ym1 + b2 * ym2;
      tm1 = out[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  EACH(i, 0, n) EACH(j, 0, n) out[i][j] = y1[i][j] + y2[i][j];
}
static void floyd_warshall(int n, M(path)) {
  EACH(k, 0, n) EACH(i, 0, n) EACH(j, 0, n)
    path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
static void nussinov(int n, M(score), M(table)) {
  for (int i = n - 1; i >= 0; i--)
    EACH(j, i + 1, n) {
      table[i][j] = fmax(table[i][j], table[i][j - 1]);
      if (i + 1 < n) table[i][j] = fmax(table[i][j], table[i + 1][j]);
      if (i + 1 < n && i < j - 1) table[i][j] = fmax(table[i][j], table[i + 1][j - 1] + score[i][j]);
      EACH(k, i + 1, j) table[i][j] = fmax(table[i][j], table[i][k] + table[k + 1][j]);
    }
}

#define D(k) enzyme_dup, a[k], d[k]
#define N1(f) void f##_run(int n, Arrays a) { f(n, P(0)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0)); }
#define N2(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1)); }
#define N3(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2)); }
#define N4(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3)); }
#define N5(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4)); }
#define N7(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4), P(5), P(6)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4), D(5), D(6)); }
#define N9(f) void f##_run(int n, Arrays a) { f(n, P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8)); } static void f##_grad(int n, Arrays a, Arrays d) { __enzyme_autodiff((void *)f, enzyme_const, n, D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8)); }
#define NESTS(X) \
  X(gemm, 3, 200) X(two_products, 5, 180) X(three_products, 7, 180) X(atax, 4, 400) X(bicg, 5, 400) X(mvt, 5, 400) X(gesummv, 5, 250) \
  X(gemver, 9, 400) X(syrk, 2, 200) X(syr2k, 3, 200) X(symm, 3, 200) X(trmm, 2, 200) X(doitgen, 3, 100) X(trisolv, 3, 400) \
  X(cholesky, 1, 250) X(lu, 1, 250) X(ludcmp, 4, 250) X(gramschmidt, 3, 160) X(durbin, 2, 400) X(covariance, 3, 160) \
  X(correlation, 4, 160) X(jacobi_1d, 2, 400) X(jacobi_2d, 2, 250) X(seidel_2d, 1, 250) X(fdtd_2d, 4, 220) X(heat_3d, 2, 252) \
  X(adi, 4, 200) X(deriche, 4, 300) X(floyd_warshall, 1, 200) X(nussinov, 2, 200)
#define INSTANCE(f, arrays, size) N##arrays(f)
NESTS(INSTANCE)

static const struct Nest {
  const char *Name;
  void (*Run)(int, Arrays);
  void (*Gradient)(int, Arrays, Arrays);
  int Arrays, Size;
} Nests[] = {
#define ROW(f, arrays, size) {#f, f##_run, f##_grad, arrays, size},
    NESTS(ROW)};

static const struct ByHand {
  const char *Name;
  void (*Gradient)(int, Arrays, Arrays);
} ByHand[] = {
#define HAND(f) {#f, f##_hand},
    BY_HAND(HAND)};

/// The gradient by hand, where one is written.
static const struct ByHand *byHand(const char *name) {
  for (size_t k = 0; k < sizeof ByHand / sizeof *ByHand; k++)
    if (!strcmp(ByHand[k].Name, name)) return &ByHand[k];
  return NULL;
}

/// Time of the processor: others may run beside us.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/// Numbers for which every nest is well conditioned: small, and a large diagonal.
static void fill(Arrays a, int arrays, int n, Arrays along, double step) {
  for (int k = 0; k < arrays; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        unsigned h = (unsigned)(i < j ? i : j) * 2654435761u ^ (unsigned)(i < j ? j : i) * 40503u ^ (unsigned)k * 97u;
        h = (h ^ (h >> 13)) * 2246822519u;
        double x = h / 4294967296.0 / n + (i == j ? 2 + 0.001 * i : 0);
        size_t at = (size_t)i * n + j;
        a[k][at] = x + step * (step ? along[k][at] : 0);
      }
}

static double ratioOf(const struct Nest *nest, int n, int check) {
  const size_t size = (size_t)n * n;
  Arrays a, d, along, seed;
  for (int k = 0; k < nest->Arrays; k++) {
    a[k] = malloc(size * sizeof(double));
    d[k] = malloc(size * sizeof(double));
    along[k] = malloc(size * sizeof(double));
    seed[k] = malloc(size * sizeof(double));
    for (size_t i = 0; i < size; i++) {
      along[k][i] = sin(0.37 * i + k);
      seed[k][i] = cos(0.11 * i + 2 * k);
    }
  }
  double primal = INFINITY, gradient = INFINITY, hand = INFINITY, error = 0;
  const struct ByHand *by_hand = byHand(nest->Name);
  if (check) {
    // A step across a minimum's kink is no derivative, and a small one has rounding: the nearer of two counts.
    const double steps[2] = {1e-6, 1e-8};
    double differences[2], by = 0;
    for (int s = 0; s < 2; s++) {
      double value[2];
      for (int side = 0; side < 2; side++) {
        fill(a, nest->Arrays, n, along, side ? steps[s] : -steps[s]);
        nest->Run(n, a);
        value[side] = 0;
        for (int k = 0; k < nest->Arrays; k++)
          for (size_t i = 0; i < size; i++) value[side] += a[k][i] * seed[k][i];
      }
      differences[s] = (value[1] - value[0]) / (2 * steps[s]);
    }
    fill(a, nest->Arrays, n, along, 0);
    for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
    nest->Gradient(n, a, d);
    for (int k = 0; k < nest->Arrays; k++)
      for (size_t i = 0; i < size; i++) by += d[k][i] * along[k][i];
    const double nearer = fabs(by - differences[0]) < fabs(by - differences[1]) ? differences[0] : differences[1];
    error = fabs(by - nearer) / fmax(1, fabs(nearer));
    if (by_hand) {
      Arrays e;
      for (int k = 0; k < nest->Arrays; k++) {
        e[k] = malloc(size * sizeof(double));
        memcpy(e[k], seed[k], size * sizeof(double));
      }
      fill(a, nest->Arrays, n, along, 0);
      by_hand->Gradient(n, a, e);
      for (int k = 0; k < nest->Arrays; k++) {
        double most = 0, apart = 0;
        for (size_t i = 0; i < size; i++) {
          most = fmax(most, fabs(e[k][i]));
          apart = fmax(apart, fabs(e[k][i] - d[k][i]));
        }
        if (!(apart <= 1e-10 * fmax(1, most))) {
          printf("%-16s array %d: by hand differs by %g of %g\n", nest->Name, k, apart, most);
          error = 1;
        }
        free(e[k]);
      }
    }
    printf("%-16s reverse %.10g differences %.10g %s\n", nest->Name, by, nearer, error < 1e-5 ? "ok" : "WRONG");
  } else {
    for (int run = 0; run < 7; run++) {
      fill(a, nest->Arrays, n, along, 0);
      double t = now();
      nest->Run(n, a);
      primal = fmin(primal, now() - t);
      fill(a, nest->Arrays, n, along, 0);
      for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
      t = now();
      nest->Gradient(n, a, d);
      gradient = fmin(gradient, now() - t);
      if (by_hand) {
        fill(a, nest->Arrays, n, along, 0);
        for (int k = 0; k < nest->Arrays; k++) memcpy(d[k], seed[k], size * sizeof(double));
        t = now();
        by_hand->Gradient(n, a, d);
        hand = fmin(hand, now() - t);
      }
    }
    printf("%-16s %5d %9.3f ms %9.3f ms %6.2f", nest->Name, n, primal * 1e3, gradient * 1e3, gradient / primal);
    if (by_hand) printf(" %6.2f %6.2f", hand / primal, gradient / hand);
    printf("\n");
  }
  for (int k = 0; k < nest->Arrays; k++) {
    free(a[k]);
    free(d[k]);
    free(along[k]);
    free(seed[k]);
  }
  return check ? error : gradient / primal;
}

int main(int argc, char **argv) {
  int size = 0, check = 0, named = 0, wrong = 0, rows = 0;
  double logs = 0;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--size=", 7))
      size = atoi(argv[i] + 7);
    else if (!strcmp(argv[i], "--check"))
      check = 1;
    else
      named = 1;
  }
  for (size_t k = 0; k < sizeof Nests / sizeof *Nests; k++) {
    int wanted = !named;
    for (int i = 1; i < argc; i++) wanted |= !strcmp(argv[i], Nests[k].Name);
    if (!wanted) continue;
    double r = ratioOf(&Nests[k], size ? size : Nests[k].Size, check);
    wrong += check && !(r < 1e-5);
    logs += log(r);
    rows++;
  }
  if (!check) printf("geometric mean of %d: %.2f\n", rows, exp(logs / rows));
  return wrong != 0;
}
