//===- hessians.hpp - second derivatives ------------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of <retrograd/retrograd.hpp>, which includes it: rg::hvp and
// rg::hessian. Both are tangents of a gradient, forward over reverse: H v costs
// a small multiple of f whatever the size of H, and a dense Hessian of N
// numbers takes N of them, a strip of columns at a time.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_HESSIANS_HPP
#define RETROGRAD_HESSIANS_HPP

#ifndef RETROGRAD_RETROGRAD_HPP
#error "include <retrograd/retrograd.hpp> instead"
#endif

namespace rg {
namespace detail {

//===----------------------------------------------------------------------===//
// The gradient as a function
//===----------------------------------------------------------------------===//

/// The port of an argument of a gradient inside of another derivative: what the
/// outer call differentiates by is active, the rest constant.
template <bool IsActive, class T> struct InnerPort {
  using Type =
      std::conditional_t<std::is_pointer_v<Bare<T>>,
                         ConstantPointerPort<Bare<T>>, ConstantPort<T>>;
  static RG_INLINE Type make(T &X) {
    if constexpr (std::is_pointer_v<Bare<T>>)
      return Type{{}, X};
    else
      return Type{{}, &X};
  }
};
template <class T> struct InnerPort<true, T> {
  using Type = std::conditional_t<std::is_floating_point_v<Bare<T>>,
                                  NumberPort<Bare<T>>, ActivePort<T>>;
  static RG_INLINE Type make(T &X) { return Type(X); }
};

/// The gradient of f by those of its arguments that are marked.
template <class F, bool... IsActive> struct GradientFunction {
  F f;
  template <class... A> auto operator()(A &&...a) const {
    return gradientOf<F>(
        f, InnerPort<IsActive, std::remove_reference_t<A>>::make(a)...);
  }
};

//===----------------------------------------------------------------------===//
// rg::hvp(f)(x..., v...)
//===----------------------------------------------------------------------===//

/// Arguments come first, and then a direction for each that is neither constant
/// nor carries its own in rg::dup. So the first N of them are f's, where
/// N plus the directions that they need is all.
template <class A>
inline constexpr bool needsDirection =
    !IsDup<Bare<A>>::value && !IsConstantArgument<Bare<A>>::value;

template <class... A> constexpr std::size_t argumentsAmong() {
  constexpr std::size_t All = sizeof...(A);
  const bool Needs[All + 1] = {needsDirection<A>..., false};
  std::size_t Seen = 0, Counted = 0;
  while (Counted < All) {
    Counted += 1 + Needs[Seen];
    ++Seen;
  }
  return Counted == All ? Seen : 0;
}
/// How many directions the first I arguments need.
template <class... A> constexpr std::size_t directionsBefore(std::size_t I) {
  const bool Needs[sizeof...(A) + 1] = {needsDirection<A>..., false};
  std::size_t Count = 0;
  for (std::size_t J = 0; J < I; ++J)
    Count += Needs[J];
  return Count;
}

/// None of f's arguments has problem P (none of all, if they do not come out
/// even). What is wrong with a direction is told by comparison with its
/// argument.
template <Problem P, class... A> constexpr bool noneBefore() {
  const bool Has[sizeof...(A) + 1] = {MakerOf<A>::Why == P..., false};
  const std::size_t Arguments = argumentsAmong<A...>();
  for (std::size_t I = 0; I < (Arguments ? Arguments : sizeof...(A)); ++I)
    if (Has[I])
      return false;
  return true;
}
template <Problem P, class... A>
inline constexpr bool withoutBefore = noneBefore<P, A...>();

/// Without rg::active around it.
template <class A> struct Unwrapped {
  using Type = std::remove_reference_t<A>;
  static RG_INLINE Type &get(Type &X) { return X; }
};
template <class T> struct Unwrapped<Active<T>> {
  using Type = std::remove_reference_t<T>;
  static RG_INLINE Type &get(Active<T> &X) { return X.value; }
};
/// What rg::hvp takes of rg::dup: numbers and structs, which have a size that
/// the product can be returned in.
template <class A> inline constexpr bool hasSize = true;
template <class T, class D>
inline constexpr bool hasSize<Dup<T, D>> =
    MakerOf<Active<T>>::Why == Problem::None;
template <class T, class D>
inline constexpr bool hasSize<Directions<T, D>> = false;

/// The I-th of f's Arguments in the form of rg::jvp: with its direction, which
/// is one of All, or constant.
template <std::size_t I, std::size_t Arguments, class... A> struct Directed {
  using Given = std::tuple_element_t<I, std::tuple<A...>>;
  static constexpr bool Needs = needsDirection<Given>;
  static constexpr std::size_t Place =
      Needs ? Arguments + directionsBefore<A...>(I) : I;
  using Direction = std::tuple_element_t<Place, std::tuple<A...>>;
  using Plain = Unwrapped<std::remove_reference_t<Given>>;
  using Type = std::conditional_t<
      Needs, Dup<typename Plain::Type &, std::remove_reference_t<Direction> &>,
      Given>;
  template <class Tuple> static RG_INLINE decltype(auto) get(Tuple &All) {
    if constexpr (Needs)
      return Type{Plain::get(std::get<I>(All)), std::get<Place>(All)};
    else
      return (std::get<I>(All));
  }
};

template <class F, class Indices, class... A> struct HvpForm;
template <class F, std::size_t... I, class... A>
struct HvpForm<F, std::index_sequence<I...>, A...> {
  template <std::size_t J> using At = Directed<J, sizeof...(I), A...>;
  template <std::size_t J> using Of = typename At<J>::Type;
  static constexpr bool Sized = (hasSize<Bare<Of<I>>> && ...);
  static constexpr bool Fits = without<Problem::ShadowType, Of<I>...>;
  static constexpr bool Portable = Sized && portable<Of<I>...>;
  static constexpr bool Callable = callable<F, Of<I>...>;
  static constexpr bool Scalar =
      !Portable || !Callable || std::is_floating_point_v<Result<F, Of<I>...>>;
  static constexpr bool Right = Portable && Callable && Scalar;

