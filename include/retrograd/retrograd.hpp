//===- retrograd.hpp - derivatives with C++ types ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++17, header-only, for programs compiled by rg-clang++.
//
//   rg::gradient(f)(x, y)            derivatives of f(x, y) by x and by y
//   rg::value_and_gradient(f)(x, y)  pair of f(x, y) and the same
//   rg::jvp(f)(rg::dup(x, dx), ...)  derivative of f in direction dx
//   rg::jvp(f)(rg::directions(x, dxs), ...)   along several directions at once:
//   a std::array of derivatives
//   rg::vjp(f)(x, y)(seed)           derivatives of the sum of seed * f(x, y)
//   rg::jacobian(f)(x)               all derivatives: [i][j] is result i by
//   argument j
//   rg::hvp(f)(x, y, vx, vy)         Hessian of f times the direction (vx, vy);
//   also rg::hvp(f)(rg::dup(x, vx), ...)
//   rg::hessian(f)(x)                all second derivatives: [i][j]
//   rg::gradient(kernel).launch(grid, block, ...)   of a CUDA kernel:
//   launches.hpp
//
// f is a function, a lambda or an object with a const call operator. What an
// object holds (what a lambda captures) is constant. Arguments may be
//
//   a floating-point number, std::complex, std::array or std::vector of them
//                    active: its derivative is part of the result, as the same
//                    type
//   an integer, bool or enumeration
//                    constant
//   rg::constant(x)  constant, whatever it is
//   rg::active(x)    active; needed for structs only, whose derivative is a
//   struct rg::dup(x, dx)   active, and its derivative is dx: read by jvp,
//   added to by the
//                    others, and not part of their result. Also for pointers:
//                    rg::dup(p, dp), with memory behind dp like that behind p
//
// One derivative is returned as it is, several as a std::tuple in the order of
// the arguments, none as void.
//
// How: f is called by a static function (a thunk) that takes every argument by
// address, so that every derivative is left in a shadow of known type and no
// calling convention matters. The thunk is the function named in the derivative
// call; nothing here is called through a pointer, at -O0 neither.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RETROGRAD_HPP
#define RETROGRAD_RETROGRAD_HPP

#include <array>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "retrograd.h"

// Inlined at -O0, too: between the user's line and the derivative call there is
// then nothing but the user's function.
#define RG_INLINE inline __attribute__((always_inline))
// A wrong use is an error at the user's line, and not somewhere in this file.
#if defined(__clang__)
#define RG_REQUIRE(Condition, Message)                                         \
  __attribute__((diagnose_if(!(Condition), Message, "error")))
#else
#define RG_REQUIRE(Condition, Message)
#endif

