#include "retrograd_runtime.h"
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
    rg_arena *
    other(uint64_t *total);

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  rg_arena *mine = rg_tape_begin();
  memset(rg_tape_alloc(mine, 160), 1, 160);
  uint64_t total;
  rg_arena *theirs = other(&total);
  rg_tape_end(mine);
  if (!strcmp(argv[1], "shared"))
    return !(mine == theirs && total == 480);
  return !(mine != theirs && total == 320);
}
