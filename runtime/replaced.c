/*===- replaced.c - blocks of the caller's that the function replaces ------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* A function may take a block of the caller's for too small, and put a larger one in its
|* place: realloc, or push_back on a std::vector of the caller's. The derivative with
|* respect to what was in the old block is then in the old block's shadow, which is
|* released when the derivative ends. Whoever reads the caller's shadow afterwards finds
|* the new block's. So what the sweep left at an offset of the old shadow moves to the
|* same offset of the shadow that follows it, as if the block had been extended in place.
|*
|* What follows a block: realloc says it. Otherwise it is the last one that lay in a place
|* which once held the old block's address, if the derivative made it and no other block of
|* the caller's came between.
|*
|* Notes are made in the primal sweep, and only where memory that may be the caller's is
|* released (ProgramFacts::releasesGiven). They are about shadows. Until they are settled
|* all blocks that they name are alive: memory is released late.
|*
|* Invariants:
|* - A word that is as it was when the block was released is not moved: an address, what
|*   the program left undefined behind the last element, a seed to which nothing was added.
|* - Nothing is written but to blocks that the derivative made, within the size that was
|*   asked for.
\*===------------------------------------------------------------------------===*/
#include "arena.h"
#include "bytes.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* A block that the derivative made, or that is released. */
typedef struct rg_block {
  char *at;
  uint64_t bytes; /* that were asked for; 0: not made by the derivative */
  char *follower; /* by realloc */
  int is_released;
} rg_block;

/* Addresses of blocks that the derivative did not make which were in a place, the first ones
 * and the latest; and of each the last one that was there behind it, before another of them
 * was, and that the derivative made. Where one of the caller's blocks takes another's place
 * (the elements behind an erased one), that does not follow it. */
enum { RG_FIRST_HELD = 2, RG_HELD = 4 };
typedef struct rg_holder {
  char *at;
  char *held[RG_HELD], *next[RG_HELD];
  unsigned count, last;
} rg_holder;

/* Places that held an address; the more there are, the more seldom each is asked. */
enum { RG_PLACES = 4 };
typedef struct rg_held {
  char *address;
  char *places[RG_PLACES];
  unsigned count;
} rg_held;

/* A set of entries that begin with their key; null: no entry. */
typedef struct rg_table {
  char *entries;
  uint64_t size, used;
} rg_table;

typedef struct rg_released {
  struct rg_released *earlier;
  char *at;
  uint64_t bytes;
  char *then; /* what was in it; null: zeros */
} rg_released;

typedef struct rg_notes {
  rg_replaced base;
  rg_table blocks, holders;
  rg_table held; /* of what is in holders; made when it is asked for */
} rg_notes;

static void settle(rg_arena *a, const rg_released *until);

static void *or_end(void *p, uint64_t bytes) {
  if (!p)
    rg_arena_out_of_memory(bytes);
  return p;
}

static rg_notes *notes_of(rg_arena *a) {
  if (!a->replaced) {
    rg_notes *n = (rg_notes *)or_end(calloc(1, sizeof *n), sizeof *n);
    n->base.settle = settle;
    a->replaced = &n->base;
  }
  return (rg_notes *)a->replaced;
}

static char *key_of(const char *entry) {
  char *key;
  memcpy(&key, entry, sizeof key);
  return key;
}

/* Where the entry of `key` is, or would be. There is room. */
static char *slot_of(const rg_table *t, const char *key, uint64_t bytes) {
  for (uint64_t i = ((uintptr_t)key >> 3) * 0x9E3779B97F4A7C15u >> 20;; ++i) {
    char *entry = t->entries + (i & (t->size - 1)) * bytes;
    if (!key_of(entry) || key_of(entry) == key)
      return entry;
  }
}

/* Null: there is none. */
static void *find(const rg_table *t, const char *key, uint64_t bytes) {
  char *entry = t->size ? slot_of(t, key, bytes) : NULL;
  return entry && key_of(entry) ? entry : NULL;
}

