// Sorted by a member that is given by its offset: an access somewhere in the struct,
// which says nothing of the integer and the padding at its end.
// RG-LEVELS: O0 O1 O2 g fast
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <algorithm>
#include <functional>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Item {
  double key, weight;
  int id;
};
static double ranked(double x) {
  std::vector<Item> items{{x, 1, 0}, {3 - x, 2, 1}, {x * x, 3, 2}, {.1, x, 3}};
  std::ranges::sort(items, {}, &Item::key);
  double s = 0;
  for (size_t i = 0; i < items.size(); ++i)
    s += items[i].key * (i + 1) * items[i].weight;
  std::ranges::sort(items, std::greater{}, &Item::weight);
  return s + items[0].key * items[1].weight;
}
// The member is chosen at run time; its offset is all there is.
static double chosen(double x, int which) {
  double Item::*const members[2] = {&Item::key, &Item::weight};
  std::vector<Item> items(3);
  for (int i = 0; i < 3; ++i)
    items[i] = {x * (3 - i), x * x + i, i};
  double Item::*by = members[which];
  std::sort(items.begin(), items.end(), [by](const Item &a, const Item &b) { return a.*by < b.*by; });
  return items[0].key * items[2].weight + items[1].*by + items[0].id;
}
int main() {
  RG_UNARY(ranked, 1.2);
  double x = 1.3;
  for (int w = 0; w < 2; ++w) {
    RG_GRAD(__enzyme_autodiff((void *)chosen, x, w), chosen(x, w), x);
    RG_GRAD(__enzyme_fwddiff((void *)chosen, x, 1.0, w), chosen(x, w), x);
  }
  return rgReport();
}
