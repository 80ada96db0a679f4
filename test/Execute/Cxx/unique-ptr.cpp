// Ownership: unique_ptr to a scalar, an array, a class, a list of them, moved
// into calls and containers.
#include "rgtest.h"
#include <memory>
#include <utility>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Node {
  double Value;
  std::unique_ptr<Node> Next;
};
struct Layer {
  double Weight, Bias;
  double apply(double x) const { return Weight * x * x + Bias; }
};

static double scalar(double x) {
  auto p = std::make_unique<double>(x * x);
  *p += x;
  std::unique_ptr<double> q = std::move(p);
  *q *= *q;
  return *q;
}
static double array(double x, int n) {
  std::unique_ptr<double[]> a(new double[n]);
  for (int i = 0; i < n; ++i)
    a[i] = i ? a[i - 1] * x + 0.5 : x;
  return a[n - 1] * a[n / 2];
}
static double list(double x, int n) {
  std::unique_ptr<Node> head;
  for (int i = 0; i < n; ++i) {
    auto node = std::make_unique<Node>();
    node->Value = x + i * x * x;
    node->Next = std::move(head);
    head = std::move(node);
  }
  double s = 1;
  for (const Node *p = head.get(); p; p = p->Next.get())
    s = s * 0.5 + p->Value * p->Value;
  return s;
}
static double layers(double x) {
  std::vector<std::unique_ptr<Layer>> net;
  for (int i = 0; i < 3; ++i)
    net.push_back(std::make_unique<Layer>(Layer{x / (i + 1), 0.1 * i}));
  double y = 0.75;
  for (const auto &l : net)
    y = l->apply(y);
  return y;
}

int main() {
  RG_UNARY(scalar, 0.8);
  double x = 0.7;
  for (int n = 1; n < 6; n += 2) {
    RG_GRAD(__enzyme_autodiff((void *)array, x, n), array(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)array, x, 1.0, n), array(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)list, x, n), list(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)list, x, 1.0, n), list(x, n), x);
  }
  RG_UNARY(layers, 1.1);
  return rgReport();
}
