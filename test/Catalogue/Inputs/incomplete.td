// Must be rejected; see ../bad-records.test.
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "Catalogue.td"

def half_done : Math1<(mul S, R)>;
def nameless : Inactive<[]> { let Section = "x"; }
def misspelt : Math1<(mul S, R)>, Domain<["0:1"]>, Lowers<["llvm.sine"]>;
def renamed : Math1<(mul S, R)>, Domain<["0:1"]>, Aliases<["another"]>;
def other : Inactive<["sin"]> { let Section = "x"; }