namespace rg {

//===----------------------------------------------------------------------===//
// Argument wrappers
//===----------------------------------------------------------------------===//

/// T is a reference for an lvalue and a value for anything else.
template <class T> struct Constant {
  T value;
};
template <class T> struct Active {
  T value;
};
template <class T, class D> struct Dup {
  T value;
  D shadow;
};

/// Not differentiated.
template <class T> RG_INLINE Constant<T> constant(T &&x) {
  return {static_cast<T &&>(x)};
}
/// Differentiated; the derivative is part of the result.
template <class T> RG_INLINE Active<T> active(T &&x) {
  return {static_cast<T &&>(x)};
}
/// Differentiated; the derivative is dx.
template <class T, class D> RG_INLINE Dup<T, D> dup(T &&x, D &&dx) {
  return {static_cast<T &&>(x), static_cast<D &&>(dx)};
}

namespace detail {

template <class T> using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

/// What a call with wrong arguments "returns": the error has been told, and
/// whatever is done with the result shall not cause another one.
struct Wrong {
  template <class T> operator T() const;
};

RG_INLINE void check(bool Holds, const char *Message) {
  if (!Holds) {
    std::fprintf(stderr, "retrograd: %s\n", Message);
    std::abort();
  }
}

//===----------------------------------------------------------------------===//
// Types that hold numbers
//===----------------------------------------------------------------------===//

/// Scalar: the floating-point type of the numbers in T; void if T is not known.
template <class T, class = void> struct Numbers {
  using Scalar = void;
};
template <class T>
struct Numbers<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  using Scalar = T;
  static std::size_t size(const T &) { return 1; }
  static T &at(T &x, std::size_t) { return x; }
  static T zeros(const T &) { return T(0); }
};
template <class T, std::size_t N>
struct Numbers<std::array<T, N>,
               std::enable_if_t<std::is_floating_point_v<T>>> {
  using Scalar = T;
  static std::size_t size(const std::array<T, N> &) { return N; }
  static T &at(std::array<T, N> &x, std::size_t i) { return x[i]; }
  static std::array<T, N> zeros(const std::array<T, N> &) { return {}; }
};
template <class T>
struct Numbers<std::vector<T>, std::enable_if_t<std::is_floating_point_v<T>>> {
  using Scalar = T;
  static std::size_t size(const std::vector<T> &x) { return x.size(); }
  static T &at(std::vector<T> &x, std::size_t i) { return x[i]; }
  static std::vector<T> zeros(const std::vector<T> &x) {
    return std::vector<T>(x.size());
  }
};
template <class T>
struct Numbers<std::complex<T>, std::enable_if_t<std::is_floating_point_v<T>>> {
  using Scalar = T;
  static std::size_t size(const std::complex<T> &) { return 2; }
  static T &at(std::complex<T> &x, std::size_t i) {
    return reinterpret_cast<T(&)[2]>(x)[i];
  }
  static std::complex<T> zeros(const std::complex<T> &) { return {}; }
};

template <class T>
inline constexpr bool holdsNumbers =
    !std::is_void_v<typename Numbers<T>::Scalar>;

/// A zero of type T for structs, which we do not look into.
template <class T> T zeroed(const T &Like) {
  if constexpr (holdsNumbers<T>) {
    return Numbers<T>::zeros(Like);
  } else {
    T Zero;
    std::memset(static_cast<void *>(&Zero), 0, sizeof(T));
    return Zero;
  }
}

/// The sum of Seed[i] * Value[i]: what vjp differentiates.
template <class R>
typename Numbers<R>::Scalar weigh(const R &Seed, const R &Value) {
  using N = Numbers<R>;
  if constexpr (std::is_floating_point_v<R>) {
    return Seed * Value;
  } else {
    typename N::Scalar Sum = 0;
    std::size_t Size = N::size(Value);
    for (std::size_t I = 0; I < Size; ++I)
      Sum += N::at(const_cast<R &>(Seed), I) * N::at(const_cast<R &>(Value), I);
    return Sum;
  }
}

//===----------------------------------------------------------------------===//
// Ports: how one argument enters and leaves the derivative
//===----------------------------------------------------------------------===//
//
// A port says: Pass, the type of the thunk's parameter; as(), which makes f's
// argument of it; IsConstant; value and shadow, both of type Pass; take(), a
// tuple of what it adds to the result.

/// What the thunk does with an address: f gets the object behind it.
template <class T> struct ByAddress {
  using Pass = T *;
  using Seen = T &;
  static RG_INLINE T &as(T *P) { return *P; }
};
/// f gets the pointer itself.
template <class P> struct ByValue {
  using Pass = P;
  using Seen = P;
  static RG_INLINE P as(P Pointer) { return Pointer; }
};

template <class T> struct ConstantPort : ByAddress<T> {
  static constexpr bool IsConstant = true;
  T *value;
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class P> struct ConstantPointerPort : ByValue<P> {
  static constexpr bool IsConstant = true;
  P value;
  RG_INLINE std::tuple<> take() { return {}; }
};
/// A number: a copy of it and its derivative live in the port. f may take it by
/// value, by const reference or by reference.
template <class T> struct NumberPort : ByAddress<T> {
  static constexpr bool IsConstant = false;
  T Value, Shadow = T(0);
  T *value = &Value, *shadow = &Shadow;
  RG_INLINE explicit NumberPort(T X) : Value(X) {}
  NumberPort(const NumberPort &) = delete;
  RG_INLINE std::tuple<T> take() { return std::tuple<T>(Shadow); }
};
/// Anything else that is active: the object stays where it is.
template <class T> struct ActivePort : ByAddress<T> {
  static constexpr bool IsConstant = false;
  Bare<T> Shadow;
  T *value;
  T *shadow = &Shadow;
  RG_INLINE explicit ActivePort(T &X) : Shadow(zeroed<Bare<T>>(X)), value(&X) {}
  ActivePort(const ActivePort &) = delete;
  RG_INLINE std::tuple<Bare<T>> take() {
    return std::tuple<Bare<T>>(std::move(Shadow));
  }
};
template <class T> struct DupPort : ByAddress<T> {
  static constexpr bool IsConstant = false;
  T *value, *shadow;
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class P> struct DupPointerPort : ByValue<P> {
  static constexpr bool IsConstant = false;
  P value, shadow;
  RG_INLINE std::tuple<> take() { return {}; }
};

//===----------------------------------------------------------------------===//
// From arguments to ports
//===----------------------------------------------------------------------===//
//
// Maker<A>, A the type of an argument as `A &&` binds it, makes the port.
// Problem says in which way the argument is wrong; None if it is not.

enum class Problem {
  None,
  Pointer,
  NotActive,
  ShadowType,
  ConstShadow,
  NotDup
};

template <class A, class = void> struct Maker {
  static constexpr Problem Why = std::is_pointer_v<std::decay_t<A>>
                                     ? Problem::Pointer
                                     : Problem::NotActive;
};
/// Integers: constant.
template <class A>
struct Maker<A, std::enable_if_t<std::is_integral_v<Bare<A>> ||
                                 std::is_enum_v<Bare<A>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = ConstantPort<std::remove_reference_t<A>>;
  static RG_INLINE Port make(std::remove_reference_t<A> &X) {
    return Port{{}, &X};
  }
};
template <class A>
struct Maker<A, std::enable_if_t<std::is_floating_point_v<Bare<A>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = NumberPort<Bare<A>>;
  static RG_INLINE Port make(const Bare<A> &X) { return Port(X); }
};
template <class A>
struct Maker<A, std::enable_if_t<holdsNumbers<Bare<A>> &&
                                 !std::is_floating_point_v<Bare<A>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = ActivePort<std::remove_reference_t<A>>;
  static RG_INLINE Port make(std::remove_reference_t<A> &X) { return Port(X); }
};
template <class T, class A> struct WrappedConstant {
  static constexpr Problem Why = Problem::None;
  using Value = std::remove_reference_t<T>;
  static constexpr bool IsPointer = std::is_pointer_v<std::decay_t<T>>;
  using Port =
      std::conditional_t<IsPointer, ConstantPointerPort<std::decay_t<T>>,
                         ConstantPort<Value>>;
  template <class W> static RG_INLINE Port make(W &&X) {
    if constexpr (IsPointer)
      return Port{{}, X.value};
    else
      return Port{{}, const_cast<Value *>(&X.value)};
  }
};
template <class T, class A> struct WrappedActive {
  using Value = std::remove_reference_t<T>;
  static constexpr bool Known = holdsNumbers<Bare<T>>;
  static constexpr bool Struct = std::is_class_v<Bare<T>> &&
                                 std::is_trivially_copyable_v<Bare<T>> &&
                                 std::is_default_constructible_v<Bare<T>>;
  static constexpr Problem Why = std::is_pointer_v<std::decay_t<T>>
                                     ? Problem::Pointer
                                 : Known || Struct ? Problem::None
                                                   : Problem::NotActive;
  using Port = std::conditional_t<std::is_floating_point_v<Bare<T>>,
                                  NumberPort<Bare<T>>, ActivePort<Value>>;
  template <class W> static RG_INLINE Port make(W &&X) {
    return Port(const_cast<Value &>(X.value));
  }
};
template <class T, class D, class A> struct WrappedDup {
  using Value = std::remove_reference_t<T>;
  using Shadow = std::remove_reference_t<D>;
  static constexpr bool IsPointer =
      std::is_pointer_v<std::decay_t<T>> && std::is_pointer_v<std::decay_t<D>>;
  using Target = std::remove_pointer_t<std::decay_t<T>>;
  using ShadowTarget = std::remove_pointer_t<std::decay_t<D>>;
  static constexpr Problem Why =
      IsPointer ? (!std::is_same_v<std::remove_cv_t<Target>,
                                   std::remove_cv_t<ShadowTarget>>
                       ? Problem::ShadowType
                   : std::is_const_v<ShadowTarget> && !std::is_const_v<Target>
                       ? Problem::ConstShadow
                       : Problem::None)
      : !std::is_same_v<Bare<T>, Bare<D>> ? Problem::ShadowType
                                          : Problem::None;
  using Port = std::conditional_t<IsPointer, DupPointerPort<std::decay_t<T>>,
                                  DupPort<Value>>;
  /// Reverse mode adds to the shadow, so it has to be a variable.
  static constexpr bool Writable =
      IsPointer ? !std::is_const_v<ShadowTarget>
                : std::is_lvalue_reference_v<D> && !std::is_const_v<Shadow>;
  template <class W> static RG_INLINE Port make(W &&X) {
    if constexpr (IsPointer) {
      return Port{{},
                  X.value,
                  const_cast<std::remove_cv_t<ShadowTarget> *>(
                      static_cast<ShadowTarget *>(X.shadow))};
    } else {
      if constexpr (holdsNumbers<Bare<T>>)
        check(Numbers<Bare<T>>::size(X.value) ==
                  Numbers<Bare<T>>::size(X.shadow),
              "rg::dup needs a shadow of the size of its argument");
      return Port{
          {}, const_cast<Value *>(&X.value), const_cast<Bare<D> *>(&X.shadow)};
    }
  }
};
template <class A> struct IsDup : std::false_type {
  static constexpr bool Writable = true;
};
template <class T, class D> struct IsDup<Dup<T, D>> : std::true_type {
  static constexpr bool Writable = WrappedDup<T, D, void>::Writable;
};
template <class A>
struct IsConstantArgument
    : std::bool_constant<std::is_integral_v<A> || std::is_enum_v<A>> {};
