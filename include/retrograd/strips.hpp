//===- strips.hpp - several derivatives per call ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of <retrograd/retrograd.hpp>, which includes it: derivative calls of a
// width, as rg::jvp with rg::directions and rg::jacobian make them. One call
// evaluates f once and computes Width tangents (or adjoints) along with it.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_STRIPS_HPP
#define RETROGRAD_STRIPS_HPP

#ifndef RETROGRAD_RETROGRAD_HPP
#error "include <retrograd/retrograd.hpp> instead"
#endif

namespace rg {

/// An argument and its directions: a std::array of tangents of its type (of
/// pointers to tangents, for a pointer).
template <class _RgT, class _RgD> struct Directions {
  _RgT value;
  _RgD shadows;
};
/// Differentiated along several directions at once: rg::jvp only.
template <class _RgT, class _RgD>
RG_INLINE Directions<_RgT, _RgD> directions(_RgT &&x, _RgD &&dx) {
  return {static_cast<_RgT &&>(x), static_cast<_RgD &&>(dx)};
}

namespace detail {

struct WidthTag {};
RG_INLINE int marker(WidthTag) { return enzyme_width; }
template <std::size_t Width>
RG_INLINE int marker(std::integral_constant<std::size_t, Width>) {
  return int(Width);
}

/// As DupPort and DupPointerPort, with a shadow per lane.
template <class _RgT, std::size_t Width> struct StripPort : ByAddress<_RgT> {
  static constexpr bool IsConstant = false;
  _RgT *value;
  Bare<_RgT> *shadows[Width];
  RG_INLINE StripPort(_RgT *Value, std::array<Bare<_RgT>, Width> &Shadows)
      : value(Value) {
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      shadows[Lane] = &Shadows[Lane];
  }
};
template <class _RgP, std::size_t Width>
struct StripPointerPort : ByValue<_RgP> {
  static constexpr bool IsConstant = false;
  using Shadow = std::remove_cv_t<std::remove_pointer_t<_RgP>> *;
  _RgP value;
  Shadow shadows[Width];
  template <class _RgQ>
  RG_INLINE StripPointerPort(_RgP Value, const std::array<_RgQ, Width> &Shadows)
      : value(Value) {
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      shadows[Lane] = const_cast<Shadow>(Shadows[Lane]);
  }
};

//===----------------------------------------------------------------------===//
// From rg::directions to ports
//===----------------------------------------------------------------------===//

template <class _RgD> struct ArrayOf {
  using Element = void;
  static constexpr std::size_t Size = 0;
};
template <class _RgX, std::size_t Width>
struct ArrayOf<std::array<_RgX, Width>> {
  using Element = _RgX;
  static constexpr std::size_t Size = Width;
};

template <class _RgT, class _RgD> struct WrappedDirections {
  using Value = std::remove_reference_t<_RgT>;
  using Element = typename ArrayOf<Bare<_RgD>>::Element;
  static constexpr std::size_t Width = ArrayOf<Bare<_RgD>>::Size;
  static constexpr bool IsPointer = std::is_pointer_v<std::decay_t<_RgT>>;
  using Target = std::remove_pointer_t<std::decay_t<_RgT>>;
  using ElementTarget = std::remove_pointer_t<Element>;
  static constexpr Problem
      Why = Width == 0 || Width > 64 ? Problem::ShadowType
            : IsPointer
                ? (!std::is_same_v<std::remove_cv_t<Target>,
                                   std::remove_cv_t<ElementTarget>>
                       ? Problem::ShadowType
                   : std::is_const_v<ElementTarget> && !std::is_const_v<Target>
                       ? Problem::ConstShadow
                       : Problem::None)
            : !std::is_same_v<Bare<_RgT>, Element> ? Problem::ShadowType
                                                   : Problem::None;
  using Port =
      std::conditional_t<IsPointer, StripPointerPort<std::decay_t<_RgT>, Width>,
                         StripPort<Value, Width>>;
  template <class _RgW> static RG_INLINE Port make(_RgW &&_RgX) {
    if constexpr (IsPointer) {
      return Port(_RgX.value, _RgX.shadows);
    } else {
      if constexpr (holdsNumbers<Bare<_RgT>>)
        for (const Element &Each : _RgX.shadows)
          check(Numbers<Bare<_RgT>>::size(_RgX.value) ==
                    Numbers<Element>::size(Each),
                "rg::directions needs directions of the size of the argument");
      return Port(const_cast<Value *>(&_RgX.value),
                  const_cast<std::array<Element, Width> &>(_RgX.shadows));
    }
  }
};
template <class _RgA, class _RgT, class _RgD>
struct MakerOf<_RgA, Directions<_RgT, _RgD>> : WrappedDirections<_RgT, _RgD> {};
template <class _RgT, class _RgD>
struct IsDup<Directions<_RgT, _RgD>> : std::true_type {
  static constexpr bool Writable = false;
};

/// Lanes that an argument asks for: 0 if it says nothing of them.
template <class _RgA> inline constexpr std::size_t lanesOf = 0;
template <class _RgT, class _RgD>
inline constexpr std::size_t lanesOf<Directions<_RgT, _RgD>> =
    ArrayOf<Bare<_RgD>>::Size;
template <class _RgA> inline constexpr bool isPlainDup = false;
template <class _RgT, class _RgD>
inline constexpr bool isPlainDup<Dup<_RgT, _RgD>> = true;

template <class... _RgA> constexpr std::size_t lanesOfAll() {
  std::size_t Most = 0;
  ((Most = lanesOf<Bare<_RgA>> > Most ? lanesOf<Bare<_RgA>> : Most), ...);
  return Most;
}
/// Every active argument has the same number of directions.
template <class... _RgA>
inline constexpr bool sameLanes =
    lanesOfAll<_RgA...>() == 0 ||
    ((lanesOf<Bare<_RgA>> == 0 ||
      lanesOf<Bare<_RgA>> == lanesOfAll<_RgA...>()) &&
     ... && !(isPlainDup<Bare<_RgA>> || ...));

//===----------------------------------------------------------------------===//
// Derivative calls
//===----------------------------------------------------------------------===//

template <bool Forward, class... Flat>
RG_INLINE void callStrip(void *Thunk, Flat... flat) {
  if constexpr (Forward)
    ::__enzyme_fwddiff_void<0>(Thunk, marker(flat)...);
  else
    ::__enzyme_autodiff_void<0>(Thunk, marker(flat)...);
}

/// Appends marker, value and shadows of each port to the arguments.
template <bool Forward, std::size_t _RgI, class Ports, class Lanes,
          class... Flat>
RG_INLINE void expandStrip(void *Thunk, Ports &ports, Lanes, Flat... flat);
template <bool Forward, std::size_t _RgI, class Ports, std::size_t... Lane,
          class... Flat>
RG_INLINE void expandStrip(void *Thunk, Ports &ports,
                           std::index_sequence<Lane...> Lanes, Flat... flat) {
  if constexpr (_RgI == std::tuple_size_v<Ports>) {
    callStrip<Forward>(Thunk, flat...);
  } else {
    auto &Port = std::get<_RgI>(ports);
    if constexpr (std::remove_reference_t<decltype(Port)>::IsConstant)
      expandStrip<Forward, _RgI + 1>(Thunk, ports, Lanes, flat..., ConstTag(),
                                     Port.value);
    else
      expandStrip<Forward, _RgI + 1>(Thunk, ports, Lanes, flat..., DupTag(),
                                     Port.value, Port.shadows[Lane]...);
  }
}

template <std::size_t Width>
using WidthIs = std::integral_constant<std::size_t, Width>;

/// Tangents of f along Width directions: a std::array of results, or nothing.
template <std::size_t Width, class _RgF, class... _RgP>
RG_INLINE auto jvpStripOf(const _RgF &f, _RgP &&...ports) {
  using _RgR =
      Bare<std::invoke_result_t<const _RgF &, typename Bare<_RgP>::Seen...>>;
  std::make_index_sequence<Width> Lanes;
  if constexpr (std::is_void_v<_RgR>) {
    std::tuple<_RgP &...> Ports(ports...);
    expandStrip<true, 0>(
        reinterpret_cast<void *>(&ReturnThunk<_RgR, _RgF, Bare<_RgP>...>::call),
        Ports, Lanes, WidthTag(), WidthIs<Width>(), ConstTag(),
        Callee<_RgF>::pass(f));
  } else {
    _RgR Out{};
    std::array<_RgR, Width> Tangents{};
    StripPort<_RgR, Width> Result(&Out, Tangents);
    std::tuple<StripPort<_RgR, Width> &, _RgP &...> Ports(Result, ports...);
    expandStrip<true, 0>(
        reinterpret_cast<void *>(&StoreThunk<_RgR, _RgF, Bare<_RgP>...>::call),
        Ports, Lanes, WidthTag(), WidthIs<Width>(), ConstTag(),
        Callee<_RgF>::pass(f));
    return Tangents;
  }
}

/// f's result, weighed by each of several seeds.
template <std::size_t Width, class _RgR, class _RgF, class... _RgP>
struct WeighStripThunk {
  using Scalar = typename Numbers<_RgR>::Scalar;
  static void call(typename Callee<_RgF>::Pass f, const _RgR *Seeds,
                   Scalar *Sums, typename _RgP::Pass... a) {
    const _RgR Value = Callee<_RgF>::get(f)(_RgP::as(a)...);
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      Sums[Lane] = weigh<_RgR>(Seeds[Lane], Value);
  }
};

/// Adds the adjoints of f for each seed to the shadows of the ports.
template <std::size_t Width, class _RgR, class _RgF, class... _RgP>
RG_INLINE void vjpStripOf(const _RgF &f, const std::array<_RgR, Width> &Seeds,
                          _RgP &&...ports) {
  using Scalar = typename Numbers<_RgR>::Scalar;
  std::make_index_sequence<Width> Lanes;
  std::array<Scalar, Width> Sums{};
  std::array<std::array<Scalar, Width>, Width> Chosen{};
  for (std::size_t Lane = 0; Lane < Width; ++Lane)
    Chosen[Lane][Lane] = 1;
  std::array<Scalar *, Width> Rows;
  for (std::size_t Lane = 0; Lane < Width; ++Lane)
    Rows[Lane] = Chosen[Lane].data();
  StripPointerPort<Scalar *, Width> Result(Sums.data(), Rows);
  std::tuple<StripPointerPort<Scalar *, Width> &, _RgP &...> Ports(Result,
                                                                   ports...);
  expandStrip<false, 0>(
      reinterpret_cast<void *>(
          &WeighStripThunk<Width, _RgR, _RgF, Bare<_RgP>...>::call),
      Ports, Lanes, WidthTag(), WidthIs<Width>(), ConstTag(),
      Callee<_RgF>::pass(f), ConstTag(), Seeds.data());
}

//===----------------------------------------------------------------------===//
// Jacobians by strips
//===----------------------------------------------------------------------===//

/// Columns (or rows) of a Jacobian that one call computes. The last strip may
/// have idle lanes.
inline constexpr std::size_t StripWidth = 4;

/// J times each of `Count` directions: Direction(c) makes the c-th (an X like
/// Point), Use(c, tangent) gets its tangent (an R).
template <class _RgR, class _RgF, class _RgX, class Direction, class Use,
          class... _RgP>
RG_INLINE void forColumns(const _RgF &f, _RgX &Point, std::size_t Count,
                          Direction direction, Use use, _RgP &&...ports) {
  for (std::size_t First = 0; First < Count; First += StripWidth) {
    std::array<_RgX, StripWidth> Strip;
    for (std::size_t Lane = 0; Lane < StripWidth; ++Lane)
      Strip[Lane] = First + Lane < Count ? direction(First + Lane)
                                         : Numbers<_RgX>::zeros(Point);
    std::array<_RgR, StripWidth> Tangents = jvpStripOf<StripWidth>(
        f, StripPort<_RgX, StripWidth>(&Point, Strip), ports...);
    for (std::size_t Lane = 0; Lane < StripWidth && First + Lane < Count;
         ++Lane)
      use(First + Lane, Tangents[Lane]);
  }
}

/// Each of `Count` seeds times J: Seed(r) makes the r-th (an R), Use(r,
/// adjoint) gets its adjoint (an X).
template <class _RgR, class _RgF, class _RgX, class Seed, class Use,
          class... _RgP>
RG_INLINE void forRows(const _RgF &f, _RgX &Point, std::size_t Count, Seed seed,
                       const _RgR &Zero, Use use, _RgP &&...ports) {
  for (std::size_t First = 0; First < Count; First += StripWidth) {
    std::array<_RgR, StripWidth> Strip;
    std::array<_RgX, StripWidth> Adjoints;
    for (std::size_t Lane = 0; Lane < StripWidth; ++Lane) {
      Strip[Lane] = First + Lane < Count ? seed(First + Lane) : Zero;
      Adjoints[Lane] = Numbers<_RgX>::zeros(Point);
    }
    vjpStripOf<StripWidth, _RgR>(
        f, Strip, StripPort<_RgX, StripWidth>(&Point, Adjoints), ports...);
    for (std::size_t Lane = 0; Lane < StripWidth && First + Lane < Count;
         ++Lane)
      use(First + Lane, Adjoints[Lane]);
  }
}

} // namespace detail
} // namespace rg

#endif // RETROGRAD_STRIPS_HPP
