/*===- messages-fortran.c - the routines of MPI as Fortran calls them -----===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* mpi_send_(buffer, count, ...): everything by address, handles as
|* integers, and the result in the last argument. Statuses lie in memory as
|* in C.
\*===------------------------------------------------------------------------===*/
#include "messages.h"
#include <stdlib.h>
#include <string.h>

rg_handle MPI_Type_f2c(int) __attribute__((weak));
rg_handle MPI_Comm_f2c(int) __attribute__((weak));
rg_handle MPI_Op_f2c(int) __attribute__((weak));
rg_handle MPI_Request_f2c(int) __attribute__((weak));
int MPI_Request_c2f(rg_handle) __attribute__((weak));
int MPI_Comm_c2f(rg_handle) __attribute__((weak));
/* Variables whose addresses have a meaning. */
extern int mpi_fortran_in_place_[] __attribute__((weak));
extern int mpi_fortran_status_ignore_[] __attribute__((weak));
extern int mpi_fortran_statuses_ignore_[] __attribute__((weak));
extern int *MPIR_F_MPI_IN_PLACE __attribute__((weak));
extern int *MPI_F_STATUS_IGNORE __attribute__((weak));
extern int *MPI_F_STATUSES_IGNORE __attribute__((weak));

static rg_handle type_of(const int *f) {
  return rg_mpi_is_open() ? MPI_Type_f2c(*f) : *f;
}
static rg_handle comm_of(const int *f) {
  return rg_mpi_is_open() ? MPI_Comm_f2c(*f) : *f;
}
static rg_handle op_of(const int *f) {
  return rg_mpi_is_open() ? MPI_Op_f2c(*f) : *f;
}
static rg_handle request_of(const int *f) {
  return rg_mpi_is_open() ? MPI_Request_f2c(*f) : *f;
}
static int request_to(const void *c) {
  rg_handle handle = rg_mpi_handle_at(c, 0);
  return rg_mpi_is_open() ? MPI_Request_c2f(handle) : (int)handle;
}
static int is_at(const void *p, const int *open, int *const *mpich) {
  return rg_mpi_is_open() ? p == (const void *)open
                          : mpich && p == (const void *)*mpich;
}
static void *buffer_of(const void *p) {
  return is_at(p, mpi_fortran_in_place_, &MPIR_F_MPI_IN_PLACE) ? RG_IN_PLACE
                                                               : (void *)p;
}
static void *status_of(const void *p) {
  return is_at(p, mpi_fortran_status_ignore_, &MPI_F_STATUS_IGNORE) ||
                 is_at(p, mpi_fortran_statuses_ignore_, &MPI_F_STATUSES_IGNORE)
             ? (void *)(rg_mpi_is_open() ? (intptr_t)0 : (intptr_t)1)
             : (void *)p;
}

void *rg_mpi_send(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                  int, int, rg_handle, int *);
void *rg_mpif_send(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                   const int *a1, const int *a2, const int *a3, const int *a4,
                   const int *a5, int *error) {
  void *tape = rg_mpi_send(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                           *a3, *a4, comm_of(a5), error);
  return tape;
}
void *rg_mpi_ssend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, int, rg_handle, int *);
void *rg_mpif_ssend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    const int *a5, int *error) {
  void *tape = rg_mpi_ssend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, *a4, comm_of(a5), error);
  return tape;
}
void *rg_mpi_bsend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, int, rg_handle, int *);
void *rg_mpif_bsend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    const int *a5, int *error) {
  void *tape = rg_mpi_bsend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, *a4, comm_of(a5), error);
  return tape;
}
void *rg_mpi_rsend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, int, rg_handle, int *);
void *rg_mpif_rsend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    const int *a5, int *error) {
  void *tape = rg_mpi_rsend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, *a4, comm_of(a5), error);
  return tape;
}
void *rg_mpi_recv(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                  int, int, rg_handle, void *, int *);
void *rg_mpif_recv(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                   const int *a1, const int *a2, const int *a3, const int *a4,
                   const int *a5, void *a6, int *error) {
  void *tape = rg_mpi_recv(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                           *a3, *a4, comm_of(a5), status_of(a6), error);
  return tape;
}
void *rg_mpi_sendrecv(rg_arena *, uint64_t, void *, void *const *, int,
                      rg_handle, int, int, void *, void *const *, int,
                      rg_handle, int, int, rg_handle, void *, int *);