template <class T> struct IsConstantArgument<Constant<T>> : std::true_type {};

template <class A, class W = Bare<A>> struct MakerOf : Maker<A> {};
template <class A, class T>
struct MakerOf<A, Constant<T>> : WrappedConstant<T, A> {};
template <class A, class T>
struct MakerOf<A, Active<T>> : WrappedActive<T, A> {};
template <class A, class T, class D>
struct MakerOf<A, Dup<T, D>> : WrappedDup<T, D, A> {};

template <Problem P, class... A>
inline constexpr bool without = ((MakerOf<A>::Why != P) && ...);
template <class... A>
inline constexpr bool portable = ((MakerOf<A>::Why == Problem::None) && ...);

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// How f is given to the thunk: a function by its address, an object by its.
template <class F, bool = std::is_pointer_v<F>> struct Callee {
  using Pass = F;
  static RG_INLINE F pass(const F &f) { return f; }
  static RG_INLINE F get(F f) { return f; }
};
template <class F> struct Callee<F, false> {
  using Pass = const F *;
  static RG_INLINE const F *pass(const F &f) { return &f; }
  static RG_INLINE const F &get(const F *f) { return *f; }
};

template <class F, bool Portable, class... A> struct ResultOf {
  using Type = Wrong;
  static constexpr bool Callable = false;
};
template <class F, bool Called, class... P> struct ResultIfCallable {
  using Type = Wrong;
  static constexpr bool Callable = false;
};
template <class F, class... P> struct ResultIfCallable<F, true, P...> {
  using Type = Bare<std::invoke_result_t<const F &, typename P::Seen...>>;
  static constexpr bool Callable = true;
};
template <class F, class... A>
struct ResultOf<F, true, A...>
    : ResultIfCallable<
          F, std::is_invocable_v<const F &, typename MakerOf<A>::Port::Seen...>,
          typename MakerOf<A>::Port...> {};
