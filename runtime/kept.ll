; kept.ll - memory for shadows that may throw
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

; What alloc(bytes) gives, or a block that an earlier shadow has left (kept.c). alloc
; may throw, as operator new does; functions in C may not.
define noalias ptr @rg_kept_alloc(i64 %bytes, ptr %alloc, ptr %dealloc) uwtable noinline {
  %kept = call ptr @rg_kept_take(i64 %bytes, ptr %dealloc)
  %none = icmp eq ptr %kept, null
  br i1 %none, label %fresh, label %old

fresh:
  %new = call ptr %alloc(i64 %bytes)
  ret ptr %new

old:
  ret ptr %kept
}

declare ptr @rg_kept_take(i64, ptr) nounwind
