/*===- retrograd_runtime.h - ABI between generated code and the runtime ---===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The runtime is compiled to bitcode and carried inside Retrograd.so; what a
|* derivative uses is linked into the user's module as linkonce_odr functions,
|* so that no library has to be linked. All state is thread-local.
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_H
#define RETROGRAD_RUNTIME_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct rg_arena rg_arena;

/** This thread's arena, entered: everything allocated until the matching
 *  rg_tape_end is released there. Nests (a stack of marks). */
rg_arena *rg_tape_begin(void);
/** Leaves the innermost rg_tape_begin: runs its deferred frees (latest first)
 *  and makes its memory available again. Chunks stay with the thread. */
void rg_tape_end(rg_arena *a);
/** `bytes` bytes, 16-byte aligned, uninitialised. Inlined bump, chunked growth,
 *  never moves what was handed out. */
void *rg_tape_alloc(rg_arena *a, uint64_t bytes);
/** As rg_tape_alloc, filled with zero bytes. */
void *rg_tape_zalloc(rg_arena *a, uint64_t bytes);
/** Calls dealloc(p) when the innermost rg_tape_begin ends. p may be null. */
void rg_tape_defer_free(rg_arena *a, void *p, void (*dealloc)(void *));

/** Bytes of the heap block p that may be copied; 0 for null (memory.ll). */
uint64_t rg_block_bytes(void *p);
/** What realloc(p, bytes) returns, except that the old block stays alive, and
 *  unchanged, until the innermost rg_tape_begin ends: the reverse sweep may
 *  still read it, and its shadow. The bytes kept are the first
 *  min(rg_block_bytes(p), bytes). */
void *rg_tape_realloc(rg_arena *a, void *p, uint64_t bytes);

/** An arena of its own, for the tape of a split derivative. */
rg_arena *rg_split_begin(void);
/** Runs its delayed frees and releases it. */
void rg_split_end(rg_arena *a);
/** Releases the tape of a split derivative that is not reversed (any more). For
 *  programs. */
void rg_tape_free(void *tape);
/** Ends the program: the tape is not the sweep's, or its shadows are others. */
void rg_split_wrong_tape(const char *function);
void rg_split_wrong_shadow(const char *function);
void rg_split_wrong_log(const char *function);
/** Stores the tape into `bytes` bytes of the user's memory. */
void rg_split_put(void *memory, uint64_t bytes, void *tape);

/** The log of a run that forward mode repeats (replay.c): written once, in an
 * arena; read by any number of readers. */
typedef struct rg_log rg_log;
rg_log *rg_log_begin(rg_arena *arena);
void *rg_log_write(rg_log *log, uint64_t bytes);
void rg_log_copy(rg_log *log, const void *memory, uint64_t bytes);
void *rg_log_memory(rg_log *log, uint64_t bytes, uint64_t align);
void rg_log_free(rg_log *log, void *p, void (*dealloc)(void *));
void *rg_log_realloc(rg_log *log, void *p, uint64_t bytes);
void rg_log_end(rg_log *log);
uint64_t rg_log_bytes(void);
void rg_log_rewind(rg_log *reader, const rg_log *log);
void *rg_log_read(rg_log *reader, uint64_t bytes);

/** Bytes of tape handed out by this thread since the last reset, and the most
 *  that were live at once. For reports and benchmarks. */
uint64_t rg_tape_bytes_total(void);
uint64_t rg_tape_bytes_peak(void);
void rg_tape_bytes_reset(void);

#ifdef __cplusplus
}
#endif
#endif
