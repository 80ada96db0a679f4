; What a module asks of the runtime comes into it with what that needs, and nothing else: one copy per program, hidden.
; RUN: %loadopt -passes=rg-link-runtime -S %s | FileCheck %s
; RUN: %loadopt -passes=rg-link-runtime -S %s | FileCheck --check-prefix=ELSE %s
; CHECK-DAG: define linkonce_odr hidden {{.*}}ptr @rg_tape_begin() {{.*}}comdat
; CHECK-DAG: define linkonce_odr hidden void @rg_tape_end(ptr {{.*}}comdat
; CHECK-DAG: define linkonce_odr hidden {{.*}}@rg_arena_release(ptr {{.*}}comdat
; CHECK-DAG: @rg_arena_of_thread = linkonce_odr hidden thread_local global
; ELSE-NOT:  @rg_adjoint_move
; ELSE-NOT:  @rg_turn
; ELSE-NOT:  declare {{.*}}@rg_
declare ptr @rg_tape_begin()
declare void @rg_tape_end(ptr)
define void @f() {
  %t = call ptr @rg_tape_begin()
  call void @rg_tape_end(ptr %t)
  ret void
}
