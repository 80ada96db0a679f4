// Characters that stand as factors and are written over afterwards: through the
// result of a search, by a library, and behind a pointer that a library keeps.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char letters[8] = "abcd", cells[32] = "ab,cd,ef"; // as far as the compiler knows, anything
static double found(double x) {
  char word[8];
  strcpy(word, letters);
  char *at = strchr(word, 'c');
  double s = (*at - 'a') * x; // 2x
  word[2] = 'z';
  return s + (word[2] - 'a') * x * x; // 25 x^2
}
static double printed_over(double x) {
  char word[16] = "hij";
  double s = 0;
  for (const char *c = word; *c; ++c)
    s += (*c - 'a') * x; // 24x
  snprintf(word, sizeof word, "%s", "zzzzz");
  return s * x;
}
static double cut(double x) {
  char text[32];
  strcpy(text, cells);
  char *rest = 0;
  double s = 0;
  int comma = text[2] - 'a'; // ',' - 'a' = -53
  s += comma * x;
  for (char *w = strtok_r(text, ",", &rest); w; w = strtok_r(NULL, ",", &rest)) {
    s += (w[0] - 'a') * (w[1] - 'a' + 1) * x * x; // 0 + 2*4 + 4*6
    w[0] = 'q';
  }
  return s;
}
struct line {
  char *words;
  double weight;
};
static double copied(double x) {
  struct line l = {malloc(8), x};
  strcpy(l.words, "bcd");
  double s = 0;
  for (int i = 0; l.words[i]; ++i)
    s += (l.words[i] - 'a') * l.weight * l.weight; // 6 x^2
  strcat(l.words, "e");
  memset(l.words, 'z', 3);
  s += (l.words[0] - 'a') * x; // 25x
  free(l.words);
  return s;
}

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int main(void) {
  RG_UNARY(found, 1.5);
  RG_UNARY(printed_over, 1.5);
  RG_UNARY(cut, 1.5);
  RG_UNARY(copied, 1.5);
  return rgReport();
}