/* Of `bytes` bytes, zeros behind its key where it is new. */
static void *add(rg_table *t, char *key, uint64_t bytes) {
  if (2 * t->used >= t->size) {
    rg_table old = *t;
    t->size = old.size ? 2 * old.size : 64;
    t->entries = (char *)or_end(calloc(t->size, bytes), t->size * bytes);
    for (uint64_t i = 0; i < old.size; ++i) {
      const char *entry = old.entries + i * bytes;
      if (key_of(entry))
        memcpy(slot_of(t, key_of(entry), bytes), entry, bytes);
    }
    free(old.entries);
  }
  char *entry = slot_of(t, key, bytes);
  if (!key_of(entry)) {
    ++t->used;
    memcpy(entry, &key, sizeof key);
  }
  return entry;
}

static void forget(rg_table *t) {
  free(t->entries);
  memset(t, 0, sizeof *t);
}

static rg_block *find_block(const rg_notes *n, const char *at) {
  return (rg_block *)find(&n->blocks, at, sizeof(rg_block));
}

static rg_block *add_block(rg_arena *a, char *at) {
  return (rg_block *)add(&notes_of(a)->blocks, at, sizeof(rg_block));
}

static rg_holder *find_holder(const rg_notes *n, const char *place) {
  return (rg_holder *)find(&n->holders, place, sizeof(rg_holder));
}

/* Where `address` is among what h held; RG_HELD: it is not. */
static unsigned index_of(const rg_holder *h, const char *address) {
  for (unsigned i = 0; i < RG_HELD && i < h->count; ++i)
    if (h->held[i] == address)
      return i;
  return RG_HELD;
}

/* `bytes` at `place`, a shadow, are about to be overwritten by addresses of shadows. */
void rg_note_places(rg_arena *a, char *place, uint64_t bytes) {
  for (; bytes >= sizeof(char *); place += sizeof(char *), bytes -= sizeof(char *)) {
    char *old = key_of(place);
    if (!old)
      continue;
    rg_notes *n = notes_of(a);
    const rg_block *b = find_block(n, old);
    if (b && b->bytes) {
      rg_holder *h = find_holder(n, place);
      if (h)
        h->next[h->last] = old;
      continue;
    }
    rg_holder *h = (rg_holder *)add(&n->holders, place, sizeof *h);
    unsigned i = index_of(h, old);
    if (i == RG_HELD) {
      const unsigned late = h->count - RG_FIRST_HELD;
      i = h->count < RG_HELD ? h->count : RG_FIRST_HELD + late % (RG_HELD - RG_FIRST_HELD);
      ++h->count;
      h->held[i] = old;
      h->next[i] = NULL;
      if (n->held.size)
        forget(&n->held);
    }
    h->last = i;
  }
}

/* The derivative has made the shadow `at` of `bytes` bytes. */
void rg_note_made(rg_arena *a, char *at, uint64_t bytes) {
  if (at)
    *add_block(a, at) = (rg_block){at, bytes, NULL, 0};
}

/* The shadow `at` of a block `primal` is released late; at most `bytes` bytes of it matter.
 * In a block that the derivative made, nothing of the caller's was. */
void rg_note_released(rg_arena *a, const char *primal, char *at, uint64_t bytes) {
  if (!at || at == primal)
    return;
  rg_notes *n = notes_of(a);
  rg_block *b = add_block(a, at);
  b->is_released = 1;
  if (b->bytes)
    return;
  rg_released *r = (rg_released *)or_end(malloc(sizeof *r), sizeof *r);
  r->earlier = n->base.released;
  r->at = at;
  r->bytes = bytes;
  r->then = rg_is_zero(at, bytes) ? NULL : (char *)memcpy(or_end(malloc(bytes), bytes), at, bytes);
  n->base.released = r;
}

/* The same, by a realloc of which `to` is the shadow. */
void rg_note_moved(rg_arena *a, char *primal, char *at, char *to, uint64_t bytes) {
  rg_note_made(a, to, bytes);
  if (!at || at == primal)
    return;
  uint64_t have = rg_block_bytes(at);
  rg_note_released(a, primal, at, have < bytes ? have : bytes);
  add_block(a, at)->follower = to;
}

static int is_heir(const rg_block *b) {
  return b && b->bytes && !b->is_released;
}

