// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: rm -rf %t.dir && mkdir -p %t.dir
// RUN: %rgrustc -C opt-level=2 --crate-type rlib --crate-name library %S/Inputs/library.rs -o %t.dir/liblibrary.rlib
// RUN: env RETROGRAD_FLAGS="-rg-verify-each" %rgrustc -C opt-level=2 %s --extern library=%t.dir/liblibrary.rlib -o %t && %t
// RUN: %rgrustc -C opt-level=3 --crate-type rlib --crate-name library %S/Inputs/library.rs -o %t.dir/liblibrary.rlib
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive" %rgrustc -C opt-level=3 %s --extern library=%t.dir/liblibrary.rlib -o %t && %t
// RUN: %rgrustc --crate-type rlib --crate-name library %S/Inputs/library.rs -o %t.dir/liblibrary.rlib
// RUN: %rgrustc -g %s --cfg unoptimised --extern library=%t.dir/liblibrary.rlib -o %t && %t
// RUN: %rgrustc --codegen opt_level=0 -C debug-assertions=off %s --extern library=%t.dir/liblibrary.rlib -o %t && %t
//
// Functions of another crate, whatever their size and however often they are called,
// and what std marks #[inline(never)] in them: a Vec's growth. Without optimisation
// the checks of debug builds are made.
use std::ffi::c_void;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...);
    fn __enzyme_fwddiff(f: *const c_void, ...) -> f64;
    static enzyme_dup: i32;
}
type Function = extern "C" fn(*const f64, usize) -> f64;
fn slice<'a>(x: *const f64, n: usize) -> &'a [f64] {
    unsafe { std::slice::from_raw_parts(x, n) }
}

extern "C" fn large(x: *const f64, n: usize) -> f64 {
    library::large(slice(x, n))
}
extern "C" fn rarely(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    if x[0] > 100.0 {
        return x[0];
    }
    library::rarely(x)
}
extern "C" fn grows(x: *const f64, n: usize) -> f64 {
    library::window(slice(x, n)) + library::deque(slice(x, n))
}
extern "C" fn chosen(x: *const f64, n: usize) -> f64 {
    library::chosen(slice(x, n))
}

fn check(name: &str, f: Function) {
    let x = [0.7, 1.3, 0.4, 0.9];
    let v = [0.3, -0.8, 0.5, 0.2];
    let mut g = [0.0; 4];
    let (reverse, forward, differences);
    unsafe {
        __enzyme_autodiff(f as *const c_void, enzyme_dup, x.as_ptr(), g.as_mut_ptr(), 4usize);
        reverse = (0..4).map(|i| g[i] * v[i]).sum::<f64>();
        forward = __enzyme_fwddiff(f as *const c_void, enzyme_dup, x.as_ptr(), v.as_ptr(), 4usize);
    }
    let h = 1e-6;
    let at = |s: f64| -> f64 {
        let y: Vec<f64> = (0..4).map(|i| x[i] + s * h * v[i]).collect();
        f(y.as_ptr(), 4)
    };
    differences = (at(1.0) - at(-1.0)) / (2.0 * h);
    let near = |a: f64, b: f64, e: f64| (a - b).abs() <= e * (1.0 + b.abs());
    if !near(reverse, forward, 1e-11) || !near(forward, differences, 1e-6) {
        println!("{name}: reverse {reverse} forward {forward} differences {differences}");
        std::process::exit(1);
    }
}

fn main() {
    check("large", large);
    check("rarely", rarely);
    check("grows", grows);
    check("chosen", chosen);
    assert_eq!(cfg!(debug_assertions), cfg!(unoptimised));
}
