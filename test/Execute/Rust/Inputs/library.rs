// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that crates.rs calls: functions that are large, called on a cold path, or both, and calls of calls.

macro_rules! terms {
    ($s:ident, $x:ident, $($k:literal)*) => { $($s = $s * 0.9 + ($x[$k % 4] * (1.0 + $k as f64)).sin() * $x[($k + 1) % 4];)* };
}
pub fn large(x: &[f64]) -> f64 {
    let mut s = 0.0;
    terms!(s, x, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
    terms!(s, x, 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75);
    s
}
#[cold]
pub fn rarely(x: &[f64]) -> f64 {
    inner(x) * 3.0
}
fn inner(x: &[f64]) -> f64 {
    deeper(x) + x[0]
}
fn deeper(x: &[f64]) -> f64 {
    large(x) * x[1]
}

/// Pairs in a vector that grows.
pub fn window(x: &[f64]) -> f64 {
    let mut kept: Vec<(usize, f64)> = Vec::new();
    for k in 0..3 {
        for (i, &a) in x.iter().enumerate() {
            kept.push((i + k, a * a));
        }
    }
    kept.iter().map(|p| p.1 * p.1 * p.0 as f64).sum()
}

/// A queue that grows at both ends.
pub fn deque(x: &[f64]) -> f64 {
    let mut queue = std::collections::VecDeque::new();
    for (i, &a) in x.iter().enumerate() {
        queue.push_back(a.sin());
        if i == 2 {
            queue.pop_front();
        }
        queue.push_front(a * a);
    }
    queue.iter().enumerate().map(|(i, q)| q * i as f64).sum()
}

/// By what the processor can do.
pub fn chosen(x: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    let whole = std::is_x86_feature_detected!("sse2");
    #[cfg(not(target_arch = "x86_64"))]
    let whole = true;
    if whole { x.iter().map(|a| a * a * a).sum() } else { x[0] }
}