template <class F, class... A>
using Invocation = ResultOf<F, portable<A...>, A...>;
template <class F, class... A>
using Result = typename Invocation<F, A...>::Type;
/// True also when something else is wrong, which is told by its own message.
template <class F, class... A>
inline constexpr bool callable =
    !portable<A...> || Invocation<F, A...>::Callable;

/// Thunks, by what is made of f's result R.
template <class R, class F, class... P> struct ReturnThunk {
  static R call(typename Callee<F>::Pass f, typename P::Pass... a) {
    return Callee<F>::get(f)(P::as(a)...);
  }
};
template <class R, class F, class... P> struct StoreThunk {
  static void call(typename Callee<F>::Pass f, R *Out, typename P::Pass... a) {
    *Out = Callee<F>::get(f)(P::as(a)...);
  }
};
template <class R, class F, class... P> struct WeighThunk {
  static typename Numbers<R>::Scalar
  call(typename Callee<F>::Pass f, const R *Seed, typename P::Pass... a) {
    return weigh<R>(*Seed, Callee<F>::get(f)(P::as(a)...));
  }
};

//===----------------------------------------------------------------------===//
// The derivative call
//===----------------------------------------------------------------------===//

struct ConstTag {};
struct DupTag {};
RG_INLINE int marker(ConstTag) { return enzyme_const; }
RG_INLINE int marker(DupTag) { return enzyme_dup; }
template <class T> RG_INLINE T *marker(T *P) { return P; }

enum class Mode { Gradient, ValueAndGradient, Tangent, Store };

template <Mode M, class R, class... Flat>
RG_INLINE auto callEntry(void *Thunk, Flat... flat) {
  if constexpr (M == Mode::Gradient)
    ::__enzyme_autodiff_void<0>(Thunk, marker(flat)...);
  else if constexpr (M == Mode::Store)
    ::__enzyme_fwddiff_void<0>(Thunk, marker(flat)...);
  else if constexpr (M == Mode::ValueAndGradient) {
    // The result has the primal alone: every adjoint goes to a shadow.
    if constexpr (std::is_same_v<R, float>)
      return ::__enzyme_autodiff_float<0>(Thunk, enzyme_primal_return,
                                          marker(flat)...);
    else if constexpr (std::is_same_v<R, double>)
      return ::__enzyme_autodiff<0>(Thunk, enzyme_primal_return,
                                    marker(flat)...);
    else
      return ::__enzyme_autodiff_longdouble<0>(Thunk, enzyme_primal_return,
                                               marker(flat)...);
  } else {
    if constexpr (std::is_same_v<R, float>)
      return ::__enzyme_fwddiff_float<0>(Thunk, marker(flat)...);
    else if constexpr (std::is_same_v<R, double>)
      return ::__enzyme_fwddiff<0>(Thunk, marker(flat)...);
    else
      return ::__enzyme_fwddiff_longdouble<0>(Thunk, marker(flat)...);
  }
}

/// Appends marker, value and shadow of each port to the arguments.
template <Mode M, class R, std::size_t I, class Ports, class... Flat>
RG_INLINE auto expand(void *Thunk, Ports &ports, Flat... flat) {
  if constexpr (I == std::tuple_size_v<Ports>) {
    return callEntry<M, R>(Thunk, flat...);
  } else {
    auto &Port = std::get<I>(ports);
    if constexpr (std::remove_reference_t<decltype(Port)>::IsConstant)
      return expand<M, R, I + 1>(Thunk, ports, flat..., ConstTag(), Port.value);
    else
      return expand<M, R, I + 1>(Thunk, ports, flat..., DupTag(), Port.value,
                                 Port.shadow);
  }
}

template <class Tuple> RG_INLINE auto unpack(Tuple &&Parts) {
  constexpr std::size_t Size = std::tuple_size_v<Bare<Tuple>>;
  if constexpr (Size == 1)
    return std::get<0>(std::move(Parts));
  else if constexpr (Size > 1)
    return std::move(Parts);
}

template <class F, class... P>
RG_INLINE auto gradientOf(const F &f, P &&...ports) {
  using R = Bare<std::invoke_result_t<const F &, typename Bare<P>::Seen...>>;
  std::tuple<P &...> Ports(ports...);
  expand<Mode::Gradient, R, 0>(
      reinterpret_cast<void *>(&ReturnThunk<R, F, Bare<P>...>::call), Ports,
      ConstTag(), Callee<F>::pass(f));
  return unpack(std::tuple_cat(ports.take()...));
}

