// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O0 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -I%root/test/include -I%root/include -mllvm -rg-disable=spell-struct-moves %s -o %t && %t
// All pairs of bodies, a tile of them at a time: all threads of a block add to one place of the tile's adjoint in each
// iteration. Tiles as large as a block, larger and smaller, blocks that are no whole warps, and two rows of threads.
#include "rgcuda.h"

template <typename T> struct alignas(4 * sizeof(T)) Body {
  T x, y, z, mass;
};

template <typename T> __device__ T pull(const Body<T> &mine, const Body<T> &other) {
  T a = other.x - mine.x, b = other.y - mine.y, c = other.z - mine.z;
  T squared = a * a + b * b + c * c + T(0.5);
  return other.mass * (a + 2 * b - c) / (squared * sqrt(squared));
}

/// Tile bodies at a time, by blocks of any shape.
template <typename T, int Tile> __device__ void bodies(const T *__restrict__ x, T *__restrict__ y, int n) {
  __shared__ Body<T> tile[Tile];
  const auto *p = reinterpret_cast<const Body<T> *>(x);
  int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  int i = blockIdx.x * threads + thread;
  Body<T> mine = p[i];
  T sum = 0;
  for (int first = 0; first < n / 4; first += Tile) {
    for (int j = thread; j < Tile; j += threads)
      tile[j] = p[first + j];
    __syncthreads();
    for (int j = 0; j < Tile; ++j)
      sum += pull(mine, tile[j]);
    __syncthreads();
  }
  y[i] = sum;
}

/// A thread for each body of the tile.
template <typename T, int Tile> __device__ void square(const T *__restrict__ x, T *__restrict__ y, int n) {
  __shared__ Body<T> tile[Tile];
  const auto *p = reinterpret_cast<const Body<T> *>(x);
  int i = blockIdx.x * Tile + threadIdx.x;
  Body<T> mine = p[i];
  T sum = 0, other = 0;
  for (int first = 0; first < n / 4; first += Tile) {
    tile[threadIdx.x] = p[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < Tile; ++j) {
      sum += pull(mine, tile[j]);
      other += tile[j].mass * sum;
    }
    __syncthreads();
  }
  y[i] = sum * other;
}

int main() {
  int bad = 0;
  bad |= rg::checkKernel<double, bodies<double, 32>>("tiles as blocks", 4 * 64, 64, 2, 32);
  bad |= rg::checkKernel<float, bodies<float, 64>>("tiles of two blocks", 4 * 64, 64, 2, 32);
  bad |= rg::checkKernel<double, bodies<double, 16>>("half a block", 4 * 64, 64, 2, 32);
  bad |= rg::checkKernel<double, bodies<double, 20>>("parts of warps", 4 * 40, 40, 1, 40);
  bad |= rg::checkKernel<double, bodies<double, 7>>("odd", 4 * 21, 21, 1, 21);
  bad |= rg::checkKernel<double, bodies<double, 32>>("rows of threads", 4 * 64, 64, 2, dim3(16, 2));
  bad |= rg::checkKernel<float, square<float, 32>>("square", 4 * 64, 64, 2, 32);
  bad |= rg::checkKernel<double, square<double, 64>>("square, double", 4 * 64, 64, 1, 64);
  return bad;
}
