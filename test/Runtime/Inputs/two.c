#include "retrograd_runtime.h"

#ifdef __cplusplus
extern "C"
#endif
    rg_arena *
    other(uint64_t *total) {
  rg_arena *a = rg_tape_begin();
  char *p = (char *)rg_tape_zalloc(a, 320);
  for (int i = 0; i < 320; ++i)
    if (p[i])
      __builtin_trap();
  *total = rg_tape_bytes_total();
  rg_tape_end(a);
  return a;
}
