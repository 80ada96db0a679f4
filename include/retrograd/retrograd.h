/*===- retrograd.h - derivative calls for C and C++ ------------*- C -*-===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*\
|*
|* A derivative call names a function and passes its arguments:
|*
|*     double square(double x) { return x * x; }
|*     double slope = __enzyme_autodiff((void *)square, 3.0);      // 6.0
|*
|* __enzyme_autodiff   reverse mode: derivatives of one result with respect to
|*                     everything
|* __enzyme_fwddiff    forward mode: derivatives of everything along one
direction
|*
|* Before an argument may stand what is to be done about it:
|*
|*     enzyme_const      x        it is not differentiated
|*     enzyme_dup        p, dp    memory and its shadow, where derivatives are
|*                                read (forward) or added (reverse); forward
mode:
|*                                a number and its tangent, too
|*     enzyme_dupnoneed  p, dp    the same; the primal's result is not looked at
|*     enzyme_out        x        reverse mode: its derivative is returned
|*
|* Without a marker: pointers are enzyme_dup; floating-point numbers are
|* enzyme_out in reverse mode and enzyme_dup in forward mode; integers are
|* enzyme_const. Several returned derivatives make a struct, in the order of the
|* parameters. enzyme_primal_return puts the primal's result before them.
|*
|* This header is a convenience: any function whose name contains one of these
|* names is such a call, so a program may declare its own, with the result type
|* that it needs:
|*
|*     struct two { double x, y; };
|*     struct two __enzyme_autodiff_two(void *, ...) RG_DERIVATIVE_CALL;
|*
|* RG_DERIVATIVE_CALL turns "the plugin was not loaded" from an undefined symbol
|* at link time into an error at the line of the call.
|*
|* C++ programs may like <retrograd/retrograd.hpp> better.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RETROGRAD_RETROGRAD_H
#define RETROGRAD_RETROGRAD_H

#if defined(__has_attribute)
#if __has_attribute(error)
/* The compiler complains about calls that are left when it writes the object
 * file; the plugin has replaced them all by then. */
#define RG_DERIVATIVE_CALL                                                     \
  __attribute__((error("derivatives need the Retrograd plugin: compile with "  \
                       "rg-clang, or add -fplugin=Retrograd.so")))
#endif
#endif
#ifndef RG_DERIVATIVE_CALL
#define RG_DERIVATIVE_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RETROGRAD_MARKERS_DECLARED /* by <enzyme/enzyme> */
extern int enzyme_const;
extern int enzyme_dup;
extern int enzyme_dupnoneed;
extern int enzyme_out;
extern int enzyme_primal_return;
/* Split mode, see docs/user/SplitMode.md. */
extern int enzyme_tape;
extern int enzyme_allocated;
extern int enzyme_nofree;
/* Several derivatives at once, see docs/user/Jacobians.md. */
extern int enzyme_width;
extern int enzyme_pattern; /* docs/Sparse.md */
extern int enzyme_dupv;
extern int enzyme_dupnoneedv;
extern int enzyme_scalar;
extern int enzyme_vector;
extern int enzyme_buffer;
#endif

/* Reverse mode. The name says what is returned. */
double __enzyme_autodiff(void *function, ...) RG_DERIVATIVE_CALL;
float __enzyme_autodiff_float(void *function, ...) RG_DERIVATIVE_CALL;
long double __enzyme_autodiff_longdouble(void *function,
                                         ...) RG_DERIVATIVE_CALL;
void __enzyme_autodiff_void(void *function, ...) RG_DERIVATIVE_CALL;

/* Forward mode. */
double __enzyme_fwddiff(void *function, ...) RG_DERIVATIVE_CALL;
float __enzyme_fwddiff_float(void *function, ...) RG_DERIVATIVE_CALL;
long double __enzyme_fwddiff_longdouble(void *function, ...) RG_DERIVATIVE_CALL;
void __enzyme_fwddiff_void(void *function, ...) RG_DERIVATIVE_CALL;

/* Reverse mode in two calls: the first returns the tape (and, if you declare one
 * that returns a struct, the function's result behind it), the second takes it. */
void *__enzyme_augmentfwd(void *function, ...) RG_DERIVATIVE_CALL;
double __enzyme_reverse(void *function, ...) RG_DERIVATIVE_CALL;
float __enzyme_reverse_float(void *function, ...) RG_DERIVATIVE_CALL;
long double __enzyme_reverse_longdouble(void *function,
                                        ...) RG_DERIVATIVE_CALL;
void __enzyme_reverse_void(void *function, ...) RG_DERIVATIVE_CALL;
/* Bytes of memory for a tape, in units of char. */
unsigned long __enzyme_augmentsize(void *function, ...) RG_DERIVATIVE_CALL;
/* Releases a tape that is not reversed (any more); null is allowed. */
void rg_tape_free(void *tape);

#ifdef __cplusplus
}
#endif

#endif /* RETROGRAD_RETROGRAD_H */
