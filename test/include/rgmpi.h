/*===- rgmpi.h - derivatives of functions of all ranks --------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* RG_MPI_CHECK(f, n, x0): double f(const double *x, int n) is called by all ranks at
|* once, each with its own x. Reverse mode gives the gradient of the sum of what all
|* ranks return; its product with a direction is compared with forward mode and with
|* central differences.
\*===------------------------------------------------------------------------===*/
#ifndef RGMPI_H
#define RGMPI_H
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#ifdef __cplusplus
}
#endif
extern int enzyme_dup, enzyme_const;
int enzyme_dup, enzyme_const;

static int rgRank, rgSize, rgFailures, rgChecks;

static double rgSum(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
static void rgCompare(const char *name, double reverse, double forward, double differences) {
  double size = fabs(differences) + 1e-3;
  ++rgChecks;
  if (fabs(reverse - forward) <= 1e-9 * size && fabs(reverse - differences) <= 2e-6 * size)
    return;
  ++rgFailures;
  if (rgRank == 0)
    printf("%s: %d ranks: reverse %.15g, forward %.15g, differences %.15g\n", name, rgSize, reverse, forward,
           differences);
}
#define RG_MPI_CHECK(f, n)                                                                          \
  do {                                                                                              \
    double x_[n], d_[n], g_[n], p_[n], m_[n], e_ = 1e-5, mine_ = 0;                                 \
    for (int i_ = 0; i_ < (n); ++i_) {                                                              \
      x_[i_] = 0.4 + 0.13 * i_ + 0.07 * rgRank + 0.01 * ((i_ * 7 + rgRank * 3) % 5);                \
      d_[i_] = 1 - 0.3 * i_ + 0.25 * rgRank;                                                        \
      g_[i_] = 0;                                                                                   \
      p_[i_] = x_[i_] + e_ * d_[i_];                                                                \
      m_[i_] = x_[i_] - e_ * d_[i_];                                                                \
    }                                                                                               \
    __enzyme_autodiff((void *)f, enzyme_dup, x_, g_, enzyme_const, n);                              \
    for (int i_ = 0; i_ < (n); ++i_)                                                                \
      mine_ += g_[i_] * d_[i_];                                                                     \
    double reverse_ = rgSum(mine_);                                                                 \
    double forward_ = rgSum(__enzyme_fwddiff((void *)f, enzyme_dup, x_, d_, enzyme_const, n));      \
    double more_ = rgSum(f(p_, n)), less_ = rgSum(f(m_, n));                                        \
    rgCompare(#f, reverse_, forward_, (more_ - less_) / (2 * e_));                                  \
  } while (0)

static void rgBegin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rgRank);
  MPI_Comm_size(MPI_COMM_WORLD, &rgSize);
}
static int rgEnd(void) {
  int all;
  MPI_Allreduce(&rgFailures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0 || !rgChecks;
}
#endif
