// Must be rejected; see ../bad-records.test.
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "Catalogue.td"

def wrong : Math1<(mul S, (call "cosinus", A0))>, Domain<["0:1"]>;
