// Ways to name the function: C and reinterpret casts, address-of, a lambda turned
// into a pointer, a constexpr pointer, an overload picked by a cast; and the
// entry call itself as extern "C" and as a C++ function.
#include "rgtest.h"
extern "C" double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
double __enzyme_autodiff_cxx(double (*)(double), double);

double overloaded(double x) { return x * x; }
double overloaded(double x, double y) { return x * y; }
int overloaded(int x) { return x; }
namespace geometry {
namespace detail {
inline double area(double r) { return 3.0 * r * r; }
} // namespace detail
} // namespace geometry
constexpr double (*pointer)(double) = geometry::detail::area;

int main() {
  RG_NEAR(__enzyme_autodiff((void *)(double (*)(double))overloaded, 3.0), 6);
  RG_NEAR(__enzyme_autodiff(
              reinterpret_cast<void *>(static_cast<double (*)(double)>(&overloaded)), 4.0),
          8);
  RG_NEAR(__enzyme_autodiff((void *)&geometry::detail::area, 2.0), 12);
  RG_NEAR(__enzyme_autodiff((void *)pointer, 1.0), 6);
  RG_NEAR(__enzyme_autodiff((void *)+[](double x) { return x * x * x; }, 2.0), 12);
  double (*lambda)(double) = [](double x) { return 5 * x; };
  RG_NEAR(__enzyme_autodiff_cxx(lambda, 2.0), 5);
  RG_NEAR(__enzyme_fwddiff((void *)pointer, 2.0, 0.5), 6);
  return rgReport();
}
