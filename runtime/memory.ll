; memory.ll - what C cannot say about blocks of memory
;
; Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

; Bytes of the heap block p that may be copied; 0 for null. malloc_usable_size
; counts what the allocator rounded up to, but to LLVM a block that it sees being
; allocated ends where the program said, and what is beyond may not be touched. C
; has the intrinsic too, but what clang compiles would have it answered here,
; where no block is seen yet, instead of where this is inlined.
define i64 @rg_block_bytes(ptr %p) alwaysinline nounwind {
  %usable = call i64 @malloc_usable_size(ptr %p)
  %seen = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 true)
  %bytes = call i64 @llvm.umin.i64(i64 %usable, i64 %seen)
  ret i64 %bytes
}

declare i64 @malloc_usable_size(ptr) nounwind
declare i64 @llvm.objectsize.i64.p0(ptr, i1 immarg, i1 immarg, i1 immarg)
declare i64 @llvm.umin.i64(i64, i64)
