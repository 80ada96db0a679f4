// Integers that structs declare beside numbers, accessed through an address that was handed on: std::array and std::bitset as
// members, members of one's own that return a reference, pointers as arguments, references in variables. The index is only
// known when the program runs.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <array>
#include <bitset>
#include <utility>
#include <vector>

struct Counted {
  double mass;
  std::array<int, 3> counts;
  double speed;
};
static double counted(const double *x, int n) {
  double s = 0;
  Counted all[6];
  for (int i = 0; i < n; ++i) {
    all[i].counts = {1, 2, 3};
    all[i].counts[i % 3] += i;
    all[i].counts[(i + 1) % 3] |= 4;
    all[i].mass = x[i] * x[i];
    all[i].speed = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += all[i].mass * all[i].speed * all[i].counts[i % 2];
  return s;
}

struct Flagged {
  double mass;
  std::bitset<70> flags;
  double speed[2];
};
static double flagged(const double *x, int n) {
  double s = 0;
  std::vector<Flagged> all(n);
  for (int i = 0; i < n; ++i) {
    all[i].flags.set(i * 7);
    all[i].flags.flip(i);
    all[i].mass = x[i] * x[i];
    all[i].speed[i % 2] = 2 * x[i];
  }
  for (int i = 0; i < n; ++i)
    if (all[i].flags.test(i * 7))
      s += all[i].mass * all[i].speed[i % 2] * all[i].flags.count();
  return s;
}

struct Own {
  double mass;
  long keys[3];
  double speed;
  long &at(int i) { return keys[i]; }
};
static void bump(long *keys, int i) { keys[i] = keys[i] * 3 + 1; }
static double own(const double *x, int n) {
  double s = 0;
  std::vector<Own> all(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 3; ++j)
      all[i].at(j) = j + i;
    all[i].at(i % 3) += 2;
    bump(all[i].keys, (i + 1) % 3);
    long &one = i % 2 ? all[i].at(0) : all[i].at(i % 3);
    one ^= 5;
    all[i].mass = x[i] * x[i];
    all[i].speed = x[i];
  }
  for (int i = 0; i < n; ++i)
    s += all[i].mass * all[i].speed * all[i].at(i % 2);
  return s;
}

int main() {
  check(counted);
  check(flagged);
  check(own);
  return rgReport();
}