void *rg_mpif_sendrecv(rg_arena *arena, uint64_t lanes, void *a0,
                       void *const *s0, const int *a1, const int *a2,
                       const int *a3, const int *a4, void *a5, void *const *s5,
                       const int *a6, const int *a7, const int *a8,
                       const int *a9, const int *a10, void *a11, int *error) {
  void *tape =
      rg_mpi_sendrecv(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2), *a3,
                      *a4, buffer_of(a5), s5, *a6, type_of(a7), *a8, *a9,
                      comm_of(a10), status_of(a11), error);
  return tape;
}
void *rg_mpi_sendrecv_replace(rg_arena *, uint64_t, void *, void *const *, int,
                              rg_handle, int, int, int, int, rg_handle, void *,
                              int *);
void *rg_mpif_sendrecv_replace(rg_arena *arena, uint64_t lanes, void *a0,
                               void *const *s0, const int *a1, const int *a2,
                               const int *a3, const int *a4, const int *a5,
                               const int *a6, const int *a7, void *a8,
                               int *error) {
  void *tape = rg_mpi_sendrecv_replace(arena, lanes, buffer_of(a0), s0, *a1,
                                       type_of(a2), *a3, *a4, *a5, *a6,
                                       comm_of(a7), status_of(a8), error);
  return tape;
}
void *rg_mpi_isend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, int, rg_handle, void *, int *);
void *rg_mpif_isend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    const int *a5, int *a6, int *error) {
  intptr_t r6 = 0;
  void *tape = rg_mpi_isend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, *a4, comm_of(a5), &r6, error);
  *a6 = request_to(&r6);
  return tape;
}
void *rg_mpi_issend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                    int, int, rg_handle, void *, int *);
void *rg_mpif_issend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     const int *a1, const int *a2, const int *a3, const int *a4,
                     const int *a5, int *a6, int *error) {
  intptr_t r6 = 0;
  void *tape = rg_mpi_issend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                             *a3, *a4, comm_of(a5), &r6, error);
  *a6 = request_to(&r6);
  return tape;
}
void *rg_mpi_ibsend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                    int, int, rg_handle, void *, int *);
void *rg_mpif_ibsend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     const int *a1, const int *a2, const int *a3, const int *a4,
                     const int *a5, int *a6, int *error) {
  intptr_t r6 = 0;
  void *tape = rg_mpi_ibsend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                             *a3, *a4, comm_of(a5), &r6, error);
  *a6 = request_to(&r6);
  return tape;
}
void *rg_mpi_irsend(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                    int, int, rg_handle, void *, int *);
void *rg_mpif_irsend(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     const int *a1, const int *a2, const int *a3, const int *a4,
                     const int *a5, int *a6, int *error) {
  intptr_t r6 = 0;
  void *tape = rg_mpi_irsend(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                             *a3, *a4, comm_of(a5), &r6, error);
  *a6 = request_to(&r6);
  return tape;
}
void *rg_mpi_irecv(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, int, rg_handle, void *, int *);
void *rg_mpif_irecv(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    const int *a5, int *a6, int *error) {
  intptr_t r6 = 0;
  void *tape = rg_mpi_irecv(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, *a4, comm_of(a5), &r6, error);
  *a6 = request_to(&r6);
  return tape;
}
void *rg_mpi_bcast(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                   int, rg_handle, int *);
void *rg_mpif_bcast(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                    const int *a1, const int *a2, const int *a3, const int *a4,
                    int *error) {
  void *tape = rg_mpi_bcast(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                            *a3, comm_of(a4), error);
  return tape;
}
void *rg_mpi_reduce(rg_arena *, uint64_t, void *, void *const *, void *,
                    void *const *, int, rg_handle, rg_handle, int, rg_handle,
                    int *);
void *rg_mpif_reduce(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     void *a1, void *const *s1, const int *a2, const int *a3,
                     const int *a4, const int *a5, const int *a6, int *error) {
  void *tape =
      rg_mpi_reduce(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1, *a2,
                    type_of(a3), op_of(a4), *a5, comm_of(a6), error);
  return tape;
}
void *rg_mpi_allreduce(rg_arena *, uint64_t, void *, void *const *, void *,
                       void *const *, int, rg_handle, rg_handle, rg_handle,
                       int *);
