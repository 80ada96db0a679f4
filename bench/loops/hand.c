// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients by hand of twelve nests of nests.c: the primal, then its adjoint as a person writes it who knows that the arrays are apart.
// Each has the effect of __enzyme_autodiff: the arrays are what the primal leaves, the shadows of what is overwritten are taken, the
// others are added to. Sums may be reordered, as Retrograd reorders sums of adjoints.
#include "nests.h"
#include <stdlib.h>
#include <string.h>

#pragma clang fp reassociate(on)

#define R(A) double (*restrict A)[n]
#define W(x) double *restrict x
#define DOWN(i, from, to) for (int i = (from) - 1; i >= (to); i--)

static void gemm_adjoint(int n, R(A), R(B), R(dC), R(dA), R(dB)) {
  EACH(i, 0, n) {
    EACH(k, 0, n) {
      double s = 0, a = 1.5 * A[i][k];
      EACH(j, 0, n) {
        s += dC[i][j] * B[k][j];
        dB[k][j] += a * dC[i][j];
      }
      dA[i][k] += 1.5 * s;
    }
    EACH(j, 0, n) dC[i][j] *= 1.2;
  }
}
void gemm_hand(int n, Arrays a, Arrays d) {
  gemm_run(n, a);
  gemm_adjoint(n, P(1), P(2), (void *)d[0], (void *)d[1], (void *)d[2]);
}

static void two_products_adjoint(int n, R(A), R(B), R(C), R(T), R(dD), R(dA), R(dB), R(dC), R(dT)) {
  EACH(i, 0, n) {
    EACH(k, 0, n) {
      double s = 0, t = T[i][k];
      EACH(j, 0, n) {
        s += dD[i][j] * C[k][j];
        dC[k][j] += t * dD[i][j];
      }
      dT[i][k] += s;
    }
    EACH(j, 0, n) dD[i][j] *= 1.2;
    EACH(k, 0, n) {
      double s = 0, a = 1.5 * A[i][k];
      EACH(j, 0, n) {
        s += dT[i][j] * B[k][j];
        dB[k][j] += a * dT[i][j];
      }
      dA[i][k] += 1.5 * s;
    }
    EACH(j, 0, n) dT[i][j] = 0;
  }
}
void two_products_hand(int n, Arrays a, Arrays d) {
  two_products_run(n, a);
  two_products_adjoint(n, P(1), P(2), P(3), P(4), (void *)d[0], (void *)d[1], (void *)d[2], (void *)d[3], (void *)d[4]);
}

static void atax_adjoint(int n, R(A), W(x), W(t), R(dA), W(dx), W(dy), W(dt)) {
  EACH(i, 0, n) {
    double s = dt[i], v = t[i];
    EACH(j, 0, n) s += A[i][j] * dy[j];
    EACH(j, 0, n) {
      dA[i][j] += dy[j] * v + s * x[j];
      dx[j] += A[i][j] * s;
    }
    dt[i] = 0;
  }
  EACH(j, 0, n) dy[j] = 0;
}
void atax_hand(int n, Arrays a, Arrays d) {
  atax_run(n, a);
  atax_adjoint(n, P(0), P(1), P(3), (void *)d[0], d[1], d[2], d[3]);
}

static void syrk_adjoint(int n, R(A), R(dC), R(dA)) {
  EACH(i, 0, n) EACH(j, 0, i + 1) {
    double g = 1.5 * dC[i][j];
    dC[i][j] *= 1.2;
    if (i == j)
      EACH(k, 0, n) dA[i][k] += 2 * g * A[i][k];
    else
      EACH(k, 0, n) {
        dA[i][k] += g * A[j][k];
        dA[j][k] += g * A[i][k];
      }
  }
}
void syrk_hand(int n, Arrays a, Arrays d) {
  syrk_run(n, a);
  syrk_adjoint(n, P(1), (void *)d[0], (void *)d[1]);
}

static void symm_adjoint(int n, R(A), R(B), R(dC), R(dA), R(dB)) {
  DOWN(i, n, 0) {
    double g = 1.5 * A[i][i], s = 0;
    EACH(k, 0, i) {
      double a = 1.5 * A[i][k], sum = 0;
      EACH(j, 0, n) {
        sum += B[i][j] * dC[k][j] + dC[i][j] * B[k][j];
        dB[i][j] += a * dC[k][j];
        dB[k][j] += a * dC[i][j];
      }
      dA[i][k] += 1.5 * sum;
    }
    EACH(j, 0, n) {
      dB[i][j] += g * dC[i][j];
      s += dC[i][j] * B[i][j];
      dC[i][j] *= 1.2;
    }
    dA[i][i] += 1.5 * s;
  }
}
void symm_hand(int n, Arrays a, Arrays d) {
  symm_run(n, a);
  symm_adjoint(n, P(1), P(2), (void *)d[0], (void *)d[1], (void *)d[2]);
}

