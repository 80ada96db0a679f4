// Forward mode: the derivative in one direction.
//
// __enzyme_fwddiff takes each argument together with its tangent: how it changes when
// the parameter of interest does. All results change accordingly, in one sweep and
// without a tape. Reverse mode is for many inputs and one result, forward mode for
// few inputs and many results.

#include <math.h>
#include <stdio.h>

double __enzyme_fwddiff(void *, ...);
void __enzyme_fwddiff_void(void *, ...);

double distance(double x, double y) { return sqrt(x * x + y * y); }

// Where a ball is, at n moments: many results of one speed.
void flight(double speed, double *height, int n) {
  for (int i = 0; i < n; ++i) {
    double t = 0.1 * i;
    height[i] = speed * t - 4.905 * t * t;
  }
}

int main(void) {
  // Numbers: value, tangent, value, tangent.
  printf("along x: %g\n", __enzyme_fwddiff((void *)distance, 3.0, 1.0, 4.0, 0.0));
  printf("along y: %g\n", __enzyme_fwddiff((void *)distance, 3.0, 0.0, 4.0, 1.0));
  printf("away:    %g\n", __enzyme_fwddiff((void *)distance, 3.0, 0.6, 4.0, 0.8));

  double height[4], change[4];
  __enzyme_fwddiff_void((void *)flight, 5.0, 1.0, height, change, 4);
  for (int i = 0; i < 4; ++i)
    printf("height %.3f changes by %.1f\n", height[i], change[i]);
}

// RUN: %rgcc -O2 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcc -O0 %s -lm -o %t && %t | FileCheck %s --check-prefix=prints
// prints: along x: 0.6
// prints: along y: 0.8
// prints: away:    1
// prints: height 0.000 changes by 0.0
// prints: height 0.451 changes by 0.1
// prints: height 0.804 changes by 0.2
// prints: height 1.059 changes by 0.3
