//===- Checkpoint.cpp - a long simulation in little memory ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   checkpoint [steps] [cells] [bytes for snapshots]
//
// Nonlinear diffusion on a ring: the gradient of the final energy by the state
// of the start and by two parameters, through rg::checkpoint. Prints what it
// took in time, memory and steps beside what the binomial schedule needs, and
// compares a derivative with central differences.
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <retrograd/checkpoint.hpp>
#include <sys/resource.h>

using State = std::vector<double>;

/// [0, N): the cells. [N, 2N): fluxes, set anew by each step.
static void step(State &U, long, const double &Rate, const double &Loss) {
  const size_t N = U.size() / 2;
  double *__restrict Cell = U.data(), *__restrict Flux = U.data() + N;
  for (size_t I = 0; I + 1 < N; ++I)
    Flux[I] = Rate * (Cell[I + 1] - Cell[I]) * (1 + 0.1 * Cell[I]);
  Flux[N - 1] = Rate * (Cell[0] - Cell[N - 1]) * (1 + 0.1 * Cell[N - 1]);
  Cell[0] += Flux[0] - Flux[N - 1] - Loss * Cell[0];
  for (size_t I = 1; I < N; ++I)
    Cell[I] += Flux[I] - Flux[I - 1] - Loss * Cell[I];
}

static double energy(const State &U) {
  double Sum = 0;
  for (size_t I = 0; I < U.size() / 2; ++I)
    Sum += U[I] * U[I];
  return Sum;
}

int main(int Argc, char **Argv) {
  const long Steps = Argc > 1 ? std::atol(Argv[1]) : 1000000;
  const size_t Cells = Argc > 2 ? std::atol(Argv[2]) : 10000;
  const size_t Budget = Argc > 3 ? std::atol(Argv[3]) : size_t(16) << 20;
  auto start = [&](double Shift) {
    State U(2 * Cells);
    for (size_t I = 0; I < Cells; ++I)
      U[I] = 1 + 0.5 * std::sin(6.283185307179586 * I / Cells) +
             (I == Cells / 3 ? Shift : 0);
    return U;
  };
  double Rate = 0.2, Loss = 1e-7, DRate = 0, DLoss = 0;
  auto seconds = [] {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };

  double T0 = seconds();
  State Plain = start(0);
  for (long I = 0; I < Steps; ++I)
    step(Plain, I, Rate, Loss);
  const double Value = energy(Plain), PrimalTime = seconds() - T0;

  State U = start(0), DU(U.size());
  T0 = seconds();
  auto R = rg::checkpoint(step, Steps, rg::snapshot_bytes(Budget))(
      energy, rg::dup(U, DU), rg::dup(Rate, DRate), rg::dup(Loss, DLoss));
  const double Time = seconds() - T0;

  auto by = [&](double Step) {
    State V = start(0);
    for (long I = 0; I < Steps; ++I)
      step(V, I, Rate, Loss + Step);
    return energy(V);
  };
  const double H = 1e-9, Difference = (by(H) - by(-H)) / (2 * H);
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  const std::uint64_t Least =
      rg::detail::BinomialSchedule::steps(Steps, R.most_snapshots - 1) -
      std::uint64_t(Steps) + 1;
  std::printf("%ld steps of %zu cells, %zu bytes for snapshots\n", Steps, Cells,
              Budget);
  std::printf("  primal            %.2f s\n  gradient          %.2f s, %.1f "
              "times the primal\n",
              PrimalTime, Time, Time / PrimalTime);
  std::printf("  snapshots         %zu, %zu bytes\n", R.most_snapshots,
              R.snapshot_bytes);
  std::printf("  steps run again   %llu (the least possible: %llu)\n",
              (unsigned long long)R.steps_again, (unsigned long long)Least);
  std::printf("  most memory       %ld KiB\n", Usage.ru_maxrss);
  std::printf("  derivative by the loss rate %.10g, by differences %.10g\n",
              DLoss, Difference);
  const bool Good =
      R.value == Value && R.steps_again <= Least + 1 &&
      R.snapshot_bytes <= Budget &&
      std::fabs(DLoss - Difference) <= 1e-5 * std::fabs(Difference);
  std::printf("%s\n", Good ? "as it should be" : "FAILED");
  return !Good;
}
