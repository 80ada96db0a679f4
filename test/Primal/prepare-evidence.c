// At -O0 the types of accesses are what the programmer wrote. They have to survive
// simplification: copies become typed, integers are marked.
// RUN: %clang -O0 -S -emit-llvm %s -o %t.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.ll 2>&1 | FileCheck %s

#include <string.h>

struct Small { int n; float f; };
struct Pair { double d; long n; };
struct Big { double a[20]; void *p; int n; };
union Either { double d; long n; };
struct Mixed { union Either e; double d; };

// Eight bytes: LLVM would make an i64 of it.
// CHECK-LABEL: @rg.primal.copy8(
// CHECK-NOT: load i64
// CHECK: load i32, {{.*}}, !rg.int
// CHECK: load float
// CHECK-NOT: store i64
// CHECK: store i32 {{.*}}, !rg.int
// CHECK: store float
// CHECK: ret void
void copy8(struct Small *to, struct Small *from, int i) { to[i % 4] = from[i % 4]; }

// CHECK-LABEL: @rg.primal.copy16(
// CHECK: load double
// CHECK: load i64, {{.*}}, !rg.int
// CHECK-NOT: memcpy
// CHECK: ret void
void copy16(struct Pair *to, struct Pair *from) {
  struct Pair p;
  memcpy(&p, from, sizeof p);
  memmove(to, &p, sizeof p);
}

// Too large to split.
// CHECK-LABEL: @rg.primal.copyBig(
// CHECK: call void @llvm.memcpy{{.*}} i64 176, i1 false), !rg.layout ![[BIG:[0-9]+]]
// CHECK: ret void
void copyBig(struct Big *to, struct Big *from, int i) { to[i] = from[i]; }

// A union is any of its members.
// CHECK-LABEL: @rg.primal.copyUnion(
// CHECK-COUNT-1: load double
// CHECK-NOT: load double
// CHECK: load i64, ptr %{{[a-z0-9]*}}, align 8{{$}}
// CHECK: ret void
void copyUnion(struct Mixed *to, struct Mixed *from, int i) { to[i] = from[i]; }

// What the ABI passes in an integer register is no integer.
// CHECK-LABEL: @rg.primal.byValue(
// CHECK-NOT: !rg.int
// CHECK: ret float
float byValue(struct Small s, struct Small *to) {
  s.f *= 2;
  return s.f * s.n;
}

// CHECK-LABEL: @rg.primal.member(
// CHECK: load i32, {{.*}}, !rg.int
// CHECK: load i64, {{.*}}, !rg.int
// CHECK: store i64 {{.*}}, !rg.int
// CHECK: ret void
void member(struct Small *s, long *l) { *l += s->n; }