static void index_holders(rg_notes *n) {
  for (uint64_t i = 0; i < n->holders.size; ++i) {
    const rg_holder *h = (const rg_holder *)(n->holders.entries + i * sizeof *h);
    for (unsigned k = 0; h->at && k < RG_HELD && k < h->count; ++k) {
      rg_held *e = (rg_held *)add(&n->held, h->held[k], sizeof *e);
      e->places[e->count++ % RG_PLACES] = h->at;
    }
  }
}

/* The block that followed, in a place, an address `skip` bytes behind the beginning of `at`;
 * null: none. */
static const rg_block *heir_by_place(rg_notes *n, const char *at, unsigned skip) {
  if (!n->held.size)
    index_holders(n);
  const rg_held *e = (const rg_held *)find(&n->held, at + skip, sizeof *e);
  for (unsigned i = 0; e && i < e->count && i < RG_PLACES; ++i) {
    const rg_holder *h = find_holder(n, e->places[i]);
    const unsigned k = index_of(h, at + skip);
    if (k == RG_HELD) /* others came since */
      continue;
    const char *now = k == h->last ? key_of(h->at) : NULL;
    const char *next = now ? now : h->next[k];
    const rg_block *heir = next ? find_block(n, next - skip) : NULL;
    if (is_heir(heir))
      return heir;
  }
  return NULL;
}

/* The block that follows `at` for good; null: none. Arrays of C++ keep their length in
 * front, behind which their address lies. */
static const rg_block *heir_of(rg_notes *n, const char *at) {
  enum { RG_ARRAY_COOKIE = 8 };
  for (const rg_block *b; at && (b = find_block(n, at)); at = b->follower) {
    if (is_heir(b))
      return b;
    const rg_block *heir = heir_by_place(n, at, 0);
    if (!heir)
      heir = heir_by_place(n, at, RG_ARRAY_COOKIE);
    if (heir)
      return heir;
  }
  return NULL;
}

/* Whole words, but for halves that hold what they held before: in front of what is undefined
 * there may be one last float. */
static void move_changed(const rg_released *r, const rg_block *heir) {
  enum { RG_WORD = 8, RG_HALF = 4 };
  const uint64_t bytes = r->bytes < heir->bytes ? r->bytes : heir->bytes;
  for (uint64_t at = 0; at < bytes; at += RG_WORD) {
    const uint64_t word = bytes - at < RG_WORD ? bytes - at : RG_WORD;
    char was[RG_WORD] = {0};
    if (r->then)
      memcpy(was, r->then + at, word);
    if (!memcmp(r->at + at, was, word))
      continue;
    for (uint64_t i = 0; i < word; i += RG_HALF) {
      const uint64_t half = word - i < RG_HALF ? word - i : RG_HALF;
      if (rg_is_zero(was + i, half) || memcmp(r->at + at + i, was + i, half))
        memcpy(heir->at + at + i, r->at + at + i, half);
    }
    memcpy(r->at + at, was, word); /* for another sweep of the same tape */
  }
}

/* The caller's memory is read only where something is to be moved: a tape may be thrown
 * away when the caller's shadows are gone. */
static void hand_on(rg_notes *n, const rg_released *r) {
  if (r->then ? !memcmp(r->at, r->then, r->bytes) : rg_is_zero(r->at, r->bytes))
    return;
  const rg_block *heir = heir_of(n, r->at);
  if (heir)
    move_changed(r, heir);
}

/* Behind a sweep of a split derivative, whose tape may be swept again. */
void rg_settle_replaced(rg_arena *a) {
  rg_notes *n = (rg_notes *)a->replaced;
  for (const rg_released *r = n ? n->base.released : NULL; r; r = r->earlier)
    hand_on(n, r);
}

static void settle(rg_arena *a, const rg_released *until) {
  rg_notes *n = (rg_notes *)a->replaced;
  while (n->base.released != until) {
    rg_released *r = n->base.released;
    hand_on(n, r);
    n->base.released = r->earlier;
    *find_block(n, r->at) = (rg_block){r->at, 0, NULL, 0}; /* the heap may hand it out again */
    free(r->then);
    free(r);
  }
  if (until)
    return;
  forget(&n->blocks);
  forget(&n->holders);
  forget(&n->held);
  free(n);
  a->replaced = NULL;
}
