// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-disable=count-strides,segment-recurrences %s -o %t && %t
// Adjoints that the derivative starts from stay as they are (enzyme_seed): the same gradient as with enzyme_dup, which
// is checked against differences, and the seeds of before.
#include "rgcuda.h"
extern __device__ int enzyme_seed;

template <typename T> __device__ void each(const T *__restrict__ x, T *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * x[(i + 1) % n];
}
// A warp for each row.
template <typename T> __device__ void rows(const T *__restrict__ x, T *__restrict__ y, int n) {
  const int count = 10, columns = n / count;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= count)
    return;
  T sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += x[row * columns + i];
  for (int i = lane; i < columns; i += 32)
    y[size_t(row) * columns + i] = x[row * columns + i] * sum;
}
// One number for each row, by one lane.
template <typename T> __device__ void sums(const T *__restrict__ x, T *__restrict__ y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  T sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += x[(10 * row + i) % n] * x[i];
  if (lane == 0)
    y[row] = sum;
}
// A block for each row, in strides of the block.
template <typename T> __device__ void blocks(const T *__restrict__ x, T *__restrict__ y, int n) {
  int columns = n / 4;
  const T *mine = x + size_t(blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[size_t(blockIdx.x) * columns + i] = mine[i] * mine[0];
}
// Strides of the grid.
template <typename T> __device__ void grid(const T *__restrict__ x, T *__restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * x[n - 1 - i];
}
// A recurrence for each channel, which the launch has as many threads of.
template <typename T> __device__ void scan(const T *__restrict__ x, T *__restrict__ y, int n) {
  int channels = 32, channel = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.y;
  T h = 0;
  for (int t = 0; t < n; ++t) {
    size_t at = (size_t(batch) * n + t) * channels + channel;
    h = h * x[t] * T(0.5) + x[at % 7];
    y[at] = h;
  }
}
// Three numbers for each thread.
template <typename T> __device__ void triples(const T *__restrict__ x, T *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 3)
    return;
  T a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
  y[3 * i] = a * b;
  y[3 * i + 1] = b * c;
  y[3 * i + 2] = c * a;
}
// An image, with blocks along three axes.
template <typename T> __device__ void image(const T *__restrict__ x, T *__restrict__ y, int n) {
  int height = 9, width = n / 18;
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z;
  if (j >= width || i >= height)
    return;
  T left = j ? x[(plane * height + i) * width + j - 1] : T(1);
  y[(size_t(plane) * height + i) * width + j] = left * x[(plane * height + i) * width + j];
}
// The inside of an image, by sums of integers, whose edge other threads leave alone.
template <typename T> __device__ void inside(const T *__restrict__ x, T *__restrict__ y, int n) {
  int width = n / 12, j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= 12 - 1 || j >= width - 1)
    return;
  int at = i * width + j;
  y[at] = x[at] * x[at - 1] + x[at + 1] * x[at - width] - x[at + width];
}
// Numbers that some threads put down, and zeros that others do.
template <typename T> __device__ void zeros(const T *__restrict__ x, T *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T v = 0;
  if (x[i] > T(1))
    v = x[i] * x[i];
  y[i] = v;
}

template <typename T, void (*F)(const T *, T *, int)>
__global__ void seeded(const T *x, T *dx, T *y, T *dy, int n) {
  __enzyme_autodiff<void>((void *)F, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, n);
}

template <typename T, void (*F)(const T *, T *, int)>
int check(const char *name, int n, int m, dim3 grid, dim3 block) {
  int bad = rg::checkKernel<T, F>(name, n, m, grid, block);
  std::vector<T> X(n), W(m), zero(n, T(0));
  for (T &v : X)
    v = T(rg::uniform(0.5, 1.5));
  for (T &v : W)
    v = T(rg::uniform(-1, 1));
  rg::Buffer<T> x(n), dx(n), y(m), dy(m);
  x.set(X), dx.set(zero), dy.set(W);
  rg::gradientKernel<T, F><<<grid, block>>>(x.P, dx.P, y.P, dy.P, n);
  std::vector<T> want = dx.get();
  dx.set(zero), dy.set(W);
  seeded<T, F><<<grid, block>>>(x.P, dx.P, y.P, dy.P, n);
  rg::must(cudaGetLastError(), name);
  rg::must(cudaDeviceSynchronize(), name);
  std::vector<T> have = dx.get(), left = dy.get();
  double largest = 0;
  for (T v : want)
    largest = std::fmax(largest, std::fabs(double(v)));
  for (int i = 0; i < n && bad < 5; ++i)
    if (!(std::fabs(double(have[i]) - double(want[i])) <= (sizeof(T) == 4 ? 1e-5 : 1e-13) * largest))
      ++bad, printf("%s: dx[%d] is %.9g with seeds, and %.9g\n", name, i, double(have[i]), double(want[i]));
  for (int i = 0; i < m && bad < 5; ++i)
    if (left[i] != W[i])
      ++bad, printf("%s: dy[%d] was %.9g and is %.9g\n", name, i, double(W[i]), double(left[i]));
  return bad;
}

int main() {
  int bad = 0;
  bad |= check<float, each<float>>("each", 100, 100, 3, 48);
  bad |= check<double, each<double>>("each, double", 100, 100, 3, 48);
  bad |= check<float, rows<float>>("rows", 400, 400, 5, 64);
  bad |= check<double, sums<double>>("sums", 100, 10, 5, 64);
  bad |= check<float, blocks<float>>("blocks", 160, 160, 4, 24);
  bad |= check<double, grid<double>>("grid", 100, 100, 2, 17);
  bad |= check<double, scan<double>>("scan", 40, 64 * 40, dim3(2, 2), 16);
  bad |= check<float, triples<float>>("triples", 150, 150, 2, 30);
  bad |= check<double, image<double>>("image", 18 * 11, 18 * 11, dim3(2, 2, 2), dim3(8, 6));
  bad |= check<double, inside<double>>("inside", 12 * 11, 12 * 11, dim3(2, 2), dim3(8, 6));
  bad |= check<double, zeros<double>>("zeros", 60, 60, 2, 32);
  return bad;
}
