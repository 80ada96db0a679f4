//===- checkpoint.hpp - long loops in little memory ---------------*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse mode through a loop of many steps keeps something of each step. Here
// only a few states are kept, and steps are run again from them:
//
//   auto step = [](std::vector<double> &u, long i, const Parameters &p) { ...
//   }; auto loss = [](const std::vector<double> &u) { return ...; };
//
//   rg::CheckpointReport r =
//       rg::checkpoint(step, 1000000, rg::snapshots(100))(loss, rg::dup(u, du),
//                                                         rg::dup(p, dp));
//
// runs u through step(u, i, p) for i = 0, 1, ..., steps - 1, and adds the
// derivatives of loss(u at the end) to dp, and to du those by the u of the
// start. r.value is the loss; u is where it started.
//
//   step(state, i, arguments...)   changes the state in its place: it may not
//       resize it, nor put other memory under it. i is a long
//   loss(state)                    returns one floating-point number
//   rg::snapshots(n)               at most n states are kept, the first among
//   them rg::snapshot_bytes(n)          as many as fit into n bytes arguments
//   rg::dup(p, dp) or rg::constant(p)
//
// Where to keep a state is decided by the binomial schedule of A. Griewank and
// A. Walther (Algorithm 799: revolve, ACM TOMS 26, 2000), which runs the least
// possible number of steps again. Beside the snapshots there is memory for the
// adjoint, one more state, and what the derivative of one step keeps.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CHECKPOINT_HPP
#define RETROGRAD_CHECKPOINT_HPP

#include "retrograd.hpp"
#include <cstdint>
#include <limits>

namespace rg {

/// How much is kept: a number of states, or bytes.
struct CheckpointLimit {
  std::size_t States;
  std::size_t Bytes;
};
inline CheckpointLimit snapshots(std::size_t n) { return {n, 0}; }
inline CheckpointLimit snapshot_bytes(std::size_t n) { return {0, n}; }

/// What a checkpointed loop did.
struct CheckpointReport {
  double value = 0;            ///< of the loss
  std::uint64_t steps_run = 0; ///< calls of step alone, outside of derivatives
  std::uint64_t steps_again =
      0; ///< of these, how many for a second time or more
  std::size_t most_snapshots = 0; ///< kept at once
  std::size_t snapshot_bytes = 0; ///< that they took
};

namespace detail {

/// The binomial schedule. A stretch of L steps, whose first state is kept, is
/// to be reversed with C more snapshots. Each of them may be taken M steps
/// further on: run(L, C) = M + run(L - M, C - 1) + run(M, C), and run(L, 0) = L
/// (L - 1) / 2. The solution is piecewise linear in L. Its slope, from L to L +
/// 1, is the number of repetitions: the least R with binomial(C + 1 + R, R) >
/// L.
class BinomialSchedule {
public:
  static std::uint64_t repetitions(std::uint64_t _RgL, std::uint64_t _RgC) {
    std::uint64_t _RgR = 0, Reach = 1; // binomial(C + 1 + R, R)
    while (Reach <= _RgL) {
      ++_RgR;
      const double Next =
          double(Reach) * double(_RgC + 1 + _RgR) / double(_RgR);
      if (Next > 9e15)
        break; // exact below; nobody has as many steps
      Reach = Reach * (_RgC + 1 + _RgR) / _RgR;
    }
    return _RgR;
  }

  /// The fewest steps that have to be run to reverse L with C more snapshots.
  static std::uint64_t steps(std::uint64_t _RgL, std::uint64_t _RgC) {
    std::uint64_t Sum = 0;
    for (std::uint64_t At = 1; At < _RgL;) {
      // As far as the slope stays what it is.
      const std::uint64_t _RgR = repetitions(At, _RgC);
      std::uint64_t Reach = 1;
      for (std::uint64_t _RgK = 1; _RgK <= _RgR && Reach < _RgL; ++_RgK)
        Reach = Reach * (_RgC + 1 + _RgK) / _RgK;
      const std::uint64_t End = Reach < _RgL ? Reach : _RgL;
      Sum += _RgR * (End - At);
      At = End;
    }
    return Sum;
  }

