// Functions of kernels with and without a race.
__device__ void neighbours(const double *x, double *y, int n) {
  __shared__ double s[64];
  int t = threadIdx.x;
  s[t] = x[t] * x[t];
#if FAULT != 1
  __syncthreads();
#endif
  y[t] = s[(t + 1) % blockDim.x] * x[t]; // line 9: reads what another writes
}
// All threads store one value: they agree.
__device__ void agreed(const double *x, double *y, int n) {
  __shared__ double first;
  int t = threadIdx.x;
  first = x[0] * x[1];
  __syncthreads();
  y[t] = first * x[t];
}
// All threads store a value of their own.
__device__ void last(const double *x, double *y, int n) {
  __shared__ double any;
  int t = threadIdx.x;
  any = x[t] * x[1]; // line 23
  __syncthreads();
  y[t] = any * x[t];
}
