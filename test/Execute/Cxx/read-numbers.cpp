// Numbers that streams read into memory where active ones were: the adjoints of what was there end where something was written, which a
// stream that has failed before does not do, and one that fails with an exception does.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.hpp"
#include <charconv>
#include <istream>
#include <sstream>
#include <string>
#include <vector>
int enzyme_dup, enzyme_const;

struct Record {
  float weight;
  double value;
  long double large;
  int id;
  double x;
};
static double values(const double *x, int n) {
  std::vector<Record> r(n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    r[i] = {float(x[i]), 2 * x[i], 3 * x[i], i, x[i]};
  std::istringstream in("1.5 4.5 2.5 7 0.5 -2 3 x");
  for (auto &e : r) {
    s += e.value * e.value;
    in >> e.weight >> e.value >> e.large;
    in >> e.id;
    s += e.weight * e.x * e.weight + e.value * e.x + double(e.large * e.large) * e.id;
  }
  return s;
}
static double characters(const double *x, int n) {
  const std::string text = "2.5,x,4,0.125";
  double s = 0, y = x[0];
  float z = 0.5f;
  size_t at = 0;
  for (int i = 0; i < 4 && at < text.size(); ++i) {
    size_t end = text.find(',', at);
    end = end == std::string::npos ? text.size() : end;
    y = x[i] * x[0];
    const auto read = std::from_chars(text.data() + at, text.data() + end, y);
    std::from_chars(text.data() + at, text.data() + end, z, std::chars_format::fixed);
    s += y * x[i + 1] + (read.ec == std::errc() ? x[0] : x[1] * x[1]) * z;
    at = end + 1;
  }
  return s * n;
}
static double thrown(const double *x, int n) {
  double a = x[0], b = x[1], c = x[2];
  std::istringstream in("1.5 y");
  in.exceptions(std::ios::failbit);
  try {
    in >> a >> b >> c;
  } catch (const std::ios_base::failure &) {
    a *= x[3];
  }
  return a * a * x[4] + (b + 1) * x[5] + c * c + n;
}
static double bytes(const double *x, int n) {
  const double from[] = {1.5, -2, 0.25};
  std::vector<double> a(x, x + n), b(10, x[1]);
  std::istringstream in(std::string(reinterpret_cast<const char *>(from), sizeof from));
  in.read(reinterpret_cast<char *>(a.data()), 2 * sizeof(double));
  in.read(reinterpret_cast<char *>(b.data()), 10 * sizeof(double));
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * a[i] * x[(i + 1) % n];
  for (double d : b)
    s += d * d;
  return s;
}

int main() {
  check(values);
  check(characters);
  check(thrown);
  check(bytes);
  return rgReport();
}