static void trmm_adjoint(int n, R(A), R(B), R(dA), R(dB)) {
  DOWN(i, n, 0) {
    EACH(j, 0, n) dB[i][j] *= 1.5;
    EACH(k, i + 1, n) {
      double s = 0, a = A[k][i];
      EACH(j, 0, n) {
        s += B[k][j] * dB[i][j];
        dB[k][j] += a * dB[i][j];
      }
      dA[k][i] += s;
    }
  }
}
void trmm_hand(int n, Arrays a, Arrays d) {
  size_t bytes = sizeof(double) * n * n;
  double *before = malloc(bytes);
  memcpy(before, a[1], bytes);
  trmm_run(n, a);
  trmm_adjoint(n, P(0), (void *)before, (void *)d[0], (void *)d[1]);
  free(before);
}

// dTo += the transposed five-point stencil of dFrom, which is taken.
static void stencil_2d_adjoint(int n, R(dTo), R(dFrom)) {
#define INSIDE(i, j) ((i) > 0 && (i) < n - 1 && (j) > 0 && (j) < n - 1 ? dFrom[i][j] : 0)
#define BORDER(i, j) dTo[i][j] += 0.2 * (INSIDE(i, j) + INSIDE(i, j - 1) + INSIDE(i, j + 1) + INSIDE(i - 1, j) + INSIDE(i + 1, j))
  EACH(i, 0, n) {
    if (i < 2 || i > n - 3) {
      EACH(j, 0, n) BORDER(i, j);
      continue;
    }
    BORDER(i, 0);
    BORDER(i, 1);
    EACH(j, 2, n - 2) dTo[i][j] += 0.2 * (dFrom[i][j] + dFrom[i][j - 1] + dFrom[i][j + 1] + dFrom[i - 1][j] + dFrom[i + 1][j]);
    BORDER(i, n - 2);
    BORDER(i, n - 1);
  }
  EACH(i, 1, n - 1) EACH(j, 1, n - 1) dFrom[i][j] = 0;
#undef INSIDE
#undef BORDER
}
void jacobi_2d_hand(int n, Arrays a, Arrays d) {
  jacobi_2d_run(n, a);
  for (int t = 0; t < 20; t++) {
    stencil_2d_adjoint(n, (void *)d[1], (void *)d[0]);
    stencil_2d_adjoint(n, (void *)d[0], (void *)d[1]);
  }
}

static void stencil_3d_adjoint(int s, double (*restrict dTo)[s][s], double (*restrict dFrom)[s][s]) {
#define INSIDE(i, j, k) ((i) > 0 && (i) < s - 1 && (j) > 0 && (j) < s - 1 && (k) > 0 && (k) < s - 1 ? dFrom[i][j][k] : 0)
#define BORDER(i, j, k) dTo[i][j][k] += 0.25 * INSIDE(i, j, k) + 0.125 * (INSIDE(i - 1, j, k) + INSIDE(i + 1, j, k) + INSIDE(i, j - 1, k) + \
                                                                          INSIDE(i, j + 1, k) + INSIDE(i, j, k - 1) + INSIDE(i, j, k + 1))
  EACH(i, 0, s) EACH(j, 0, s) {
    if (i < 2 || i > s - 3 || j < 2 || j > s - 3) {
      EACH(k, 0, s) BORDER(i, j, k);
      continue;
    }
    BORDER(i, j, 0);
    BORDER(i, j, 1);
    EACH(k, 2, s - 2)
      dTo[i][j][k] += 0.25 * dFrom[i][j][k] + 0.125 * (dFrom[i - 1][j][k] + dFrom[i + 1][j][k] + dFrom[i][j - 1][k] + dFrom[i][j + 1][k] +
                                                       dFrom[i][j][k - 1] + dFrom[i][j][k + 1]);
    BORDER(i, j, s - 2);
    BORDER(i, j, s - 1);
  }
  EACH(i, 1, s - 1) EACH(j, 1, s - 1) EACH(k, 1, s - 1) dFrom[i][j][k] = 0;
#undef INSIDE
#undef BORDER
}
void heat_3d_hand(int n, Arrays a, Arrays d) {
  heat_3d_run(n, a);
  int s = side(n);
  for (int t = 0; t < 10; t++) {
    stencil_3d_adjoint(s, (void *)d[1], (void *)d[0]);
    stencil_3d_adjoint(s, (void *)d[0], (void *)d[1]);
  }
}

void seidel_2d_hand(int n, Arrays a, Arrays d) {
  seidel_2d_run(n, a);
  R(dA) = (void *)d[0];
  for (int t = 0; t < 20; t++)
    DOWN(i, n - 1, 1) DOWN(j, n - 1, 1) {
      double g = dA[i][j] / 9;
      dA[i + 1][j + 1] += g;
      dA[i + 1][j] += g;
      dA[i + 1][j - 1] += g;
      dA[i][j + 1] += g;
      dA[i][j] = g;
      dA[i][j - 1] += g;
      dA[i - 1][j + 1] += g;
      dA[i - 1][j] += g;
      dA[i - 1][j - 1] += g;
    }
}

