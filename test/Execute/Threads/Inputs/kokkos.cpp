// What is compiled in Kokkos: derivatives do not see it.
#include "kokkos.h"
#include <new>

namespace Kokkos {
static int threads = 1, made;
int num_threads() { return threads; }
bool is_initialized() { return true; }
void set_threads(int n) { threads = n; }
int arrays() { return made; }
static int started;
void start() { ++started; }

void *HostSpace::allocate(const char *, size_t bytes, size_t) const {
  return operator new(bytes, std::align_val_t(64));
}
namespace Impl {
SharedAllocationRecord<void, void>::SharedAllocationRecord(SharedAllocationHeader *a, size_t n, function_type f,
                                                           const std::string &l)
    : array(a), bytes(n), dealloc(f), count(0), label(l) {
  ++made;
}
void SharedAllocationRecord<void, void>::increment(SharedAllocationRecord *r) {
  __atomic_fetch_add(&r->count, 1, __ATOMIC_SEQ_CST);
}
SharedAllocationRecord<void, void> *SharedAllocationRecord<void, void>::decrement(SharedAllocationRecord *r) {
  if (__atomic_fetch_sub(&r->count, 1, __ATOMIC_SEQ_CST) != 1)
    return r;
  r->dealloc(r);
  return nullptr;
}
void fill_host_accessible_header_info(SharedAllocationRecord<void, void> *r, SharedAllocationHeader &h,
                                      std::string const &l) {
  h.record = r;
  strncpy(h.label, l.c_str(), sizeof h.label);
  h.label[sizeof h.label - 1] = 0;
}
template <class Space>
SharedAllocationRecordCommon<Space>::SharedAllocationRecordCommon(Space const &s, std::string const &l, std::size_t n,
                                                                  function_type f)
    : SharedAllocationRecord<void, void>(
          (SharedAllocationHeader *)s.allocate(l.c_str(), n + sizeof(SharedAllocationHeader), n),
          n + sizeof(SharedAllocationHeader), f, l),
      space(s) {
  fill_host_accessible_header_info(this, *array, l);
}
template <class Space> SharedAllocationRecordCommon<Space>::~SharedAllocationRecordCommon() {
  --made;
  operator delete((void *)array, std::align_val_t(64));
}
template <class Space> std::string SharedAllocationRecordCommon<Space>::get_label() const { return label; }
template class SharedAllocationRecordCommon<HostSpace>;
void hostspace_parallel_deepcopy(void *to, const void *from, ptrdiff_t n) { memcpy(to, from, n); }
} // namespace Impl
} // namespace Kokkos
