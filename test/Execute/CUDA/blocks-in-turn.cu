// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// A block for each row, and weights that all rows have in common: on a GPU some blocks do the work of all, one after
// the other. More blocks than it has room for and fewer, rows longer than the copy of the weights' adjoints, grids of
// two dimensions, sums by way of shared memory that each turn uses anew.
#include "rgcuda.h"

template <typename T> __device__ void scaled(const T *__restrict__ w, const T *__restrict__ x, T *__restrict__ y, int columns) {
  __shared__ T part[32];
  size_t row = blockIdx.y * gridDim.x + blockIdx.x;
  const T *mine = x + row * columns;
  T sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += mine[i] * mine[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : T(0);
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  T scale = rsqrt(sum / columns + T(0.1));
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[row * columns + i] = mine[i] * scale * w[i] + w[columns + i];
}
template <typename T>
__global__ void __launch_bounds__(1024) gradient(const T *__restrict__ w, T *__restrict__ dw, const T *__restrict__ x, T *__restrict__ dx, T *__restrict__ y, T *__restrict__ dy, int columns) {
  __enzyme_autodiff<void>((void *)scaled<T>, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, columns);
}

template <typename T> int check(const char *Name, dim3 Grid, int Columns, int Threads) {
  const int Rows = Grid.x * Grid.y;
  std::vector<T> Ws(2 * Columns), Xs(size_t(Rows) * Columns), Ones(Xs.size(), T(1)), WZeros(Ws.size(), T(2)), XZeros(Xs.size());
  for (size_t I = 0; I < Ws.size(); ++I)
    Ws[I] = T(0.5 + I * 7 % 11 / 10.0);
  for (size_t I = 0; I < Xs.size(); ++I)
    Xs[I] = T(I * 13 % 17 / 9.0 - 0.8);
  rg::Buffer<T> W(Ws.size()), DW(Ws.size()), X(Xs.size()), DX(Xs.size()), Y(Xs.size()), DY(Xs.size());
  W.set(Ws), DW.set(WZeros), X.set(Xs), DX.set(XZeros), Y.set(XZeros), DY.set(Ones);
  gradient<T><<<Grid, Threads>>>(W.P, DW.P, X.P, DX.P, Y.P, DY.P, Columns);
  rg::must(cudaDeviceSynchronize(), Name);
  // dw[i] is 2 and the sum over rows of the scaled x, dw[columns + i] their number.
  std::vector<double> By(Ws.size(), 2.0), Scale(Rows);
  for (int R = 0; R < Rows; ++R) {
    double Sum = 0;
    for (int I = 0; I < Columns; ++I)
      Sum += double(Xs[size_t(R) * Columns + I]) * Xs[size_t(R) * Columns + I];
    Scale[R] = 1 / std::sqrt(Sum / Columns + 0.1);
    for (int I = 0; I < Columns; ++I)
      By[I] += Scale[R] * Xs[size_t(R) * Columns + I], By[Columns + I] += 1;
  }
  std::vector<T> Got = DW.get(), GotX = DX.get();
  double Tolerance = sizeof(T) == 4 ? 2e-4 : 1e-11;
  int Bad = 0;
  for (size_t I = 0; I < By.size() && !Bad; ++I)
    if (!(std::fabs(Got[I] - By[I]) <= Tolerance * (1 + std::fabs(By[I]))))
      printf("%s, %d x %d, %d threads: dw[%zu] is %g, not %g\n", Name, Rows, Columns, Threads, I, double(Got[I]), By[I]), Bad = 1;
  for (int R = 0; R < Rows && !Bad; ++R) {
    double Dot = 0;
    for (int I = 0; I < Columns; ++I)
      Dot += double(Ws[I]) * Xs[size_t(R) * Columns + I];
    for (int I = 0; I < Columns && !Bad; ++I) {
      double Right = Ws[I] * Scale[R] - std::pow(Scale[R], 3) * Dot * Xs[size_t(R) * Columns + I] / Columns;
      if (!(std::fabs(GotX[size_t(R) * Columns + I] - Right) <= Tolerance * (1 + std::fabs(Right))))
        printf("%s: dx[%d][%d] is %g, not %g\n", Name, R, I, double(GotX[size_t(R) * Columns + I]), Right), Bad = 1;
    }
  }
  return Bad;
}

int main() {
  int Bad = 0;
  for (int Threads : {64, 256})
    for (int Columns : {5, 300, 700})
      for (dim3 Grid : {dim3(1), dim3(9), dim3(3, 2)}) {
        Bad |= check<float>("float", Grid, Columns, Threads);
        Bad |= check<double>("double", Grid, Columns, Threads);
      }
  // More than an H200 takes at once, of which some blocks have a turn more than others.
  for (dim3 Grid : {dim3(1200), dim3(700, 2)}) {
    Bad |= check<float>("many, float", Grid, 1030, 1024);
    Bad |= check<double>("many, double", Grid, 40, 1024);
  }
  if (!Bad)
    printf("all right\n");
  return Bad;
}
