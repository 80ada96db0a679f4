// An array of indices inside a class, walked by loops, in front of containers of several kinds: an index that is kept moves no pointer, so that what
// the containers lead to remains apart.
#include "rgtest.h"
#include <array>
#include <deque>
#include <memory>
#include <utility>
#include <vector>
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

struct Plane {
  double A, B;
};
struct Face {
  size_t Next;
  Plane P;
  std::unique_ptr<std::vector<size_t>> Outside;
};

class Hull {
  double Scale = 0;
  const std::vector<Plane> *Points;
  std::vector<Face> Faces;
  std::array<size_t, 6> Extreme;
  std::vector<std::unique_ptr<std::vector<size_t>>> Pool;
  std::vector<size_t> Visible;
  std::deque<size_t> Stack;
  std::vector<double> Work;

  std::pair<size_t, size_t> farthest() {
    std::pair<size_t, size_t> Best;
    double Most = 0;
#pragma clang loop unroll(disable) vectorize(disable)
    for (size_t I = 0; I < 6; ++I)
#pragma clang loop unroll(disable) vectorize(disable)
      for (size_t J = I + 1; J < 6; ++J) {
        const Plane &P = (*Points)[Extreme[I]], &Q = (*Points)[Extreme[J]];
        double D = (P.A - Q.A) * (P.A - Q.A) + (P.B - Q.B) * (P.B - Q.B);
        if (D > Most) {
          Most = D;
          Best = {Extreme[I], Extreme[J]};
        }
      }
    return Best;
  }
  std::unique_ptr<std::vector<size_t>> fromPool() {
    if (Pool.empty())
      return std::unique_ptr<std::vector<size_t>>(new std::vector<size_t>());
    auto R = std::move(Pool.back());
    Pool.pop_back();
    return R;
  }

public:
  explicit Hull(const std::vector<Plane> &Of) : Points(&Of) {}
  double run() {
    const size_t N = Points->size();
#pragma clang loop unroll(disable) vectorize(disable)
    for (size_t I = 0; I < 6; ++I)
      Extreme[I] = (I * 5 + 1) % N;
    auto Best = farthest();
    for (size_t I = 0; I < N; ++I) {
      Faces.emplace_back();
      Face &F = Faces.back();
      F.Next = (I + 2) % N;
      F.P = {(*Points)[I].A * (*Points)[Best.first].B, (*Points)[I].B + (*Points)[Best.second].A};
      F.Outside = fromPool();
      F.Outside->push_back(I);
      F.Outside->push_back((I * 3) % N);
      if (I % 3 == 1)
        Pool.push_back(std::move(Faces[I - 1].Outside));
      Stack.push_back(I);
    }
    double Sum = 0;
    while (!Stack.empty()) {
      size_t At = Stack.front();
      Stack.pop_front();
      Face &F = Faces[At];
      if (!F.Outside)
        continue;
      for (size_t P : *F.Outside) {
        Work.push_back(F.P.A * (*Points)[P].B + F.P.B * Faces[F.Next].P.A);
        Visible.push_back(P);
      }
    }
    for (size_t I = 0; I < Work.size(); ++I)
      Sum += Work[I] * Work[I] * (1.0 + 0.1 * Visible[I]);
    return Sum;
  }
};

static double hull(const double *X, int N) {
  std::vector<Plane> Points;
  for (int I = 0; I < N; I += 2)
    Points.push_back({X[I], X[I + 1]});
  return Hull(Points).run();
}

int main() {
  double x[14], d[14] = {0}, t[14] = {0, 0, 1};
  for (int I = 0; I < 14; ++I)
    x[I] = 0.3 + 0.17 * ((I * 5) % 14) - 0.02 * I * I;
  __enzyme_autodiff<void>((void *)hull, (const double *)x, (double *)d, 14);
  RG_GRADS(d, hull(x, 14), x, 14);
  RG_NEAR(__enzyme_fwddiff<double>((void *)hull, (const double *)x, (const double *)t, 14), d[2]);
  return rgReport();
}
