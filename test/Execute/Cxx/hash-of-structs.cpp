// Structs with text in hash tables: copied member by member and as one piece, where the table's own load factor
// shares an object with the nodes.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
#include <string>
#include <unordered_map>
#include <vector>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Sensor {
  double noise;
  int period;
  std::string name;
};
double measured(const double *p, int n) {
  std::unordered_map<int, Sensor> sensors{{0, {p[0], 1, "gps"}}, {1, {p[1], 2, "odometer of the car"}}};
  double s = 0;
  for (int t = 0; t < 4 * n; ++t)
    for (int id = 0; id < 2; ++id)
      if (t % sensors.at(id).period == 0)
        s += sensors[id].noise * t * sensors[id].noise * sensors[id].name.size();
  return s;
}
int main() {
  double x[] = {0.3, 1.3}, d[2] = {0}, v[2] = {0.3, -0.6};
  __enzyme_autodiff((void *)measured, enzyme_dup, x, d, enzyme_const, 2);
  RG_GRADS(d, measured(x, 2), x, 2);
  RG_NEAR(__enzyme_fwddiff((void *)measured, enzyme_dup, x, v, enzyme_const, 2), 0.3 * d[0] - 0.6 * d[1]);
  return rgReport();
}
int enzyme_dup, enzyme_const;
