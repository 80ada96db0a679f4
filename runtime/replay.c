/*===- replay.c - the log of a run that is repeated in forward mode --------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* Forward mode from a tape reads what the primal sweep wrote in the order in which
|* it was written: records behind each other, in pieces of memory that are linked
|* forwards. A reader is a position of its own, so a log is read as often, and by as
|* many threads at once, as one likes. docs/SplitMode.md has the whole.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"

#include <string.h>

enum { RG_LOG_FIRST = 512, RG_LOG_LARGEST = 1 << 20 };

typedef struct rg_log_piece {
  struct rg_log_piece *next;
  char *used; /* end of the records in it */
} rg_log_piece;

#define RG_LOG_HEADER 16

struct rg_log {
  char *cur, *end;      /* writer: free part; reader: records not yet read */
  rg_log_piece *piece;  /* current */
  rg_log_piece *first;
  rg_arena *arena;
  uint64_t size; /* of the next piece */
};

static inline uint64_t rg_log_round(uint64_t bytes) { return (bytes + 15) & ~(uint64_t)15; }

__attribute__((noinline, cold)) void rg_log_grow(rg_log *log, uint64_t bytes) {
  uint64_t size = log->size;
  if (size < bytes + RG_LOG_HEADER)
    size = bytes + RG_LOG_HEADER;
  rg_log_piece *p = (rg_log_piece *)rg_tape_alloc(log->arena, size);
  p->next = NULL;
  p->used = (char *)p + RG_LOG_HEADER;
  if (log->piece) {
    log->piece->used = log->cur;
    log->piece->next = p;
  } else {
    log->first = p;
  }
  log->piece = p;
  log->cur = p->used;
  log->end = (char *)p + size;
  if (log->size < RG_LOG_LARGEST)
    log->size *= 2;
}

/* In the arena of its tape. */
__attribute__((noinline)) rg_log *rg_log_begin(rg_arena *arena) {
  rg_log *log = (rg_log *)rg_tape_alloc(arena, sizeof *log);
  memset(log, 0, sizeof *log);
  log->arena = arena;
  log->size = RG_LOG_FIRST;
  return log;
}

/* Room for a record, aligned to 16 bytes. */
__attribute__((noinline)) void *rg_log_write(rg_log *log, uint64_t bytes) {
  bytes = rg_log_round(bytes);
  if (!log->piece || bytes > (uint64_t)(log->end - log->cur))
    rg_log_grow(log, bytes);
  char *p = log->cur;
  log->cur += bytes;
  return p;
}

/* A record of memory that may be overwritten before it is read. */
__attribute__((noinline)) void rg_log_copy(rg_log *log, const void *memory, uint64_t bytes) {
  memcpy(rg_log_write(log, bytes), memory, bytes);
}

/* Memory of the run's stack; what it frees. Both live as long as the log. */
__attribute__((noinline)) void *rg_log_memory(rg_log *log, uint64_t bytes, uint64_t align) {
  char *p = (char *)rg_tape_alloc(log->arena, bytes + align);
  return p + (-(uintptr_t)p & (align - 1));
}

__attribute__((noinline)) void rg_log_free(rg_log *log, void *p, void (*dealloc)(void *)) {
  rg_tape_defer_free(log->arena, p, dealloc);
}

__attribute__((noinline)) void *rg_log_realloc(rg_log *log, void *p, uint64_t bytes) {
  return rg_tape_realloc(log->arena, p, bytes);
}

/* After the last record. */
__attribute__((noinline)) void rg_log_end(rg_log *log) {
  if (log->piece)
    log->piece->used = log->cur;
}

/* Bytes of a reader. */
uint64_t rg_log_bytes(void) { return sizeof(rg_log); }

__attribute__((noinline)) void rg_log_rewind(rg_log *reader, const rg_log *log) {
  *reader = *log;
  reader->piece = log->first;
  if (log->first) {
    reader->cur = (char *)log->first + RG_LOG_HEADER;
    reader->end = log->first->used;
  }
}

/* The next record, which was written with the same size. */
__attribute__((noinline)) void *rg_log_read(rg_log *reader, uint64_t bytes) {
  while (reader->cur == reader->end && reader->piece->next) {
    reader->piece = reader->piece->next;
    reader->cur = (char *)reader->piece + RG_LOG_HEADER;
    reader->end = reader->piece->used;
  }
  char *p = reader->cur;
  reader->cur += rg_log_round(bytes);
  return p;
}
