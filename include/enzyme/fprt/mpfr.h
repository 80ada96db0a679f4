/*===- enzyme/fprt/mpfr.h - nothing to declare ----------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|*
|* Reduced precision (__enzyme_truncate_*) is done in the machine's own types,
|* so no runtime library of software numbers has to be compiled into the
|* program. The header exists because programs include it.
|*
\*===------------------------------------------------------------------===*/
