// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O1 -I%root/test/include -I%root/include -mllvm -rg-plan=naive %s -o %t && %t
// Warps that read one row of weights, each lane a part of it: the block adds up the weights' adjoints. Rows longer
// than its copy, blocks that are not whole, threads that leave at once, weights that begin further on.
#include "rgcuda.h"

// A warp for each row: its norm, scaled.
template <typename T> __device__ void scaled(const T *__restrict__ w, const T *__restrict__ x, T *__restrict__ y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const T *mine = x + row * columns;
  T sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += mine[i] * mine[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  T scale = rsqrt(sum / columns + T(0.1));
  for (int i = lane; i < columns; i += 32)
    y[row * columns + i] = mine[i] * scale * w[i] + w[columns + i];
}
template <typename T> __global__ void run(const T *w, const T *x, T *y, int rows, int columns) { scaled<T>(w, x, y, rows, columns); }
template <typename T>
__global__ void gradient(const T *w, T *dw, const T *x, T *dx, T *y, T *dy, int rows, int columns) {
  __enzyme_autodiff<void>((void *)scaled<T>, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, rows, enzyme_const, columns);
}
// Twice in one kernel; and behind a branch that not all threads take.
template <typename T>
__global__ void twice(const T *w, T *dw, const T *x, T *dx, T *y, T *dy, int rows, int columns) {
  for (int k = 0; k < 2; ++k) {
    __enzyme_autodiff<void>((void *)scaled<T>, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, rows, enzyme_const, columns);
    if (!k)
      for (int i = threadIdx.x % 32; i < columns; i += 32)
        if (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows)
          dy[row * columns + i] = 1;
  }
}
template <typename T>
__global__ void someWarps(const T *w, T *dw, const T *x, T *dx, T *y, T *dy, int rows, int columns) {
  if ((blockIdx.x * blockDim.x + threadIdx.x) / 32 < rows)
    __enzyme_autodiff<void>((void *)scaled<T>, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, rows, enzyme_const, columns);
}

template <typename T, typename Kernel> int check(const char *Name, Kernel K, int Rows, int Columns, int Threads, double Times) {
  std::vector<T> Ws(2 * Columns), Xs(Rows * Columns), Ones(Xs.size(), T(1)), WZeros(Ws.size()), XZeros(Xs.size());
  for (size_t I = 0; I < Ws.size(); ++I)
    Ws[I] = T(0.5 + I * 7 % 11 / 10.0);
  for (size_t I = 0; I < Xs.size(); ++I)
    Xs[I] = T(I * 13 % 17 / 9.0 - 0.8);
  rg::Buffer<T> W(Ws.size()), DW(Ws.size()), X(Xs.size()), DX(Xs.size()), Y(Xs.size()), DY(Xs.size());
  W.set(Ws), DW.set(WZeros), X.set(Xs), DX.set(XZeros), Y.set(XZeros), DY.set(Ones);
  K<<<(32 * Rows + Threads - 1) / Threads, Threads>>>(W.P, DW.P, X.P, DX.P, Y.P, DY.P, Rows, Columns);
  rg::must(cudaDeviceSynchronize(), Name);
  // dw[i] is the sum over rows of the scaled x, dw[columns + i] their number.
  std::vector<double> By(Ws.size()), Scale(Rows);
  for (int R = 0; R < Rows; ++R) {
    double Sum = 0;
    for (int I = 0; I < Columns; ++I)
      Sum += double(Xs[R * Columns + I]) * Xs[R * Columns + I];
    Scale[R] = 1 / std::sqrt(Sum / Columns + 0.1);
    for (int I = 0; I < Columns; ++I)
      By[I] += Times * Scale[R] * Xs[R * Columns + I], By[Columns + I] += Times;
  }
  std::vector<T> Got = DW.get(), GotX = DX.get();
  double Tolerance = sizeof(T) == 4 ? 1e-4 : 1e-11;
  int Bad = 0;
  for (size_t I = 0; I < By.size() && !Bad; ++I)
    if (!(std::fabs(Got[I] - By[I]) <= Tolerance * (1 + std::fabs(By[I]))))
      printf("%s, %d x %d, %d threads: dw[%zu] is %g, not %g\n", Name, Rows, Columns, Threads, I, double(Got[I]), By[I]), Bad = 1;
  for (int R = 0; R < Rows && !Bad; ++R) {
    double Dot = 0;
    for (int I = 0; I < Columns; ++I)
      Dot += double(Ws[I]) * Xs[R * Columns + I];
    for (int I = 0; I < Columns && !Bad; ++I) {
      double Right = Times * (Ws[I] * Scale[R] - std::pow(Scale[R], 3) * Dot * Xs[R * Columns + I] / Columns);
      if (!(std::fabs(GotX[R * Columns + I] - Right) <= Tolerance * (1 + std::fabs(Right))))
        printf("%s: dx[%d][%d] is %g, not %g\n", Name, R, I, double(GotX[R * Columns + I]), Right), Bad = 1;
    }
  }
  return Bad;
}

int main() {
  int Bad = 0;
  for (int Columns : {5, 64, 70, 1100})
    for (int Threads : {32, 96, 128}) {
      Bad |= check<float>("float", gradient<float>, 7, Columns, Threads, 1);
      Bad |= check<double>("double", gradient<double>, 7, Columns, Threads, 1);
      Bad |= check<double>("twice", twice<double>, 7, Columns, Threads, 2);
      Bad |= check<double>("some warps", someWarps<double>, 7, Columns, Threads, 1);
    }
  if (!Bad)
    printf("all right\n");
  return Bad;
}
