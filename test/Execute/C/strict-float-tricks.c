// Rounding by adding and subtracting a large constant has derivative 0 in
// strict floating-point code, too, whose operations are constrained intrinsics.
// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -ffp-model=strict
#include "float-tricks.c"
