// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 %s -o %t && %t
//
// Objects of several types behind a trait (dyn), in vectors: some hold memory, which their tables say how to give back, some
// hold nothing.
use std::ffi::c_void;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...);
    fn __enzyme_fwddiff(f: *const c_void, ...) -> f64;
    static enzyme_dup: i32;
}
const N: usize = 6;
trait Shape {
    fn area(&self, scale: f64) -> f64;
    fn grow(&mut self, by: f64);
}
struct Circle(f64);
struct Frame {
    width: f64,
    height: f64,
    sides: u8,
}
struct Polygon {
    at: Vec<f64>,
}
impl Shape for Circle {
    fn area(&self, scale: f64) -> f64 {
        3.1 * self.0 * self.0 * scale
    }
    fn grow(&mut self, by: f64) {
        self.0 *= by;
    }
}
impl Shape for Frame {
    fn area(&self, scale: f64) -> f64 {
        self.width * self.height + scale * self.sides as f64
    }
    fn grow(&mut self, by: f64) {
        self.width += by;
    }
}
impl Shape for Polygon {
    fn area(&self, scale: f64) -> f64 {
        self.at.iter().map(|a| a.sin()).sum::<f64>() * scale
    }
    fn grow(&mut self, by: f64) {
        self.at[0] *= by * by;
    }
}
fn sum(shapes: &mut [Box<dyn Shape>], x: &[f64]) -> f64 {
    for (i, s) in shapes.iter_mut().enumerate() {
        s.grow(x[i % N] + 0.5);
    }
    shapes.iter().enumerate().map(|(i, s)| s.area(x[(i + 1) % N])).sum()
}
extern "C" fn plain(x: *const f64) -> f64 {
    let x = unsafe { std::slice::from_raw_parts(x, N) };
    let mut shapes: Vec<Box<dyn Shape>> = Vec::new();
    for i in 0..N {
        if i % 2 == 0 {
            shapes.push(Box::new(Circle(x[i])));
        } else {
            shapes.push(Box::new(Frame { width: x[i], height: x[i] * x[0], sides: i as u8 }));
        }
    }
    sum(&mut shapes, x)
}
extern "C" fn holding(x: *const f64) -> f64 {
    let x = unsafe { std::slice::from_raw_parts(x, N) };
    let mut shapes: Vec<Box<dyn Shape>> = vec![Box::new(Circle(x[1] * x[2]))];
    for i in 0..N {
        shapes.push(Box::new(Polygon { at: x[i..].to_vec() }));
    }
    sum(&mut shapes, x)
}
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() < tolerance * (1.0 + b.abs()), "{} is not {}", a, b);
}
macro_rules! check {
    ($f:ident) => {
        let x: Vec<f64> = (0..N).map(|i| 0.7 + 0.13 * i as f64).collect();
        let mut dx = vec![0.0; N];
        unsafe { __enzyme_autodiff($f as *const c_void, enzyme_dup, x.as_ptr(), dx.as_mut_ptr()) };
        for i in 0..N {
            let mut e = vec![0.0; N];
            e[i] = 1.0;
            let tangent = unsafe { __enzyme_fwddiff($f as *const c_void, enzyme_dup, x.as_ptr(), e.as_ptr()) };
            let at = |h: f64| {
                let mut y = x.clone();
                y[i] += h;
                $f(y.as_ptr())
            };
            near(dx[i], tangent, 1e-12);
            near(dx[i], (at(1e-6) - at(-1e-6)) / 2e-6, 1e-7);
        }
    };
}
fn main() {
    check!(plain);
    check!(holding);
}
