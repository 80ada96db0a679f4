//===- Rust.td - Rust's runtime --------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are Rust's mangled ones without the hashes of crates, which change with
// every compiler. Panics need no records: nothing returns from them.
//
//===----------------------------------------------------------------------===//

let Section = "Rust" in {
// The crate that rustc makes for a program has bodies of these, which call what
// no other name tells.
let OfRuntime = 1 in {
def rust_alloc : Expansion<"rg_rust_alloc", ["_RNvC7___rustc12___rust_alloc"], "P:ZZ">;
def rust_alloc_zeroed
    : Expansion<"rg_rust_alloc_zeroed", ["_RNvC7___rustc19___rust_alloc_zeroed"], "P:ZZ">;
def rust_dealloc : Expansion<"rg_rust_dealloc", ["_RNvC7___rustc14___rust_dealloc"], "V:PZZ">;
def rust_realloc : Expansion<"rg_rust_realloc", ["_RNvC7___rustc14___rust_realloc"], "P:PZZZ">;
} // OfRuntime
def rust_system : InactiveInC<
    ["_RNvC7___rustc35___rust_no_alloc_shim_is_unstable_v2", "_RNvNtNtC3std2io5stdio6__print",
     "_RNvNtNtC3std2io5stdio7__eprint", "_RNvMNtC3std4timeNtB2_7Instant3now",
     "_RNvMNtC3std4timeNtB4_7Instant3now", "rust_eh_personality",
     // What the processor can do.
     "_RNvNtNtC10std_detect6detect5cache21detect_and_initialize",
     // Text (what is written of numbers is constant), and the keys of chance of hash tables.
     "_RNvNvNtC5alloc3fmt6format12format_inner", "_RNvNtC4core3fmt5write",
     "_RNvNtNtNtC3std3sys6random5linux19hashmap_random_keys"]>;
}
