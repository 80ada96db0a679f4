// Structs of floats and integers that the standard algorithms sort, rotate, reverse and swap:
// their loops walk by byte offsets and distances of pointers, through merged registers.
// RG-LEVELS: O0 O1 O2 Os
// RG-FLAGS: -std=c++17
#include "rgtest.h"
#include <algorithm>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Item {
  double Value;
  long Id;
  int Tag;
};
static double f(const double *x, int n) {
  std::vector<Item> Items;
  for (int k = 0; k < n; ++k)
    Items.push_back({x[k] * x[(k + 1) % n], k, 2 * k});
  std::sort(Items.begin(), Items.end(),
            [](const Item &a, const Item &b) { return a.Value > b.Value; });
  std::rotate(Items.begin(), Items.begin() + 1, Items.end());
  std::vector<Item> Back(Items.rbegin(), Items.rend());
  std::swap(Back[0], Back[1]);
  double r = 0;
  for (const Item &a : Back)
    r += a.Value * a.Value * (a.Id + 1) + a.Tag;
  return r;
}
int main() {
  double x[20], dx[20] = {0};
  for (int k = 0; k < 20; ++k)
    x[k] = 1 + (k * 7 % 20) * 0.25;
  __enzyme_autodiff((void *)f, x, dx, 20);
  RG_GRADS(dx, f(x, 20), x, 20);
  double t[20] = {0};
  t[3] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)f, x, t, 20), dx[3]);
  return rgReport();
}