template <class F, class... P>
RG_INLINE auto valueAndGradientOf(const F &f, P &&...ports) {
  using R = Bare<std::invoke_result_t<const F &, typename Bare<P>::Seen...>>;
  std::tuple<P &...> Ports(ports...);
  R Value = expand<Mode::ValueAndGradient, R, 0>(
      reinterpret_cast<void *>(&ReturnThunk<R, F, Bare<P>...>::call), Ports,
      ConstTag(), Callee<F>::pass(f));
  auto Parts = std::tuple_cat(ports.take()...);
  if constexpr (std::tuple_size_v<decltype(Parts)> == 0)
    return Value;
  else
    return std::pair(Value, unpack(std::move(Parts)));
}

template <class F, class... P> RG_INLINE auto jvpOf(const F &f, P &&...ports) {
  using R = Bare<std::invoke_result_t<const F &, typename Bare<P>::Seen...>>;
  std::tuple<P &...> Ports(ports...);
  if constexpr (std::is_floating_point_v<R>) {
    return expand<Mode::Tangent, R, 0>(
        reinterpret_cast<void *>(&ReturnThunk<R, F, Bare<P>...>::call), Ports,
        ConstTag(), Callee<F>::pass(f));
  } else if constexpr (std::is_void_v<R>) {
    expand<Mode::Store, R, 0>(
        reinterpret_cast<void *>(&ReturnThunk<R, F, Bare<P>...>::call), Ports,
        ConstTag(), Callee<F>::pass(f));
  } else {
    R Out{}, Tangent{};
    expand<Mode::Store, R, 0>(
        reinterpret_cast<void *>(&StoreThunk<R, F, Bare<P>...>::call), Ports,
        ConstTag(), Callee<F>::pass(f), DupTag(), &Out, &Tangent);
    return Tangent;
  }
}

template <class R, class F, class... P>
RG_INLINE auto vjpOf(const F &f, const R &Seed, P &&...ports) {
  std::tuple<P &...> Ports(ports...);
  expand<Mode::Gradient, R, 0>(
      reinterpret_cast<void *>(&WeighThunk<R, F, Bare<P>...>::call), Ports,
      ConstTag(), Callee<F>::pass(f), ConstTag(), &Seed);
  return unpack(std::tuple_cat(ports.take()...));
}

/// References to arguments between vjp(f)(x) and its (seed); values of
/// temporaries.
template <class... A> struct Kept {};
template <class A, class... Rest> struct Kept<A, Rest...> {
  A First;
  Kept<Rest...> Others;
};
RG_INLINE Kept<> keep() { return {}; }
template <class A, class... Rest>
RG_INLINE Kept<A, Rest...> keep(A &&First, Rest &&...Others) {
  return {static_cast<A &&>(First), keep(static_cast<Rest &&>(Others)...)};
}
template <class R, class F, class... P>
RG_INLINE auto vjpOfKept(const F &f, const R &Seed, Kept<> &, P &...ports) {
  return vjpOf<R>(f, Seed, ports...);
}
template <class R, class F, class A, class... Rest, class... P>
RG_INLINE auto vjpOfKept(const F &f, const R &Seed, Kept<A, Rest...> &Arguments,
                         P &...ports) {
  auto Port = MakerOf<A>::make(Arguments.First);
  return vjpOfKept<R>(f, Seed, Arguments.Others, ports..., Port);
}

/// Types of Jacobians: one X for each number of R.
template <class R, class X> struct Rows {
  using Type = std::vector<X>;
  static Type make(std::size_t Size, const X &Like) { return Type(Size, Like); }
  static X &row(Type &J, std::size_t I) { return J[I]; }
};
template <class T, std::size_t N, class X> struct Rows<std::array<T, N>, X> {
  using Type = std::array<X, N>;
  static Type make(std::size_t, const X &Like) {
    Type J;
    J.fill(Like);
    return J;
  }
  static X &row(Type &J, std::size_t I) { return J[I]; }
};
template <class T, class X> struct RowsOfScalar {
  using Type = X;
  static Type make(std::size_t, const X &Like) { return Like; }
  static X &row(Type &J, std::size_t) { return J; }
};
template <class X> struct Rows<float, X> : RowsOfScalar<float, X> {};
template <class X> struct Rows<double, X> : RowsOfScalar<double, X> {};
template <class X>
struct Rows<long double, X> : RowsOfScalar<long double, X> {};

} // namespace detail
} // namespace rg

#include "strips.hpp"

#include "hessians.hpp"

#ifdef __CUDA__
#include "launches.hpp"
#endif

