// A file without derivative calls may release tapes; the header declares what is
// needed.
// RUN: %rgcc -Wall -Wextra -Werror -I%include -O0 -c -DOWNER %s -o %t.owner.o
// RUN: %rgcc -Wall -Wextra -Werror -I%include -O2 -c %s -o %t.o
// RUN: %rgcc %t.o %t.owner.o -lm -o %t && %t
#include <retrograd/retrograd.h>
void forget(void *tape);
#ifdef OWNER
void forget(void *tape) { rg_tape_free(tape); }
#else
static double square(double x) { return x * x; }
int main(void) {
  void *tapes[3];
  for (int i = 0; i < 3; ++i)
    tapes[i] = __enzyme_augmentfwd((void *)square, i + 1.0);
  forget(tapes[1]);
  forget(0);
  double first = __enzyme_reverse((void *)square, 1.0, 1.0, tapes[0]);
  double third = __enzyme_reverse((void *)square, 3.0, 1.0, enzyme_tape, tapes[2]);
  return !(first == 2 && third == 6 && __enzyme_augmentsize((void *)square, enzyme_out) == sizeof(void *));
}
#endif
