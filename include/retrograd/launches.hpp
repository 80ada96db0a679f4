//===- launches.hpp - gradients of kernels, launched ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of <retrograd/retrograd.hpp>, which includes it in CUDA sources:
//
//   rg::gradient(kernel).launch(grid, block, args...)
//   rg::gradient(kernel).launch(grid, block, shared bytes, args...)
//   rg::gradient(kernel).launch(grid, block, shared bytes, stream, args...)
//
// Arguments are those of rg::gradient(f)(...), and
//
//   rg::output(y, dy)   y is what the kernel computes; the gradient starts from
//                       the adjoints dy, and uses them up
//   rg::output(y, n)    the same with n adjoints of one: derivatives of the sum
//                       of y[0] to y[n - 1]
//
// How: a static host function launches the kernel, and is differentiated.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LAUNCHES_HPP
#define RETROGRAD_LAUNCHES_HPP

#ifndef RETROGRAD_RETROGRAD_HPP
#error "include <retrograd/retrograd.hpp> instead"
#endif

namespace rg {

/// What a kernel computes, and how many numbers of it the sum has.
template <class _RgT> struct SummedOutput {
  _RgT *value;
  std::size_t count;
};
template <class _RgT> RG_INLINE Dup<_RgT *, _RgT *> output(_RgT *y, _RgT *dy) {
  return {y, dy};
}
template <class _RgT, class _RgN,
          class = std::enable_if_t<std::is_floating_point_v<_RgT> &&
                                   std::is_integral_v<_RgN>>>
RG_INLINE SummedOutput<_RgT> output(_RgT *y, _RgN count) {
  return {y, static_cast<std::size_t>(count)};
}

namespace detail {

template <class _RgT> struct SummedOutputPort : ByValue<_RgT *> {
  static constexpr bool IsConstant = false;
  _RgT *value, *shadow = nullptr;
  explicit SummedOutputPort(const SummedOutput<_RgT> &_RgX)
      : value(_RgX.value) {
    std::vector<_RgT> Ones(_RgX.count, _RgT(1));
    check(!cudaMalloc(reinterpret_cast<void **>(&shadow),
                      (_RgX.count ? _RgX.count : 1) * sizeof(_RgT)) &&
              !cudaMemcpy(shadow, Ones.data(), _RgX.count * sizeof(_RgT),
                          cudaMemcpyHostToDevice),
          "no device memory for the adjoints of rg::output");
  }
  SummedOutputPort(const SummedOutputPort &) = delete;
  ~SummedOutputPort() { (void)cudaFree(shadow); }
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class _RgA, class _RgT> struct MakerOf<_RgA, SummedOutput<_RgT>> {
  static constexpr Problem Why = Problem::None;
  using Port = SummedOutputPort<_RgT>;
  template <class _RgW> static RG_INLINE Port make(_RgW &&_RgX) {
    return Port(_RgX);
  }
};

struct LaunchPlace {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};

/// What is differentiated.
template <class _RgF, class... _RgP> struct LaunchThunk {
  static void call(_RgF f, const LaunchPlace *at, typename _RgP::Pass... a) {
    f<<<at->grid, at->block, at->shared, at->stream>>>(_RgP::as(a)...);
  }
};

template <class _RgF, class... _RgP>
RG_INLINE auto launchedGradient(_RgF f, const LaunchPlace &at,
                                _RgP &&...ports) {
  std::tuple<_RgP &...> Ports(ports...);
  expand<Mode::Gradient, void, 0>(
      reinterpret_cast<void *>(&LaunchThunk<_RgF, Bare<_RgP>...>::call), Ports,
      ConstTag(), f, ConstTag(), &at);
  return unpack(std::tuple_cat(ports.take()...));
}

/// F as the kernel that it may be.
template <class _RgF> struct KernelType {
  static constexpr bool Is = false;
  static constexpr std::size_t Arity = 0;
};
template <class... _RgP> struct KernelType<void (*)(_RgP...)> {
  static constexpr bool Is = true;
  static constexpr std::size_t Arity = sizeof...(_RgP);
};

template <class _RgA, class = void> struct IsStream : std::false_type {};
template <class _RgA>
struct IsStream<_RgA,
                std::enable_if_t<std::is_convertible_v<_RgA, cudaStream_t>>>
    : std::true_type {};

/// Shared bytes and stream stand in front of the kernel's own arguments.
template <class _RgF, std::size_t Extra, class... _RgA> struct LaunchArguments {
  static constexpr bool Fit = false;
  static constexpr bool Portable = true;
  template <Problem Why> static constexpr bool Without = true;
};
template <class _RgF, class... _RgA> struct LaunchArguments<_RgF, 0, _RgA...> {
  using Called = Invocation<_RgF, _RgA...>;
  static constexpr bool Portable = portable<_RgA...>;
  static constexpr bool Fit = callable<_RgF, _RgA...>;
  template <Problem Why> static constexpr bool Without = without<Why, _RgA...>;
  static RG_INLINE auto run(_RgF f, const LaunchPlace &at, _RgA &&...a) {
    return launchedGradient<_RgF>(f, at, MakerOf<_RgA>::make(a)...);
  }
};
template <class _RgF, class _RgS, class... _RgA>
struct LaunchArguments<_RgF, 1, _RgS, _RgA...> {
  using Rest = LaunchArguments<_RgF, 0, _RgA...>;
  static constexpr bool Portable = Rest::Portable;
  static constexpr bool Fit = std::is_integral_v<Bare<_RgS>> && Rest::Fit;
  template <Problem Why>
  static constexpr bool Without = Rest::template Without<Why>;
  static RG_INLINE auto run(_RgF f, LaunchPlace at, _RgS &&shared,
                            _RgA &&...a) {
    at.shared = static_cast<std::size_t>(shared);
    return Rest::run(f, at, static_cast<_RgA &&>(a)...);
  }
};
template <class _RgF, class _RgS, class _RgT, class... _RgA>
struct LaunchArguments<_RgF, 2, _RgS, _RgT, _RgA...> {
  using Rest = LaunchArguments<_RgF, 0, _RgA...>;
  static constexpr bool Portable = Rest::Portable;
  static constexpr bool Fit =
      std::is_integral_v<Bare<_RgS>> && IsStream<_RgT>::value && Rest::Fit;
  template <Problem Why>
  static constexpr bool Without = Rest::template Without<Why>;
  static RG_INLINE auto run(_RgF f, LaunchPlace at, _RgS &&shared,
                            _RgT &&stream, _RgA &&...a) {
    at.shared = static_cast<std::size_t>(shared);
    at.stream = stream;
    return Rest::run(f, at, static_cast<_RgA &&>(a)...);
  }
};
template <class _RgF, class... _RgA>
using Launching =
    LaunchArguments<_RgF,
                    (sizeof...(_RgA) >= KernelType<_RgF>::Arity
                         ? sizeof...(_RgA) - KernelType<_RgF>::Arity
                         : std::size_t(3)),
                    _RgA...>;

} // namespace detail
} // namespace rg

#endif
