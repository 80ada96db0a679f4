; The host's half of CUDA: launches ask how much dynamic shared memory the kernel's
; derivatives need; all launches provide tape, unless that is switched off,
; and fail where there is none: by the bytes that they ask for.
; RUN: %loadopt -passes=retrograd -S %s | FileCheck %s --check-prefixes=CHECK,TAPE
; RUN: %loadopt -passes=retrograd -rg-disable=launch-tape -S %s | FileCheck %s --check-prefixes=CHECK,OFF

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare i32 @cudaLaunchKernelExC(ptr, ptr, ptr)
declare void @stub()

; CHECK-LABEL: define i32 @launch(
; CHECK: %[[GROWN:.*]] = call i64 @rg_launch_shared(ptr @stub, i64 %bytes)
; OFF-NEXT: call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 %[[GROWN]], ptr null)
; TAPE-NEXT: %[[SAME:.*]] = call i64 @rg_launch_tape(ptr @stub, i64 1, i32 1, i64 32, i32 1, i64 %[[GROWN]], ptr %args)
; TAPE-NEXT: call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 %[[SAME]], ptr null)
define i32 @launch(ptr %args, i64 %bytes) {
  %e = call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 %bytes, ptr null)
  ret i32 %e
}

; CHECK-LABEL: define i32 @plain(
; CHECK: %[[MOVED:.*]] = call i64 @rg_launch_shared(ptr @stub, i64 0)
; OFF-NEXT: call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 %[[MOVED]], ptr null)
; TAPE-NEXT: %[[NONE:.*]] = call i64 @rg_launch_tape(ptr @stub, i64 1, i32 1, i64 32, i32 1, i64 %[[MOVED]], ptr %args)
; TAPE-NEXT: call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 %[[NONE]], ptr null)
define i32 @plain(ptr %args) {
  %e = call i32 @cudaLaunchKernel(ptr @stub, i64 1, i32 1, i64 32, i32 1, ptr %args, i64 0, ptr null)
  ret i32 %e
}

; CHECK-LABEL: define i32 @configured(
; CHECK: %[[COPY:.*]] = alloca [7 x i64]
; CHECK: %[[NEW:.*]] = call ptr @rg_launch_config(ptr @stub, ptr %config, ptr %[[COPY]], ptr %args)
; CHECK: call i32 @cudaLaunchKernelExC(ptr %[[NEW]], ptr @stub, ptr %args)
define i32 @configured(ptr %config, ptr %args) {
  %e = call i32 @cudaLaunchKernelExC(ptr %config, ptr @stub, ptr %args)
  ret i32 %e
}

; CHECK: define linkonce_odr hidden {{.*}}@rg_launch_shared(