void *rg_mpif_allreduce(rg_arena *arena, uint64_t lanes, void *a0,
                        void *const *s0, void *a1, void *const *s1,
                        const int *a2, const int *a3, const int *a4,
                        const int *a5, int *error) {
  void *tape =
      rg_mpi_allreduce(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1, *a2,
                       type_of(a3), op_of(a4), comm_of(a5), error);
  return tape;
}
void *rg_mpi_scan(rg_arena *, uint64_t, void *, void *const *, void *,
                  void *const *, int, rg_handle, rg_handle, rg_handle, int *);
void *rg_mpif_scan(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                   void *a1, void *const *s1, const int *a2, const int *a3,
                   const int *a4, const int *a5, int *error) {
  void *tape = rg_mpi_scan(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1,
                           *a2, type_of(a3), op_of(a4), comm_of(a5), error);
  return tape;
}
void *rg_mpi_exscan(rg_arena *, uint64_t, void *, void *const *, void *,
                    void *const *, int, rg_handle, rg_handle, rg_handle, int *);
void *rg_mpif_exscan(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     void *a1, void *const *s1, const int *a2, const int *a3,
                     const int *a4, const int *a5, int *error) {
  void *tape = rg_mpi_exscan(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1,
                             *a2, type_of(a3), op_of(a4), comm_of(a5), error);
  return tape;
}
void *rg_mpi_reduce_scatter_block(rg_arena *, uint64_t, void *, void *const *,
                                  void *, void *const *, int, rg_handle,
                                  rg_handle, rg_handle, int *);
void *rg_mpif_reduce_scatter_block(rg_arena *arena, uint64_t lanes, void *a0,
                                   void *const *s0, void *a1, void *const *s1,
                                   const int *a2, const int *a3, const int *a4,
                                   const int *a5, int *error) {
  void *tape = rg_mpi_reduce_scatter_block(arena, lanes, buffer_of(a0), s0,
                                           buffer_of(a1), s1, *a2, type_of(a3),
                                           op_of(a4), comm_of(a5), error);
  return tape;
}
void *rg_mpi_reduce_scatter(rg_arena *, uint64_t, void *, void *const *, void *,
                            void *const *, const int *, rg_handle, rg_handle,
                            rg_handle, int *);
void *rg_mpif_reduce_scatter(rg_arena *arena, uint64_t lanes, void *a0,
                             void *const *s0, void *a1, void *const *s1,
                             const int *a2, const int *a3, const int *a4,
                             const int *a5, int *error) {
  void *tape =
      rg_mpi_reduce_scatter(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1,
                            a2, type_of(a3), op_of(a4), comm_of(a5), error);
  return tape;
}
void *rg_mpi_gather(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                    void *, void *const *, int, rg_handle, int, rg_handle,
                    int *);
void *rg_mpif_gather(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     const int *a1, const int *a2, void *a3, void *const *s3,
                     const int *a4, const int *a5, const int *a6, const int *a7,
                     int *error) {
  void *tape = rg_mpi_gather(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                             buffer_of(a3), s3, *a4, type_of(a5), *a6,
                             comm_of(a7), error);
  return tape;
}
void *rg_mpi_gatherv(rg_arena *, uint64_t, void *, void *const *, int,
                     rg_handle, void *, void *const *, const int *, const int *,
                     rg_handle, int, rg_handle, int *);
void *rg_mpif_gatherv(rg_arena *arena, uint64_t lanes, void *a0,
                      void *const *s0, const int *a1, const int *a2, void *a3,
                      void *const *s3, const int *a4, const int *a5,
                      const int *a6, const int *a7, const int *a8, int *error) {
  void *tape = rg_mpi_gatherv(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                              buffer_of(a3), s3, a4, a5, type_of(a6), *a7,
                              comm_of(a8), error);
  return tape;
}
void *rg_mpi_scatter(rg_arena *, uint64_t, void *, void *const *, int,
                     rg_handle, void *, void *const *, int, rg_handle, int,
                     rg_handle, int *);
