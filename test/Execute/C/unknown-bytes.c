// Bytes that the function copies and never looks at, in memory of the caller's:
// the running program moves the numbers among them. RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
extern int enzyme_dup, enzyme_const;

typedef struct {
  double number;
  char name[12]; // text
  char tag[4];
  char opaque[24]; // numbers and an address, as the callers have it
} Record;

static double rotate(Record *r, int n) {
  Record first = r[0];
  for (int i = 0; i + 1 < n; ++i)
    r[i] = r[i + 1];
  r[n - 1] = first;
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * r[i].number * r[i].number;
  return s;
}
static void copy(const void *from, void *to) { memcpy(to, from, 48); }
static void through(const void *from, void *to) {
  char between[40];
  memcpy(between, from, sizeof between);
  memcpy((char *)to + 8, between, sizeof between);
}
// By way of the heap, where nobody else sees them.
static double grown(Record *r, int n) {
  Record *kept = malloc((unsigned long)n * sizeof *kept);
  memcpy(kept, r, (unsigned long)n * sizeof *kept);
  kept = realloc(kept, (2 * (unsigned long)n + 1) * sizeof *kept);
  for (int i = 0; i < n; ++i)
    kept[2 * n - i] = kept[i];
  for (int i = 0; i < n; ++i)
    r[i] = kept[n + 1 + i];
  free(kept);
  return r[0].number * r[1].number;
}
static void onward(char *all) { memmove(all + 16, all, 48); }

int main(void) {
  double target[3] = {1, 2, 3}, dtarget[3] = {0};
  Record r[3], d[3];
  memset(d, 0, sizeof d);
  for (int i = 0; i < 3; ++i) {
    memset(&r[i], 0, sizeof r[i]);
    r[i].number = 0.5 + i;
    strcpy(r[i].name, i ? "oxygen" : "hydrogen");
    double *p = &target[i], *dp = &dtarget[i];
    memcpy(r[i].opaque, &p, sizeof p);
    memcpy(d[i].opaque, &dp, sizeof dp);
    float f[2] = {(float)i, 0}, df[2] = {0.5f + (float)i, 0};
    double x = 7 + i, dx = -1 - i;
    memcpy(r[i].opaque + 8, f, sizeof f);
    memcpy(d[i].opaque + 8, df, sizeof df);
    memcpy(r[i].opaque + 16, &x, sizeof x);
    memcpy(d[i].opaque + 16, &dx, sizeof dx);
  }
  __enzyme_autodiff((void *)rotate, enzyme_dup, r, d, enzyme_const, 3);
  for (int i = 0; i < 3; ++i) {
    const int to = (i + 2) % 3; // where it was moved
    double *p, x;
    float f[2];
    RG_NEAR(d[i].number, 2 * (to + 1) * (0.5 + i));
    memcpy(&p, d[to].opaque, sizeof p);
    RG_TRUE(p == &dtarget[i]);
    memcpy(f, d[i].opaque + 8, sizeof f);
    RG_NEAR(f[0], 0.5f + (float)to);
    RG_NEAR(f[1], 0);
    memcpy(&x, d[i].opaque + 16, sizeof x);
    RG_NEAR(x, -1 - to);
    RG_TRUE(!strcmp(r[to].name, i ? "oxygen" : "hydrogen"));
  }

  double *from = calloc(6, 8), *to = calloc(6, 8), *dfrom = calloc(6, 8),
         *dto = calloc(6, 8);
  for (int i = 0; i < 6; ++i) {
    from[i] = i;
    dto[i] = i == 2 ? 0 : 1.0 / (i + 1);
  }
  __enzyme_autodiff((void *)copy, enzyme_dup, from, dfrom, enzyme_dup, to, dto);
  for (int i = 0; i < 6; ++i) {
    RG_NEAR(dfrom[i], i == 2 ? 0 : 1.0 / (i + 1));
    RG_NEAR(dto[i], 0);
    RG_NEAR(to[i], i);
    dfrom[i] = 0;
    dto[i] = i;
  }
  void *tape = __enzyme_augmentfwd((void *)through, enzyme_dup, from, dfrom,
                                   enzyme_dup, to, dto);
  __enzyme_reverse((void *)through, enzyme_dup, from, dfrom, enzyme_dup, to,
                   dto, tape);
  for (int i = 0; i < 6; ++i) {
    RG_NEAR(dfrom[i], i < 5 ? i + 1 : 0);
    RG_NEAR(dto[i], 0);
    dfrom[i] = i + 1;
  }
  __enzyme_fwddiff((void *)copy, enzyme_dup, from, dfrom, enzyme_dup, to, dto);
  for (int i = 0; i < 6; ++i)
    RG_NEAR(dto[i], i + 1);

  memset(d, 0, sizeof d);
  for (int i = 0; i < 3; ++i) {
    double dx = i + 1;
    memcpy(d[i].opaque + 16, &dx, sizeof dx);
  }
  __enzyme_autodiff((void *)grown, enzyme_dup, r, d, enzyme_const, 3);
  for (int i = 0; i < 3; ++i) {
    double dx;
    memcpy(&dx, d[i].opaque + 16, sizeof dx);
    RG_NEAR(dx, 3 - i);
  }

  double all[8] = {0}, dall[8] = {0, 0, 1, 2, 3, 4, 5, 6};
  __enzyme_autodiff((void *)onward, enzyme_dup, all, dall);
  for (int i = 0; i < 8; ++i)
    RG_NEAR(dall[i], i < 6 ? i + 1 : 0);
  free(from);
  free(to);
  free(dfrom);
  free(dto);
  return rgReport();
}
