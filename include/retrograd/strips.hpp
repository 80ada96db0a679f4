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
template <class T, class D> struct Directions {
  T value;
  D shadows;
};
/// Differentiated along several directions at once: rg::jvp only.
template <class T, class D>
RG_INLINE Directions<T, D> directions(T &&x, D &&dx) {
  return {static_cast<T &&>(x), static_cast<D &&>(dx)};
}

namespace detail {

struct WidthTag {};
RG_INLINE int marker(WidthTag) { return enzyme_width; }
template <std::size_t Width>
RG_INLINE int marker(std::integral_constant<std::size_t, Width>) {
  return int(Width);
}

/// As DupPort and DupPointerPort, with a shadow per lane.
template <class T, std::size_t Width> struct StripPort : ByAddress<T> {
  static constexpr bool IsConstant = false;
  T *value;
  Bare<T> *shadows[Width];
  RG_INLINE StripPort(T *Value, std::array<Bare<T>, Width> &Shadows)
      : value(Value) {
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      shadows[Lane] = &Shadows[Lane];
  }
};
template <class P, std::size_t Width> struct StripPointerPort : ByValue<P> {
  static constexpr bool IsConstant = false;
  using Shadow = std::remove_cv_t<std::remove_pointer_t<P>> *;
  P value;
  Shadow shadows[Width];
  template <class Q>
  RG_INLINE StripPointerPort(P Value, const std::array<Q, Width> &Shadows)
      : value(Value) {
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      shadows[Lane] = const_cast<Shadow>(Shadows[Lane]);
  }
};

//===----------------------------------------------------------------------===//
// From rg::directions to ports
//===----------------------------------------------------------------------===//

template <class D> struct ArrayOf {
  using Element = void;
  static constexpr std::size_t Size = 0;
};
template <class X, std::size_t Width> struct ArrayOf<std::array<X, Width>> {
  using Element = X;
  static constexpr std::size_t Size = Width;
};

template <class T, class D> struct WrappedDirections {
  using Value = std::remove_reference_t<T>;
  using Element = typename ArrayOf<Bare<D>>::Element;
  static constexpr std::size_t Width = ArrayOf<Bare<D>>::Size;
  static constexpr bool IsPointer = std::is_pointer_v<std::decay_t<T>>;
  using Target = std::remove_pointer_t<std::decay_t<T>>;
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
            : !std::is_same_v<Bare<T>, Element> ? Problem::ShadowType
                                                : Problem::None;
  using Port =
      std::conditional_t<IsPointer, StripPointerPort<std::decay_t<T>, Width>,
                         StripPort<Value, Width>>;
  template <class W> static RG_INLINE Port make(W &&X) {
    if constexpr (IsPointer) {
      return Port(X.value, X.shadows);
    } else {
      if constexpr (holdsNumbers<Bare<T>>)
        for (const Element &Each : X.shadows)
          check(Numbers<Bare<T>>::size(X.value) == Numbers<Element>::size(Each),
                "rg::directions needs directions of the size of the argument");
      return Port(const_cast<Value *>(&X.value),
                  const_cast<std::array<Element, Width> &>(X.shadows));
    }
  }
};
template <class A, class T, class D>
struct MakerOf<A, Directions<T, D>> : WrappedDirections<T, D> {};
template <class T, class D> struct IsDup<Directions<T, D>> : std::true_type {
  static constexpr bool Writable = false;
};

/// Lanes that an argument asks for: 0 if it says nothing of them.
template <class A> inline constexpr std::size_t lanesOf = 0;
template <class T, class D>
inline constexpr std::size_t lanesOf<Directions<T, D>> = ArrayOf<Bare<D>>::Size;
template <class A> inline constexpr bool isPlainDup = false;
template <class T, class D> inline constexpr bool isPlainDup<Dup<T, D>> = true;

template <class... A> constexpr std::size_t lanesOfAll() {
  std::size_t Most = 0;
  ((Most = lanesOf<Bare<A>> > Most ? lanesOf<Bare<A>> : Most), ...);
  return Most;
}
/// Every active argument has the same number of directions.
template <class... A>
inline constexpr bool sameLanes =
    lanesOfAll<A...>() == 0 ||
    ((lanesOf<Bare<A>> == 0 || lanesOf<Bare<A>> == lanesOfAll<A...>()) && ... &&
     !(isPlainDup<Bare<A>> || ...));

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
template <bool Forward, std::size_t I, class Ports, class Lanes, class... Flat>
RG_INLINE void expandStrip(void *Thunk, Ports &ports, Lanes, Flat... flat);
template <bool Forward, std::size_t I, class Ports, std::size_t... Lane,
          class... Flat>
RG_INLINE void expandStrip(void *Thunk, Ports &ports,
                           std::index_sequence<Lane...> Lanes, Flat... flat) {
  if constexpr (I == std::tuple_size_v<Ports>) {
    callStrip<Forward>(Thunk, flat...);
  } else {
    auto &Port = std::get<I>(ports);
    if constexpr (std::remove_reference_t<decltype(Port)>::IsConstant)
      expandStrip<Forward, I + 1>(Thunk, ports, Lanes, flat..., ConstTag(),
                                  Port.value);
    else
      expandStrip<Forward, I + 1>(Thunk, ports, Lanes, flat..., DupTag(),
                                  Port.value, Port.shadows[Lane]...);
  }
}

template <std::size_t Width>
using WidthIs = std::integral_constant<std::size_t, Width>;

/// Tangents of f along Width directions: a std::array of results, or nothing.
template <std::size_t Width, class F, class... P>
RG_INLINE auto jvpStripOf(const F &f, P &&...ports) {
  using R = Bare<std::invoke_result_t<const F &, typename Bare<P>::Seen...>>;
  std::make_index_sequence<Width> Lanes;
  if constexpr (std::is_void_v<R>) {
    std::tuple<P &...> Ports(ports...);
    expandStrip<true, 0>(
        reinterpret_cast<void *>(&ReturnThunk<R, F, Bare<P>...>::call), Ports,
        Lanes, WidthTag(), WidthIs<Width>(), ConstTag(), Callee<F>::pass(f));
  } else {
    R Out{};
    std::array<R, Width> Tangents{};
    StripPort<R, Width> Result(&Out, Tangents);
    std::tuple<StripPort<R, Width> &, P &...> Ports(Result, ports...);
    expandStrip<true, 0>(
        reinterpret_cast<void *>(&StoreThunk<R, F, Bare<P>...>::call), Ports,
        Lanes, WidthTag(), WidthIs<Width>(), ConstTag(), Callee<F>::pass(f));
    return Tangents;
  }
}

/// f's result, weighed by each of several seeds.
template <std::size_t Width, class R, class F, class... P>
struct WeighStripThunk {
  using Scalar = typename Numbers<R>::Scalar;
  static void call(typename Callee<F>::Pass f, const R *Seeds, Scalar *Sums,
                   typename P::Pass... a) {
    const R Value = Callee<F>::get(f)(P::as(a)...);
    for (std::size_t Lane = 0; Lane < Width; ++Lane)
      Sums[Lane] = weigh<R>(Seeds[Lane], Value);
  }
};

/// Adds the adjoints of f for each seed to the shadows of the ports.
template <std::size_t Width, class R, class F, class... P>
RG_INLINE void vjpStripOf(const F &f, const std::array<R, Width> &Seeds,
                          P &&...ports) {
  using Scalar = typename Numbers<R>::Scalar;
  std::make_index_sequence<Width> Lanes;
  std::array<Scalar, Width> Sums{};
  std::array<std::array<Scalar, Width>, Width> Chosen{};
  for (std::size_t Lane = 0; Lane < Width; ++Lane)
    Chosen[Lane][Lane] = 1;
  std::array<Scalar *, Width> Rows;
  for (std::size_t Lane = 0; Lane < Width; ++Lane)
    Rows[Lane] = Chosen[Lane].data();
  StripPointerPort<Scalar *, Width> Result(Sums.data(), Rows);
  std::tuple<StripPointerPort<Scalar *, Width> &, P &...> Ports(Result,
                                                                ports...);
  expandStrip<false, 0>(
      reinterpret_cast<void *>(&WeighStripThunk<Width, R, F, Bare<P>...>::call),
      Ports, Lanes, WidthTag(), WidthIs<Width>(), ConstTag(),
      Callee<F>::pass(f), ConstTag(), Seeds.data());
}

//===----------------------------------------------------------------------===//
// Jacobians by strips
//===----------------------------------------------------------------------===//

/// Columns (or rows) of a Jacobian that one call computes. The last strip may
/// have idle lanes.
inline constexpr std::size_t StripWidth = 4;

/// J times each of `Count` directions: Direction(c) makes the c-th (an X like
/// Point), Use(c, tangent) gets its tangent (an R).
template <class R, class F, class X, class Direction, class Use, class... P>
RG_INLINE void forColumns(const F &f, X &Point, std::size_t Count,
                          Direction direction, Use use, P &&...ports) {
  for (std::size_t First = 0; First < Count; First += StripWidth) {
    std::array<X, StripWidth> Strip;
    for (std::size_t Lane = 0; Lane < StripWidth; ++Lane)
      Strip[Lane] = First + Lane < Count ? direction(First + Lane)
                                         : Numbers<X>::zeros(Point);
    std::array<R, StripWidth> Tangents = jvpStripOf<StripWidth>(
        f, StripPort<X, StripWidth>(&Point, Strip), ports...);
    for (std::size_t Lane = 0; Lane < StripWidth && First + Lane < Count;
         ++Lane)
      use(First + Lane, Tangents[Lane]);
  }
}

/// Each of `Count` seeds times J: Seed(r) makes the r-th (an R), Use(r,
/// adjoint) gets its adjoint (an X).
template <class R, class F, class X, class Seed, class Use, class... P>
RG_INLINE void forRows(const F &f, X &Point, std::size_t Count, Seed seed,
                       const R &Zero, Use use, P &&...ports) {
  for (std::size_t First = 0; First < Count; First += StripWidth) {
    std::array<R, StripWidth> Strip;
    std::array<X, StripWidth> Adjoints;
    for (std::size_t Lane = 0; Lane < StripWidth; ++Lane) {
      Strip[Lane] = First + Lane < Count ? seed(First + Lane) : Zero;
      Adjoints[Lane] = Numbers<X>::zeros(Point);
    }
    vjpStripOf<StripWidth, R>(
        f, Strip, StripPort<X, StripWidth>(&Point, Adjoints), ports...);
    for (std::size_t Lane = 0; Lane < StripWidth && First + Lane < Count;
         ++Lane)
      use(First + Lane, Adjoints[Lane]);
  }
}

} // namespace detail
} // namespace rg

#endif // RETROGRAD_STRIPS_HPP