void *rg_mpif_scatter(rg_arena *arena, uint64_t lanes, void *a0,
                      void *const *s0, const int *a1, const int *a2, void *a3,
                      void *const *s3, const int *a4, const int *a5,
                      const int *a6, const int *a7, int *error) {
  void *tape = rg_mpi_scatter(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                              buffer_of(a3), s3, *a4, type_of(a5), *a6,
                              comm_of(a7), error);
  return tape;
}
void *rg_mpi_scatterv(rg_arena *, uint64_t, void *, void *const *, const int *,
                      const int *, rg_handle, void *, void *const *, int,
                      rg_handle, int, rg_handle, int *);
void *rg_mpif_scatterv(rg_arena *arena, uint64_t lanes, void *a0,
                       void *const *s0, const int *a1, const int *a2,
                       const int *a3, void *a4, void *const *s4, const int *a5,
                       const int *a6, const int *a7, const int *a8,
                       int *error) {
  void *tape = rg_mpi_scatterv(arena, lanes, buffer_of(a0), s0, a1, a2,
                               type_of(a3), buffer_of(a4), s4, *a5, type_of(a6),
                               *a7, comm_of(a8), error);
  return tape;
}
void *rg_mpi_allgather(rg_arena *, uint64_t, void *, void *const *, int,
                       rg_handle, void *, void *const *, int, rg_handle,
                       rg_handle, int *);
void *rg_mpif_allgather(rg_arena *arena, uint64_t lanes, void *a0,
                        void *const *s0, const int *a1, const int *a2, void *a3,
                        void *const *s3, const int *a4, const int *a5,
                        const int *a6, int *error) {
  void *tape =
      rg_mpi_allgather(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                       buffer_of(a3), s3, *a4, type_of(a5), comm_of(a6), error);
  return tape;
}
void *rg_mpi_allgatherv(rg_arena *, uint64_t, void *, void *const *, int,
                        rg_handle, void *, void *const *, const int *,
                        const int *, rg_handle, rg_handle, int *);
void *rg_mpif_allgatherv(rg_arena *arena, uint64_t lanes, void *a0,
                         void *const *s0, const int *a1, const int *a2,
                         void *a3, void *const *s3, const int *a4,
                         const int *a5, const int *a6, const int *a7,
                         int *error) {
  void *tape = rg_mpi_allgatherv(arena, lanes, buffer_of(a0), s0, *a1,
                                 type_of(a2), buffer_of(a3), s3, a4, a5,
                                 type_of(a6), comm_of(a7), error);
  return tape;
}
void *rg_mpi_alltoall(rg_arena *, uint64_t, void *, void *const *, int,
                      rg_handle, void *, void *const *, int, rg_handle,
                      rg_handle, int *);
void *rg_mpif_alltoall(rg_arena *arena, uint64_t lanes, void *a0,
                       void *const *s0, const int *a1, const int *a2, void *a3,
                       void *const *s3, const int *a4, const int *a5,
                       const int *a6, int *error) {
  void *tape =
      rg_mpi_alltoall(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                      buffer_of(a3), s3, *a4, type_of(a5), comm_of(a6), error);
  return tape;
}
void *rg_mpi_alltoallv(rg_arena *, uint64_t, void *, void *const *, const int *,
                       const int *, rg_handle, void *, void *const *,
                       const int *, const int *, rg_handle, rg_handle, int *);
void *rg_mpif_alltoallv(rg_arena *arena, uint64_t lanes, void *a0,
                        void *const *s0, const int *a1, const int *a2,
                        const int *a3, void *a4, void *const *s4, const int *a5,
                        const int *a6, const int *a7, const int *a8,
                        int *error) {
  void *tape = rg_mpi_alltoallv(arena, lanes, buffer_of(a0), s0, a1, a2,
                                type_of(a3), buffer_of(a4), s4, a5, a6,
                                type_of(a7), comm_of(a8), error);
  return tape;
}

/*===- Neighbours, and forms that do not wait -----------------------------===*/

void *rg_mpi_neighbor_allgather(rg_arena *, uint64_t, void *, void *const *,
                                int, rg_handle, void *, void *const *, int,
                                rg_handle, rg_handle, int *);
