//===- thrust/detail/type_traits.h - of Thrust, for --offload=cpu -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of Thrust's own that programs use: the standard library's.
//
#ifndef RETROGRAD_CUDA_THRUST_DETAIL_TYPE_TRAITS_H
#define RETROGRAD_CUDA_THRUST_DETAIL_TYPE_TRAITS_H

#include <type_traits>

namespace thrust {
namespace detail {

using std::add_const;
using std::add_pointer;
using std::conditional;
using std::false_type;
using std::integral_constant;
using std::is_arithmetic;
using std::is_base_of;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_pointer;
using std::is_reference;
using std::is_same;
using std::is_void;
using std::make_unsigned;
using std::remove_const;
using std::remove_cv;
using std::remove_pointer;
using std::remove_reference;
using std::true_type;

// Of a type, where a condition on other types holds.
template <bool If, class _RgT = void>
struct enable_if : std::enable_if<If, _RgT> {};
template <bool If, class _RgT> struct disable_if : std::enable_if<!If, _RgT> {};
template <class _RgL, class _RgR, class _RgT = void>
struct enable_if_convertible
    : std::enable_if<std::is_convertible<_RgL, _RgR>::value, _RgT> {};
template <class _RgL, class _RgR, class _RgT = void>
struct disable_if_convertible
    : std::enable_if<!std::is_convertible<_RgL, _RgR>::value, _RgT> {};
template <bool If, class _RgL, class _RgR>
struct eval_if : std::conditional<If, _RgL, _RgR>::type {};
template <class _RgT> struct identity_ {
  typedef _RgT type;
};

} // namespace detail
} // namespace thrust

#endif
