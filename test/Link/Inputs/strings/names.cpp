#include <string>
#include <vector>
std::string name(const std::string &a, int k) { return a.substr(k) + std::to_string(k); }
double weigh(const std::vector<std::string> &names, double x) {
  double s = 0;
  for (const std::string &e : names)
    s += e.size() * x * s * 0.01 + x;
  return s;
}
