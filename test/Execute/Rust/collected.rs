// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 %s -o %t && %t
//
// Vectors that are made by iterators of a known length: their addresses are chosen as integers.
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

#[derive(Clone)]
struct Particle {
    position: [f64; 2],
    velocity: [f64; 2],
    mass: f64,
    id: usize,
}
fn force(p: &Particle, all: &[Particle]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for q in all.iter().filter(|q| q.id != p.id) {
        let d = [q.position[0] - p.position[0], q.position[1] - p.position[1]];
        let r2 = d[0] * d[0] + d[1] * d[1] + 0.1;
        let k = q.mass / (r2 * r2.sqrt());
        sum[0] += k * d[0];
        sum[1] += k * d[1];
    }
    sum
}
extern "C" fn particles(x: *const f64, n: usize) -> f64 {
    let mut all: Vec<Particle> = slice(x, n)
        .iter()
        .enumerate()
        .map(|(i, &a)| Particle {
            position: [a, a * a + i as f64],
            velocity: [0.0, 0.1 * a],
            mass: 1.0 + a * a,
            id: i,
        })
        .collect();
    for _ in 0..4 {
        let forces: Vec<[f64; 2]> = all.iter().map(|p| force(p, &all)).collect();
        for (p, f) in all.iter_mut().zip(forces.iter()) {
            for k in 0..2 {
                p.velocity[k] += 0.05 * f[k];
                p.position[k] += 0.05 * p.velocity[k];
            }
        }
    }
    all.sort_by(|a, b| a.position[0].partial_cmp(&b.position[0]).unwrap());
    all.iter()
        .map(|p| 0.5 * p.mass * (p.velocity[0].powi(2) + p.velocity[1].powi(2)) + p.position[0] * p.id as f64)
        .sum()
}

enum Expression {
    Number(f64),
    Variable(usize),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Sine(Box<Expression>),
}
use Expression::*;
fn eval(e: &Expression, of: &[f64]) -> f64 {
    match e {
        Number(c) => *c,
        Variable(i) => of[*i],
        Sum(a, b) => eval(a, of) + eval(b, of),
        Product(a, b) => eval(a, of) * eval(b, of),
        Sine(a) => eval(a, of).sin(),
    }
}
extern "C" fn expression(x: *const f64, n: usize) -> f64 {
    let first = Product(Box::new(Variable(0)), Box::new(Sine(Box::new(Variable(1)))));
    let second = Product(Box::new(Variable(2)), Box::new(Variable(3)));
    let e = Sum(Box::new(first), Box::new(Product(Box::new(Number(2.5)), Box::new(second))));
    eval(&e, slice(x, n))
}
extern "C" fn windows(x: *const f64, n: usize) -> f64 {
    let v = slice(x, n);
    let w: Vec<f64> = v
        .windows(2)
        .map(|w| w[0] * w[1])
        .chain(v.chunks(2).map(|c| c.iter().product::<f64>()))
        .collect();
    let most = w.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let soft: f64 = w.iter().map(|a| (a - most).exp()).sum::<f64>().ln() + most;
    let mut stack = vec![1.0];
    for a in &w {
        if stack.len() > 3 {
            let p = stack.pop().unwrap();
            *stack.last_mut().unwrap() += p * a;
        } else {
            stack.push(*a);
        }
    }
    soft + stack.iter().rev().fold(0.0, |s, a| s * 0.5 + a)
}

// The entry for a clean-up in the table of a boxed function is null where there is nothing to clean up, in all of them here.
extern "C" fn boxed(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let k = x[1];
    let steps: Vec<Box<dyn Fn(f64) -> f64>> =
        vec![Box::new(move |a| a * k), Box::new(|a: f64| a.sin()), Box::new(move |a| a + k * k)];
    let mut s = x[0];
    for f in &steps {
        s = f(s) * x[2];
    }
    let names: Vec<String> = (0..n).map(|i| format!("n{}", i)).collect();
    s + names.iter().zip(x).map(|(t, v)| t.len() as f64 * v.powi(3)).sum::<f64>()
}

macro_rules! check {
    ($f:ident, $ok:ident) => {
        let f: Function = $f;
        let mut x = [0.3, 0.5, -0.7, 1.1];
        let mut d = [0.0; 4];
        unsafe { __enzyme_autodiff($f as *const c_void, enzyme_dup, x.as_ptr(), d.as_mut_ptr(), 4usize) };
        for i in 0..4 {
            let (h, old) = (1e-5, x[i]);
            x[i] = old + h;
            let above = f(x.as_ptr(), 4);
            x[i] = old - h;
            let difference = (above - f(x.as_ptr(), 4)) / (2.0 * h);
            x[i] = old;
            let mut e = [0.0; 4];
            e[i] = 1.0;
            let t = unsafe { __enzyme_fwddiff($f as *const c_void, enzyme_dup, x.as_ptr(), e.as_ptr(), 4usize) };
            if (d[i] - difference).abs() > 1e-6 || (d[i] - t).abs() > 1e-10 {
                println!("{} {i}: {} {} {}", stringify!($f), d[i], t, difference);
                $ok = false;
            }
        }
    };
}
// Empty vectors of all types point to one address, where no memory is.
extern "C" fn matrix(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut m = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j] = x[i] * x[j].cos();
        }
    }
    m.swap(0, 1);
    let sum: f64 = m.iter().map(|r| r.iter().sum::<f64>() * r[0]).sum();
    sum + m[0][1] * m[1][1]
}
extern "C" fn triangle(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        let mut r = Vec::new();
        for j in 0..=i {
            r.push(x[i] * x[j]);
        }
        rows.push(r);
    }
    rows.iter().map(|r| r.iter().product::<f64>() + r[0]).sum()
}

fn main() {
    let mut ok = true;
    check!(matrix, ok);
    check!(boxed, ok);
    check!(triangle, ok);
    check!(particles, ok);
    check!(expression, ok);
    check!(windows, ok);
    std::process::exit(if ok { 0 } else { 1 });
}
