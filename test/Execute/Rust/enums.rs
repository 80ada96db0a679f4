// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: rustc, lld
// RUN: env RETROGRAD_FLAGS="-rg-plan=naive -rg-verify-each" %rgrustc -C opt-level=2 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -C opt-level=3 %s -o %t && %t
// RUN: env RETROGRAD_FLAGS="-rg-plan=mincut -rg-verify-each" %rgrustc -g -C opt-level=2 %s --cfg told -o %t && %t
//
// Enums of numbers and integers: a word is one or the other by turns, and a phi brings them together. Vectors of them
// that grow; what is written as text beside active data; queues, counted references.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::rc::Rc;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...);
    fn __enzyme_fwddiff(f: *const c_void, ...) -> f64;
    static enzyme_dup: i32;
}
type Function = extern "C" fn(*const f64, usize) -> f64;
fn slice<'a>(x: *const f64, n: usize) -> &'a [f64] {
    unsafe { std::slice::from_raw_parts(x, n) }
}

#[derive(Clone, Copy)]
enum Value {
    Number(f64),
    Pair(f64, f64),
    Nothing,
    Index(usize),
}
use Value::*;
fn sum(values: &[Value], x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in values {
        s += match v {
            Number(a) => a * 2.0,
            Pair(a, b) => a * b,
            Nothing => 0.5,
            Index(i) => x[*i],
        }
    }
    s
}
extern "C" fn collected(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let values: Vec<Value> = (0..n)
        .map(|i| match i % 4 {
            0 => Number(x[i]),
            1 => Pair(x[i], x[0]),
            2 => Nothing,
            _ => Index(i - 1),
        })
        .collect();
    sum(&values, x)
}
extern "C" fn pushed(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut values = vec![Number(x[0]), Pair(x[1], x[2]), Nothing, Index(3)];
    values.push(Number(x[3] * x[4]));
    values.push(values[1]);
    sum(&values, x)
}

/// Floats and integers change places by the variant: without -g nothing tells all of their bytes.
#[cfg(told)]
mod told {
    use super::slice;
    #[derive(Clone, Copy)]
    enum Small {
        Scaled(f32, u32),
        Turned { at: u32, by: f32 },
        Index(u8),
        Number(f64),
    }
    pub extern "C" fn small(x: *const f64, n: usize) -> f64 {
        let x = slice(x, n);
        let mut v: Vec<Small> = Vec::new();
        for i in 0..n {
            v.push(match i % 4 {
                0 => Small::Scaled(3.0, i as u32),
                1 => Small::Turned { at: (i - 1) as u32, by: 2.0 },
                2 => Small::Index(i as u8),
                _ => Small::Number(x[i] * x[i]),
            });
        }
        v.reverse();
        v.swap(1, 4);
        let w = v.clone();
        let mut s = 0.0;
        for (i, e) in w.iter().enumerate() {
            s += (i + 1) as f64
                * match *e {
                    Small::Scaled(by, at) => by as f64 * x[at as usize],
                    Small::Turned { at, by } => x[at as usize] * by as f64,
                    Small::Index(i) => x[i as usize],
                    Small::Number(d) => d,
                };
        }
        s
    }
}

/// Slots that numbers, constants and indices take by turns.
extern "C" fn slots(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let value = |v: Value| match v {
        Number(a) => a,
        Index(i) => x[i],
        Pair(a, b) => a * b * 0.5,
        Nothing => 0.5,
    };
    let mut slots = vec![Number(1.0); 3];
    let mut s = 0.0;
    for i in 0..4 * n {
        let (k, j) = ((i * 5) % 3, (i * 7) % n);
        slots[k] = match i % 4 {
            0 => Number(x[j] * x[j]),
            1 => Index(j),
            2 => Number(2.5),
            _ => Pair(x[j], value(slots[(i + 1) % 3])),
        };
        s += value(slots[(i + 2) % 3]) * x[0];
    }
    s
}

