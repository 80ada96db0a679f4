// Planted faults in a kernel's device code, one per macro.
template <typename R, typename... A> __device__ R __enzyme_autodiff(void *, A...);
extern __device__ int enzyme_dup, enzyme_const;

// A rule of the user's.
static __device__ double cube(double x) { return x * x * x; }
static __device__ double cube_aug(double x) { return x * x * x; }
static __device__ double cube_rev(double x, double seed) { // line 8
#if FAULT == 1
  return -3 * x * x * seed; // sign
#elif FAULT == 2
  return 3 * x * x; // the seed forgotten
#else
  return 3 * x * x * seed;
#endif
}
__device__ void *__enzyme_register_gradient_cube[] = {(void *)cube, (void *)cube_aug, (void *)cube_rev};

static __device__ double coarse(double x) {
#if FAULT == 3
  return x * (int)(40 * x); // line 21: a cast
#elif FAULT == 4
  return x * floor(900 * x); // line 23: a step
#else
  return 2 * x;
#endif
}

// The sum of a block's numbers, in shared memory: threads have to be together.
static __device__ double total(double mine) {
  __shared__ double s[64];
  int t = threadIdx.x;
  s[t] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half)
#if FAULT == 5
      s[t] += s[t + half] * rint(700 * s[t + half]); // line 38: in a loop with barriers
#else
      s[t] += s[t + half];
#endif
    __syncthreads();
  }
  double sum = s[0];
  __syncthreads();
  return sum;
}

// A kernel's work.
__device__ void smooth(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double mine = i < n ? coarse(x[i]) : 0;
  double sum = total(mine);
#if FAULT == 6
  double bent = 0;
  for (int k = 0; k < 20000; ++k)
    if (sum > 0.002 * k) // line 57: a branch on the input
      bent += 0.01;
#else
  double bent = 1;
#endif
  if (i < n)
    y[i] = cube(mine) * sum * bent;
}

__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff<void>((void *)smooth, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
