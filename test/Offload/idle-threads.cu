// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O3 -march=native %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -mllvm -rg-disable=offload-limit -mllvm -rg-disable=offload-lock-step %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -mllvm -rg-disable=offload-recompute -mllvm -rg-disable=offload-cut-loops %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -mllvm -rg-disable=offload-edges %s -o %t && %t
// Threads that a guard sends past a region or out of the kernel, edges of the grid, and loops that a block
// runs together: whoever is left out must have had nothing to do. What a thread does is a function of its indices, which the host
// asks, too.
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

struct Where {
  unsigned X, Y, Z, BX, NX, NY, NZ, GX;
};
constexpr int Guards = 22;
/// Whether a thread does something, in kernel K; A and B are launch parameters.
template <int K> __host__ __device__ bool guard(Where W, int A, int B) {
  int X = W.X, Y = W.Y, I = W.BX * W.NX + W.X;
  unsigned U = W.BX * W.NX + W.X;
  long L = long(W.BX) * W.NX + W.X;
  switch (K) {
  case 0: return X < A;
  case 1: return X >= A;
  case 2: return X == A;
  case 3: return X != 0;
  case 4: return X > A && X <= B;
  case 5: return I < A;
  case 6: return U < unsigned(A);
  case 7: return L < A;
  case 8: return int(unsigned(I) + unsigned(A)) < B; // may wrap around
  case 9: return U + unsigned(A) < unsigned(B);    // the same, and may
  case 10: return X - 2 >= 0 && X + 2 < int(W.NX); // a halo
  case 11: return X - 2 >= 0 && Y - 1 >= 0 && X < A && Y < B;
  case 12: return W.X - unsigned(A) < unsigned(B);
  case 13: return !(X < A) && !(Y > B);
  case 14: return Y == 0 && W.Z == 0 && X < A;
  case 15: return unsigned(X) > unsigned(A);
  case 16: return long(X) + A < long(B);
  case 17: return size_t(I) < size_t(A);
  case 18: return int(unsigned(A) - W.X) > 0;
  case 19: return X < A || Y < B;
  case 20: return (unsigned short)(X + A) < (unsigned short)(B);
  case 21: return X % 2 == 0 && X < A;
  }
  return false;
}
__host__ __device__ Where where(dim3 Thread, dim3 Block, dim3 Size, dim3 Grid) {
  return {Thread.x, Thread.y, Thread.z, Block.x, Size.x, Size.y, Size.z, Grid.x};
}
__host__ __device__ unsigned numberOf(Where W) {
  return ((W.BX * W.NZ + W.Z) * W.NY + W.Y) * W.NX + W.X;
}
// Guarded regions between barriers; what is written in one is read by a neighbour in the next.
template <int K> __global__ void run(int *Out, int A, int B) {
  __shared__ int S[1024];
  Where W = where(threadIdx, blockIdx, blockDim, gridDim);
  unsigned T = (W.Z * W.NY + W.Y) * W.NX + W.X, N = W.NX * W.NY * W.NZ;
  S[T] = 1;
  __syncthreads();
  if (guard<K>(W, A, B))
    S[T] = 2;
  __syncthreads();
  int Next = S[(T + 1) % N];
  bool Did = false;
  if (guard<K>(W, A, B)) {
    Out[numberOf(W)] += 10 * Next;
    Did = true;
  }
  __syncthreads();
  if (Did)
    S[T] += 5;
  __syncthreads();
  Out[numberOf(W)] += 100 * S[(T + 1) % N];
}
// The guard is all there is.
template <int K> __global__ void only(int *Out, int A, int B) {
  Where W = where(threadIdx, blockIdx, blockDim, gridDim);
  if (guard<K>(W, A, B))
    Out[numberOf(W)] += 1000;
}
// Threads end at the guard; those who are left go on over barriers and loops.
template <int K> __global__ void early(int *Out, int A, int B) {
  __shared__ int S[1024];
  Where W = where(threadIdx, blockIdx, blockDim, gridDim);
  if (!guard<K>(W, A, B))
    return;
  unsigned T = (W.Z * W.NY + W.Y) * W.NX + W.X, X = W.X + 1;
  S[T] = 3;
  __syncthreads();
  Where Right = W;
  Right.X = X;
  int Next = X < W.NX && guard<K>(Right, A, B) ? S[T + 1] : 0;
  for (int Round = 0; Round < 4; ++Round) {
    __syncthreads();
    S[T] += Round;
    if (X % 2)
      Out[numberOf(W)] += S[T] * 100000;
  }
  __syncthreads();
  Out[numberOf(W)] += 10000 * (Next + (X < W.NX && guard<K>(Right, A, B) ? S[T + 1] : 0));
}
// The same, where some end later, too, and where all who are left are counted.
template <int K> __global__ void later(int *Out, int A, int B) {
  Where W = where(threadIdx, blockIdx, blockDim, gridDim);
  if (!guard<K>(W, A, B))
    return;
  __shared__ int S[1024];
  unsigned T = (W.Z * W.NY + W.Y) * W.NX + W.X;
  S[T] = 1;
  int Left = __syncthreads_count(1);
  if (W.X % 3 == 1)
    return;
  __syncthreads();
  Out[numberOf(W)] += 1000000 * Left * S[T];
}
// Nobody is left out: who does what, and which neighbour is whose.
template <int K> __global__ void edges(int *Out, int A, int B) {
  __shared__ int S[1024];
  Where W = where(threadIdx, blockIdx, blockDim, gridDim);
  unsigned T = (W.Z * W.NY + W.Y) * W.NX + W.X;
  S[T] = T;
  __syncthreads();
  int Other = guard<K>(W, A, B) && W.X > 0 ? W.X - 1 : W.X;
  int Sum = S[(W.Z * W.NY + W.Y) * W.NX + Other];
  if (W.BX * W.NX + W.X + 1 < W.GX * W.NX)
    Sum += guard<K>(W, A, B) ? 5 : 9;
  else
    Out[numberOf(W)] += 3;
  Out[numberOf(W)] += Sum;
}
static int Wrong = 0;
template <int K> void checkEnds(dim3 Grid, dim3 Block, int A, int B) {
  unsigned N = Block.x * Block.y * Block.z;
  std::vector<int> Got(Grid.x * N), AtEdges(Grid.x * N), Left(Grid.x);
  int *D;
  cudaMalloc(&D, Got.size() * sizeof(int));
  cudaMemset(D, 0, Got.size() * sizeof(int));
  early<K><<<Grid, Block>>>(D, A, B);
  later<K><<<Grid, Block>>>(D, A, B);
  cudaMemcpy(Got.data(), D, Got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemset(D, 0, Got.size() * sizeof(int));
  edges<K><<<Grid, Block>>>(D, A, B);
  cudaMemcpy(AtEdges.data(), D, Got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(D);
  auto At = [&](unsigned I) {
    dim3 T(I % Block.x, I / Block.x % Block.y, I / Block.x / Block.y % Block.z);
    return where(T, dim3(I / N), Block, Grid);
  };
  for (unsigned I = 0; I != Got.size(); ++I)
    Left[I / N] += guard<K>(At(I), A, B);
  for (unsigned I = 0; I != Got.size(); ++I) {
    Where W = At(I);
    int Want = 0;
    if (guard<K>(W, A, B)) {
      bool Next = W.X + 1 < W.NX && guard<K>(At(I + 1), A, B);
      Want = (W.X + 1) % 2 * (3 + 4 + 6 + 9) * 100000 + 10000 * (Next ? 3 + 9 : 0);
      if (W.X % 3 != 1)
        Want += 1000000 * Left[I / N];
    }
    unsigned T = I % N;
    bool Last = W.BX * W.NX + W.X + 1 >= W.GX * W.NX;
    int WantEdges = (guard<K>(W, A, B) && W.X > 0 ? T - 1 : T) + (Last ? 3 : guard<K>(W, A, B) ? 5 : 9);
    if ((Got[I] != Want || AtEdges[I] != WantEdges) && ++Wrong < 10)
      std::printf("guard %d (%d, %d), block %ux%ux%u, thread %u: ends %d for %d, edges %d for %d\n", K, A, B, Block.x,
                  Block.y, Block.z, I, Got[I], Want, AtEdges[I], WantEdges);
  }
}
template <int K> void check(dim3 Grid, dim3 Block, int A, int B) {
  unsigned N = Block.x * Block.y * Block.z;
  std::vector<int> Got(Grid.x * N), Did(Grid.x * N), Want(Grid.x * N);
  int *D;
  cudaMalloc(&D, Got.size() * sizeof(int));
  cudaMemset(D, 0, Got.size() * sizeof(int));
  run<K><<<Grid, Block>>>(D, A, B);
  only<K><<<Grid, Block>>>(D, A, B);
  cudaMemcpy(Got.data(), D, Got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(D);
  for (unsigned I = 0; I != Got.size(); ++I) {
    dim3 T(I % Block.x, I / Block.x % Block.y, I / Block.x / Block.y % Block.z);
    Did[I] = guard<K>(where(T, dim3(I / N), Block, Grid), A, B);
  }
  for (unsigned I = 0; I != Got.size(); ++I) {
    int Next = Did[I / N * N + (I % N + 1) % N];
    Want[I] = Did[I] * (1000 + 10 * (1 + Next)) + 100 * (1 + Next + 5 * Next);
    if (Got[I] != Want[I] && ++Wrong < 10)
      std::printf("guard %d (%d, %d), block %ux%ux%u, thread %u: %d for %d\n", K, A, B, Block.x, Block.y, Block.z, I,
                  Got[I], Want[I]);
  }
}
template <int K> void checkAll() {
  static const int Parameters[][2] = {{0, 0},   {1, 1},   {5, 9},  {-3, 4}, {7, 3},        {40, 20},
                                      {64, 70}, {-1, -1}, {2, -5}, {INT_MAX - 20, INT_MAX}, {INT_MAX, 3},
                                      {INT_MIN, 10}, {-40, 60}, {65530, 9}};
  for (auto [A, B] : Parameters) {
    check<K>(dim3(3), dim3(32), A, B);
    check<K>(dim3(2), dim3(19, 5), A, B);
    check<K>(dim3(2), dim3(7, 3, 4), A, B);
    if constexpr (K % 2 == 0 || K == 3 || K == 9 || K == 11) { // the others are compiled for nothing new
      checkEnds<K>(dim3(4), dim3(32), A, B);
      checkEnds<K>(dim3(2), dim3(7, 3, 4), A, B);
    }
  }
  if constexpr (K + 1 < Guards)
    checkAll<K + 1>();
}

// Loops over the grid: kinds of index, test and step. Some threads go round more often than others,
// some not at all; Warp: with an operation of a warp behind the loop.
template <class Index, int Test, bool Warp> __global__ void stride(long *Out, Index From, Index To, Index Step) {
  long Sum = 0;
  Index I = From + Index(blockIdx.x * blockDim.x + threadIdx.x);
  if constexpr (Test == 0)
    for (; I < To; I += Step)
      Sum += long(I) % 1000 + 1;
  else if constexpr (Test == 1)
    for (; I <= To; I += Step)
      Sum += long(I) % 1000 + 1;
  else
    for (int Round = 0; I < To && Round < 40; I += Step, ++Round)
      Sum += long(I) % 1000 + 1;
  __shared__ long S[256];
  S[threadIdx.x] = Sum;
  __syncthreads();
  long Next = S[(threadIdx.x + 1) % blockDim.x];
  if constexpr (Warp)
    if (threadIdx.x / 32 % 2 == 0)
      Next += __shfl_xor_sync(0xffffffff, int(Sum), 0);
  Out[blockIdx.x * blockDim.x + threadIdx.x] = Next;
}
template <class Index, int Test, bool Warp> void checkStride(Index From, Index To, Index Step, int Size) {
  const int Blocks = 3;
  std::vector<long> Got(Blocks * Size), Sums(Blocks * Size);
  long *D;
  cudaMalloc(&D, Got.size() * sizeof(long));
  stride<Index, Test, Warp><<<Blocks, Size>>>(D, From, To, Step);
  cudaMemcpy(Got.data(), D, Got.size() * sizeof(long), cudaMemcpyDeviceToHost);
  cudaFree(D);
  for (int T = 0; T != Blocks * Size; ++T) {
    Index I = From + Index(T);
    if constexpr (Test == 0)
      for (; I < To; I += Step)
        Sums[T] += long(I) % 1000 + 1;
    else if constexpr (Test == 1)
      for (; I <= To; I += Step)
        Sums[T] += long(I) % 1000 + 1;
    else
      for (int Round = 0; I < To && Round < 40; I += Step, ++Round)
        Sums[T] += long(I) % 1000 + 1;
  }
  for (int T = 0; T != Blocks * Size; ++T) {
    long Want = Sums[T / Size * Size + (T % Size + 1) % Size] + (Warp && T % Size / 32 % 2 == 0 ? int(Sums[T]) : 0);
    if (Got[T] != Want && ++Wrong < 20)
      std::printf("stride of %d bytes, test %d, warp %d, size %d, thread %d: %ld for %ld\n", int(sizeof(Index)), Test, Warp,
                  Size, T, Got[T], Want);
  }
}
template <class Index, bool Warp> void checkStrides() {
  for (int Size : {32, 64, 96})
    for (int To : {-5, 0, 1, 50, 96, 97, 1000, 4321})
      for (int Step : {96, 192, 288, 7, 300}) {
        checkStride<Index, 0, Warp>(0, Index(To < 0 ? 0 : To), Step, Size);
        checkStride<Index, 1, Warp>(3, Index(To < 0 ? 0 : To), Step, Size);
        checkStride<Index, 2, Warp>(1, Index(To < 0 ? 0 : To), Step, Size);
        if (Index(-1) < Index(0))
          checkStride<Index, 0, Warp>(Index(-200), Index(To), Step, Size);
      }
}
int main() {
  checkAll<0>();
  checkStrides<int, false>();
  checkStrides<unsigned, false>();
  checkStrides<long, false>();
  checkStrides<int, true>();
  checkStrides<size_t, true>();
  checkStrides<short, false>();
  if (Wrong)
    std::printf("%d wrong\n", Wrong);
  return Wrong != 0;
}
