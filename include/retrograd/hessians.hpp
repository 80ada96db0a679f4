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
template <bool IsActive, class _RgT> struct InnerPort {
  using Type =
      std::conditional_t<std::is_pointer_v<Bare<_RgT>>,
                         ConstantPointerPort<Bare<_RgT>>, ConstantPort<_RgT>>;
  static RG_INLINE Type make(_RgT &_RgX) {
    if constexpr (std::is_pointer_v<Bare<_RgT>>)
      return Type{{}, _RgX};
    else
      return Type{{}, &_RgX};
  }
};
template <class _RgT> struct InnerPort<true, _RgT> {
  using Type = std::conditional_t<std::is_floating_point_v<Bare<_RgT>>,
                                  NumberPort<Bare<_RgT>>, ActivePort<_RgT>>;
  static RG_INLINE Type make(_RgT &_RgX) { return Type(_RgX); }
};

/// The gradient of f by those of its arguments that are marked.
template <class _RgF, bool... IsActive> struct GradientFunction {
  _RgF f;
  template <class... _RgA> auto operator()(_RgA &&...a) const {
    return gradientOf<_RgF>(
        f, InnerPort<IsActive, std::remove_reference_t<_RgA>>::make(a)...);
  }
};

//===----------------------------------------------------------------------===//
// rg::hvp(f)(x..., v...)
//===----------------------------------------------------------------------===//

/// Arguments come first, and then a direction for each that is neither constant
/// nor carries its own in rg::dup. So the first N of them are f's, where
/// N plus the directions that they need is all.
template <class _RgA>
inline constexpr bool needsDirection =
    !IsDup<Bare<_RgA>>::value && !IsConstantArgument<Bare<_RgA>>::value;

template <class... _RgA> constexpr std::size_t argumentsAmong() {
  constexpr std::size_t All = sizeof...(_RgA);
  const bool Needs[All + 1] = {needsDirection<_RgA>..., false};
  std::size_t Seen = 0, Counted = 0;
  while (Counted < All) {
    Counted += 1 + Needs[Seen];
    ++Seen;
  }
  return Counted == All ? Seen : 0;
}
/// How many directions the first I arguments need.
template <class... _RgA>
constexpr std::size_t directionsBefore(std::size_t _RgI) {
  const bool Needs[sizeof...(_RgA) + 1] = {needsDirection<_RgA>..., false};
  std::size_t Count = 0;
  for (std::size_t _RgJ = 0; _RgJ < _RgI; ++_RgJ)
    Count += Needs[_RgJ];
  return Count;
}

/// None of f's arguments has problem P (none of all, if they do not come out
/// even). What is wrong with a direction is told by comparison with its
/// argument.
template <Problem _RgP, class... _RgA> constexpr bool noneBefore() {
  const bool Has[sizeof...(_RgA) + 1] = {MakerOf<_RgA>::Why == _RgP..., false};
  const std::size_t Arguments = argumentsAmong<_RgA...>();
  for (std::size_t _RgI = 0; _RgI < (Arguments ? Arguments : sizeof...(_RgA));
       ++_RgI)
    if (Has[_RgI])
      return false;
  return true;
}
template <Problem _RgP, class... _RgA>
inline constexpr bool withoutBefore = noneBefore<_RgP, _RgA...>();

/// Without rg::active around it.
template <class _RgA> struct Unwrapped {
  using Type = std::remove_reference_t<_RgA>;
  static RG_INLINE Type &get(Type &_RgX) { return _RgX; }
};
template <class _RgT> struct Unwrapped<Active<_RgT>> {
  using Type = std::remove_reference_t<_RgT>;
  static RG_INLINE Type &get(Active<_RgT> &_RgX) { return _RgX.value; }
};
/// What rg::hvp takes of rg::dup: numbers and structs, which have a size that
/// the product can be returned in.
template <class _RgA> inline constexpr bool hasSize = true;
template <class _RgT, class _RgD>
inline constexpr bool hasSize<Dup<_RgT, _RgD>> =
    MakerOf<Active<_RgT>>::Why == Problem::None;
template <class _RgT, class _RgD>
inline constexpr bool hasSize<Directions<_RgT, _RgD>> = false;

