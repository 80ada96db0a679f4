; Loads and stores of parts of matrices are accesses of one vector per column in the primal.
; RUN: %loadopt '-passes=print<rg-primal>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %loadopt '-passes=print<rg-primal>' -rg-print-after=spell-matrix-accesses -disable-output %s 2>&1 | FileCheck %s --check-prefix=AFTER

declare <6 x double> @llvm.matrix.column.major.load.v6f64.i64(ptr, i64, i1, i32, i32)
declare void @llvm.matrix.column.major.store.v6f64.i64(<6 x double>, ptr, i64, i1, i32, i32)

; AFTER: spell-matrix-accesses
; AFTER: define {{.*}}@rg.primal.copy(
; AFTER-NOT: @llvm.matrix.column
; AFTER: ret void

; CHECK-LABEL: @rg.primal.copy(
; CHECK-NOT: llvm.matrix
; CHECK-DAG: load <2 x double>, ptr %from, align 16
; CHECK-DAG: getelementptr {{.*}}double, ptr %from, i64 %stride
; CHECK-COUNT-2: load <2 x double>, ptr %{{[0-9]+}}, align 8
; CHECK-DAG: store <2 x double> %{{[0-9]+}}, ptr %to, align 8
; CHECK-DAG: getelementptr {{.*}}i8, ptr %to, i64 32
; CHECK-DAG: getelementptr {{.*}}i8, ptr %to, i64 64
define void @copy(ptr %from, ptr %to, i64 %stride) {
  %a = call <6 x double> @llvm.matrix.column.major.load.v6f64.i64(ptr align 16 %from, i64 %stride, i1 false, i32 2, i32 3)
  %d = fmul <6 x double> %a, %a
  call void @llvm.matrix.column.major.store.v6f64.i64(<6 x double> %d, ptr align 8 %to, i64 4, i1 false, i32 2, i32 3)
  ret void
}
