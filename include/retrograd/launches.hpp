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
template <class T> struct SummedOutput {
  T *value;
  std::size_t count;
};
template <class T> RG_INLINE Dup<T *, T *> output(T *y, T *dy) {
  return {y, dy};
}
template <class T, class N,
          class = std::enable_if_t<std::is_floating_point_v<T> &&
                                   std::is_integral_v<N>>>
RG_INLINE SummedOutput<T> output(T *y, N count) {
  return {y, static_cast<std::size_t>(count)};
}

namespace detail {

template <class T> struct SummedOutputPort : ByValue<T *> {
  static constexpr bool IsConstant = false;
  T *value, *shadow = nullptr;
  explicit SummedOutputPort(const SummedOutput<T> &X) : value(X.value) {
    std::vector<T> Ones(X.count, T(1));
    check(!cudaMalloc(reinterpret_cast<void **>(&shadow),
                      (X.count ? X.count : 1) * sizeof(T)) &&
              !cudaMemcpy(shadow, Ones.data(), X.count * sizeof(T),
                          cudaMemcpyHostToDevice),
          "no device memory for the adjoints of rg::output");
  }
  SummedOutputPort(const SummedOutputPort &) = delete;
  ~SummedOutputPort() { (void)cudaFree(shadow); }
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class A, class T> struct MakerOf<A, SummedOutput<T>> {
  static constexpr Problem Why = Problem::None;
  using Port = SummedOutputPort<T>;
  template <class W> static RG_INLINE Port make(W &&X) { return Port(X); }
};

struct LaunchPlace {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};

/// What is differentiated.
template <class F, class... P> struct LaunchThunk {
  static void call(F f, const LaunchPlace *at, typename P::Pass... a) {
    f<<<at->grid, at->block, at->shared, at->stream>>>(P::as(a)...);
  }
};

template <class F, class... P>
RG_INLINE auto launchedGradient(F f, const LaunchPlace &at, P &&...ports) {
  std::tuple<P &...> Ports(ports...);
  expand<Mode::Gradient, void, 0>(
      reinterpret_cast<void *>(&LaunchThunk<F, Bare<P>...>::call), Ports,
      ConstTag(), f, ConstTag(), &at);
  return unpack(std::tuple_cat(ports.take()...));
}

/// F as the kernel that it may be.
template <class F> struct KernelType {
  static constexpr bool Is = false;
  static constexpr std::size_t Arity = 0;
};
template <class... P> struct KernelType<void (*)(P...)> {
  static constexpr bool Is = true;
  static constexpr std::size_t Arity = sizeof...(P);
};

template <class A, class = void> struct IsStream : std::false_type {};
template <class A>
struct IsStream<A, std::enable_if_t<std::is_convertible_v<A, cudaStream_t>>>
    : std::true_type {};

/// Shared bytes and stream stand in front of the kernel's own arguments.
template <class F, std::size_t Extra, class... A> struct LaunchArguments {
  static constexpr bool Fit = false;
  static constexpr bool Portable = true;
  template <Problem Why> static constexpr bool Without = true;
};
template <class F, class... A> struct LaunchArguments<F, 0, A...> {
  using Called = Invocation<F, A...>;
  static constexpr bool Portable = portable<A...>;
  static constexpr bool Fit = callable<F, A...>;
  template <Problem Why> static constexpr bool Without = without<Why, A...>;
  static RG_INLINE auto run(F f, const LaunchPlace &at, A &&...a) {
    return launchedGradient<F>(f, at, MakerOf<A>::make(a)...);
  }
};
template <class F, class S, class... A> struct LaunchArguments<F, 1, S, A...> {
  using Rest = LaunchArguments<F, 0, A...>;
  static constexpr bool Portable = Rest::Portable;
  static constexpr bool Fit = std::is_integral_v<Bare<S>> && Rest::Fit;
  template <Problem Why>
  static constexpr bool Without = Rest::template Without<Why>;
  static RG_INLINE auto run(F f, LaunchPlace at, S &&shared, A &&...a) {
    at.shared = static_cast<std::size_t>(shared);
    return Rest::run(f, at, static_cast<A &&>(a)...);
  }
};
template <class F, class S, class T, class... A>
struct LaunchArguments<F, 2, S, T, A...> {
  using Rest = LaunchArguments<F, 0, A...>;
  static constexpr bool Portable = Rest::Portable;
  static constexpr bool Fit =
      std::is_integral_v<Bare<S>> && IsStream<T>::value && Rest::Fit;
  template <Problem Why>
  static constexpr bool Without = Rest::template Without<Why>;
  static RG_INLINE auto run(F f, LaunchPlace at, S &&shared, T &&stream,
                            A &&...a) {
    at.shared = static_cast<std::size_t>(shared);
    at.stream = stream;
    return Rest::run(f, at, static_cast<A &&>(a)...);
  }
};
template <class F, class... A>
using Launching = LaunchArguments<F,
                                  (sizeof...(A) >= KernelType<F>::Arity
                                       ? sizeof...(A) - KernelType<F>::Arity
                                       : std::size_t(3)),
                                  A...>;

} // namespace detail
} // namespace rg

#endif
