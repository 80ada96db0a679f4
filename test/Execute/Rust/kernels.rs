// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 -g %s -o %t && %t
//
// Reverse and forward mode against differences: slices, iterators, closures, Vec,
// Box, structs, generics, traits, f32, bounds checks.
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

extern "C" fn iterators(x: *const f64, n: usize) -> f64 {
    let v = slice(x, n);
    let c = v[0];
    let s: f64 = v.iter().zip(v[1..].iter()).map(|(a, b)| a * b.sin() * c).sum();
    let m = v.iter().cloned().fold(f64::MIN, f64::max);
    let w: f64 = v.windows(2).filter(|w| w[0] < w[1]).map(|w| (w[1] - w[0]).powi(2)).sum();
    s + m + w + v.chunks(2).rev().take(2).map(|c| c.iter().product::<f64>()).sum::<f64>()
}
extern "C" fn vectors(x: *const f64, n: usize) -> f64 {
    let v = slice(x, n);
    let mut w: Vec<f64> = v.iter().map(|a| a * a).collect();
    for i in 0..n {
        w.push(w[i] * v[n - 1 - i]);
    }
    let rows: Vec<Vec<f64>> = (1..4).map(|k| w.iter().map(|a| a / k as f64).collect()).collect();
    let mut s = 0.0;
    for (k, row) in rows.iter().enumerate() {
        s += row[k] * row[row.len() - 1 - k] + row.iter().sum::<f64>().sqrt();
    }
    w.reverse();
    s + w.iter().take(3).sum::<f64>() * w.last().unwrap()
}
#[derive(Clone, Copy)]
struct Particle {
    at: [f64; 2],
    mass: f64,
    kind: u8,
}
trait Potential {
    fn between(&self, a: &Particle, b: &Particle) -> f64;
}
struct Gravity;
struct Spring(f64);
impl Potential for Gravity {
    fn between(&self, a: &Particle, b: &Particle) -> f64 {
        -a.mass * b.mass / (a.at[0] - b.at[0]).hypot(a.at[1] - b.at[1])
    }
}
impl Potential for Spring {
    fn between(&self, a: &Particle, b: &Particle) -> f64 {
        0.5 * self.0 * ((a.at[0] - b.at[0]).powi(2) + (a.at[1] - b.at[1]).powi(2))
    }
}
fn energy<P: Potential>(p: &P, all: &[Particle]) -> f64 {
    let mut e = 0.0;
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            if a.kind != b.kind {
                e += p.between(a, b);
            }
        }
    }
    e
}
extern "C" fn traits(x: *const f64, n: usize) -> f64 {
    let v = slice(x, n);
    let all: Vec<Particle> = v
        .chunks_exact(3)
        .enumerate()
        .map(|(i, c)| Particle { at: [c[0], c[1]], mass: c[2], kind: i as u8 })
        .collect();
    energy(&Gravity, &all) + energy(&Spring(v[0]), &all)
}
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}
extern "C" fn boxes(x: *const f64, n: usize) -> f64 {
    let mut list: Option<Box<Node>> = None;
    for v in slice(x, n) {
        list = Some(Box::new(Node { value: v * v, next: list }));
    }
    let mut s = 1.0;
    let mut at = &list;
    while let Some(node) = at {
        s = s * node.value.cos() + node.value;
        at = &node.next;
    }
    s
}
extern "C" fn single(x: *const f64, n: usize) -> f64 {
    let w: Vec<f32> = slice(x, n).iter().map(|&a| a as f32).collect();
    let s: f32 = w.iter().map(|a| a.exp() * 0.5).sum();
    (s * w[1]) as f64
}
extern "C" fn newton(x: *const f64, n: usize) -> f64 {
    let a = slice(x, n)[n - 1];
    let mut y = 1.0;
    while (y * y - a).abs() > 1e-14 {
        y = 0.5 * (y + a / y);
    }
    Some(y).filter(|y| *y > 0.0).map_or(0.0, |y| y * y.ln_1p())
}

fn differences(f: Function, x: &mut [f64], i: usize, h: f64) -> f64 {
    let (n, old) = (x.len(), x[i]);
    let mut at = |h: f64| {
        x[i] = old + h;
        f(x.as_ptr(), n)
    };
    let d = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
    x[i] = old;
    d
}
// One derivative call per function: a call names the function that it differentiates.
macro_rules! check {
    ($f:ident, $tolerance:literal, $step:literal) => {{
        let n = 6;
        let mut x: Vec<f64> =
            (0..n).map(|i| 0.9 + 0.6 * (2.3 * (i + 1) as f64).sin() + 0.01 * i as f64).collect();
        let mut dx = vec![0.0; n];
        unsafe { __enzyme_autodiff($f as *const c_void, enzyme_dup, x.as_ptr(), dx.as_mut_ptr(), n) };
        let mut good = true;
        for i in 0..n {
            let mut t = vec![0.0; n];
            t[i] = 1.0;
            let forward =
                unsafe { __enzyme_fwddiff($f as *const c_void, enzyme_dup, x.as_ptr(), t.as_ptr(), n) };
            let d = differences($f, &mut x, i, $step);
            if !((dx[i] - d).abs() <= $tolerance && (forward - dx[i]).abs() <= $tolerance) {
                println!("{} {i}: reverse {} forward {forward} difference {d}", stringify!($f), dx[i]);
                good = false;
            }
        }
        good
    }};
}
fn main() {
    let good = [
        check!(iterators, 1e-7, 1e-3),
        check!(vectors, 1e-6, 1e-3),
        check!(traits, 1e-6, 1e-3),
        check!(boxes, 1e-8, 1e-3),
        check!(newton, 1e-8, 1e-3),
        check!(single, 2e-2, 2e-2),
    ];
    println!("{good:?}");
    std::process::exit(!good.iter().all(|g| *g) as i32);
}