namespace rg {

//===----------------------------------------------------------------------===//
// What users call
//===----------------------------------------------------------------------===//

#define RG_REQUIRE_KNOWN_ARGUMENTS(Without)                                    \
  RG_REQUIRE((detail::Without<detail::Problem::Pointer, A...>),                \
             "a pointer must be wrapped: rg::dup(p, dp) with its shadow, or "  \
             "rg::constant(p)")                                                \
  RG_REQUIRE((detail::Without<detail::Problem::NotActive, A...>),              \
             "an argument of this type cannot be differentiated: wrap it in "  \
             "rg::constant(x), in rg::dup(x, dx) with a shadow of the same "   \
             "type, or, "                                                      \
             "for a plain struct, in rg::active(x)")
#define RG_REQUIRE_ARGUMENTS                                                   \
  RG_REQUIRE_KNOWN_ARGUMENTS(without)                                          \
  RG_REQUIRE(                                                                  \
      (detail::without<detail::Problem::ShadowType, A...>),                    \
      "the shadow in rg::dup(x, dx) must have the type of the argument")       \
  RG_REQUIRE((detail::without<detail::Problem::ConstShadow, A...>),            \
             "the shadow in rg::dup(p, dp) must not be const where the "       \
             "argument is not")                                                \
  RG_REQUIRE(                                                                  \
      (detail::callable<F, A...>),                                             \
      "the function cannot be called with these arguments: their number or "   \
      "types do not fit (active numbers are passed as lvalues; a mutable "     \
      "lambda "                                                                \
      "has no const call operator)")
#define RG_REQUIRE_WRITABLE                                                    \
  RG_REQUIRE(                                                                  \
      (detail::IsDup<detail::Bare<A>>::Writable && ...),                       \
      "reverse mode adds derivatives to the shadow in rg::dup(x, dx), so it "  \
      "must be a variable that is not const")

#ifdef __CUDA__
#define RG_REQUIRE_NO_KERNEL                                                   \
  RG_REQUIRE((!detail::KernelType<F>::Is),                                     \
             "the gradient of a kernel is launched: "                          \
             "rg::gradient(kernel).launch(grid, block, arguments...)")
#else
#define RG_REQUIRE_NO_KERNEL
#endif

/// rg::gradient(f)
template <class F> struct Gradient {
  F f;
#ifdef __CUDA__
  template <class... A>
  RG_INLINE auto launch(dim3 grid, dim3 block, A &&...a) const RG_REQUIRE(
      (detail::KernelType<F>::Is),
      "only the gradient of a kernel is launched with a grid: the derivative "
      "of a host function is called, rg::gradient(f)(arguments...)")
      RG_REQUIRE((!detail::KernelType<F>::Is ||
                  detail::Launching<F, A...>::template Without<
                      detail::Problem::Pointer>),
                 "a pointer must be wrapped: rg::dup(p, dp) with its shadow, "
                 "rg::output(p, dp), or rg::constant(p)")
          RG_REQUIRE((!detail::KernelType<F>::Is ||
                      (detail::Launching<F, A...>::template Without<
                           detail::Problem::ShadowType> &&
                       detail::Launching<F, A...>::template Without<
                           detail::Problem::ConstShadow>)),
                     "the shadow in rg::dup(p, dp) must have the type of the "
                     "argument, and must not be const")
              RG_REQUIRE(
                  (!detail::KernelType<F>::Is ||
                   detail::Launching<F, A...>::template Without<
                       detail::Problem::NotActive>),
                  "an argument of this type cannot be differentiated: wrap it "
                  "in rg::constant(x)")
                  RG_REQUIRE(
                      (!detail::KernelType<F>::Is ||
                       !detail::Launching<F, A...>::Portable ||
                       detail::Launching<F, A...>::Fit),
                      "the kernel cannot be launched with these arguments: "
                      "after "
                      "grid and block come the bytes of shared memory and the "
                      "stream, both or none or the first, and then one "
                      "argument for "
                      "each parameter of the kernel") {
    if constexpr (detail::KernelType<F>::Is)
      if constexpr (detail::Launching<F, A...>::Portable &&
                    detail::Launching<F, A...>::Fit)
        return detail::Launching<F, A...>::run(
            f, detail::LaunchPlace{grid, block, 0, nullptr},
            static_cast<A &&>(a)...);
      else
        return detail::Wrong();
    else
      return detail::Wrong();
  }
#endif
  template <class... A>
  RG_INLINE auto operator()(A &&...a) const RG_REQUIRE_NO_KERNEL
      RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE RG_REQUIRE(
          (!detail::callable<F, A...> || !detail::portable<A...> ||
           std::is_floating_point_v<detail::Result<F, A...>>),
          "the function must return one floating-point number; use rg::vjp or "
          "rg::jacobian for several results") {
    if constexpr (detail::portable<A...> &&
                  std::is_floating_point_v<detail::Result<F, A...>>)
      return detail::gradientOf<F>(f, detail::MakerOf<A>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::value_and_gradient(f)
template <class F> struct ValueAndGradient {
  F f;
  template <class... A>
  RG_INLINE auto
  operator()(A &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE
      RG_REQUIRE(
          (!detail::callable<F, A...> || !detail::portable<A...> ||
           std::is_floating_point_v<detail::Result<F, A...>>),
          "the function must return one floating-point number; use rg::vjp or "
          "rg::jacobian for several results") {
    if constexpr (detail::portable<A...> &&
                  std::is_floating_point_v<detail::Result<F, A...>>)
      return detail::valueAndGradientOf<F>(f, detail::MakerOf<A>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::jvp(f)
template <class F> struct Jvp {
  F f;
  template <class... A>
  RG_INLINE auto operator()(A &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE(
      ((detail::IsDup<detail::Bare<A>>::value ||
        detail::IsConstantArgument<detail::Bare<A>>::value) &&
       ...),
      "rg::jvp needs a direction: wrap each active argument in rg::dup(x, dx), "
      "and each other one in rg::constant(x)")
      RG_REQUIRE((detail::sameLanes<A...>),
                 "rg::jvp along several directions needs as many for each "
                 "active argument: wrap each in rg::directions(x, dxs), dxs a "
                 "std::array") {
    if constexpr (detail::portable<A...> &&
                  detail::Invocation<F, A...>::Callable &&
                  ((detail::IsDup<detail::Bare<A>>::value ||
                    detail::IsConstantArgument<detail::Bare<A>>::value) &&
                   ...) &&
                  detail::sameLanes<A...> && detail::lanesOfAll<A...>() != 0)
      return detail::jvpStripOf<detail::lanesOfAll<A...>()>(
          f, detail::MakerOf<A>::make(a)...);
    else if constexpr (detail::portable<A...> &&
                       detail::Invocation<F, A...>::Callable &&
                       ((detail::IsDup<detail::Bare<A>>::value ||
                         detail::IsConstantArgument<detail::Bare<A>>::value) &&
                        ...) &&
                       detail::sameLanes<A...>)
      return detail::jvpOf<F>(f, detail::MakerOf<A>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::vjp(f)(arguments), which waits for the seed.
template <class F, class R, class... A> struct SeededVjp {
  F f;
  detail::Kept<A...> Arguments;
  template <class S>
  RG_INLINE auto operator()(const S &Seed) RG_REQUIRE(
      (std::is_convertible_v<const S &, R>),
      "the seed of rg::vjp must have the type of the function's result") {
    if constexpr (std::is_same_v<S, R>)
      return detail::vjpOfKept<R>(f, Seed, Arguments);
    else if constexpr (std::is_convertible_v<const S &, R>)
      return detail::vjpOfKept<R>(f, static_cast<R>(Seed), Arguments);
    else
      return detail::Wrong();
  }
};

/// rg::vjp(f)
template <class F> struct Vjp {
  F f;
  template <class... A>
  RG_INLINE auto
  operator()(A &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE
      RG_REQUIRE(
          (!detail::callable<F, A...> || !detail::portable<A...> ||
           detail::holdsNumbers<detail::Result<F, A...>>),
          "the function must return a floating-point number, or a std::array, "
          "std::vector or std::complex of them") {
    if constexpr (detail::portable<A...> &&
                  detail::holdsNumbers<detail::Result<F, A...>>)
      return SeededVjp<F, detail::Result<F, A...>, A...>{
          f, detail::keep(static_cast<A &&>(a)...)};
    else
      return [](auto &&...) { return detail::Wrong(); };
  }
};

/// rg::jacobian(f)
template <class F> struct Jacobian {
  F f;
  template <class A1, class... A>
  RG_INLINE auto operator()(A1 &&x, A &&...a) const RG_REQUIRE(
      (detail::holdsNumbers<detail::Bare<A1>>),
      "the first argument of a Jacobian must be a floating-point number, or a "
      "std::array, std::vector or std::complex of them")
      RG_REQUIRE(
          (detail::IsConstantArgument<detail::Bare<A>>::value && ...),
          "a Jacobian is taken by the first argument: wrap the others in "
          "rg::constant(x)")
          RG_REQUIRE((!detail::holdsNumbers<detail::Bare<A1>> ||
                      detail::callable<F, A1, A...>),
                     "the function cannot be called with these arguments: "
                     "their number or types "
                     "do not fit")
              RG_REQUIRE((!detail::callable<F, A1, A...> ||
                          !detail::portable<A1, A...> ||
                          detail::holdsNumbers<detail::Result<F, A1, A...>>),
                         "the function must return a floating-point number, or "
                         "a std::array, "
                         "std::vector or std::complex of them") {
    if constexpr (detail::holdsNumbers<detail::Bare<A1>> &&
                  detail::portable<A1, A...> &&
                  detail::holdsNumbers<detail::Result<F, A1, A...>> &&
                  (detail::IsConstantArgument<detail::Bare<A>>::value && ...))
      return compute<detail::Bare<A1>, detail::Result<F, A1, A...>>(x, a...);
    else
      return detail::Wrong();
  }

private:
  /// By columns in forward mode or by rows in reverse mode, whichever are
  /// fewer.
  template <class X, class R, class... A>
  RG_INLINE auto compute(const X &x, A &...a) const {
    using NX = detail::Numbers<X>;
    using NR = detail::Numbers<R>;
    using Rows = detail::Rows<R, X>;
    X Point = x;
    const R Value = f(Point, detail::MakerOf<A &>::Port::as(
                                 detail::MakerOf<A &>::make(a).value)...);
    const std::size_t M = NR::size(Value), N = NX::size(Point);
    auto J = Rows::make(M, NX::zeros(Point));
    auto Unit = [](auto Zero, std::size_t I) {
      detail::Numbers<decltype(Zero)>::at(Zero, I) = 1;
      return Zero;
    };
    auto Column = [&](std::size_t C, R &Tangent) {
      for (std::size_t Row = 0; Row < M; ++Row)
        NX::at(Rows::row(J, Row), C) = NR::at(Tangent, Row);
    };
    if constexpr (std::is_floating_point_v<X>) {
      X Direction = 1;
      R Tangent = detail::jvpOf<F>(
          f, detail::WrappedDup<X &, X &, void>::make(dup(Point, Direction)),
          detail::MakerOf<A &>::make(a)...);
      Column(0, Tangent);
    } else if constexpr (std::is_floating_point_v<R>) {
      Rows::row(J, 0) =
          detail::vjpOf<R, F>(f, R(1), detail::MakerOf<X &>::make(Point),
                              detail::MakerOf<A &>::make(a)...);
    } else if (N <= M) {
      detail::forColumns<R>(
          f, Point, N, [&](std::size_t C) { return Unit(NX::zeros(Point), C); },
          Column, detail::MakerOf<A &>::make(a)...);
    } else {
      detail::forRows<R>(
          f, Point, M,
          [&](std::size_t Row) { return Unit(NR::zeros(Value), Row); },
          NR::zeros(Value),
          [&](std::size_t Row, X &Adjoint) {
            Rows::row(J, Row) = std::move(Adjoint);
          },
          detail::MakerOf<A &>::make(a)...);
    }
    return J;
  }
};

/// rg::hvp(f)
template <class F> struct Hvp {
  F f;
  template <class... A>
  RG_INLINE auto
  operator()(A &&...a) const RG_REQUIRE_KNOWN_ARGUMENTS(withoutBefore)
      RG_REQUIRE((detail::argumentsAmong<A...>() != 0 ||
                  !detail::withoutBefore<detail::Problem::Pointer, A...> ||
                  !detail::withoutBefore<detail::Problem::NotActive, A...>),
                 "rg::hvp takes the arguments of the function and then a "
                 "direction for "
                 "each that is not constant, or arguments in rg::dup(x, v)")
          RG_REQUIRE(
              (detail::HvpOf<F, A...>::Fits),
              "a direction of rg::hvp must have the type of its argument")
              RG_REQUIRE(
                  (detail::HvpOf<F, A...>::Sized),
                  "rg::hvp returns a product for each argument in "
                  "rg::dup(x, v), which must be a number, a std::array, "
                  "std::vector or std::complex of them, or a plain struct")
                  RG_REQUIRE(
                      (detail::HvpOf<F, A...>::Callable),
                      "the function cannot be called with these arguments: "
                      "their number or types do not fit")
                      RG_REQUIRE((detail::HvpOf<F, A...>::Scalar),
                                 "the function must return one floating-point "
                                 "number to have a Hessian") {
    if constexpr (detail::HvpOf<F, A...>::Right)
      return detail::HvpOf<F, A...>::compute(f, std::tuple<A &...>(a...));
    else
      return detail::Wrong();
  }
};

/// rg::hessian(f)
template <class F> struct Hessian {
  F f;
  template <class A1, class... A>
  RG_INLINE auto operator()(A1 &&x, A &&...a) const RG_REQUIRE(
      (detail::holdsNumbers<detail::Bare<A1>>),
      "the first argument of a Hessian must be a floating-point number, or a "
      "std::array, std::vector or std::complex of them")
      RG_REQUIRE((detail::IsConstantArgument<detail::Bare<A>>::value && ...),
                 "a Hessian is taken by the first argument: wrap the others in "
                 "rg::constant(x)")
          RG_REQUIRE((!detail::holdsNumbers<detail::Bare<A1>> ||
                      detail::callable<F, detail::Bare<A1> &, A...>),
                     "the function cannot be called with these arguments: "
                     "their number or types do not fit")
              RG_REQUIRE((!detail::callable<F, detail::Bare<A1> &, A...> ||
                          !detail::portable<A1, A...> ||
                          std::is_floating_point_v<
                              detail::Result<F, detail::Bare<A1> &, A...>>),
                         "the function must return one floating-point number "
                         "to have a Hessian") {
    if constexpr (detail::holdsNumbers<detail::Bare<A1>> &&
                  detail::portable<A1, A...> &&
                  std::is_floating_point_v<
                      detail::Result<F, detail::Bare<A1> &, A...>> &&
                  (detail::IsConstantArgument<detail::Bare<A>>::value && ...)) {
      detail::Bare<A1> Point = x;
      return detail::hessianOf<F>(f, Point, detail::MakerOf<A>::make(a)...);
    } else
      return detail::Wrong();
  }
};

#define RG_REQUIRE_FUNCTION                                                    \
  RG_REQUIRE(                                                                  \
      (std::is_class_v<std::decay_t<F>> ||                                     \
       std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>),            \
      "only a function, a lambda or an object with a call operator can be "    \
      "differentiated")

template <class F>
RG_INLINE Gradient<std::decay_t<F>> gradient(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE ValueAndGradient<std::decay_t<F>>
value_and_gradient(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE Jvp<std::decay_t<F>> jvp(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE Vjp<std::decay_t<F>> vjp(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE Jacobian<std::decay_t<F>> jacobian(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE Hvp<std::decay_t<F>> hvp(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}
template <class F>
RG_INLINE Hessian<std::decay_t<F>> hessian(F &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<F &&>(f)};
}

#undef RG_REQUIRE_FUNCTION
#undef RG_REQUIRE_ARGUMENTS
#undef RG_REQUIRE_KNOWN_ARGUMENTS
#undef RG_REQUIRE_WRITABLE
#undef RG_REQUIRE
#undef RG_INLINE

} // namespace rg

#endif // RETROGRAD_RETROGRAD_HPP
