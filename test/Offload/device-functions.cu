// RUN: %rgcxx --offload=cpu -O0 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 %s -o %t && %t
// RUN: %rgcxx --offload=cpu -O2 -mllvm -rg-plan=naive %s -o %t && %t
// Functions of CUDA's device library in derivatives, where no toolkit brings their bodies: integers, conversions and
// questions beside shared memory that carries derivatives (a function without a body might know it by name), and
// the library's own special functions. Reverse mode against central differences.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

template <typename... T> __device__ void __enzyme_autodiff(void *, T...);
extern __device__ int enzyme_dup, enzyme_const;

constexpr int N = 16;
// X is active, S shared memory that is, I an integer.
#define FUNCTIONS(F)                                                                                                          \
  F(minimum, S[min(I, N - 1)] + S[max(I - 3, 0)])                                                                             \
  F(unsignedMinimum, S[min(unsigned(I), 5u)] * S[max(unsigned(I), 2u) % N])                                                   \
  F(wideMinimum, S[min((long long)I, 7ll)] * S[max((unsigned long long)I, 1ull) % N])                                         \
  F(absolute, S[abs(I - 5) % N] * S[llabs((long long)I - 9) % N])                                                             \
  F(bits, X *(__popc(I) + __popcll(I * 3ll) + __clz(I) + __clzll(I + 1ll) + __ffs(I + 2) + __ffsll(I + 4ll)))                 \
  F(reversed, S[__brev(I) >> 28] * S[__brevll(I) >> 60] * X)                                                                  \
  F(products, S[__mulhi(I << 20, 1 << 16) % N] * S[__umulhi(I << 20, 1u << 18) % N] * (__mul24(I, 3) + __umul24(I, 2)))       \
  F(differences, X *(__sad(I, 3, 1) + __usad(I, 9, 2) + __hadd(I, 4) + __rhadd(I, 5) + __byte_perm(I, 1, 0x3210) % 7))        \
  F(rounded, S[__double2int_rd(X * 3)] * S[__double2int_ru(X)] + __double2int_rn(X * 7) + __double2int_rz(X * 5) * X)        \
  F(roundedFloats, S[__float2int_rd(float(X) * 3)] * S[__float2uint_rn(float(X))] + __float2ll_rz(float(X) * 9) * X)          \
  F(unsignedNumbers, S[__double2uint_rn(X * 3)] * (__double2ull_rz(X * 100) + __double2ll_rn(X * 50)))                        \
  F(fromIntegers, X *(__int2double_rn(I) + __uint2double_rn(I) + __ll2double_rn(I) + __int2float_rn(I) + __ull2float_rz(I)))  \
  F(questions, isnan(X) || isinf(S[I % N]) || !isfinite(X) ? 0.0 : signbit(-X) ? X * S[0] : S[1])                             \
  F(narrow, 0.5 + __double2float_rn(X) * S[2])                                                                                \
  F(norms, norm4d(X, S[1], S[2] + 1, 0.5) + rnorm4d(X, S[3], 1.0, S[4]) + norm3d(X, S[5], 1.0) + rhypot(X, S[6]))             \
  F(inverses, erfcinv(X) + normcdfinv(X * 0.5) + erfinv(X * 0.6) + normcdf(X) + erfcx(X))                                     \
  F(bessel, cyl_bessel_i0(X) * cyl_bessel_i1(X + 1) + j0(X) + y1(X + 1) + jn(2, X))                                           \
  F(powers, pow(X, I % 4) + pow(S[I % N], 3) + rsqrt(X) + rcbrt(X + 1) + cospi(X) + sinpi(S[7]))                              \
  F(exponents, ldexp(X, I % 5) + scalbn(S[3], 2) + ilogb(X) * X + trunc(X * 9) * S[4] + nearbyint(X * 3))

#define DEVICE(Name, Expression)                                                                                              \
  __device__ void Name(const double *In, double *Out) {                                                                       \
    __shared__ double S[N];                                                                                                   \
    int I = threadIdx.x;                                                                                                      \
    S[I] = 0.5 * In[I];                                                                                                       \
    __syncthreads();                                                                                                          \
    double X = In[(I + 1) % N];                                                                                               \
    Out[I] = Expression;                                                                                                      \
  }                                                                                                                           \
  __global__ void Name##Primal(const double *In, double *Out) { Name(In, Out); }                                              \
  __global__ void Name##Gradient(const double *In, double *DIn, double *Out, double *DOut) {                                  \
    __enzyme_autodiff((void *)Name, enzyme_dup, In, DIn, enzyme_dup, Out, DOut);                                              \
  }
FUNCTIONS(DEVICE)

int Wrong = 0;
void check(const char *Name, void (*Primal)(const double *, double *),
           void (*Gradient)(const double *, double *, double *, double *)) {
  double *In, *DIn, *Out, *DOut;
  cudaMallocManaged(&In, N * sizeof(double));
  cudaMallocManaged(&DIn, N * sizeof(double));
  cudaMallocManaged(&Out, N * sizeof(double));
  cudaMallocManaged(&DOut, N * sizeof(double));
  for (int I = 0; I < N; ++I)
    In[I] = 0.3037 + 0.0371 * I, DIn[I] = 0, Out[I] = 0, DOut[I] = 1 + 0.1 * I;
  auto Loss = [&] {
    Primal<<<1, N>>>(In, Out);
    cudaDeviceSynchronize();
    double Sum = 0;
    for (int I = 0; I < N; ++I)
      Sum += (1 + 0.1 * I) * Out[I];
    return Sum;
  };
  Gradient<<<1, N>>>(In, DIn, Out, DOut);
  cudaDeviceSynchronize();
  for (int I = 0; I < N; ++I) {
    double At = In[I], H = 1e-4;
    In[I] = At + H;
    double Up = Loss();
    In[I] = At - H;
    double Difference = (Up - Loss()) / (2 * H);
    In[I] = At;
    if (!(std::fabs(DIn[I] - Difference) <= 2e-3 * (1 + std::fabs(Difference)))) {
      std::printf("%s, input %d: %g for %g\n", Name, I, DIn[I], Difference);
      ++Wrong;
    }
  }
}
int main() {
#define RUN(Name, Expression) check(#Name, Name##Primal, Name##Gradient);
  FUNCTIONS(RUN)
  return Wrong != 0;
}
