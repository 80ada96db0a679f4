// Faults in device code: an instance of a template with a rule below, and a table.
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;
static __device__ double sq(double x) { return x * x; }
static __device__ double sq_aug(double x) { return x * x; }
static __device__ double sq_rev(double x, double seed) { return x * seed; } // line 6
__device__ void *__enzyme_register_gradient_sq[] = {(void *)sq, (void *)sq_aug, (void *)sq_rev};
template <class T> __device__ T twice(T x) { return 2 * sq(x); }
__device__ void instance(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = twice<double>(x[i]);
}

__device__ double cell(const double *table, double t) {
  int k = (int)(t * 4e5); // line 16
  return table[k & 3];
}
__device__ void lookup(const double *table, const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = cell(table, x[i]) * x[i];
}