/// The slot of a number is taken by a constant or an index, from one store.
extern "C" fn taken(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let mut slots = vec![Number(1.0); 3];
    let mut s = 0.0;
    for i in 0..3 * n {
        let j = (i * 7) % n;
        slots[(i * 5 + j) % 3] = Number(x[j] * x[j]);
        s += sum(&slots[(i + 1) % 3..][..1], x) * x[0];
        let k = (i * 2 + j) % 3;
        slots[k] = match i % 3 {
            0 => Number(2.5),
            1 => Number(0.5),
            _ => Index(j),
        };
        s += sum(&slots[k..][..1], x) * x[1];
    }
    s
}

fn root(v: f64) -> Result<f64, String> {
    if v < 0.0 { Err(format!("negative in step {}", 1)) } else { Ok(v.sqrt()) }
}
fn chain(v: f64) -> Result<f64, String> {
    let a = root(v)?;
    Ok(a * root(a + 1.0)?)
}
extern "C" fn written(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let (mut s, mut log) = (0.0, String::new());
    for (i, v) in x.iter().enumerate() {
        s += v * v;
        log.push_str(&format!("step {} {:.3};", i, s));
    }
    if log.len() > 10000 {
        println!("{}", log);
    }
    s * x[0] + chain(x[2]).unwrap() + chain(x[3] - 100.0).unwrap_or(x[1])
}

struct Node {
    value: f64,
    children: RefCell<Vec<Rc<Node>>>,
}
fn total(n: &Node) -> f64 {
    n.value * n.value + n.children.borrow().iter().map(|k| total(k) * n.value).sum::<f64>()
}
fn node(value: f64, children: Vec<Rc<Node>>) -> Rc<Node> {
    Rc::new(Node { value, children: RefCell::new(children) })
}
extern "C" fn counted(x: *const f64, n: usize) -> f64 {
    let x = slice(x, n);
    let leaf = node(x[0], vec![]);
    let root = node(x[1], vec![leaf.clone(), node(x[2], vec![leaf.clone()])]);
    root.children.borrow_mut().push(node(x[3], vec![]));
    let mut q: VecDeque<f64> = VecDeque::new();
    for v in x {
        q.push_back(*v);
        if q.len() > 3 {
            q.pop_front();
        }
        q.push_front(v * v);
    }
    let mut s = total(&root);
    while let Some(v) = q.pop_front() {
        s = s * 0.5 + v;
    }
    s
}

fn check(name: &str, f: Function, reverse: &[f64], forward: &[f64], x: &mut [f64]) -> bool {
    let mut fine = true;
    for i in 0..x.len() {
        let (old, h) = (x[i], 1e-5);
        x[i] = old + h;
        let up = f(x.as_ptr(), x.len());
        x[i] = old - h;
        let down = f(x.as_ptr(), x.len());
        x[i] = old;
        let want = (up - down) / (2.0 * h);
        for got in [reverse[i], forward[i]] {
            if !((got - want).abs() <= 1e-7 * want.abs().max(1.0)) {
                println!("{} {}: reverse {}, forward {}, differences {}", name, i, reverse[i], forward[i], want);
                fine = false;
            }
        }
    }
    fine
}
// A call names its function.
macro_rules! check {
    ($f:ident) => {{
        const N: usize = 8;
        let mut x: Vec<f64> = (0..N).map(|i| 1.1 + 0.6 * (2.3 * i as f64 + 0.4).sin()).collect();
        let (mut reverse, mut forward) = ([0.0; N], [0.0; N]);
        unsafe {
            __enzyme_autodiff($f as *const c_void, enzyme_dup, x.as_ptr(), reverse.as_mut_ptr(), N);
            for i in 0..N {
                let mut t = [0.0; N];
                t[i] = 1.0;
                forward[i] = __enzyme_fwddiff($f as *const c_void, enzyme_dup, x.as_ptr(), t.as_ptr(), N);
            }
        }
        check(stringify!($f), $f, &reverse, &forward, &mut x)
    }};
}
fn main() {
    let results = [check!(collected), check!(pushed), check!(slots) && check!(taken) && check!(written), check!(counted)];
    #[cfg(told)]
    let results = {
        use told::small;
        [check!(small), results[0], results[1], results[2] && results[3]]
    };
    std::process::exit(!results.iter().all(|fine| *fine) as i32);
}
