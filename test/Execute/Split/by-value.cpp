// The tape as a struct by value, from C++: entry points that are templates, by value
// and by forwarding reference.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <vector>
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated;

struct Tape { char bytes[72]; };
template <class T, class... Args> T __enzyme_augmentfwd(void *, Args...);
template <class T, class... Args> T __enzyme_reverse(void *, Args...);
template <class T, class... Args> T __enzyme_augmentfwd_forwarded(void *, Args &&...);
template <class T, class... Args> T __enzyme_reverse_forwarded(void *, Args &&...);

double norm(const double *x, int n) {
  std::vector<double> squares;
  for (int i = 0; i < n; ++i)
    squares.push_back(x[i] * x[i]);
  double s = 0;
  for (double v : squares)
    s += v;
  return std::sqrt(s);
}

int main() {
  double x[3] = {1, 2, 2}, kept[3] = {1, 2, 2}, d[3] = {};
  std::vector<Tape> tapes;
  for (int i = 0; i < 3; ++i)
    tapes.push_back(__enzyme_augmentfwd<Tape>((void *)norm, enzyme_allocated, sizeof(Tape), enzyme_dup, x, d, enzyme_const, 3));
  x[0] = x[1] = x[2] = 7;
  while (!tapes.empty()) {
    __enzyme_reverse<void>((void *)norm, enzyme_allocated, sizeof(Tape), enzyme_tape, tapes.back(), enzyme_dup, x, d, enzyme_const, 3, 1.0);
    tapes.pop_back();
  }
  for (double &v : d)
    v /= 3;
  RG_GRADS(d, norm(kept, 3), kept, 3);
  double e[3] = {}, *px = kept, *pe = e;
  Tape t = __enzyme_augmentfwd_forwarded<Tape>((void *)norm, px, pe, 3);
  __enzyme_reverse_forwarded<void>((void *)norm, px, pe, 3, 1.0, t);
  RG_GRADS(e, norm(kept, 3), kept, 3);
  return rgReport();
}
int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated;
