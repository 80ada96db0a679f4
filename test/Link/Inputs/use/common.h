#ifndef COMMON_H
#define COMMON_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
double __enzyme_autodiff(void *, ...);
double one(double x); /* derivative of a loop with a tape, from the first library */
double two(double x); /* from the second one, which calls the first one's */
#ifdef __cplusplus
}
#endif
#endif
