// The bits of numbers as keys, which are never made numbers again, beside numbers made of other integers; and bits that
// helpers keep in arrays of integers.
// RG-FLAGS: -std=c++20
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>
int enzyme_dup, enzyme_const;

struct Item {
  uint64_t key;
  int at;
};
struct Random {
  uint64_t state;
  double next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return std::bit_cast<double>(0x3ff0000000000000ull | state >> 12) - 1;
  }
};
__attribute__((noinline)) static uint64_t keyOf(double v) {
  uint64_t word = std::bit_cast<uint64_t>(v);
  return word >> 63 ? ~word : word | 1ull << 63;
}
static double sorted(const double *x, int n) {
  std::vector<Item> items;
  Random random{42};
  for (int i = 0; i < n; ++i)
    items.push_back({keyOf(x[i]), i});
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.key < b.key; });
  double s = 0, weight = 1;
  for (const Item &item : items) {
    s += weight * x[item.at] * x[item.at] * (1 + random.next());
    weight *= 0.5;
  }
  return s;
}
__attribute__((noinline)) static void put(uint64_t *to, uint64_t word) { *to = word; }
__attribute__((noinline)) static uint64_t get(const uint64_t *from) { return *from; }
static double words(const double *x, int n) {
  uint64_t kept[16];
  double s = 0;
  for (int i = 0; i < n; ++i)
    put(&kept[i], std::bit_cast<uint64_t>(x[i] * x[i]));
  for (int i = 0; i < n; ++i)
    s += std::bit_cast<double>(get(&kept[i])) * sin(x[i]);
  return s;
}
int main() {
  check(sorted);
  check(words);
  return rgReport();
}
