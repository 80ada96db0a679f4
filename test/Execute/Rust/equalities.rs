// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=1 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 %s -o %t && %t
//
// A number that equals a constant for which it is compared stays what it is: LLVM would write the constant in its place
// before anybody asks for derivatives.
use std::ffi::c_void;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...) -> f64;
    fn __enzyme_fwddiff(f: *const c_void, ...) -> f64;
    static enzyme_dup: i32;
}
extern "C" fn branch(x: f64) -> f64 {
    if x == 2.0 { x * x } else { x * 3.0 }
}
extern "C" fn chosen(x: f64) -> f64 {
    match x {
        1.0 => x.sin(),
        2.0 => x * x * x,
        _ => 1.0,
    }
}
extern "C" fn elements(x: *const f64, n: usize) -> f64 {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    x.iter().map(|d| if *d != 1.5 { *d } else { d * d }).sum()
}
fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{} is not {}", a, b);
}
fn main() {
    unsafe {
        near(__enzyme_autodiff(branch as *const c_void, 2.0f64), 4.0);
        near(__enzyme_autodiff(branch as *const c_void, 3.0f64), 3.0);
        near(__enzyme_fwddiff(branch as *const c_void, 2.0f64, 1.0f64), 4.0);
        near(__enzyme_autodiff(chosen as *const c_void, 1.0f64), 1f64.cos());
        near(__enzyme_autodiff(chosen as *const c_void, 2.0f64), 12.0);
        let x = [1.5, 2.0, 1.5];
        let mut dx = [0.0; 3];
        __enzyme_autodiff(elements as *const c_void, enzyme_dup, x.as_ptr(), dx.as_mut_ptr(), x.len());
        near(dx[0], 3.0);
        near(dx[1], 1.0);
        near(dx[2], 3.0);
    }
}
