// Rust: the gradient of a function of a slice. The derivative call is an external
// function; the linker replaces it.
//
//   rg-rustc -O rust-gradient.rs -o gradient && ./gradient
//
// REQUIRES: rustc, lld
// RUN: %rgrustc -O %s -o %t && %t | FileCheck %s
use std::ffi::c_void;

unsafe extern "C" {
    fn __enzyme_autodiff(f: *const c_void, ...) -> f64;
    static enzyme_dup: i32;
}

/// Rosenbrock's function: ordinary Rust, with iterators over windows.
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2)
        .map(|w| (1.0 - w[0]).powi(2) + 100.0 * (w[1] - w[0] * w[0]).powi(2))
        .sum()
}

/// What is differentiated has the C ABI, in which arguments are what they look like.
extern "C" fn rosenbrock_c(x: *const f64, n: usize) -> f64 {
    rosenbrock(unsafe { std::slice::from_raw_parts(x, n) })
}

fn gradient(x: &[f64]) -> Vec<f64> {
    let mut dx = vec![0.0; x.len()];
    unsafe {
        __enzyme_autodiff(rosenbrock_c as *const c_void, enzyme_dup, x.as_ptr(), dx.as_mut_ptr(), x.len());
    }
    dx
}

fn main() {
    println!("{:?}", gradient(&[1.0, 1.0, 1.0]));
    println!("{:?}", gradient(&[0.5, 1.0, 2.0]));
}
// CHECK: [0.0, 0.0, 0.0]
// CHECK: [-151.0, -250.0, 200.0]