static void fdtd_2d_adjoint(int n, R(dex), R(dey), R(dhz), W(dsource)) {
  DOWN(t, 20, 0) {
    EACH(i, 0, n - 1) {
      dex[i][0] += 0.7 * dhz[i][0];
      EACH(j, 1, n - 1) dex[i][j] += 0.7 * (dhz[i][j] - dhz[i][j - 1]);
      dex[i][n - 1] -= 0.7 * dhz[i][n - 2];
    }
    EACH(j, 0, n - 1) dey[0][j] += 0.7 * dhz[0][j];
    EACH(i, 1, n - 1) EACH(j, 0, n - 1) dey[i][j] += 0.7 * (dhz[i][j] - dhz[i - 1][j]);
    EACH(j, 0, n - 1) dey[n - 1][j] -= 0.7 * dhz[n - 2][j];
    EACH(i, 0, n) {
      dhz[i][0] += 0.5 * dex[i][1];
      EACH(j, 1, n - 1) dhz[i][j] += 0.5 * (dex[i][j + 1] - dex[i][j]);
      dhz[i][n - 1] -= 0.5 * dex[i][n - 1];
    }
    EACH(j, 0, n) dhz[0][j] += 0.5 * dey[1][j];
    EACH(i, 1, n - 1) EACH(j, 0, n) dhz[i][j] += 0.5 * (dey[i + 1][j] - dey[i][j]);
    EACH(j, 0, n) dhz[n - 1][j] -= 0.5 * dey[n - 1][j];
    double s = 0;
    EACH(j, 0, n) {
      s += dey[0][j];
      dey[0][j] = 0;
    }
    dsource[t] += s;
  }
}
void fdtd_2d_hand(int n, Arrays a, Arrays d) {
  fdtd_2d_run(n, a);
  fdtd_2d_adjoint(n, (void *)d[0], (void *)d[1], (void *)d[2], d[3]);
}

static void cholesky_adjoint(int n, R(L), R(dL)) {
  DOWN(i, n, 0) {
    double w = dL[i][i] / (2 * L[i][i]);
    dL[i][i] = w;
    EACH(k, 0, i) dL[i][k] -= 2 * w * L[i][k];
    DOWN(j, i, 0) {
      double v = dL[i][j] / L[j][j];
      dL[j][j] -= v * L[i][j];
      dL[i][j] = v;
      EACH(k, 0, j) {
        dL[i][k] -= v * L[j][k];
        dL[j][k] -= v * L[i][k];
      }
    }
  }
}
void cholesky_hand(int n, Arrays a, Arrays d) {
  cholesky_run(n, a);
  cholesky_adjoint(n, P(0), (void *)d[0]);
}

// The primal again, with what its adjoint needs.
static void durbin_adjoint(int n, W(r), W(y), W(dr), W(dy), R(old), W(alphas), W(betas), W(z)) {
  double beta = 1, alpha = -r[0];
  y[0] = alpha;
  EACH(k, 1, n) {
    alphas[k] = alpha;
    betas[k] = beta;
    memcpy(old[k], y, sizeof(double) * k);
    beta *= 1 - alpha * alpha;
    double sum = 0;
    {
#pragma clang fp reassociate(off) // what the primal adds up stays in its order, here as in a derivative
      EACH(i, 0, k) sum += r[k - i - 1] * y[i];
    }
    alpha = -(r[k] + sum) / beta;
    EACH(i, 0, k) z[i] = y[i] + alpha * y[k - i - 1];
    memcpy(y, z, sizeof(double) * k);
    y[k] = alpha;
  }
  double dalpha = 0, dbeta = 0;
  DOWN(k, n, 1) {
    const double *was = old[k];
    dalpha += dy[k];
    dy[k] = 0;
    EACH(i, 0, k) dalpha += dy[i] * was[k - i - 1];
    double q = -dalpha / beta;
    dbeta += q * alpha;
    dr[k] += q;
    EACH(i, 0, k) z[i] = dy[i] + alpha * dy[k - i - 1] + q * r[k - i - 1];
    EACH(i, 0, k) dr[k - i - 1] += q * was[i];
    memcpy(dy, z, sizeof(double) * k);
    alpha = alphas[k];
    beta = betas[k];
    dalpha = -2 * alpha * beta * dbeta;
    dbeta *= 1 - alpha * alpha;
  }
  dr[0] -= dalpha + dy[0];
  dy[0] = 0;
}
void durbin_hand(int n, Arrays a, Arrays d) {
  double *keep = malloc(sizeof(double) * n * (n + 3));
  double *behind = keep + (size_t)n * n;
  durbin_adjoint(n, a[0], a[1], d[0], d[1], (void *)keep, behind, behind + n, behind + 2 * n);
  free(keep);
}
