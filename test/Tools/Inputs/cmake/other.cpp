#include <retrograd/retrograd.hpp>
static double cube(double x) { return x * x * x; }
double cube_slope(double x) { return rg::gradient(cube)(x); }
