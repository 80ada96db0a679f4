// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without optimisation: slices, bounds and overflow checks, closures, iterators.
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS=-rg-plan=naive %rgrustc %s -o %t && %t
// RUN: %rgrustc -C opt-level=1 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS=-rg-no-such-option not %rgrustc %s -o %t 2>&1 | FileCheck %s
// CHECK: RETROGRAD_FLAGS: no such option: -rg-no-such-option
use std::ffi::c_void;
unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...);
    static enzyme_dup: i32;
}
extern "C" fn f(x: *const f64, n: usize) -> f64 {
    let v = unsafe { std::slice::from_raw_parts(x, n) };
    let weigh = |i: usize, a: f64| a * (i as f64 + v[0]);
    let mut s = 0.0;
    for i in 0..v.len() {
        if v[i] > 0.5 {
            s += weigh(i, v[i] * v[v.len() - 1 - i]);
        }
    }
    s + v.iter().map(|a| a.exp()).sum::<f64>()
}
fn main() {
    let x = [1.5, 0.75, 0.25, 2.0];
    let mut dx = [0.0; 4];
    unsafe { __enzyme_autodiff(f as *const c_void, enzyme_dup, x.as_ptr(), dx.as_mut_ptr(), x.len()) };
    for i in 0..4 {
        let at = |h: f64| {
            let mut y = x;
            y[i] += h;
            f(y.as_ptr(), 4)
        };
        let d = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((d - dx[i]).abs() < 1e-6, "{i}: {d} {}", dx[i]);
    }
}
