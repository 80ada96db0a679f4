// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 %s -o %t && %t
//
// Vectors of the caller's whose memory the function replaces: the derivatives lie where the
// numbers were before the call.
use std::ffi::c_void;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...);
    static enzyme_dup: i32;
}
type Function = extern "C" fn(&mut Vec<f64>, &f64) -> f64;

extern "C" fn push(v: &mut Vec<f64>, x: &f64) -> f64 {
    let a = *x * v[0];
    v.extend_from_slice(&[a, *x]);
    v.push(*x);
    v.push(a * v[1]);
    v.iter().enumerate().map(|(i, a)| (i + 1) as f64 * a * a).sum()
}
extern "C" fn collect(v: &mut Vec<f64>, x: &f64) -> f64 {
    *v = v.iter().map(|a| a * a * *x).chain([*x, *x]).collect();
    v.iter().map(|a| a * a).sum()
}
fn check(name: &str, f: Function, v: Vec<f64>, d: Vec<f64>, x: f64, dx: f64) {
    let h = 1e-5;
    for i in 0..3 {
        let at = |h: f64| {
            let mut u = v.clone();
            let mut x = x;
            if i < 2 { u[i] += h } else { x += h }
            f(&mut u, &x)
        };
        let want = (at(h) - at(-h)) / (2.0 * h);
        let got = if i < 2 { d[i] } else { dx };
        assert!((got - want).abs() <= 1e-6 * want.abs(), "{name}: {got}, not {want}");
    }
}
macro_rules! check {
    ($f:ident) => {
        let before = vec![2.0, 3.0];
        let (mut v, mut d) = (before.clone(), vec![0.0; 2]);
        let (x, mut dx) = (1.5f64, 0f64);
        unsafe {
            __enzyme_autodiff(
                $f as *const c_void,
                enzyme_dup,
                &mut v as *mut Vec<f64>,
                &mut d as *mut Vec<f64>,
                enzyme_dup,
                &x as *const f64,
                &mut dx as *mut f64,
            );
        }
        check(stringify!($f), $f, before, d, x, dx);
    };
}
fn main() {
    check!(push);
    check!(collect);
}
