/*===- retrograd.h - derivative calls for C and C++ -----------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|*
|* A derivative call names a function and passes its arguments:
|*
|*     double square(double x) { return x * x; }
|*     double slope = __enzyme_autodiff((void *)square, 3.0);      // 6.0
|*
|* __enzyme_autodiff   reverse mode: derivatives of one result with respect to
|*                     everything
|* __enzyme_fwddiff    forward mode: derivatives of everything along one
|* direction
|*
|* Before an argument may stand what is to be done about it:
|*
|*     enzyme_const      x        it is not differentiated
|*     enzyme_dup        p, dp    memory and its shadow, where derivatives are
|*                                read (forward) or added (reverse);
|*                                in forward mode a number and its tangent,
|*                                too
|*     enzyme_dupnoneed  p, dp    the same; the primal's result is not looked at
|*     enzyme_seed       p, dp    reverse mode: the same, and dp is only read;
|*                                where each place of p is written once, and not
|*                                read (docs/Seeds.md)
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

#if defined(__has_attribute) && !defined(RG_DERIVATIVE_CALL)
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

/* A function of the program that runs the iterations of a loop in parallel, by
 * its qualified name: RG_PARALLEL_FOR("mine::for_all"), at namespace scope, for
 *
 *     template <class Body> void mine::for_all(int first, int last, const Body
 * &body);
 *
 * Its first one or two integers are the loop's bounds (0 and n, of one), the
 * first object behind them that can be called with an integer is its body.
 * Derivatives run such a loop on threads of their own. */
#define RG_PARALLEL_FOR(name) RG_PARALLEL_FOR_AT(name, __COUNTER__)
#define RG_PARALLEL_FOR_AT(name, n) RG_PARALLEL_FOR_IN(name, n)
#define RG_PARALLEL_FOR_IN(name, n)                                            \
  static const char __rg_parallel_for##n[] __attribute__((used)) = name

#ifndef RETROGRAD_MARKERS_DECLARED /* by <enzyme/enzyme> */
#ifdef __cplusplus
/* A C++ program may declare the markers for itself, with the linkage of C or of
 * C++, before or after this header. Before: these are other variables of the
 * same symbols. After: what is declared with C linkage may be declared again
 * either way. */
#define enzyme_const rg_enzyme_const
#define enzyme_dup rg_enzyme_dup
#define enzyme_dupnoneed rg_enzyme_dupnoneed
#define enzyme_seed rg_enzyme_seed
#define enzyme_out rg_enzyme_out
#define enzyme_primal_return rg_enzyme_primal_return
#define enzyme_tape rg_enzyme_tape
#define enzyme_allocated rg_enzyme_allocated
#define enzyme_nofree rg_enzyme_nofree
#define enzyme_width rg_enzyme_width
#define enzyme_pattern rg_enzyme_pattern
#define enzyme_dupv rg_enzyme_dupv
#define enzyme_dupnoneedv rg_enzyme_dupnoneedv
#define enzyme_scalar rg_enzyme_scalar
#define enzyme_vector rg_enzyme_vector
#define enzyme_buffer rg_enzyme_buffer
#define RG_MARKER(name) extern "C" int rg_##name __asm__(#name)
#else
#define RG_MARKER(name) extern int name
#endif
RG_MARKER(enzyme_const);
RG_MARKER(enzyme_dup);
RG_MARKER(enzyme_dupnoneed);
RG_MARKER(enzyme_seed);
RG_MARKER(enzyme_out);
RG_MARKER(enzyme_primal_return);
/* Split mode, see docs/user/SplitMode.md. */
RG_MARKER(enzyme_tape);
RG_MARKER(enzyme_allocated);
RG_MARKER(enzyme_nofree);
/* Several derivatives at once, see docs/user/Jacobians.md. */
RG_MARKER(enzyme_width);
RG_MARKER(enzyme_pattern); /* docs/Sparse.md */
RG_MARKER(enzyme_dupv);
RG_MARKER(enzyme_dupnoneedv);
RG_MARKER(enzyme_scalar);
RG_MARKER(enzyme_vector);
RG_MARKER(enzyme_buffer);
#undef RG_MARKER
#endif

/* In C++ they are templates: a program's own declarations, of whatever result
 * and linkage, overload them and are preferred. */
#ifdef __cplusplus
#define RG_ENTRY template <int = 0>
#else
#define RG_ENTRY
#endif

/* Reverse mode. The name says what is returned. */
RG_ENTRY double __enzyme_autodiff(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY float __enzyme_autodiff_float(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY long double __enzyme_autodiff_longdouble(void *function,
                                                  ...) RG_DERIVATIVE_CALL;
RG_ENTRY void __enzyme_autodiff_void(void *function, ...) RG_DERIVATIVE_CALL;

/* Forward mode. */
RG_ENTRY double __enzyme_fwddiff(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY float __enzyme_fwddiff_float(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY long double __enzyme_fwddiff_longdouble(void *function,
                                                 ...) RG_DERIVATIVE_CALL;
RG_ENTRY void __enzyme_fwddiff_void(void *function, ...) RG_DERIVATIVE_CALL;

/* Reverse mode in two calls: the first returns the tape (and, if you declare
 * one that returns a struct, the function's result behind it), the second takes
 * it. */
RG_ENTRY void *__enzyme_augmentfwd(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY double __enzyme_reverse(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY float __enzyme_reverse_float(void *function, ...) RG_DERIVATIVE_CALL;
RG_ENTRY long double __enzyme_reverse_longdouble(void *function,
                                                 ...) RG_DERIVATIVE_CALL;
RG_ENTRY void __enzyme_reverse_void(void *function, ...) RG_DERIVATIVE_CALL;
/* Bytes of memory for a tape, in units of char. */
RG_ENTRY unsigned long __enzyme_augmentsize(void *function,
                                            ...) RG_DERIVATIVE_CALL;
#undef RG_ENTRY

#ifdef __cplusplus
extern "C"
#endif
    /* Releases a tape that is not reversed (any more); null is allowed. */
    void rg_tape_free(void *tape);

#endif /* RETROGRAD_RETROGRAD_H */
