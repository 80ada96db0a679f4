// Records with text beside numbers, which the differentiated code only moves: sorted, copied by a length that is known at run time,
// swapped, in memory of the caller's. The text is declared as such, so that it needs no evidence by accesses.
// RG-LEVELS: O0 O1 O2 O3
#include "rgvector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int enzyme_dup, enzyme_const;

struct star {
  char name[16];
  double mass, place[3];
};
struct city {
  double people;
  char name[9], land[2][4];
  double area;
};
struct tagged {
  char tag[8];
  struct star star;
  char note[32];
};

enum { Most = 16 };
static struct star sky[Most];
static struct city map[Most];

static int byMass(const void *a, const void *b) {
  double d = ((const struct star *)a)->mass - ((const struct star *)b)->mass;
  return d < 0 ? -1 : d > 0;
}
static int byPeople(const void *a, const void *b) {
  double d = ((const struct city *)a)->people - ((const struct city *)b)->people;
  return d < 0 ? -1 : d > 0;
}

static double sorted(const double *x, int n) {
  struct star *stars = sky;
  for (int i = 0; i < n; i++) {
    stars[i].mass = x[i] * x[i];
    for (int k = 0; k < 3; k++)
      stars[i].place[k] = x[i] * k;
  }
  qsort(stars, n, sizeof *stars, byMass);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += stars[i].mass * stars[i].place[1] * (i + 1);
  return s;
}

static double cities(const double *x, int n) {
  struct city *all = malloc(n * sizeof *all);
  memcpy(all, map, n * sizeof *all);
  for (int i = 0; i < n; i++) {
    all[i].people = x[i] * x[(i + 1) % n];
    all[i].area = x[i];
  }
  qsort(all, n, sizeof *all, byPeople);
  struct city *more = malloc(n * sizeof *more);
  memcpy(more, all, n * sizeof *more);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += more[i].people * more[i].area * (i + 1);
  free(all);
  free(more);
  return s;
}

static double nested(const double *x, int n) {
  struct tagged *all = calloc(n, sizeof *all);
  for (int i = 0; i < n; i++) {
    snprintf(all[i].tag, sizeof all[i].tag, "%d", i);
    strcpy(all[i].note, "a star");
    memcpy(all[i].star.name, sky[i].name, sizeof sky[i].name);
    all[i].star.mass = x[i] * x[i];
    all[i].star.place[1] = x[i];
  }
  for (int i = 0; i + 1 < n; i++)
    if (all[i].star.mass < all[i + 1].star.mass) {
      struct tagged t = all[i];
      all[i] = all[i + 1];
      all[i + 1] = t;
    }
  struct tagged *more = malloc(n * sizeof *more);
  memmove(more, all, n * sizeof *more);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += more[i].star.mass * more[i].star.place[1] * (i + 1) * (more[i].tag[0] != 'x');
  free(all);
  free(more);
  return s;
}

int main() {
  for (int i = 0; i < Most; i++) {
    snprintf(sky[i].name, sizeof sky[i].name, "star %d", i);
    snprintf(map[i].name, sizeof map[i].name, "city %d", i);
  }
  RG_CHECK_VECTOR(sorted);
  RG_CHECK_VECTOR(cities);
  RG_CHECK_VECTOR(nested);
  return rgReport();
}