/// The I-th of f's Arguments in the form of rg::jvp: with its direction, which
/// is one of All, or constant.
template <std::size_t _RgI, std::size_t Arguments, class... _RgA>
struct Directed {
  using Given = std::tuple_element_t<_RgI, std::tuple<_RgA...>>;
  static constexpr bool Needs = needsDirection<Given>;
  static constexpr std::size_t Place =
      Needs ? Arguments + directionsBefore<_RgA...>(_RgI) : _RgI;
  using Direction = std::tuple_element_t<Place, std::tuple<_RgA...>>;
  using Plain = Unwrapped<std::remove_reference_t<Given>>;
  using Type = std::conditional_t<
      Needs, Dup<typename Plain::Type &, std::remove_reference_t<Direction> &>,
      Given>;
  template <class Tuple> static RG_INLINE decltype(auto) get(Tuple &All) {
    if constexpr (Needs)
      return Type{Plain::get(std::get<_RgI>(All)), std::get<Place>(All)};
    else
      return (std::get<_RgI>(All));
  }
};

template <class _RgF, class Indices, class... _RgA> struct HvpForm;
template <class _RgF, std::size_t... _RgI, class... _RgA>
struct HvpForm<_RgF, std::index_sequence<_RgI...>, _RgA...> {
  template <std::size_t _RgJ>
  using At = Directed<_RgJ, sizeof...(_RgI), _RgA...>;
  template <std::size_t _RgJ> using Of = typename At<_RgJ>::Type;
  static constexpr bool Sized = (hasSize<Bare<Of<_RgI>>> && ...);
  static constexpr bool Fits = without<Problem::ShadowType, Of<_RgI>...>;
  static constexpr bool Portable = Sized && portable<Of<_RgI>...>;
  static constexpr bool Callable = callable<_RgF, Of<_RgI>...>;
  static constexpr bool Scalar =
      !Portable || !Callable ||
      std::is_floating_point_v<Result<_RgF, Of<_RgI>...>>;
  static constexpr bool Right = Portable && Callable && Scalar;

  static RG_INLINE auto compute(const _RgF &f, std::tuple<_RgA &...> All) {
    using _RgG =
        GradientFunction<_RgF, !IsConstantArgument<Bare<Of<_RgI>>>::value...>;
    return jvpOf<_RgG>(_RgG{f}, MakerOf<Of<_RgI>>::make(At<_RgI>::get(All))...);
  }
};
/// Arguments and directions that do not come out even: one problem is enough.
template <class _RgF, class... _RgA>
struct HvpForm<_RgF, std::index_sequence<>, _RgA...> {
  static constexpr bool Sized = true, Fits = true, Callable = true,
                        Scalar = true, Right = false;
};
template <class _RgF, class... _RgA>
using HvpOf =
    HvpForm<_RgF, std::make_index_sequence<argumentsAmong<_RgA...>()>, _RgA...>;

//===----------------------------------------------------------------------===//
// rg::hessian(f)(x, constants...)
//===----------------------------------------------------------------------===//

template <class _RgF, class _RgX, class... _RgP>
RG_INLINE auto hessianOf(const _RgF &f, _RgX &Point, _RgP &&...ports) {
  using NX = Numbers<_RgX>;
  using _RgG = GradientFunction<_RgF, true, !Bare<_RgP>::IsConstant...>;
  using Rows = detail::Rows<_RgX, _RgX>;
  const std::size_t _RgN = NX::size(Point);
  auto _RgH = Rows::make(_RgN, NX::zeros(Point));
  forColumns<_RgX>(
      _RgG{f}, Point, _RgN,
      [&](std::size_t _RgC) {
        _RgX Direction = NX::zeros(Point);
        NX::at(Direction, _RgC) = 1;
        return Direction;
      },
      [&](std::size_t _RgC, _RgX &Column) {
        for (std::size_t Row = 0; Row < _RgN; ++Row)
          NX::at(Rows::row(_RgH, Row), _RgC) = NX::at(Column, Row);
      },
      ports...);
  return _RgH;
}

} // namespace detail
} // namespace rg

#endif // RETROGRAD_HESSIANS_HPP
