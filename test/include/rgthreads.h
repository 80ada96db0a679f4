/* As rgopenmp.h, for programs that start threads themselves. */
#define RG_NO_OPENMP
#include "rgopenmp.h"
