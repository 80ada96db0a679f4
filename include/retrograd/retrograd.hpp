//===- retrograd.hpp - derivatives with C++ types ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++17, header-only, for programs compiled by rg-clang++. Programs define
// letters (-DN=1024), so no name here is one; comments say T for _RgT.
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
template <class _RgT> struct Constant {
  _RgT value;
};
template <class _RgT> struct Active {
  _RgT value;
};
template <class _RgT, class _RgD> struct Dup {
  _RgT value;
  _RgD shadow;
};

/// Not differentiated.
template <class _RgT> RG_INLINE Constant<_RgT> constant(_RgT &&x) {
  return {static_cast<_RgT &&>(x)};
}
/// Differentiated; the derivative is part of the result.
template <class _RgT> RG_INLINE Active<_RgT> active(_RgT &&x) {
  return {static_cast<_RgT &&>(x)};
}
/// Differentiated; the derivative is dx.
template <class _RgT, class _RgD>
RG_INLINE Dup<_RgT, _RgD> dup(_RgT &&x, _RgD &&dx) {
  return {static_cast<_RgT &&>(x), static_cast<_RgD &&>(dx)};
}

namespace detail {

template <class _RgT>
using Bare = std::remove_cv_t<std::remove_reference_t<_RgT>>;

/// What a call with wrong arguments "returns": the error has been told, and
/// whatever is done with the result shall not cause another one.
struct Wrong {
  template <class _RgT> operator _RgT() const;
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
template <class _RgT, class = void> struct Numbers {
  using Scalar = void;
};
template <class _RgT>
struct Numbers<_RgT, std::enable_if_t<std::is_floating_point_v<_RgT>>> {
  using Scalar = _RgT;
  static std::size_t size(const _RgT &) { return 1; }
  static _RgT &at(_RgT &x, std::size_t) { return x; }
  static _RgT zeros(const _RgT &) { return _RgT(0); }
};
template <class _RgT, std::size_t _RgN>
struct Numbers<std::array<_RgT, _RgN>,
               std::enable_if_t<std::is_floating_point_v<_RgT>>> {
  using Scalar = _RgT;
  static std::size_t size(const std::array<_RgT, _RgN> &) { return _RgN; }
  static _RgT &at(std::array<_RgT, _RgN> &x, std::size_t i) { return x[i]; }
  static std::array<_RgT, _RgN> zeros(const std::array<_RgT, _RgN> &) {
    return {};
  }
};
template <class _RgT>
struct Numbers<std::vector<_RgT>,
               std::enable_if_t<std::is_floating_point_v<_RgT>>> {
  using Scalar = _RgT;
  static std::size_t size(const std::vector<_RgT> &x) { return x.size(); }
  static _RgT &at(std::vector<_RgT> &x, std::size_t i) { return x[i]; }
  static std::vector<_RgT> zeros(const std::vector<_RgT> &x) {
    return std::vector<_RgT>(x.size());
  }
};
template <class _RgT>
struct Numbers<std::complex<_RgT>,
               std::enable_if_t<std::is_floating_point_v<_RgT>>> {
  using Scalar = _RgT;
  static std::size_t size(const std::complex<_RgT> &) { return 2; }
  static _RgT &at(std::complex<_RgT> &x, std::size_t i) {
    return reinterpret_cast<_RgT(&)[2]>(x)[i];
  }
  static std::complex<_RgT> zeros(const std::complex<_RgT> &) { return {}; }
};

template <class _RgT>
inline constexpr bool holdsNumbers =
    !std::is_void_v<typename Numbers<_RgT>::Scalar>;

/// A zero of type T for structs, which we do not look into.
template <class _RgT> _RgT zeroed(const _RgT &Like) {
  if constexpr (holdsNumbers<_RgT>) {
    return Numbers<_RgT>::zeros(Like);
  } else {
    _RgT Zero;
    std::memset(static_cast<void *>(&Zero), 0, sizeof(_RgT));
    return Zero;
  }
}

/// The sum of Seed[i] * Value[i]: what vjp differentiates.
template <class _RgR>
typename Numbers<_RgR>::Scalar weigh(const _RgR &Seed, const _RgR &Value) {
  using _RgN = Numbers<_RgR>;
  if constexpr (std::is_floating_point_v<_RgR>) {
    return Seed * Value;
  } else {
    typename _RgN::Scalar Sum = 0;
    std::size_t Size = _RgN::size(Value);
    for (std::size_t _RgI = 0; _RgI < Size; ++_RgI)
      Sum += _RgN::at(const_cast<_RgR &>(Seed), _RgI) *
             _RgN::at(const_cast<_RgR &>(Value), _RgI);
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
template <class _RgT> struct ByAddress {
  using Pass = _RgT *;
  using Seen = _RgT &;
  static RG_INLINE _RgT &as(_RgT *_RgP) { return *_RgP; }
};
/// f gets the pointer itself.
template <class _RgP> struct ByValue {
  using Pass = _RgP;
  using Seen = _RgP;
  static RG_INLINE _RgP as(_RgP Pointer) { return Pointer; }
};

template <class _RgT> struct ConstantPort : ByAddress<_RgT> {
  static constexpr bool IsConstant = true;
  _RgT *value;
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class _RgP> struct ConstantPointerPort : ByValue<_RgP> {
  static constexpr bool IsConstant = true;
  _RgP value;
  RG_INLINE std::tuple<> take() { return {}; }
};
/// A number: a copy of it and its derivative live in the port. f may take it by
/// value, by const reference or by reference.
template <class _RgT> struct NumberPort : ByAddress<_RgT> {
  static constexpr bool IsConstant = false;
  _RgT Value, Shadow = _RgT(0);
  _RgT *value = &Value, *shadow = &Shadow;
  RG_INLINE explicit NumberPort(_RgT _RgX) : Value(_RgX) {}
  NumberPort(const NumberPort &) = delete;
  RG_INLINE std::tuple<_RgT> take() { return std::tuple<_RgT>(Shadow); }
};
/// Anything else that is active: the object stays where it is.
template <class _RgT> struct ActivePort : ByAddress<_RgT> {
  static constexpr bool IsConstant = false;
  Bare<_RgT> Shadow;
  _RgT *value;
  _RgT *shadow = &Shadow;
  RG_INLINE explicit ActivePort(_RgT &_RgX)
      : Shadow(zeroed<Bare<_RgT>>(_RgX)), value(&_RgX) {}
  ActivePort(const ActivePort &) = delete;
  RG_INLINE std::tuple<Bare<_RgT>> take() {
    return std::tuple<Bare<_RgT>>(std::move(Shadow));
  }
};
template <class _RgT> struct DupPort : ByAddress<_RgT> {
  static constexpr bool IsConstant = false;
  _RgT *value, *shadow;
  RG_INLINE std::tuple<> take() { return {}; }
};
template <class _RgP> struct DupPointerPort : ByValue<_RgP> {
  static constexpr bool IsConstant = false;
  _RgP value, shadow;
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

template <class _RgA, class = void> struct Maker {
  static constexpr Problem Why = std::is_pointer_v<std::decay_t<_RgA>>
                                     ? Problem::Pointer
                                     : Problem::NotActive;
};
/// Integers: constant.
template <class _RgA>
struct Maker<_RgA, std::enable_if_t<std::is_integral_v<Bare<_RgA>> ||
                                    std::is_enum_v<Bare<_RgA>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = ConstantPort<std::remove_reference_t<_RgA>>;
  static RG_INLINE Port make(std::remove_reference_t<_RgA> &_RgX) {
    return Port{{}, &_RgX};
  }
};
template <class _RgA>
struct Maker<_RgA, std::enable_if_t<std::is_floating_point_v<Bare<_RgA>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = NumberPort<Bare<_RgA>>;
  static RG_INLINE Port make(const Bare<_RgA> &_RgX) { return Port(_RgX); }
};
template <class _RgA>
struct Maker<_RgA, std::enable_if_t<holdsNumbers<Bare<_RgA>> &&
                                    !std::is_floating_point_v<Bare<_RgA>>>> {
  static constexpr Problem Why = Problem::None;
  using Port = ActivePort<std::remove_reference_t<_RgA>>;
  static RG_INLINE Port make(std::remove_reference_t<_RgA> &_RgX) {
    return Port(_RgX);
  }
};
template <class _RgT, class _RgA> struct WrappedConstant {
  static constexpr Problem Why = Problem::None;
  using Value = std::remove_reference_t<_RgT>;
  static constexpr bool IsPointer = std::is_pointer_v<std::decay_t<_RgT>>;
  using Port =
      std::conditional_t<IsPointer, ConstantPointerPort<std::decay_t<_RgT>>,
                         ConstantPort<Value>>;
  template <class _RgW> static RG_INLINE Port make(_RgW &&_RgX) {
    if constexpr (IsPointer)
      return Port{{}, _RgX.value};
    else
      return Port{{}, const_cast<Value *>(&_RgX.value)};
  }
};
template <class _RgT, class _RgA> struct WrappedActive {
  using Value = std::remove_reference_t<_RgT>;
  static constexpr bool Known = holdsNumbers<Bare<_RgT>>;
  static constexpr bool Struct = std::is_class_v<Bare<_RgT>> &&
                                 std::is_trivially_copyable_v<Bare<_RgT>> &&
                                 std::is_default_constructible_v<Bare<_RgT>>;
  static constexpr Problem Why = std::is_pointer_v<std::decay_t<_RgT>>
                                     ? Problem::Pointer
                                 : Known || Struct ? Problem::None
                                                   : Problem::NotActive;
  using Port = std::conditional_t<std::is_floating_point_v<Bare<_RgT>>,
                                  NumberPort<Bare<_RgT>>, ActivePort<Value>>;
  template <class _RgW> static RG_INLINE Port make(_RgW &&_RgX) {
    return Port(const_cast<Value &>(_RgX.value));
  }
};
template <class _RgT, class _RgD, class _RgA> struct WrappedDup {
  using Value = std::remove_reference_t<_RgT>;
  using Shadow = std::remove_reference_t<_RgD>;
  static constexpr bool IsPointer = std::is_pointer_v<std::decay_t<_RgT>> &&
                                    std::is_pointer_v<std::decay_t<_RgD>>;
  using Target = std::remove_pointer_t<std::decay_t<_RgT>>;
  using ShadowTarget = std::remove_pointer_t<std::decay_t<_RgD>>;
  static constexpr Problem Why =
      IsPointer ? (!std::is_same_v<std::remove_cv_t<Target>,
                                   std::remove_cv_t<ShadowTarget>>
                       ? Problem::ShadowType
                   : std::is_const_v<ShadowTarget> && !std::is_const_v<Target>
                       ? Problem::ConstShadow
                       : Problem::None)
      : !std::is_same_v<Bare<_RgT>, Bare<_RgD>> ? Problem::ShadowType
                                                : Problem::None;
  using Port = std::conditional_t<IsPointer, DupPointerPort<std::decay_t<_RgT>>,
                                  DupPort<Value>>;
  /// Reverse mode adds to the shadow, so it has to be a variable.
  static constexpr bool Writable =
      IsPointer ? !std::is_const_v<ShadowTarget>
                : std::is_lvalue_reference_v<_RgD> && !std::is_const_v<Shadow>;
  template <class _RgW> static RG_INLINE Port make(_RgW &&_RgX) {
    if constexpr (IsPointer) {
      return Port{{},
                  _RgX.value,
                  const_cast<std::remove_cv_t<ShadowTarget> *>(
                      static_cast<ShadowTarget *>(_RgX.shadow))};
    } else {
      if constexpr (holdsNumbers<Bare<_RgT>>)
        check(Numbers<Bare<_RgT>>::size(_RgX.value) ==
                  Numbers<Bare<_RgT>>::size(_RgX.shadow),
              "rg::dup needs a shadow of the size of its argument");
      return Port{{},
                  const_cast<Value *>(&_RgX.value),
                  const_cast<Bare<_RgD> *>(&_RgX.shadow)};
    }
  }
};
template <class _RgA> struct IsDup : std::false_type {
  static constexpr bool Writable = true;
};
template <class _RgT, class _RgD>
struct IsDup<Dup<_RgT, _RgD>> : std::true_type {
  static constexpr bool Writable = WrappedDup<_RgT, _RgD, void>::Writable;
};
template <class _RgA>
struct IsConstantArgument
    : std::bool_constant<std::is_integral_v<_RgA> || std::is_enum_v<_RgA>> {};
template <class _RgT>
struct IsConstantArgument<Constant<_RgT>> : std::true_type {};

template <class _RgA, class _RgW = Bare<_RgA>> struct MakerOf : Maker<_RgA> {};
template <class _RgA, class _RgT>
struct MakerOf<_RgA, Constant<_RgT>> : WrappedConstant<_RgT, _RgA> {};
template <class _RgA, class _RgT>
struct MakerOf<_RgA, Active<_RgT>> : WrappedActive<_RgT, _RgA> {};
template <class _RgA, class _RgT, class _RgD>
struct MakerOf<_RgA, Dup<_RgT, _RgD>> : WrappedDup<_RgT, _RgD, _RgA> {};

template <Problem _RgP, class... _RgA>
inline constexpr bool without = ((MakerOf<_RgA>::Why != _RgP) && ...);
template <class... _RgA>
inline constexpr bool portable = ((MakerOf<_RgA>::Why == Problem::None) && ...);

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// How f is given to the thunk: a function by its address, an object by its.
template <class _RgF, bool = std::is_pointer_v<_RgF>> struct Callee {
  using Pass = _RgF;
  static RG_INLINE _RgF pass(const _RgF &f) { return f; }
  static RG_INLINE _RgF get(_RgF f) { return f; }
};
template <class _RgF> struct Callee<_RgF, false> {
  using Pass = const _RgF *;
  static RG_INLINE const _RgF *pass(const _RgF &f) { return &f; }
  static RG_INLINE const _RgF &get(const _RgF *f) { return *f; }
};

template <class _RgF, bool Portable, class... _RgA> struct ResultOf {
  using Type = Wrong;
  static constexpr bool Callable = false;
};
template <class _RgF, bool Called, class... _RgP> struct ResultIfCallable {
  using Type = Wrong;
  static constexpr bool Callable = false;
};
template <class _RgF, class... _RgP>
struct ResultIfCallable<_RgF, true, _RgP...> {
  using Type = Bare<std::invoke_result_t<const _RgF &, typename _RgP::Seen...>>;
  static constexpr bool Callable = true;
};
template <class _RgF, class... _RgA>
struct ResultOf<_RgF, true, _RgA...>
    : ResultIfCallable<_RgF,
                       std::is_invocable_v<
                           const _RgF &, typename MakerOf<_RgA>::Port::Seen...>,
                       typename MakerOf<_RgA>::Port...> {};
template <class _RgF, class... _RgA>
using Invocation = ResultOf<_RgF, portable<_RgA...>, _RgA...>;
template <class _RgF, class... _RgA>
using Result = typename Invocation<_RgF, _RgA...>::Type;
/// True also when something else is wrong, which is told by its own message.
template <class _RgF, class... _RgA>
inline constexpr bool callable =
    !portable<_RgA...> || Invocation<_RgF, _RgA...>::Callable;

/// Thunks, by what is made of f's result R.
template <class _RgR, class _RgF, class... _RgP> struct ReturnThunk {
  static _RgR call(typename Callee<_RgF>::Pass f, typename _RgP::Pass... a) {
    return Callee<_RgF>::get(f)(_RgP::as(a)...);
  }
};
template <class _RgR, class _RgF, class... _RgP> struct StoreThunk {
  static void call(typename Callee<_RgF>::Pass f, _RgR *Out,
                   typename _RgP::Pass... a) {
    *Out = Callee<_RgF>::get(f)(_RgP::as(a)...);
  }
};
template <class _RgR, class _RgF, class... _RgP> struct WeighThunk {
  static typename Numbers<_RgR>::Scalar call(typename Callee<_RgF>::Pass f,
                                             const _RgR *Seed,
                                             typename _RgP::Pass... a) {
    return weigh<_RgR>(*Seed, Callee<_RgF>::get(f)(_RgP::as(a)...));
  }
};

//===----------------------------------------------------------------------===//
// The derivative call
//===----------------------------------------------------------------------===//

struct ConstTag {};
struct DupTag {};
RG_INLINE int marker(ConstTag) { return enzyme_const; }
RG_INLINE int marker(DupTag) { return enzyme_dup; }
template <class _RgT> RG_INLINE _RgT *marker(_RgT *_RgP) { return _RgP; }

enum class Mode { Gradient, ValueAndGradient, Tangent, Store };

template <Mode _RgM, class _RgR, class... Flat>
RG_INLINE auto callEntry(void *Thunk, Flat... flat) {
  if constexpr (_RgM == Mode::Gradient)
    ::__enzyme_autodiff_void<0>(Thunk, marker(flat)...);
  else if constexpr (_RgM == Mode::Store)
    ::__enzyme_fwddiff_void<0>(Thunk, marker(flat)...);
  else if constexpr (_RgM == Mode::ValueAndGradient) {
    // The result has the primal alone: every adjoint goes to a shadow.
    if constexpr (std::is_same_v<_RgR, float>)
      return ::__enzyme_autodiff_float<0>(Thunk, enzyme_primal_return,
                                          marker(flat)...);
    else if constexpr (std::is_same_v<_RgR, double>)
      return ::__enzyme_autodiff<0>(Thunk, enzyme_primal_return,
                                    marker(flat)...);
    else
      return ::__enzyme_autodiff_longdouble<0>(Thunk, enzyme_primal_return,
                                               marker(flat)...);
  } else {
    if constexpr (std::is_same_v<_RgR, float>)
      return ::__enzyme_fwddiff_float<0>(Thunk, marker(flat)...);
    else if constexpr (std::is_same_v<_RgR, double>)
      return ::__enzyme_fwddiff<0>(Thunk, marker(flat)...);
    else
      return ::__enzyme_fwddiff_longdouble<0>(Thunk, marker(flat)...);
  }
}

/// Appends marker, value and shadow of each port to the arguments.
template <Mode _RgM, class _RgR, std::size_t _RgI, class Ports, class... Flat>
RG_INLINE auto expand(void *Thunk, Ports &ports, Flat... flat) {
  if constexpr (_RgI == std::tuple_size_v<Ports>) {
    return callEntry<_RgM, _RgR>(Thunk, flat...);
  } else {
    auto &Port = std::get<_RgI>(ports);
    if constexpr (std::remove_reference_t<decltype(Port)>::IsConstant)
      return expand<_RgM, _RgR, _RgI + 1>(Thunk, ports, flat..., ConstTag(),
                                          Port.value);
    else
      return expand<_RgM, _RgR, _RgI + 1>(Thunk, ports, flat..., DupTag(),
                                          Port.value, Port.shadow);
  }
}

template <class Tuple> RG_INLINE auto unpack(Tuple &&Parts) {
  constexpr std::size_t Size = std::tuple_size_v<Bare<Tuple>>;
  if constexpr (Size == 1)
    return std::get<0>(std::move(Parts));
  else if constexpr (Size > 1)
    return std::move(Parts);
}

template <class _RgF, class... _RgP>
RG_INLINE auto gradientOf(const _RgF &f, _RgP &&...ports) {
  using _RgR =
      Bare<std::invoke_result_t<const _RgF &, typename Bare<_RgP>::Seen...>>;
  std::tuple<_RgP &...> Ports(ports...);
  expand<Mode::Gradient, _RgR, 0>(
      reinterpret_cast<void *>(&ReturnThunk<_RgR, _RgF, Bare<_RgP>...>::call),
      Ports, ConstTag(), Callee<_RgF>::pass(f));
  return unpack(std::tuple_cat(ports.take()...));
}

template <class _RgF, class... _RgP>
RG_INLINE auto valueAndGradientOf(const _RgF &f, _RgP &&...ports) {
  using _RgR =
      Bare<std::invoke_result_t<const _RgF &, typename Bare<_RgP>::Seen...>>;
  std::tuple<_RgP &...> Ports(ports...);
  _RgR Value = expand<Mode::ValueAndGradient, _RgR, 0>(
      reinterpret_cast<void *>(&ReturnThunk<_RgR, _RgF, Bare<_RgP>...>::call),
      Ports, ConstTag(), Callee<_RgF>::pass(f));
  auto Parts = std::tuple_cat(ports.take()...);
  if constexpr (std::tuple_size_v<decltype(Parts)> == 0)
    return Value;
  else
    return std::pair(Value, unpack(std::move(Parts)));
}

template <class _RgF, class... _RgP>
RG_INLINE auto jvpOf(const _RgF &f, _RgP &&...ports) {
  using _RgR =
      Bare<std::invoke_result_t<const _RgF &, typename Bare<_RgP>::Seen...>>;
  std::tuple<_RgP &...> Ports(ports...);
  if constexpr (std::is_floating_point_v<_RgR>) {
    return expand<Mode::Tangent, _RgR, 0>(
        reinterpret_cast<void *>(&ReturnThunk<_RgR, _RgF, Bare<_RgP>...>::call),
        Ports, ConstTag(), Callee<_RgF>::pass(f));
  } else if constexpr (std::is_void_v<_RgR>) {
    expand<Mode::Store, _RgR, 0>(
        reinterpret_cast<void *>(&ReturnThunk<_RgR, _RgF, Bare<_RgP>...>::call),
        Ports, ConstTag(), Callee<_RgF>::pass(f));
  } else {
    _RgR Out{}, Tangent{};
    expand<Mode::Store, _RgR, 0>(
        reinterpret_cast<void *>(&StoreThunk<_RgR, _RgF, Bare<_RgP>...>::call),
        Ports, ConstTag(), Callee<_RgF>::pass(f), DupTag(), &Out, &Tangent);
    return Tangent;
  }
}

template <class _RgR, class _RgF, class... _RgP>
RG_INLINE auto vjpOf(const _RgF &f, const _RgR &Seed, _RgP &&...ports) {
  std::tuple<_RgP &...> Ports(ports...);
  expand<Mode::Gradient, _RgR, 0>(
      reinterpret_cast<void *>(&WeighThunk<_RgR, _RgF, Bare<_RgP>...>::call),
      Ports, ConstTag(), Callee<_RgF>::pass(f), ConstTag(), &Seed);
  return unpack(std::tuple_cat(ports.take()...));
}

/// References to arguments between vjp(f)(x) and its (seed); values of
/// temporaries.
template <class... _RgA> struct Kept {};
template <class _RgA, class... Rest> struct Kept<_RgA, Rest...> {
  _RgA First;
  Kept<Rest...> Others;
};
RG_INLINE Kept<> keep() { return {}; }
template <class _RgA, class... Rest>
RG_INLINE Kept<_RgA, Rest...> keep(_RgA &&First, Rest &&...Others) {
  return {static_cast<_RgA &&>(First), keep(static_cast<Rest &&>(Others)...)};
}
template <class _RgR, class _RgF, class... _RgP>
RG_INLINE auto vjpOfKept(const _RgF &f, const _RgR &Seed, Kept<> &,
                         _RgP &...ports) {
  return vjpOf<_RgR>(f, Seed, ports...);
}
template <class _RgR, class _RgF, class _RgA, class... Rest, class... _RgP>
RG_INLINE auto vjpOfKept(const _RgF &f, const _RgR &Seed,
                         Kept<_RgA, Rest...> &Arguments, _RgP &...ports) {
  auto Port = MakerOf<_RgA>::make(Arguments.First);
  return vjpOfKept<_RgR>(f, Seed, Arguments.Others, ports..., Port);
}

/// Types of Jacobians: one X for each number of R.
template <class _RgR, class _RgX> struct Rows {
  using Type = std::vector<_RgX>;
  static Type make(std::size_t Size, const _RgX &Like) {
    return Type(Size, Like);
  }
  static _RgX &row(Type &_RgJ, std::size_t _RgI) { return _RgJ[_RgI]; }
};
template <class _RgT, std::size_t _RgN, class _RgX>
struct Rows<std::array<_RgT, _RgN>, _RgX> {
  using Type = std::array<_RgX, _RgN>;
  static Type make(std::size_t, const _RgX &Like) {
    Type _RgJ;
    _RgJ.fill(Like);
    return _RgJ;
  }
  static _RgX &row(Type &_RgJ, std::size_t _RgI) { return _RgJ[_RgI]; }
};
template <class _RgT, class _RgX> struct RowsOfScalar {
  using Type = _RgX;
  static Type make(std::size_t, const _RgX &Like) { return Like; }
  static _RgX &row(Type &_RgJ, std::size_t) { return _RgJ; }
};
template <class _RgX> struct Rows<float, _RgX> : RowsOfScalar<float, _RgX> {};
template <class _RgX> struct Rows<double, _RgX> : RowsOfScalar<double, _RgX> {};
template <class _RgX>
struct Rows<long double, _RgX> : RowsOfScalar<long double, _RgX> {};

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
  RG_REQUIRE((detail::Without<detail::Problem::Pointer, _RgA...>),             \
             "a pointer must be wrapped: rg::dup(p, dp) with its shadow, or "  \
             "rg::constant(p)")                                                \
  RG_REQUIRE((detail::Without<detail::Problem::NotActive, _RgA...>),           \
             "an argument of this type cannot be differentiated: wrap it in "  \
             "rg::constant(x), in rg::dup(x, dx) with a shadow of the same "   \
             "type, or, "                                                      \
             "for a plain struct, in rg::active(x)")
#define RG_REQUIRE_ARGUMENTS                                                   \
  RG_REQUIRE_KNOWN_ARGUMENTS(without)                                          \
  RG_REQUIRE(                                                                  \
      (detail::without<detail::Problem::ShadowType, _RgA...>),                 \
      "the shadow in rg::dup(x, dx) must have the type of the argument")       \
  RG_REQUIRE((detail::without<detail::Problem::ConstShadow, _RgA...>),         \
             "the shadow in rg::dup(p, dp) must not be const where the "       \
             "argument is not")                                                \
  RG_REQUIRE(                                                                  \
      (detail::callable<_RgF, _RgA...>),                                       \
      "the function cannot be called with these arguments: their number or "   \
      "types do not fit (active numbers are passed as lvalues; a mutable "     \
      "lambda "                                                                \
      "has no const call operator)")
#define RG_REQUIRE_WRITABLE                                                    \
  RG_REQUIRE(                                                                  \
      (detail::IsDup<detail::Bare<_RgA>>::Writable && ...),                    \
      "reverse mode adds derivatives to the shadow in rg::dup(x, dx), so it "  \
      "must be a variable that is not const")

#ifdef __CUDA__
#define RG_REQUIRE_NO_KERNEL                                                   \
  RG_REQUIRE((!detail::KernelType<_RgF>::Is),                                  \
             "the gradient of a kernel is launched: "                          \
             "rg::gradient(kernel).launch(grid, block, arguments...)")
#else
#define RG_REQUIRE_NO_KERNEL
#endif

/// rg::gradient(f)
template <class _RgF> struct Gradient {
  _RgF f;
#ifdef __CUDA__
  template <class... _RgA>
  RG_INLINE auto launch(dim3 grid, dim3 block, _RgA &&...a) const RG_REQUIRE(
      (detail::KernelType<_RgF>::Is),
      "only the gradient of a kernel is launched with a grid: the derivative "
      "of a host function is called, rg::gradient(f)(arguments...)")
      RG_REQUIRE((!detail::KernelType<_RgF>::Is ||
                  detail::Launching<_RgF, _RgA...>::template Without<
                      detail::Problem::Pointer>),
                 "a pointer must be wrapped: rg::dup(p, dp) with its shadow, "
                 "rg::output(p, dp), or rg::constant(p)")
          RG_REQUIRE((!detail::KernelType<_RgF>::Is ||
                      (detail::Launching<_RgF, _RgA...>::template Without<
                           detail::Problem::ShadowType> &&
                       detail::Launching<_RgF, _RgA...>::template Without<
                           detail::Problem::ConstShadow>)),
                     "the shadow in rg::dup(p, dp) must have the type of the "
                     "argument, and must not be const")
              RG_REQUIRE(
                  (!detail::KernelType<_RgF>::Is ||
                   detail::Launching<_RgF, _RgA...>::template Without<
                       detail::Problem::NotActive>),
                  "an argument of this type cannot be differentiated: wrap it "
                  "in rg::constant(x)")
                  RG_REQUIRE(
                      (!detail::KernelType<_RgF>::Is ||
                       !detail::Launching<_RgF, _RgA...>::Portable ||
                       detail::Launching<_RgF, _RgA...>::Fit),
                      "the kernel cannot be launched with these arguments: "
                      "after "
                      "grid and block come the bytes of shared memory and the "
                      "stream, both or none or the first, and then one "
                      "argument for "
                      "each parameter of the kernel") {
    if constexpr (detail::KernelType<_RgF>::Is)
      if constexpr (detail::Launching<_RgF, _RgA...>::Portable &&
                    detail::Launching<_RgF, _RgA...>::Fit)
        return detail::Launching<_RgF, _RgA...>::run(
            f, detail::LaunchPlace{grid, block, 0, nullptr},
            static_cast<_RgA &&>(a)...);
      else
        return detail::Wrong();
    else
      return detail::Wrong();
  }
#endif
  template <class... _RgA>
  RG_INLINE auto operator()(_RgA &&...a) const RG_REQUIRE_NO_KERNEL
      RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE RG_REQUIRE(
          (!detail::callable<_RgF, _RgA...> || !detail::portable<_RgA...> ||
           std::is_floating_point_v<detail::Result<_RgF, _RgA...>>),
          "the function must return one floating-point number; use rg::vjp or "
          "rg::jacobian for several results") {
    if constexpr (detail::portable<_RgA...> &&
                  std::is_floating_point_v<detail::Result<_RgF, _RgA...>>)
      return detail::gradientOf<_RgF>(f, detail::MakerOf<_RgA>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::value_and_gradient(f)
template <class _RgF> struct ValueAndGradient {
  _RgF f;
  template <class... _RgA>
  RG_INLINE auto
  operator()(_RgA &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE
      RG_REQUIRE(
          (!detail::callable<_RgF, _RgA...> || !detail::portable<_RgA...> ||
           std::is_floating_point_v<detail::Result<_RgF, _RgA...>>),
          "the function must return one floating-point number; use rg::vjp or "
          "rg::jacobian for several results") {
    if constexpr (detail::portable<_RgA...> &&
                  std::is_floating_point_v<detail::Result<_RgF, _RgA...>>)
      return detail::valueAndGradientOf<_RgF>(
          f, detail::MakerOf<_RgA>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::jvp(f)
template <class _RgF> struct Jvp {
  _RgF f;
  template <class... _RgA>
  RG_INLINE auto operator()(_RgA &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE(
      ((detail::IsDup<detail::Bare<_RgA>>::value ||
        detail::IsConstantArgument<detail::Bare<_RgA>>::value) &&
       ...),
      "rg::jvp needs a direction: wrap each active argument in rg::dup(x, dx), "
      "and each other one in rg::constant(x)")
      RG_REQUIRE((detail::sameLanes<_RgA...>),
                 "rg::jvp along several directions needs as many for each "
                 "active argument: wrap each in rg::directions(x, dxs), dxs a "
                 "std::array") {
    if constexpr (detail::portable<_RgA...> &&
                  detail::Invocation<_RgF, _RgA...>::Callable &&
                  ((detail::IsDup<detail::Bare<_RgA>>::value ||
                    detail::IsConstantArgument<detail::Bare<_RgA>>::value) &&
                   ...) &&
                  detail::sameLanes<_RgA...> &&
                  detail::lanesOfAll<_RgA...>() != 0)
      return detail::jvpStripOf<detail::lanesOfAll<_RgA...>()>(
          f, detail::MakerOf<_RgA>::make(a)...);
    else if constexpr (detail::portable<_RgA...> &&
                       detail::Invocation<_RgF, _RgA...>::Callable &&
                       ((detail::IsDup<detail::Bare<_RgA>>::value ||
                         detail::IsConstantArgument<
                             detail::Bare<_RgA>>::value) &&
                        ...) &&
                       detail::sameLanes<_RgA...>)
      return detail::jvpOf<_RgF>(f, detail::MakerOf<_RgA>::make(a)...);
    else
      return detail::Wrong();
  }
};

/// rg::vjp(f)(arguments), which waits for the seed.
template <class _RgF, class _RgR, class... _RgA> struct SeededVjp {
  _RgF f;
  detail::Kept<_RgA...> Arguments;
  template <class _RgS>
  RG_INLINE auto operator()(const _RgS &Seed) RG_REQUIRE(
      (std::is_convertible_v<const _RgS &, _RgR>),
      "the seed of rg::vjp must have the type of the function's result") {
    if constexpr (std::is_same_v<_RgS, _RgR>)
      return detail::vjpOfKept<_RgR>(f, Seed, Arguments);
    else if constexpr (std::is_convertible_v<const _RgS &, _RgR>)
      return detail::vjpOfKept<_RgR>(f, static_cast<_RgR>(Seed), Arguments);
    else
      return detail::Wrong();
  }
};

/// rg::vjp(f)
template <class _RgF> struct Vjp {
  _RgF f;
  template <class... _RgA>
  RG_INLINE auto
  operator()(_RgA &&...a) const RG_REQUIRE_ARGUMENTS RG_REQUIRE_WRITABLE
      RG_REQUIRE(
          (!detail::callable<_RgF, _RgA...> || !detail::portable<_RgA...> ||
           detail::holdsNumbers<detail::Result<_RgF, _RgA...>>),
          "the function must return a floating-point number, or a std::array, "
          "std::vector or std::complex of them") {
    if constexpr (detail::portable<_RgA...> &&
                  detail::holdsNumbers<detail::Result<_RgF, _RgA...>>)
      return SeededVjp<_RgF, detail::Result<_RgF, _RgA...>, _RgA...>{
          f, detail::keep(static_cast<_RgA &&>(a)...)};
    else
      return [](auto &&...) { return detail::Wrong(); };
  }
};

/// rg::jacobian(f)
template <class _RgF> struct Jacobian {
  _RgF f;
  template <class A1, class... _RgA>
  RG_INLINE auto operator()(A1 &&x, _RgA &&...a) const RG_REQUIRE(
      (detail::holdsNumbers<detail::Bare<A1>>),
      "the first argument of a Jacobian must be a floating-point number, or a "
      "std::array, std::vector or std::complex of them")
      RG_REQUIRE(
          (detail::IsConstantArgument<detail::Bare<_RgA>>::value && ...),
          "a Jacobian is taken by the first argument: wrap the others in "
          "rg::constant(x)")
          RG_REQUIRE((!detail::holdsNumbers<detail::Bare<A1>> ||
                      detail::callable<_RgF, A1, _RgA...>),
                     "the function cannot be called with these arguments: "
                     "their number or types "
                     "do not fit")
              RG_REQUIRE(
                  (!detail::callable<_RgF, A1, _RgA...> ||
                   !detail::portable<A1, _RgA...> ||
                   detail::holdsNumbers<detail::Result<_RgF, A1, _RgA...>>),
                  "the function must return a floating-point number, or "
                  "a std::array, "
                  "std::vector or std::complex of them") {
    if constexpr (detail::holdsNumbers<detail::Bare<A1>> &&
                  detail::portable<A1, _RgA...> &&
                  detail::holdsNumbers<detail::Result<_RgF, A1, _RgA...>> &&
                  (detail::IsConstantArgument<detail::Bare<_RgA>>::value &&
                   ...))
      return compute<detail::Bare<A1>, detail::Result<_RgF, A1, _RgA...>>(x,
                                                                          a...);
    else
      return detail::Wrong();
  }

private:
  /// By columns in forward mode or by rows in reverse mode, whichever are
  /// fewer.
  template <class _RgX, class _RgR, class... _RgA>
  RG_INLINE auto compute(const _RgX &x, _RgA &...a) const {
    using NX = detail::Numbers<_RgX>;
    using NR = detail::Numbers<_RgR>;
    using Rows = detail::Rows<_RgR, _RgX>;
    _RgX Point = x;
    const _RgR Value = f(Point, detail::MakerOf<_RgA &>::Port::as(
                                    detail::MakerOf<_RgA &>::make(a).value)...);
    const std::size_t _RgM = NR::size(Value), _RgN = NX::size(Point);
    auto _RgJ = Rows::make(_RgM, NX::zeros(Point));
    auto Unit = [](auto Zero, std::size_t _RgI) {
      detail::Numbers<decltype(Zero)>::at(Zero, _RgI) = 1;
      return Zero;
    };
    auto Column = [&](std::size_t _RgC, _RgR &Tangent) {
      for (std::size_t Row = 0; Row < _RgM; ++Row)
        NX::at(Rows::row(_RgJ, Row), _RgC) = NR::at(Tangent, Row);
    };
    if constexpr (std::is_floating_point_v<_RgX>) {
      _RgX Direction = 1;
      _RgR Tangent = detail::jvpOf<_RgF>(
          f,
          detail::WrappedDup<_RgX &, _RgX &, void>::make(dup(Point, Direction)),
          detail::MakerOf<_RgA &>::make(a)...);
      Column(0, Tangent);
    } else if constexpr (std::is_floating_point_v<_RgR>) {
      Rows::row(_RgJ, 0) = detail::vjpOf<_RgR, _RgF>(
          f, _RgR(1), detail::MakerOf<_RgX &>::make(Point),
          detail::MakerOf<_RgA &>::make(a)...);
    } else if (_RgN <= _RgM) {
      detail::forColumns<_RgR>(
          f, Point, _RgN,
          [&](std::size_t _RgC) { return Unit(NX::zeros(Point), _RgC); },
          Column, detail::MakerOf<_RgA &>::make(a)...);
    } else {
      detail::forRows<_RgR>(
          f, Point, _RgM,
          [&](std::size_t Row) { return Unit(NR::zeros(Value), Row); },
          NR::zeros(Value),
          [&](std::size_t Row, _RgX &Adjoint) {
            Rows::row(_RgJ, Row) = std::move(Adjoint);
          },
          detail::MakerOf<_RgA &>::make(a)...);
    }
    return _RgJ;
  }
};

/// rg::hvp(f)
template <class _RgF> struct Hvp {
  _RgF f;
  template <class... _RgA>
  RG_INLINE auto
  operator()(_RgA &&...a) const RG_REQUIRE_KNOWN_ARGUMENTS(withoutBefore)
      RG_REQUIRE((detail::argumentsAmong<_RgA...>() != 0 ||
                  !detail::withoutBefore<detail::Problem::Pointer, _RgA...> ||
                  !detail::withoutBefore<detail::Problem::NotActive, _RgA...>),
                 "rg::hvp takes the arguments of the function and then a "
                 "direction for "
                 "each that is not constant, or arguments in rg::dup(x, v)")
          RG_REQUIRE(
              (detail::HvpOf<_RgF, _RgA...>::Fits),
              "a direction of rg::hvp must have the type of its argument")
              RG_REQUIRE(
                  (detail::HvpOf<_RgF, _RgA...>::Sized),
                  "rg::hvp returns a product for each argument in "
                  "rg::dup(x, v), which must be a number, a std::array, "
                  "std::vector or std::complex of them, or a plain struct")
                  RG_REQUIRE(
                      (detail::HvpOf<_RgF, _RgA...>::Callable),
                      "the function cannot be called with these arguments: "
                      "their number or types do not fit")
                      RG_REQUIRE((detail::HvpOf<_RgF, _RgA...>::Scalar),
                                 "the function must return one floating-point "
                                 "number to have a Hessian") {
    if constexpr (detail::HvpOf<_RgF, _RgA...>::Right)
      return detail::HvpOf<_RgF, _RgA...>::compute(f,
                                                   std::tuple<_RgA &...>(a...));
    else
      return detail::Wrong();
  }
};

/// rg::hessian(f)
template <class _RgF> struct Hessian {
  _RgF f;
  template <class A1, class... _RgA>
  RG_INLINE auto operator()(A1 &&x, _RgA &&...a) const RG_REQUIRE(
      (detail::holdsNumbers<detail::Bare<A1>>),
      "the first argument of a Hessian must be a floating-point number, or a "
      "std::array, std::vector or std::complex of them")
      RG_REQUIRE((detail::IsConstantArgument<detail::Bare<_RgA>>::value && ...),
                 "a Hessian is taken by the first argument: wrap the others in "
                 "rg::constant(x)")
          RG_REQUIRE((!detail::holdsNumbers<detail::Bare<A1>> ||
                      detail::callable<_RgF, detail::Bare<A1> &, _RgA...>),
                     "the function cannot be called with these arguments: "
                     "their number or types do not fit")
              RG_REQUIRE(
                  (!detail::callable<_RgF, detail::Bare<A1> &, _RgA...> ||
                   !detail::portable<A1, _RgA...> ||
                   std::is_floating_point_v<
                       detail::Result<_RgF, detail::Bare<A1> &, _RgA...>>),
                  "the function must return one floating-point number "
                  "to have a Hessian") {
    if constexpr (detail::holdsNumbers<detail::Bare<A1>> &&
                  detail::portable<A1, _RgA...> &&
                  std::is_floating_point_v<
                      detail::Result<_RgF, detail::Bare<A1> &, _RgA...>> &&
                  (detail::IsConstantArgument<detail::Bare<_RgA>>::value &&
                   ...)) {
      detail::Bare<A1> Point = x;
      return detail::hessianOf<_RgF>(f, Point,
                                     detail::MakerOf<_RgA>::make(a)...);
    } else
      return detail::Wrong();
  }
};

#define RG_REQUIRE_FUNCTION                                                    \
  RG_REQUIRE(                                                                  \
      (std::is_class_v<std::decay_t<_RgF>> ||                                  \
       std::is_function_v<std::remove_pointer_t<std::decay_t<_RgF>>>),         \
      "only a function, a lambda or an object with a call operator can be "    \
      "differentiated")

template <class _RgF>
RG_INLINE Gradient<std::decay_t<_RgF>> gradient(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE ValueAndGradient<std::decay_t<_RgF>>
value_and_gradient(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE Jvp<std::decay_t<_RgF>> jvp(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE Vjp<std::decay_t<_RgF>> vjp(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE Jacobian<std::decay_t<_RgF>> jacobian(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE Hvp<std::decay_t<_RgF>> hvp(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}
template <class _RgF>
RG_INLINE Hessian<std::decay_t<_RgF>> hessian(_RgF &&f) RG_REQUIRE_FUNCTION {
  return {static_cast<_RgF &&>(f)};
}

#undef RG_REQUIRE_FUNCTION
#undef RG_REQUIRE_ARGUMENTS
#undef RG_REQUIRE_KNOWN_ARGUMENTS
#undef RG_REQUIRE_WRITABLE
#undef RG_REQUIRE
#undef RG_INLINE

} // namespace rg

#endif // RETROGRAD_RETROGRAD_HPP
