// RG-LEVELS: O0 O2 O3
// rg::checkpoint: the derivatives of the plain loop, in as many steps as the best
// schedule of all needs, found by trying all.
#include <retrograd/checkpoint.hpp>
#include "rgtest.h"
#include <cmath>
#include <map>


static void step(std::vector<double> &u, long i, const double &rate, const std::array<double, 2> &pull) {
  double Before = u.back();
  for (std::size_t K = 0; K < u.size(); ++K) {
    const double Here = u[K];
    u[K] += rate * std::sin(Before - Here) + pull[i % 2] * Here * (1 - Here);
    Before = Here;
  }
}
static double loss(const std::vector<double> &u) {
  double Sum = 0;
  for (double X : u)
    Sum += X * X * X;
  return Sum;
}
static double whole(const std::vector<double> &start, const double &rate, const std::array<double, 2> &pull,
                    long steps) {
  std::vector<double> u = start;
  for (long I = 0; I < steps; ++I)
    step(u, I, rate, pull);
  return loss(u);
}

// The least number of steps, by the recurrence itself.
static std::uint64_t best(long L, long C) {
  static std::map<std::pair<long, long>, std::uint64_t> Known;
  if (L <= 1)
    return 0;
  if (C == 0)
    return std::uint64_t(L) * (L - 1) / 2;
  auto [It, New] = Known.try_emplace({L, C}, 0);
  if (!New)
    return It->second;
  std::uint64_t Least = ~std::uint64_t(0);
  for (long M = 1; M < L; ++M)
    Least = std::min(Least, M + best(L - M, C - 1) + best(M, C));
  return Known[{L, C}] = Least;
}

int main() {
  const std::vector<double> start{0.3, 0.9, -0.2, 0.5};
  double rate = 0.05;
  std::array<double, 2> pull{0.02, -0.03};
  for (long Steps : {0L, 1L, 2L, 3L, 7L, 40L, 61L})
    for (std::size_t Kept : {1u, 2u, 3u, 5u, 60u, 100u}) {
      std::vector<double> u = start, du(u.size());
      double drate = 0;
      std::array<double, 2> dpull{};
      auto r = rg::checkpoint(step, Steps, rg::snapshots(Kept))(loss, rg::dup(u, du), rg::dup(rate, drate),
                                                                 rg::dup(pull, dpull));
      auto [gu, grate, gpull] = rg::gradient(whole)(start, rate, pull, Steps);
      RG_NEAR(r.value, whole(start, rate, pull, Steps));
      for (std::size_t K = 0; K < u.size(); ++K) {
        RG_NEAR(du[K], gu[K]);
        RG_TRUE(u[K] == start[K]);
      }
      RG_NEAR(drate, grate);
      RG_NEAR(dpull[0], gpull[0]);
      RG_NEAR(dpull[1], gpull[1]);
      if (Steps == 7)
        RG_GRAD(drate, whole(start, rate, pull, Steps), rate);
      // The last step runs once for the loss beside what the schedule needs.
      RG_TRUE(r.steps_run == best(Steps, long(Kept) - 1) + (Steps > 0));
      RG_TRUE(r.steps_again == r.steps_run - std::uint64_t(Steps));
      RG_TRUE(r.most_snapshots <= Kept);
    }
  for (long L = 1; L <= 60; ++L)
    for (long C = 0; C <= 8; ++C)
      RG_TRUE(rg::detail::BinomialSchedule::steps(L, C) == best(L, C));
  // 10^6 steps with a hundred states: no step runs more than 4 times beside its derivative.
  RG_TRUE(rg::detail::BinomialSchedule::repetitions(1000000, 99) <= 4);

  // Bytes; constant arguments.
  std::vector<double> u = start, du(u.size());
  auto r = rg::checkpoint(step, 30, rg::snapshot_bytes(3 * (sizeof u + 4 * sizeof(double)) + 8))(
      loss, rg::dup(u, du), rg::constant(rate), rg::constant(pull));
  RG_TRUE(r.most_snapshots == 3 && r.snapshot_bytes <= 3 * (sizeof u + 4 * sizeof(double)) + 8);
  auto gu = rg::gradient(whole)(start, rg::constant(rate), rg::constant(pull), 30L);
  for (std::size_t K = 0; K < u.size(); ++K)
    RG_NEAR(du[K], gu[K]);
  return rgReport();
}
