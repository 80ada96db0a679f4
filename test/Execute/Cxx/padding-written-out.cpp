// Classes with constructors and padding: clang writes it into the type as
// bytes, since derived classes may use what is at the end.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Record {
  float weight;
  double number;
  int key;
  Record() : weight(0), number(0), key(3) {}
};
struct Derived : Record {
  int more = 0; // in the padding of Record
  char text[5] = "none";
  double last = 0;
};
static double swapped(double x) {
  Record *r = new Record[4];
  for (int i = 0; i < 4; ++i) {
    r[i].weight = float(x) * float(i);
    r[i].number = x * x;
    r[i].key = i;
  }
  r[3] = r[1];
  std::swap(r[1], r[2]);
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += (i + 1) * r[i].key * r[i].number * r[i].weight;
  delete[] r;
  return s;
}
static double derived(double x) {
  std::vector<Derived> v;
  for (int i = 0; i < 5; ++i) {
    Derived d;
    d.weight = float(x);
    d.number = x * (i + 1);
    d.more = i;
    d.last = x * d.number;
    d.text[0] = char('a' + i);
    v.push_back(d);
  }
  v[0] = v[4];
  v.erase(v.begin() + 1);
  double s = 0;
  for (const Derived &d : v)
    s += d.more * d.last * d.weight * (d.text[0] - 'a');
  return s;
}
// The caller sees the padding, too.
struct Behind : Record {
  int more = 0;
  double last = 0;
};
static double given(Record *in, Behind *more) {
  Record *r = new Record[3];
  for (int i = 0; i < 3; ++i)
    r[i] = in[i];
  Behind d = more[1];
  more[0] = d;
  in[1] = r[2];
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += (i + 1) * r[i].number * r[i].weight;
  delete[] r;
  return s + more[0].last * more[0].number;
}
int enzyme_dup;
int main() {
  Record in[3], din[3];
  Behind more[2], dmore[2];
  for (int i = 0; i < 3; ++i) {
    in[i].weight = float(i + 1);
    in[i].number = 0.5 * i;
    din[i].key = 0;
  }
  more[1].last = 3;
  more[1].number = 5;
  __enzyme_autodiff((void *)given, enzyme_dup, in, din, enzyme_dup, more,
                    dmore);
  for (int i = 0; i < 3; ++i) {
    RG_NEARF(din[i].weight, (i + 1) * 0.5 * i);
    RG_NEAR(din[i].number, (i + 1) * (i + 1));
  }
  RG_NEAR(dmore[1].last, 5);
  RG_NEAR(dmore[1].number, 3);
  for (double x = 0.5; x < 3; x += 0.75) {
    RG_WITHIN(__enzyme_autodiff((void *)swapped, x),
              3 * x * x * (2 * 2 * 2 + 3 * 1 * 1 + 4 * 1 * 1), 1e-6);
    RG_WITHIN(__enzyme_fwddiff((void *)swapped, x, 1.0),
              3 * x * x * (2 * 2 * 2 + 3 * 1 * 1 + 4 * 1 * 1), 1e-6);
    double want = 0;
    for (int i : {4, 2, 3, 4})
      want += i * i * 3 * x * x * (i + 1);
    RG_WITHIN(__enzyme_autodiff((void *)derived, x), want, 1e-6);
    RG_WITHIN(__enzyme_fwddiff((void *)derived, x, 1.0), want, 1e-6);
  }
  return rgReport();
}