  /// Where, in a stretch of L > 1 steps with C > 0 snapshots left, the next one
  /// is to be taken: the cost is convex, so its slope is searched for its sign.
  static std::uint64_t advance(std::uint64_t _RgL, std::uint64_t _RgC) {
    std::uint64_t Low = 1, High = _RgL - 1;
    while (Low < High) {
      const std::uint64_t _RgM = Low + (High - Low) / 2;
      // From M to M + 1.
      const std::uint64_t Left = 1 + repetitions(_RgM, _RgC);
      const std::uint64_t Right = repetitions(_RgL - _RgM - 1, _RgC - 1);
      if (Left < Right)
        Low = _RgM + 1;
      else
        High = _RgM;
    }
    return Low;
  }
};

/// Bytes of a state as a snapshot keeps it.
template <class _RgS> std::size_t bytesOfState(const _RgS &State) {
  if constexpr (holdsNumbers<_RgS>)
    return sizeof(_RgS) +
           Numbers<_RgS>::size(State) *
               sizeof(Numbers<_RgS>::at(const_cast<_RgS &>(State), 0));
  else
    return sizeof(_RgS);
}

template <class _RgS> const void *memoryOf(_RgS &State) {
  if constexpr (holdsNumbers<_RgS>)
    return Numbers<_RgS>::size(State) ? &Numbers<_RgS>::at(State, 0) : nullptr;
  else
    return nullptr;
}

template <class _RgA> decltype(auto) valueOf(_RgA &Argument) {
  return (Argument.value);
}

template <class _RgF, class _RgS, class... _RgA> class CheckpointedLoop {
public:
  CheckpointedLoop(const _RgF &Step, std::size_t Limit, _RgS &State,
                   _RgS &Adjoint, _RgA &...Arguments)
      : Step(Step), Limit(Limit), State(State), Adjoint(Adjoint),
        Arguments(Arguments...) {}

  template <class Loss> CheckpointReport run(long Steps, const Loss &_RgL) {
    keep();
    Last = Steps;
    auto Seed = [&] {
      Report.value = double(_RgL(const_cast<const _RgS &>(State)));
      auto Evaluate = [&_RgL](const _RgS &At) { return _RgL(At); };
      gradient(Evaluate)(dup(State, Adjoint));
    };
    if (Steps == 0)
      Seed();
    else
      reverse(0, Steps, Seed);
    State = Snapshots[0];
    Report.snapshot_bytes = Report.most_snapshots * bytesOfState(State);
    return Report;
  }

private:
  void keep() {
    if (Used == Snapshots.size())
      Snapshots.push_back(State);
    else
      Snapshots[Used] = State; // memory is kept
    ++Used;
    if (Used > Report.most_snapshots)
      Report.most_snapshots = Used;
  }

  void step(long _RgI) {
    std::apply([&](_RgA &...a) { Step(State, _RgI, valueOf(a)...); },
               Arguments);
    ++Report.steps_run;
    if (_RgI < Reached)
      ++Report.steps_again;
    else
      Reached = _RgI + 1;
  }

  void differentiate(long _RgI) {
    const void *Before = memoryOf(State), *ShadowBefore = memoryOf(Adjoint);
    auto InPlace = [this](_RgS &At, long _RgI, auto &...a) {
      Step(At, _RgI, a...);
      return 0.0;
    };
    std::apply(
        [&](_RgA &...a) {
          gradient(InPlace)(dup(State, Adjoint), constant(_RgI), a...);
        },
        Arguments);
    check(memoryOf(State) == Before && memoryOf(Adjoint) == ShadowBefore,
          "rg::checkpoint: a step put other memory under the state (swap, "
          "move, resize); "
          "change its numbers in place");
  }

  /// Reverses steps First to End - 1; the state before First is the last that
  /// was kept, and the present one.
  template <class Seed> void reverse(long First, long End, const Seed &S0) {
    while (End - First > 1) {
      const std::size_t Free = Limit - Used;
      if (Free == 0) {
        for (long _RgI = First; _RgI < End - 1; ++_RgI)
          step(_RgI);
        turn(End - 1, S0);
        --End;
      } else {
        const long Middle =
            First +
            long(BinomialSchedule::advance(std::uint64_t(End - First), Free));
        for (long _RgI = First; _RgI < Middle; ++_RgI)
          step(_RgI);
        keep();
        reverse(Middle, End, S0);
        --Used;
        End = Middle;
      }
      State = Snapshots[Used - 1];
    }
    turn(First, S0);
  }

  /// Step I, whose state is the present one, backwards. The last step of all
  /// runs once more, in front: the loss wants to see where it leads.
  template <class Seed> void turn(long _RgI, const Seed &S0) {
    if (_RgI == Last - 1) {
      _RgS Before = State;
      step(_RgI);
      S0();
      State = Before;
    }
    differentiate(_RgI);
  }

  const _RgF &Step;
  std::size_t Limit;
  _RgS &State, &Adjoint;
  std::tuple<_RgA &...> Arguments;
  std::vector<_RgS> Snapshots;
  std::size_t Used = 0;
  long Last = 0, Reached = 0;
  CheckpointReport Report;
};

template <class _RgF> struct Checkpoint {
  _RgF step;
  long steps;
  CheckpointLimit limit;

  template <class Loss, class _RgS, class _RgD, class... _RgA>
  CheckpointReport operator()(const Loss &loss, Dup<_RgS, _RgD> state,
                              _RgA... arguments) const {
    using State = Bare<_RgS>;
    static_assert(std::is_same_v<State, Bare<_RgD>>,
                  "the state's derivative has the state's type");
    static_assert(
        ((IsDup<_RgA>::value || IsConstantArgument<_RgA>::value) && ...),
        "wrap the arguments of a step in rg::dup(p, dp) or rg::constant(p)");
    check(steps >= 0, "rg::checkpoint: a negative number of steps");
    const std::size_t Bytes = bytesOfState(state.value);
    const std::size_t Most = limit.Bytes ? limit.Bytes / Bytes : limit.States;
    check(Most > 0, "rg::checkpoint: the limit must leave room for one state, "
                    "the initial one");
    return CheckpointedLoop<_RgF, State, _RgA...>(step, Most, state.value,
                                                  state.shadow, arguments...)
        .run(steps, loss);
  }
};

} // namespace detail

/// A loop of steps that is reversed in little memory; see the head.
template <class _RgF>
detail::Checkpoint<std::decay_t<_RgF>> checkpoint(_RgF &&step, long steps,
                                                  CheckpointLimit limit) {
  return {static_cast<_RgF &&>(step), steps, limit};
}

} // namespace rg

#endif
