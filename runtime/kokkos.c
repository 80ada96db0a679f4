/*===- kokkos.c - what Kokkos keeps of its Views in a compiled library
------===*\
|*
|* Part of the Retrograd project, under the Apache License v2.0 with LLVM
Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===------------------------------------------------------------------------===*|
|* The arrays of Views have records that count their owners. What makes a
record,
|* counts and gives an array back is compiled, so it has a body here in terms of
the
|* record's layout, which is differentiated: the record in the shadow leads to
the
|* array's shadow. Only records that a derivative has made are counted by it: an
array
|* of the program's must outlive the derivative, and a shadow may have any
record.
\*===------------------------------------------------------------------------===*/
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kokkos_record {
  void *table; /* of virtual functions; the program's constructor sets it */
  struct kokkos_header *array;
  size_t bytes; /* with the header */
  void (*give_back)(struct kokkos_record *);
  int count;
  struct {
    void *words[4];
  } label; /* a std::string */
} kokkos_record;

/* In front of an array's numbers. */
enum { LABEL = 120, MARK = LABEL - 8 };
typedef struct kokkos_header {
  kokkos_record *record;
  char label[LABEL];
} kokkos_header;

extern void string_copy(void *, const void *) __asm__(
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_");
extern void string_end(void *) __asm__(
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev");
extern void delete_record(void *) __asm__("_ZdlPv");
/* Of a library that was built for debugging: its records have more members. */
extern char kokkos_root __asm__("_ZN6Kokkos4Impl28SharedAllocationRecordCommonI"
                                "NS_9HostSpaceEE13s_root_recordE")
    __attribute__((weak));

/* What the library writes ends in a zero, or fills the label with zeros. */
static const char Mark[8] = {0, 'r', 'g', 'v', 'i', 'e', 'w', 1};

/*===-- Of the primal alone
 * ---------------------------------------------------===*/

__attribute__((noinline)) void rg_kokkos_note(char *label, const void *string) {
  const char *text = *(const char *const *)string;
  size_t bytes = ((const size_t *)string)[1];
  if (&kokkos_root) {
    fprintf(stderr, "retrograd: a View is made in a derivative, and Kokkos was "
                    "built with Kokkos_ENABLE_DEBUG, whose "
                    "records are not known; build it without\n");
    abort();
  }
  if (bytes > MARK)
    bytes = MARK;
  memcpy(label, text, bytes);
  memset(label + bytes, 0, MARK - bytes);
  memcpy(label + MARK, Mark, sizeof Mark);
}

static int is_ours(const kokkos_record *record) {
  return record->array &&
         !memcmp(record->array->label + MARK, Mark, sizeof Mark);
}
__attribute__((noinline)) void rg_kokkos_count(kokkos_record *record) {
  if (is_ours(record))
    __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
}
/* Was that the last View? */
__attribute__((noinline)) int rg_kokkos_count_off(kokkos_record *record) {
  if (!is_ours(record) ||
      __atomic_fetch_sub(&record->count, 1, __ATOMIC_ACQ_REL) != 1)
    return 0;
  record->array->label[MARK + 1] = 0;
  return 1;
}

/* A program may count on as many threads as it has asked for. */
__attribute__((noinline)) void rg_kokkos_team(int size) {
  if (size == 1)
    return;
  fprintf(stderr,
          "retrograd: a TeamPolicy with teams of %d threads: the teams of a "
          "derivative have one; ask for "
          "Kokkos::AUTO, or for 1\n",
          size);
  abort();
}

/* A barrier of a team: nobody waits. */
_Bool rg_kokkos_arrive(int *barrier, int size, int *step, _Bool master) {
  (void)barrier, (void)step, (void)master;
  rg_kokkos_team(size);
  return 1;
}
void rg_kokkos_wait(int *barrier, int size, int step, _Bool active) {
  (void)barrier, (void)step, (void)active;
  rg_kokkos_team(size);
}
void rg_kokkos_go(int *barrier, int size, int step) {
  (void)barrier, (void)step;
  rg_kokkos_team(size);
}

/*===-- Differentiated
 * ---------------------------------------------------------===*/

void rg_kokkos_begin(kokkos_record *record, kokkos_header *array, size_t bytes,
                     void (*give_back)(kokkos_record *), const void *label) {
  record->array = array;
  record->bytes = bytes;
  record->give_back = give_back;
  record->count = 0;
  string_copy(&record->label, label);
}
void rg_kokkos_head(kokkos_record *record, kokkos_header *array,
                    const void *label) {
  array->record = record;
  rg_kokkos_note(array->label, label);
}
void rg_kokkos_make(kokkos_record *record, const void *space, const void *label,
                    size_t bytes, void (*give_back)(kokkos_record *)) {
  (void)space;
  kokkos_header *array = (kokkos_header *)aligned_alloc(
      64, (bytes + sizeof(kokkos_header) + 63) & ~(size_t)63);
  rg_kokkos_begin(record, array, bytes + sizeof(kokkos_header), give_back,
                  label);
  rg_kokkos_head(record, array, label);
}
void rg_kokkos_hold(kokkos_record *record) { rg_kokkos_count(record); }
void *rg_kokkos_release(kokkos_record *record) {
  if (!rg_kokkos_count_off(record))
    return record;
  free(record->array);
  string_end(&record->label);
  delete_record(record);
  return NULL;
}
void rg_kokkos_copy(void *to, const void *from, ptrdiff_t bytes) {
  if (bytes > 0)
    memcpy(to, from, (size_t)bytes);
}
void rg_kokkos_copy_in(const void *space, void *to, const void *from,
                       ptrdiff_t bytes) {
  (void)space;
  rg_kokkos_copy(to, from, bytes);
}
