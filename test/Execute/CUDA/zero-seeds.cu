// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each %s -o %t && %t
// Kernels that know which outputs they ask for: the same gradients as with adjoints that come from
// memory. Some threads ask for nothing, outputs are written twice, read back and added to; second
// derivatives; a steep output that is not asked for.
#include "rgcuda.h"

constexpr int Threads = 96, Numbers = 60;

struct Row {
  double e, a, b, c;
};

__device__ void lookup(const double *numbers, int t, double *out) {
  const Row *rows = reinterpret_cast<const Row *>(numbers);
  double e = 0.1 + 0.001 * t;
  for (int k = 0; k < 3; ++k)
    out[k] = 0.5;
  out[2] *= numbers[3];
  for (int i = 0; i < 2 + t % 4; ++i) {
    const Row &low = rows[(t * 7 + i * 3) % 14], &high = rows[(t * 7 + i * 3) % 14 + 1];
    double f = (high.e - e) / (high.e + low.e);
    out[0] += high.a - f * (high.a - low.a);
    out[1] += f * high.b * out[0];
    out[2] = out[2] * low.c + sqrt(numbers[0] * (i + 1));
  }
}

// The adjoints of thread t's outputs, in the manner of program How.
template <int How> __device__ void seed(int t, double *s) {
  s[0] = s[1] = s[2] = 0;
  if (How == 0)
    s[0] = 1;
  if (How == 1)
    s[1] = 2;
  if (How == 2 && t % 2)
    s[1] = 1;
  if (How == 3)
    s[t % 3] = 1;
  if (How == 4)
    s[0] = s[2] = 0.5;
}

template <int How> __device__ void gradient(const double *x, double *dx, int t) {
  double out[3], s[3];
  seed<How>(t, s);
  __enzyme_autodiff<void>((void *)lookup, enzyme_dup, x, dx, enzyme_const, t, enzyme_dup, out, s);
}
template <int How> __global__ void known(const double *x, double *dx) {
  gradient<How>(x, dx, blockIdx.x * blockDim.x + threadIdx.x);
}
template <int How> __global__ void knownTwice(const double *x, const double *v, double *dx, double *dv) {
  __enzyme_fwddiff<void>((void *)gradient<How>, enzyme_dup, x, v, enzyme_dup, dx, dv, enzyme_const,
                         int(blockIdx.x * blockDim.x + threadIdx.x));
}
__device__ void gradientOf(const double *x, double *dx, double *s, int t) {
  double out[3];
  __enzyme_autodiff<void>((void *)lookup, enzyme_dup, x, dx, enzyme_const, t, enzyme_dup, out, s);
}
__global__ void given(const double *x, double *dx, double *s) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  gradientOf(x, dx, s + 3 * t, t);
}
__global__ void givenTwice(const double *x, const double *v, double *dx, double *dv, double *s, double *ds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __enzyme_fwddiff<void>((void *)gradientOf, enzyme_dup, x, v, enzyme_dup, dx, dv, enzyme_dup, s + 3 * t, ds + 3 * t,
                         enzyme_const, t);
}
template <int How> __global__ void seeds(double *s) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  seed<How>(t, s + 3 * t);
}

static int compare(const char *What, int How, const std::vector<double> &A, const std::vector<double> &B) {
  double Worst = 0, Size = 0;
  for (size_t I = 0; I < A.size(); ++I) {
    Worst = std::fmax(Worst, std::isfinite(A[I]) ? std::fabs(A[I] - B[I]) : 1e300);
    Size = std::fmax(Size, std::fabs(B[I]));
  }
  bool Bad = !(Worst <= 1e-12 * Size);
  printf("%s %d: %s, differ by %.1e of %.3g\n", What, How, Bad ? "WRONG" : "right", Worst, Size);
  return Bad;
}

template <int How> int check() {
  std::vector<double> X(Numbers), V(Numbers), Zero(Numbers, 0.0);
  for (int I = 0; I < Numbers; ++I) {
    X[I] = rg::uniform(0.5, 1.5);
    V[I] = rg::uniform(-1, 1);
  }
  rg::Buffer<double> x(Numbers), v(Numbers), dx(Numbers), dv(Numbers), s(3 * Threads), ds(3 * Threads);
  x.set(X), v.set(V);
  auto Clear = [&] { dx.set(Zero), dv.set(Zero), ds.set(std::vector<double>(3 * Threads, 0.0)); };
  auto Done = [](const char *What) {
    rg::must(cudaGetLastError(), What);
    rg::must(cudaDeviceSynchronize(), What);
  };
  auto Seed = [&] {
    seeds<How><<<3, 32>>>(s.P);
    Done("seeds");
  };
  Clear(), Seed();
  given<<<3, 32>>>(x.P, dx.P, s.P);
  Done("given");
  std::vector<double> G = dx.get();
  Clear();
  known<How><<<3, 32>>>(x.P, dx.P);
  Done("known");
  int Bad = compare("gradient", How, dx.get(), G);
  Clear(), Seed();
  givenTwice<<<3, 32>>>(x.P, v.P, dx.P, dv.P, s.P, ds.P);
  Done("given twice");
  std::vector<double> H = dv.get();
  Clear();
  knownTwice<How><<<3, 32>>>(x.P, v.P, dx.P, dv.P);
  Done("known twice");
  return Bad + compare("product with the Hessian", How, dv.get(), H) + compare("its gradient", How, dx.get(), G);
}

// sqrt is infinitely steep at 0, and nobody asks for it.
__device__ void steep(const double *x, double *y) {
  y[0] = x[0] * x[1];
  y[1] = sqrt(x[2]);
}
__global__ void notAsked(const double *x, double *dx) {
  double y[2], s[2] = {1, 0};
  __enzyme_autodiff<void>((void *)steep, enzyme_dup, x, dx, enzyme_dup, y, s);
}

int main() {
  int Bad = check<0>() + check<1>() + check<2>() + check<3>() + check<4>();
  rg::Buffer<double> x(3), dx(3);
  x.set({2, 3, 0}), dx.set({0, 0, 0});
  notAsked<<<1, 1>>>(x.P, dx.P);
  rg::must(cudaDeviceSynchronize(), "not asked");
  return Bad + compare("not asked for", 0, dx.get(), {3, 2, 0});
}
