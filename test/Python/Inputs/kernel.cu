// y = x times the logistic function of beta x.
__global__ void swish(const float *x, float *y, float beta, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] / (1 + expf(-beta * x[i]));
}

// Row by row: x without its mean, times a scale for each column. A block for each row.
__global__ void centred(const float *x, const float *scale, float *y, int n) {
  extern __shared__ float part[];
  const float *row = x + (size_t)blockIdx.x * n;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += row[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int half = blockDim.x / 2; half; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[(size_t)blockIdx.x * n + i] = (row[i] - part[0] / n) * scale[i];
}

// y moves towards the square of x, in place.
__global__ void blend(const float *x, float *y, float part, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = part * x[i] * x[i] + (1 - part) * y[i];
}
