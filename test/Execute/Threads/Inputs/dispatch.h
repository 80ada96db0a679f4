/* The part of <dispatch/dispatch.h> that the tests use, which need no libdispatch. */
#include <stddef.h>
typedef struct dispatch_queue_s *dispatch_queue_t;
#ifdef __cplusplus
extern "C" {
#endif
dispatch_queue_t dispatch_get_global_queue(long identifier, unsigned long flags);
void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context, void (*work)(void *, size_t));
dispatch_queue_t dispatch_queue_create(const char *label, void *attributes);
#ifdef __cplusplus
}
#endif
