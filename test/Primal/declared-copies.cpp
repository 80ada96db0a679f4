// At -O0, copies carry the type of their assignment; accesses and functions are
// as clang leaves them without us, and the preprocessor sees no sanitizer.
// RUN: %rgcxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -O0 -fno-strict-aliasing -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -O1 -fno-strict-aliasing -S -emit-llvm %s -o - | FileCheck --check-prefix=NONE %s
struct Base {
  double x;
};
struct Record : Base {
  int n;
  void *p;
  float f[3];
  union {
    double d;
    long l;
  };
  unsigned a : 3, b : 9;
};
// CHECK-NOT: sanitize_type
// CHECK-NOT: tbaa
// A file without derivatives is left as clang makes it.
// NONE-NOT: {{tbaa|rg[.]declared}}
// CHECK: call void @llvm.memcpy{{.*}} !rg.declared [[RECORD:![0-9]+]]
void copy(void *to, const void *from) {
  *(Record *)to = *(const Record *)from;
}
#if __has_feature(type_sanitizer)
#error "the sanitizer is on"
#endif
// CHECK: load i32, ptr %{{.*}}, align 4{{$}}
int read(int *p) { return *p; }
// CHECK-NOT: tbaa
// CHECK: [[RECORD]] = !{!"0:f64,8:i32,16:p,24:f32,28:f32,32:f32,40:?8,48:?2", i64 50}
