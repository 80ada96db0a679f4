//===- Blas.td - the BLAS ---------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

let Section = "BLAS" in {

def cblas_ddot : Rule<"rg_rule_ddot_augment", "rg_rule_ddot_reverse", "rg_rule_ddot_forward",
                      ["cblas_ddot"], "D:IPIPI", "- rD - rD -">;

} // Section