  static RG_INLINE auto compute(const F &f, std::tuple<A &...> All) {
    using G = GradientFunction<F, !IsConstantArgument<Bare<Of<I>>>::value...>;
    return jvpOf<G>(G{f}, MakerOf<Of<I>>::make(At<I>::get(All))...);
  }
};
/// Arguments and directions that do not come out even: one problem is enough.
template <class F, class... A> struct HvpForm<F, std::index_sequence<>, A...> {
  static constexpr bool Sized = true, Fits = true, Callable = true,
                        Scalar = true, Right = false;
};
template <class F, class... A>
using HvpOf =
    HvpForm<F, std::make_index_sequence<argumentsAmong<A...>()>, A...>;

//===----------------------------------------------------------------------===//
// rg::hessian(f)(x, constants...)
//===----------------------------------------------------------------------===//

template <class F, class X, class... P>
RG_INLINE auto hessianOf(const F &f, X &Point, P &&...ports) {
  using NX = Numbers<X>;
  using G = GradientFunction<F, true, !Bare<P>::IsConstant...>;
  using Rows = detail::Rows<X, X>;
  const std::size_t N = NX::size(Point);
  auto H = Rows::make(N, NX::zeros(Point));
  forColumns<X>(
      G{f}, Point, N,
      [&](std::size_t C) {
        X Direction = NX::zeros(Point);
        NX::at(Direction, C) = 1;
        return Direction;
      },
      [&](std::size_t C, X &Column) {
        for (std::size_t Row = 0; Row < N; ++Row)
          NX::at(Rows::row(H, Row), C) = NX::at(Column, Row);
      },
      ports...);
  return H;
}

} // namespace detail
} // namespace rg

#endif // RETROGRAD_HESSIANS_HPP
