// Programs with OpenMP: the gradient is as parallel as they are.
//
// Nothing has to be said about threads, schedules or reductions. The sweep that
// computes and the one that goes backwards are parallel regions with the same
// threads.

#include <math.h>
#include <stdio.h>

void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

// The energy of n + 1 beads on springs.
double energy(const double *at, int n, double stiffness) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += 0.5 * stiffness * pow(at[i + 1] - at[i] - 1, 2);
  return sum;
}

int main(void) {
  double at[5] = {0, 1, 2.5, 3, 4.25}, force[5] = {0};
  __enzyme_autodiff((void *)energy, enzyme_dup, at, force, enzyme_const, 4, enzyme_const, 2.0);
  for (int i = 0; i < 5; ++i)
    printf("d energy / d at[%d] = %g\n", i, force[i]);
}

// RUN: %rgcc -O2 -fopenmp %s -lm -o %t && env OMP_NUM_THREADS=3 %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 -fopenmp %s -lm -o %t && env OMP_NUM_THREADS=2 %t | FileCheck %s --check-prefix=prints
// prints: d energy / d at[0] = 0
// prints: d energy / d at[1] = -1
// prints: d energy / d at[2] = 2
// prints: d energy / d at[3] = -1.5
// prints: d energy / d at[4] = 0.5
