/*===- formats.c - which number lies where ----------------------------------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A pool holds floats at one time and doubles at another, a union one of its members, a
|* buffer of bytes what was copied there last. Where the compiler cannot tell that every
|* active number is read as what it was written as, each store of such memory notes what it
|* writes, copies take that along, and a read of a number that was written as another format
|* ends the program.
|*
|* A note is a byte per two bytes of memory, in pages that are found by a hash table. A page
|* is of a derivative: the next one finds it empty. All threads share the notes, since one
|* may read what another has written.
\*===------------------------------------------------------------------------===*/
#include "retrograd_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RG_NOTE = 2, RG_PAGE = 1 << 14, RG_LISTS = 1 << 12, RG_TAKEN = 32 };

typedef struct rg_format_page {
  struct rg_format_page *next;
  uintptr_t number; /* address / RG_PAGE */
  uint64_t since;   /* the derivative that it is of */
  unsigned char notes[RG_PAGE / RG_NOTE];
} rg_format_page;

rg_format_page *rg_format_lists[RG_LISTS];
uint64_t rg_format_derivative = 1;

static const char *const rg_format_names[] = {"", "float", "double", "long double", "_Float16",
                                              "__bf16", "__float128"};

__attribute__((noinline)) void rg_format_begin(void) {
  __atomic_fetch_add(&rg_format_derivative, 1, __ATOMIC_RELAXED);
}

/* The page of an address, and null if there is none and `make` is not set. */
rg_format_page *rg_format_find(uintptr_t at, int make) {
  const uintptr_t number = at / RG_PAGE;
  rg_format_page **list = &rg_format_lists[(number ^ number >> 12) % RG_LISTS];
  rg_format_page *first = __atomic_load_n(list, __ATOMIC_ACQUIRE), *page = first;
  while (page && page->number != number)
    page = page->next;
  const uint64_t now = __atomic_load_n(&rg_format_derivative, __ATOMIC_RELAXED);
  if (page) {
    uint64_t since = __atomic_load_n(&page->since, __ATOMIC_ACQUIRE);
    if (since == now)
      return page;
    if (!make)
      return NULL;
    /* What another thread notes at the same time is lost: nothing is known then. */
    memset(page->notes, 0, sizeof page->notes);
    __atomic_store_n(&page->since, now, __ATOMIC_RELEASE);
    return page;
  }
  if (!make)
    return NULL;
  page = calloc(1, sizeof *page);
  if (!page)
    abort();
  page->number = number;
  page->since = now;
  page->next = first;
  if (__atomic_compare_exchange_n(list, &page->next, page, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return page;
  free(page); /* another thread was faster, with this page or with another one */
  return rg_format_find(at, make);
}

/* How much of [at, end) lies in at's page. */
static uint64_t rg_format_part(uintptr_t at, uintptr_t end) {
  const uint64_t left = RG_PAGE - at % RG_PAGE;
  return end - at < left ? end - at : left;
}
static unsigned char *rg_format_note(rg_format_page *page, uintptr_t at) {
  return page->notes + at % RG_PAGE / RG_NOTE;
}

/* Numbers of a format were written, or (0) something else. */
__attribute__((noinline)) void rg_format_write(char *p, uint64_t bytes, uint32_t format) {
  for (uintptr_t at = (uintptr_t)p, end = at + bytes; at < end;) {
    const uint64_t part = rg_format_part(at, end);
    rg_format_page *page = rg_format_find(at, format != 0);
    if (page)
      memset(rg_format_note(page, at), (int)format, (part + RG_NOTE - 1) / RG_NOTE);
    at += part;
  }
}

__attribute__((noinline)) void rg_format_move(char *d, char *s, uint64_t bytes) {
  /* A piece at a time, in the order of memmove. */
  const int down = d > s;
  for (uint64_t i = 0; i < bytes; i += RG_NOTE) {
    const uint64_t at = down ? (bytes - 1 - i) / RG_NOTE * RG_NOTE : i;
    rg_format_page *from = rg_format_find((uintptr_t)s + at, 0);
    const unsigned char format = from ? *rg_format_note(from, (uintptr_t)s + at) : 0;
    rg_format_page *to = rg_format_find((uintptr_t)d + at, format != 0);
    if (to)
      *rg_format_note(to, (uintptr_t)d + at) = format;
  }
}

static __attribute__((noreturn, cold, noinline)) void
rg_format_differs(unsigned written, unsigned read, const char *where) {
  fflush(stdout);
  fprintf(stderr,
          "%s: error: a number must be read as the type that it was written as: what is read here as "
          "'%s' was written, or read before, as '%s' [RG1104]\n"
          "note: convert numbers one by one (y[i] = x[i]) instead of copying their bytes, and read of a union "
          "the member that was written last\n",
          where, rg_format_names[read], rg_format_names[written]);
  abort();
}

/* The format of a number at p that is not of this one; 0 if there is none. */
__attribute__((noinline)) uint32_t rg_format_look(char *p, uint64_t bytes, uint32_t format) {
  for (uintptr_t at = (uintptr_t)p, end = at + bytes; at < end; at += RG_NOTE) {
    rg_format_page *page = rg_format_find(at, 0);
    const unsigned char written = page ? *rg_format_note(page, at) : 0;
    if (written && written != format)
      return written;
  }
  return 0;
}

/* The program needs what was read as this format, and was written as another one or (0) was not. */
__attribute__((noinline)) void rg_format_tell(uint32_t written, uint32_t format, const char *where) {
  if (written)
    rg_format_differs(written, format, where);
}

/* An active number is read, and computed with. */
__attribute__((noinline)) void rg_format_read(char *p, uint64_t bytes, uint32_t format,
                                              const char *where) {
  rg_format_tell(rg_format_look(p, bytes, format), format, where);
}

/* The notes of what is moved in a register, and where it is put: four bits each, of as many as
   there is room for. */
__attribute__((noinline)) uint64_t rg_format_take(char *p, uint64_t bytes) {
  uint64_t notes = 0;
  for (uint64_t i = 0; i < bytes && i < RG_TAKEN; i += RG_NOTE) {
    rg_format_page *page = rg_format_find((uintptr_t)p + i, 0);
    if (page)
      notes |= (uint64_t)*rg_format_note(page, (uintptr_t)p + i) << i / RG_NOTE * 4;
  }
  return notes;
}
__attribute__((noinline)) void rg_format_put(char *p, uint64_t bytes, uint64_t notes) {
  for (uint64_t i = 0; i < bytes; i += RG_NOTE) {
    const unsigned char format = i < RG_TAKEN ? notes >> i / RG_NOTE * 4 & 15 : 0;
    rg_format_page *page = rg_format_find((uintptr_t)p + i, format != 0);
    if (page)
      *rg_format_note(page, (uintptr_t)p + i) = format;
  }
}

/* The same of memory that nobody writes: it was the number that it is read as. */
__attribute__((noinline)) void rg_format_see(char *p, uint64_t bytes, uint32_t format,
                                             const char *where) {
  rg_format_read(p, bytes, format, where);
  rg_format_write(p, bytes, format);
}
