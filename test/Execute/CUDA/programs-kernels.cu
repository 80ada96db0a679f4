// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Kernels as programs have them: rows of a softmax by cooperative groups, a convolution with a halo in dynamic shared memory,
// sums of a block by a template, a cell of an LSTM, inverses with pivots, an image warped by a flow, bins in shared memory, a
// scan of a warp, a product of matrices with two tiles in turn, rays that end early.
#include "rgcuda.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define TILE 16
#define FULL 0xffffffffu

// 1. Row softmax with temperature by cooperative groups.
__device__ void softmaxRows(const float *x, float *y, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * (blockDim.x / 32) + warp.meta_group_rank();
  int cols = 40;
  if ((row + 1) * cols > n)
    return;
  const float *in = x + row * cols;
  float m = -INFINITY;
  for (int i = warp.thread_rank(); i < cols; i += warp.size())
    m = fmaxf(m, in[i]);
  for (int o = warp.size() / 2; o > 0; o >>= 1)
    m = fmaxf(m, warp.shfl_xor(m, o));
  float s = 0.f;
  for (int i = warp.thread_rank(); i < cols; i += warp.size())
    s += __expf((in[i] - m) * 1.5f);
  for (int o = warp.size() / 2; o > 0; o >>= 1)
    s += warp.shfl_xor(s, o);
  for (int i = warp.thread_rank(); i < cols; i += warp.size())
    y[row * cols + i] = __expf((in[i] - m) * 1.5f) / s;
}
// 2. A 1-D convolution with a halo in dynamic shared memory.
__device__ void conv1d(const double *x, double *y, int n) {
  extern __shared__ double s[];
  const int R = 3;
  int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
  s[l] = g < n ? x[g] : 0.0;
  if (threadIdx.x < R) {
    s[l - R] = g >= R ? x[g - R] : 0.0;
    s[l + blockDim.x] = g + (int)blockDim.x < n ? x[g + blockDim.x] : 0.0;
  }
  __syncthreads();
  if (g >= n)
    return;
  double r = 0;
  for (int k = -R; k <= R; ++k)
    r += s[l + k] * s[l + k] * (1.0 / (1 + k * k));
  y[g] = r;
}
// 3. Block reduce, template block size, last warp unrolled.
template <unsigned B> __device__ __forceinline__ double blockSum(double v) {
  __shared__ double sh[B / 32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1)
    v += __shfl_down_sync(FULL, v, o);
  if (!lane)
    sh[w] = v;
  __syncthreads();
  v = threadIdx.x < B / 32 ? sh[lane] : 0.0;
  if (!w)
    for (int o = B / 64; o; o >>= 1)
      v += __shfl_down_sync(FULL, v, o);
  return v;
}
__device__ void variance(const double *x, double *y, int n) {
  double s = 0, q = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n;
       i += blockDim.x * gridDim.x) {
    s += x[i];
    q += x[i] * x[i];
  }
  s = blockSum<128>(s);
  __syncthreads();
  q = blockSum<128>(q);
  if (threadIdx.x == 0) {
    double m = s / n;
    y[blockIdx.x] = sqrt(q / n - m * m + 1.0);
  }
}
// 4. LSTM cell.
__device__ __forceinline__ float sigm(float v) {
  return 1.f / (1.f + expf(-v));
}
__device__ void lstm(const float *x, float *y, int n) {
  int H = n / 5, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= H)
    return;
  float ig = sigm(x[i]), f = sigm(x[H + i] + 1.f), g = tanhf(x[2 * H + i]),
        o = sigm(x[3 * H + i]);
  float c = x[4 * H + i];
