// The bits of numbers, made by std::bit_cast, kept in an array of integers that is a member and reached by a reference.
// RG-LEVELS: O0 O2
// RG-FLAGS: -std=c++20
#include "rgvector.hpp"
#include <array>
#include <bit>
#include <cstdint>

struct Packed {
  double mass;
  std::array<uint64_t, 2> bits;
  double speed;
};
static void put(uint64_t &to, double d) { to = std::bit_cast<uint64_t>(d); }
static double take(uint64_t b) { return std::bit_cast<double>(b); }

static double packed(const double *x, int n) {
  Packed all[6];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    all[i].mass = x[i];
    all[i].speed = x[i] * 2;
    put(all[i].bits[i % 2], x[i] * x[i]);
    all[i].bits[(i + 1) % 2] = i;
  }
  for (int i = 0; i < n; ++i) {
    all[i].bits[i % 2] ^= 0x8000000000000000;
    s += take(all[i].bits[i % 2]) * (i + 1) + all[i].speed * all[i].mass * all[i].bits[(i + 1) % 2];
  }
  return s;
}
int main() {
  check(packed);
  return rgReport();
}
