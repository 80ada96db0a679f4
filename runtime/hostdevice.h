/*===- hostdevice.h - device memory, for rules of CUDA's libraries --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* What hostdevice.c has for operations beside launches: a library's routine
|* takes part in the book of device memory, so that its reverse finds its inputs
|* where they were, without a copy (docs/HostDevice.md).
\*===------------------------------------------------------------------------===*/
#ifndef RETROGRAD_RUNTIME_HOSTDEVICE_H
#define RETROGRAD_RUNTIME_HOSTDEVICE_H
#include <stdint.h>

/* Of one element: B = b B + a f(A, C), where b = 0 does not read B. */
enum {
  RG_MAP_COPY,    /* f = A */
  RG_MAP_SIGN,    /* f = sign of A, 0 for 0 */
  RG_MAP_PRODUCT, /* f = A C */
  RG_MAP_ONE      /* f = 1 */
};
/* Elements (i, j), i < m, j < n, of the whole, of the lower or of the upper
 * triangle, with or without the diagonal. The strides of an array are those of
 * i and j, in elements. */
enum { RG_ALL, RG_LOWER, RG_UPPER };
struct rg_map {
  int32_t is_double, what, triangle, strict;
  int64_t m, n;
  double a, b;
  const void *A, *C;
  void *B;
  int64_t a0, a1, b0, b1, c0, c1;
};

/* Matrices of m x n by columns: B = A, or B += A, of other types of numbers. */
enum { RG_FLOAT, RG_HALF, RG_BFLOAT, RG_DOUBLE };
struct rg_convert {
  int32_t from, to, add;
  int64_t m, n, lda, ldb;
  const void *A;
  void *B;
};

/* Of n elements that ranks have reduced to one each; A_ik is what rank k gave
 * for element i, at A[i + k step]. Several that are the extremum share it.
 *   forward      B_i = sum_k (derivative by A_ik) C_ik
 *   otherwise    B_i += a (derivative by A_i rank) C_i
 * A sum does not read A. */
enum { RG_REDUCE_SUM, RG_REDUCE_PRODUCT, RG_REDUCE_MAX, RG_REDUCE_MIN };
struct rg_reduced {
  int32_t type, what, forward, rank, ranks;
  int64_t n, step;
  double a;
  const void *A, *C;
  void *B;
};

/* Sums over the elements of a sparse matrix A:
 *   RG_SPARSE_SCATTER   out_ic += a A_ij X_jc
 *   RG_SPARSE_VALUES    out of the element += a sum_c Y_ic X_jc
 * for c < columns. Strides are those of the first and of the second index. */
enum { RG_SPARSE_SCATTER, RG_SPARSE_VALUES };
struct rg_sparse {
  int32_t is_double, what;
  int32_t format; /* 1: by rows, 2: by columns, 3: by coordinates, rows first */
  int32_t wide_offsets, wide_indices, base; /* integers of 64 bits; the first */
  int32_t swap;                             /* i and j are column and row */
  int64_t lines, elements, columns;         /* lines: rows or columns */
  double a;
  const void *offsets, *indices, *values, *X, *Y;
  void *out;
  int64_t x0, x1, y0, y1, o0, o1;
};

/* Room for `bytes` on the device; on the host where the device has no more. */
struct rg_room {
  char *at;
  uint64_t bytes;
  uint8_t on_host;
  int device;
};

#ifdef __cplusplus
extern "C" {
#endif
/* What lies behind p is read by the reverse of what runs just now: 1 if it will
 * be there then as it is now, 0 if it has to be copied. */
int rg_gpu_reads(const void *p);
/* One operation more, and one less, whose reverse reads device memory. */
void rg_gpu_hold(void);
void rg_gpu_let_go(void);
/* Device memory for `bytes`, or the end of the program with a message. */
struct rg_room rg_gpu_room(uint64_t bytes, const char *of);
void rg_gpu_room_back(struct rg_room room);
/* Waits for all that was given to devices. */
void rg_gpu_wait(const char *of);
/* The current device, which gets work; and another, whose number is given back
 * before. */
int rg_gpu_works(void);
int rg_gpu_enter(int device, const char *of);
/* Ends the program. */
void rg_gpu_library_failed(const char *routine, int status)
    __attribute__((noreturn));
/* Ends the program: the call has no derivative, and why. */
void rg_gpu_library_refused(const char *routine, const char *why)
    __attribute__((noreturn));
/* What the program's last call of a library returned. */
void rg_gpu_set_library_status(int status);
int rg_gpu_library_status(void);
void rg_device_map(const struct rg_map *map, void *stream);
void rg_device_sparse(const struct rg_sparse *sum, void *stream);
void rg_device_reduced(const struct rg_reduced *reduced, void *stream);
void rg_device_convert(const struct rg_convert *convert, void *stream);
#ifdef __cplusplus
}
#endif
#endif