void *rg_mpif_neighbor_allgather(rg_arena *arena, uint64_t lanes, void *a0,
                                 void *const *s0, const int *a1, const int *a2,
                                 void *a3, void *const *s3, const int *a4,
                                 const int *a5, const int *a6, int *error) {
  void *tape = rg_mpi_neighbor_allgather(arena, lanes, buffer_of(a0), s0, *a1,
                                         type_of(a2), buffer_of(a3), s3, *a4,
                                         type_of(a5), comm_of(a6), error);
  return tape;
}
void *rg_mpi_ineighbor_allgather(rg_arena *, uint64_t, void *, void *const *,
                                 int, rg_handle, void *, void *const *, int,
                                 rg_handle, rg_handle, void *, int *);
void *rg_mpif_ineighbor_allgather(rg_arena *arena, uint64_t lanes, void *a0,
                                  void *const *s0, const int *a1, const int *a2,
                                  void *a3, void *const *s3, const int *a4,
                                  const int *a5, const int *a6, int *request,
                                  int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ineighbor_allgather(arena, lanes, buffer_of(a0), s0, *a1,
                                          type_of(a2), buffer_of(a3), s3, *a4,
                                          type_of(a5), comm_of(a6), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_neighbor_allgatherv(rg_arena *, uint64_t, void *, void *const *,
                                 int, rg_handle, void *, void *const *,
                                 const int *, const int *, rg_handle, rg_handle,
                                 int *);
void *rg_mpif_neighbor_allgatherv(rg_arena *arena, uint64_t lanes, void *a0,
                                  void *const *s0, const int *a1, const int *a2,
                                  void *a3, void *const *s3, const int *a4,
                                  const int *a5, const int *a6, const int *a7,
                                  int *error) {
  void *tape = rg_mpi_neighbor_allgatherv(arena, lanes, buffer_of(a0), s0, *a1,
                                          type_of(a2), buffer_of(a3), s3, a4,
                                          a5, type_of(a6), comm_of(a7), error);
  return tape;
}
void *rg_mpi_ineighbor_allgatherv(rg_arena *, uint64_t, void *, void *const *,
                                  int, rg_handle, void *, void *const *,
                                  const int *, const int *, rg_handle,
                                  rg_handle, void *, int *);
void *rg_mpif_ineighbor_allgatherv(rg_arena *arena, uint64_t lanes, void *a0,
                                   void *const *s0, const int *a1,
                                   const int *a2, void *a3, void *const *s3,
                                   const int *a4, const int *a5, const int *a6,
                                   const int *a7, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ineighbor_allgatherv(
      arena, lanes, buffer_of(a0), s0, *a1, type_of(a2), buffer_of(a3), s3, a4,
      a5, type_of(a6), comm_of(a7), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_neighbor_alltoall(rg_arena *, uint64_t, void *, void *const *, int,
                               rg_handle, void *, void *const *, int, rg_handle,
                               rg_handle, int *);
void *rg_mpif_neighbor_alltoall(rg_arena *arena, uint64_t lanes, void *a0,
                                void *const *s0, const int *a1, const int *a2,
                                void *a3, void *const *s3, const int *a4,
                                const int *a5, const int *a6, int *error) {
  void *tape = rg_mpi_neighbor_alltoall(arena, lanes, buffer_of(a0), s0, *a1,
                                        type_of(a2), buffer_of(a3), s3, *a4,
                                        type_of(a5), comm_of(a6), error);
  return tape;
}
void *rg_mpi_ineighbor_alltoall(rg_arena *, uint64_t, void *, void *const *,
                                int, rg_handle, void *, void *const *, int,
                                rg_handle, rg_handle, void *, int *);
void *rg_mpif_ineighbor_alltoall(rg_arena *arena, uint64_t lanes, void *a0,
                                 void *const *s0, const int *a1, const int *a2,
                                 void *a3, void *const *s3, const int *a4,
                                 const int *a5, const int *a6, int *request,
                                 int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ineighbor_alltoall(arena, lanes, buffer_of(a0), s0, *a1,
                                         type_of(a2), buffer_of(a3), s3, *a4,
                                         type_of(a5), comm_of(a6), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_neighbor_alltoallv(rg_arena *, uint64_t, void *, void *const *,
                                const int *, const int *, rg_handle, void *,
                                void *const *, const int *, const int *,
                                rg_handle, rg_handle, int *);
void *rg_mpif_neighbor_alltoallv(rg_arena *arena, uint64_t lanes, void *a0,
                                 void *const *s0, const int *a1, const int *a2,
                                 const int *a3, void *a4, void *const *s4,
                                 const int *a5, const int *a6, const int *a7,
                                 const int *a8, int *error) {
  void *tape = rg_mpi_neighbor_alltoallv(arena, lanes, buffer_of(a0), s0, a1,
                                         a2, type_of(a3), buffer_of(a4), s4, a5,
                                         a6, type_of(a7), comm_of(a8), error);
  return tape;
}
void *rg_mpi_ineighbor_alltoallv(rg_arena *, uint64_t, void *, void *const *,
                                 const int *, const int *, rg_handle, void *,
                                 void *const *, const int *, const int *,
                                 rg_handle, rg_handle, void *, int *);
void *rg_mpif_ineighbor_alltoallv(rg_arena *arena, uint64_t lanes, void *a0,
                                  void *const *s0, const int *a1, const int *a2,
                                  const int *a3, void *a4, void *const *s4,
                                  const int *a5, const int *a6, const int *a7,
                                  const int *a8, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ineighbor_alltoallv(
      arena, lanes, buffer_of(a0), s0, a1, a2, type_of(a3), buffer_of(a4), s4,
      a5, a6, type_of(a7), comm_of(a8), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_ibcast(rg_arena *, uint64_t, void *, void *const *, int, rg_handle,
                    int, rg_handle, void *, int *);
void *rg_mpif_ibcast(rg_arena *arena, uint64_t lanes, void *a0, void *const *s0,
                     const int *a1, const int *a2, const int *a3, const int *a4,
                     int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ibcast(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                             *a3, comm_of(a4), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_ireduce(rg_arena *, uint64_t, void *, void *const *, void *,
                     void *const *, int, rg_handle, rg_handle, int, rg_handle,
                     void *, int *);
void *rg_mpif_ireduce(rg_arena *arena, uint64_t lanes, void *a0,
                      void *const *s0, void *a1, void *const *s1, const int *a2,
                      const int *a3, const int *a4, const int *a5,
                      const int *a6, int *request, int *error) {
  intptr_t c = 0;
  void *tape =
      rg_mpi_ireduce(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1, *a2,
                     type_of(a3), op_of(a4), *a5, comm_of(a6), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_iallreduce(rg_arena *, uint64_t, void *, void *const *, void *,
                        void *const *, int, rg_handle, rg_handle, rg_handle,
                        void *, int *);
void *rg_mpif_iallreduce(rg_arena *arena, uint64_t lanes, void *a0,
                         void *const *s0, void *a1, void *const *s1,
                         const int *a2, const int *a3, const int *a4,
                         const int *a5, int *request, int *error) {
  intptr_t c = 0;
  void *tape =
      rg_mpi_iallreduce(arena, lanes, buffer_of(a0), s0, buffer_of(a1), s1, *a2,
                        type_of(a3), op_of(a4), comm_of(a5), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_igather(rg_arena *, uint64_t, void *, void *const *, int,
                     rg_handle, void *, void *const *, int, rg_handle, int,
                     rg_handle, void *, int *);
void *rg_mpif_igather(rg_arena *arena, uint64_t lanes, void *a0,
                      void *const *s0, const int *a1, const int *a2, void *a3,
                      void *const *s3, const int *a4, const int *a5,
                      const int *a6, const int *a7, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_igather(arena, lanes, buffer_of(a0), s0, *a1, type_of(a2),
                              buffer_of(a3), s3, *a4, type_of(a5), *a6,
                              comm_of(a7), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_iscatter(rg_arena *, uint64_t, void *, void *const *, int,
                      rg_handle, void *, void *const *, int, rg_handle, int,
                      rg_handle, void *, int *);
void *rg_mpif_iscatter(rg_arena *arena, uint64_t lanes, void *a0,
                       void *const *s0, const int *a1, const int *a2, void *a3,
                       void *const *s3, const int *a4, const int *a5,
                       const int *a6, const int *a7, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_iscatter(arena, lanes, buffer_of(a0), s0, *a1,
                               type_of(a2), buffer_of(a3), s3, *a4, type_of(a5),
                               *a6, comm_of(a7), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_iallgather(rg_arena *, uint64_t, void *, void *const *, int,
                        rg_handle, void *, void *const *, int, rg_handle,
                        rg_handle, void *, int *);
void *rg_mpif_iallgather(rg_arena *arena, uint64_t lanes, void *a0,
                         void *const *s0, const int *a1, const int *a2,
                         void *a3, void *const *s3, const int *a4,
                         const int *a5, const int *a6, int *request,
                         int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_iallgather(arena, lanes, buffer_of(a0), s0, *a1,
                                 type_of(a2), buffer_of(a3), s3, *a4,
                                 type_of(a5), comm_of(a6), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_iallgatherv(rg_arena *, uint64_t, void *, void *const *, int,
                         rg_handle, void *, void *const *, const int *,
                         const int *, rg_handle, rg_handle, void *, int *);
void *rg_mpif_iallgatherv(rg_arena *arena, uint64_t lanes, void *a0,
                          void *const *s0, const int *a1, const int *a2,
                          void *a3, void *const *s3, const int *a4,
                          const int *a5, const int *a6, const int *a7,
                          int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_iallgatherv(arena, lanes, buffer_of(a0), s0, *a1,
                                  type_of(a2), buffer_of(a3), s3, a4, a5,
                                  type_of(a6), comm_of(a7), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_ialltoall(rg_arena *, uint64_t, void *, void *const *, int,
                       rg_handle, void *, void *const *, int, rg_handle,
                       rg_handle, void *, int *);
void *rg_mpif_ialltoall(rg_arena *arena, uint64_t lanes, void *a0,
                        void *const *s0, const int *a1, const int *a2, void *a3,
                        void *const *s3, const int *a4, const int *a5,
                        const int *a6, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ialltoall(arena, lanes, buffer_of(a0), s0, *a1,
                                type_of(a2), buffer_of(a3), s3, *a4,
                                type_of(a5), comm_of(a6), &c, error);
  *request = request_to(&c);
  return tape;
}
void *rg_mpi_ialltoallv(rg_arena *, uint64_t, void *, void *const *,
                        const int *, const int *, rg_handle, void *,
                        void *const *, const int *, const int *, rg_handle,
                        rg_handle, void *, int *);
void *rg_mpif_ialltoallv(rg_arena *arena, uint64_t lanes, void *a0,
                         void *const *s0, const int *a1, const int *a2,
                         const int *a3, void *a4, void *const *s4,
                         const int *a5, const int *a6, const int *a7,
                         const int *a8, int *request, int *error) {
  intptr_t c = 0;
  void *tape = rg_mpi_ialltoallv(arena, lanes, buffer_of(a0), s0, a1, a2,
                                 type_of(a3), buffer_of(a4), s4, a5, a6,
                                 type_of(a7), comm_of(a8), &c, error);
  *request = request_to(&c);
  return tape;
}

/*===- Operations of the program's own (messages-operations.c) ------------===*/

void rg_mpi_own_note(intptr_t op, void *function);
void *rg_mpi_own_operation(intptr_t op, intptr_t type);
int rg_mpi_own_size(intptr_t comm);
int rg_mpi_own_rank(intptr_t comm);
int64_t rg_mpi_own_extent(intptr_t type);
__attribute__((noinline)) void
mpi_op_create_(void *function, const int *commutes, int *op, int *error) {
  pmpi_op_create_(function, commutes, op, error);
  rg_mpi_own_note(op_of(op), function);
}
void *rg_mpif_own_operation(const int *op, const int *type) {
  return rg_mpi_own_operation(op_of(op), type_of(type));
}
int rg_mpif_own_size(const int *comm) { return rg_mpi_own_size(comm_of(comm)); }
int rg_mpif_own_rank(const int *comm) { return rg_mpi_own_rank(comm_of(comm)); }
int64_t rg_mpif_own_extent(const int *type) {
  return rg_mpi_own_extent(type_of(type));
}
int rg_mpif_own_in_place(const void *from) {
  return buffer_of(from) == RG_IN_PLACE;
}
int rg_mpif_own_self(void) {
  return rg_mpi_is_open() ? MPI_Comm_c2f(RG_COMM_SELF) : (int)RG_COMM_SELF;
}

/*===- Requests ----------------------------------------------------------===*/

/* As C has them, and back. */
static char *requests_of(int count, const int *f) {
  char *c = rg_mpi_memory(NULL, (size_t)count * sizeof(intptr_t));
  for (int i = 0; i < count; ++i)
    if (rg_mpi_is_open())
      ((intptr_t *)c)[i] = request_of(f + i);
    else
      ((int *)c)[i] = f[i];
  return c;
}
static void requests_to(int count, char *c, int *f) {
  for (int i = 0; i < count; ++i)
    f[i] = request_to(
        c + (size_t)i * (rg_mpi_is_open() ? sizeof(intptr_t) : sizeof(int)));
  free(c);
}

void *rg_mpi_wait(rg_arena *, uint64_t, void *, void *, int *);
void *rg_mpi_waitall(rg_arena *, uint64_t, int, void *, void *, int *);
void *rg_mpi_waitany(rg_arena *, uint64_t, int, void *, int *, void *, int *);
void *rg_mpi_test(rg_arena *, uint64_t, void *, int *, void *, int *);
void *rg_mpi_testall(rg_arena *, uint64_t, int, void *, int *, void *, int *);
void *rg_mpi_comm_free(rg_arena *, uint64_t, void *, int *);
void *rg_mpif_wait(rg_arena *arena, uint64_t lanes, int *request, void *status,
                   int *error) {
  char *c = requests_of(1, request);
  void *tape = rg_mpi_wait(arena, lanes, c, status_of(status), error);
  requests_to(1, c, request);
  return tape;
}
void *rg_mpif_waitall(rg_arena *arena, uint64_t lanes, const int *count,
                      int *requests, void *statuses, int *error) {
  char *c = requests_of(*count, requests);
  void *tape =
      rg_mpi_waitall(arena, lanes, *count, c, status_of(statuses), error);
  requests_to(*count, c, requests);
  return tape;
}
void *rg_mpif_waitany(rg_arena *arena, uint64_t lanes, const int *count,
                      int *requests, int *which, void *status, int *error) {
  char *c = requests_of(*count, requests);
  void *tape =
      rg_mpi_waitany(arena, lanes, *count, c, which, status_of(status), error);
  requests_to(*count, c, requests);
  *which += *which != RG_UNDEFINED; /* counted from 1 */
  return tape;
}
/* A logical is an integer; true is what the library says. */
void *rg_mpif_test(rg_arena *arena, uint64_t lanes, int *request, int *flag,
                   void *status, int *error) {
  char *c = requests_of(1, request);
  void *tape = rg_mpi_test(arena, lanes, c, flag, status_of(status), error);
  requests_to(1, c, request);
  return tape;
}
void *rg_mpif_testall(rg_arena *arena, uint64_t lanes, const int *count,
                      int *requests, int *flag, void *statuses, int *error) {
  char *c = requests_of(*count, requests);
  void *tape =
      rg_mpi_testall(arena, lanes, *count, c, flag, status_of(statuses), error);
  requests_to(*count, c, requests);
  return tape;
}
void *rg_mpif_comm_free(rg_arena *arena, uint64_t lanes, int *comm,
                        int *error) {
  intptr_t c = 0;
  if (rg_mpi_is_open())
    c = comm_of(comm);
  else
    *(int *)&c = *comm;
  void *tape = rg_mpi_comm_free(arena, lanes, &c, error);
  *comm = rg_mpi_is_open() ? MPI_Comm_c2f(c) : *(int *)&c;
  return tape;
}
void *rg_mpi_packs(rg_arena *, uint64_t, const void *, void *const *, int,
                   rg_handle, void *, void *const *, int, int *, rg_handle,
                   int *);
void *rg_mpi_unpacks(rg_arena *, uint64_t, void *, void *const *, int, int *,
                     void *, void *const *, int, rg_handle, rg_handle, int *);
void *rg_mpif_packs(rg_arena *arena, uint64_t lanes, const void *from,
                    void *const *numbers, const int *count, const int *type,
                    void *to, void *const *buffers, const int *room,
                    int *position, const int *comm, int *error) {
  return rg_mpi_packs(arena, lanes, from, numbers, *count, type_of(type), to,
                      buffers, *room, position, comm_of(comm), error);
}
void *rg_mpif_unpacks(rg_arena *arena, uint64_t lanes, void *from,
                      void *const *buffers, const int *room, int *position,
                      void *to, void *const *numbers, const int *count,
                      const int *type, const int *comm, int *error) {
  return rg_mpi_unpacks(arena, lanes, from, buffers, *room, position, to,
                        numbers, *count, type_of(type), comm_of(comm), error);
}