#pragma unroll 1
  for (int t = 0; t < 5; ++t)
    c = f * c + ig * g;
  y[i] = c;
  y[H + i] = o * tanhf(c);
}
// 5. Inverses of 4 x 4 matrices by Gauss and Jordan, with pivots.
__device__ void inverse4(const double *x, double *y, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if ((id + 1) * 16 > n)
    return;
  double a[4][8];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      a[i][j] = x[id * 16 + i * 4 + j] + (i == j ? 3.0 : 0.0);
      a[i][j + 4] = i == j;
    }
  for (int c = 0; c < 4; ++c) {
    int p = c;
    for (int r = c + 1; r < 4; ++r)
      if (fabs(a[r][c]) > fabs(a[p][c]))
        p = r;
    if (p != c)
      for (int j = 0; j < 8; ++j) {
        double t = a[c][j];
        a[c][j] = a[p][j];
        a[p][j] = t;
      }
    double inv = 1.0 / a[c][c];
    for (int j = 0; j < 8; ++j)
      a[c][j] *= inv;
    for (int r = 0; r < 4; ++r)
      if (r != c) {
        double f = a[r][c];
        for (int j = 0; j < 8; ++j)
          a[r][j] -= f * a[c][j];
      }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      y[id * 16 + i * 4 + j] = a[i][j + 4];
}
// 6. Bilinear warp, float2 and int2, borders clamped.
__device__ void warpImage(const float *x, float *y, int n) {
  const int W = 16, H = 12;
  int u = blockIdx.x * blockDim.x + threadIdx.x,
      v = blockIdx.y * blockDim.y + threadIdx.y;
  if (u >= W || v >= H)
    return;
  const float2 *flow = reinterpret_cast<const float2 *>(x + W * H);
  float2 f = flow[v * W + u];
  float px = fminf(fmaxf(u + f.x * 1.3f, 0.f), W - 1.001f),
        py = fminf(fmaxf(v + f.y * 1.7f, 0.f), H - 1.001f);
  int2 b = make_int2((int)floorf(px), (int)floorf(py));
  float fx = px - b.x, fy = py - b.y;
  float top = x[b.y * W + b.x] * (1 - fx) + x[b.y * W + b.x + 1] * fx;
  float bot =
      x[(b.y + 1) * W + b.x] * (1 - fx) + x[(b.y + 1) * W + b.x + 1] * fx;
  y[v * W + u] = top * (1 - fy) + bot * fy;
}
// 7. Segmented sum with atomics to shared bins, then global.
__device__ void bins(const double *x, double *y, int n) {
  __shared__ double b[8];
  if (threadIdx.x < 8)
    b[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&b[(i * 7) % 8], sin(x[i]) * x[(i + 1) % n]);
  __syncthreads();
  if (threadIdx.x < 8)
    atomicAdd(&y[threadIdx.x], b[threadIdx.x]);
}
// 8. Warp scan (inclusive) and its use by the next block of code.
__device__ void scanWarp(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  double v = i < n ? x[i] : 0.0;
  for (int d = 1; d < 32; d *= 2) {
    double o = __shfl_up_sync(FULL, v, d);
    if (lane >= d)
      v += o;
  }
  double total = __shfl_sync(FULL, v, 31);
  if (i < n)
    y[i] = v / total;
}
// 9. Matrix product with double buffered tiles.
__device__ void mm(const float *x, float *y, int n) {
  const int N = 32;
  const float *A = x, *B = x + N * N;
  __shared__ float As[2][TILE][TILE + 1], Bs[2][TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * TILE + ty,
      c = blockIdx.x * TILE + tx;
  float acc = 0;
  As[0][ty][tx] = A[r * N + tx];
  Bs[0][ty][tx] = B[ty * N + c];
  __syncthreads();
  for (int t = 0; t < N / TILE; ++t) {
    int cur = t & 1;
    if (t + 1 < N / TILE) {
      As[1 - cur][ty][tx] = A[r * N + (t + 1) * TILE + tx];
      Bs[1 - cur][ty][tx] = B[((t + 1) * TILE + ty) * N + c];
    }
#pragma unroll
    for (int k = 0; k < TILE; ++k)
      acc += As[cur][ty][k] * Bs[cur][k][tx];
    __syncthreads();
  }
  y[r * N + c] = fmaxf(acc - 8.f, 0.1f * acc);
}
// 10. Ray-marching with early exit and a lambda.
__device__ void march(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto density = [&](double t) {
    int k = min((int)(t * 2), n - 2);
    double f = t * 2 - k;
    return (1 - f) * x[k] + f * x[k + 1];
  };
  double T = 1, c = 0;
  for (double t = 0.1 + 0.01 * i; t < 8.0; t += 0.35) {
    double a = 1 - exp(-density(t) * 0.3);
    c += T * a * (1 + t);
    T *= 1 - a;
    if (T < 0.05)
      break;
  }
  y[i] = c;
}
int main() {
  int b = 0;
  b |= rg::checkKernel<float, softmaxRows>("softmax cg", 240, 240, 2, 96);
  b |= rg::checkKernel<double, conv1d>("conv1d", 100, 100, 4, 32,
                                       38 * sizeof(double));
  b |= rg::checkKernel<double, variance>("variance", 500, 2, 2, 128);
  b |= rg::checkKernel<float, lstm>("lstm", 150, 60, 1, 64);
  b |= rg::checkKernel<double, inverse4>("inverse4", 160, 160, 1, 32);
  b |= rg::checkKernel<float, warpImage>("warp", 16 * 12 * 3, 16 * 12,
                                         dim3(2, 2), dim3(8, 8));
  b |= rg::checkKernel<double, bins>("bins", 100, 8, 2, 64);
  b |= rg::checkKernel<double, scanWarp>("scan", 90, 96, 2, 64);
  b |= rg::checkKernel<float, mm>("mm", 2048, 1024, dim3(2, 2), dim3(16, 16));
  b |= rg::checkKernel<double, march>("march", 20, 32, 1, 32);
  return b;
}
