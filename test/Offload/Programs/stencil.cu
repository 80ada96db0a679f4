// The program of bench/offload at a small size, against OpenMP by hand.
// RG-LEVELS: O0 O2 O3
// RG-PLANS: mincut
// RG-FLAGS: -fopenmp
#include "../../../bench/offload/stencil.cu"
