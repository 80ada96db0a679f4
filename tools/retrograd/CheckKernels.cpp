//===- CheckKernels.cpp - a check's calls in kernels ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCalls.h"

using namespace llvm;
using namespace retrograd;

void retrograd::emitKernels(raw_ostream &OS, const Signature &F,
                            const CheckSettings &S, const Entries &E) {
  ArrayRef<size_t> Scalars = E.Scalars;
  uint64_t Threads = uint64_t(S.Grid) * S.Block;
  OS << "#define RG_ANY_ORDER\nenum { RG_THREADS = " << Threads << " };\n"
     << "static void rg_must(cudaError_t e) {\n  if (e == cudaSuccess)\n    "
        "return;\n"
        "  fprintf(stderr, \"retrograd: CUDA: %s\\n\", "
        "cudaGetErrorString(e));\n  exit(3);\n}\n"
        "static void *rg_device_calloc(size_t n, size_t bytes) {\n  void *p;\n"
        "  rg_must(cudaMallocManaged(&p, n * bytes));\n  memset(p, 0, n * "
        "bytes);\n  return p;\n}\n"
        "static double *rg_results(void) {\n  static double *p;\n  if (!p)\n"
        "    p = (double *)rg_device_calloc(RG_THREADS * "
     << std::max<size_t>(1, Scalars.size()) + 1
     << ", sizeof(double));\n  return p;\n}\n"
     << "static double rg_sum(int k) {\n  double s = 0;\n  for (int i = 0; i < "
        "RG_THREADS; ++i)\n"
        "    s += rg_results()[k * RG_THREADS + i];\n  return s;\n}\n";
  auto Kernel = [&](StringRef Name, bool ReverseShadows, bool Shadows,
                    const std::string &Body) {
    std::string Declared, Passed;
    for (size_t I = 0; I < F.Parameters.size(); ++I) {
      ParameterText T(F.Parameters[I], I);
      Declared += T.variable() + " " + T.value() + ", ";
      Passed += T.value() + ", ";
      if (Shadows && isActive(F.Parameters[I], S) &&
          (F.Parameters[I].How != Passing::Value || !ReverseShadows)) {
        Declared += T.variable() + " " + T.shadow() + ", ";
        Passed += T.shadow() + ", ";
      }
    }
    OS << "static __global__ void rg_kernel_" << Name << "(" << Declared
       << "double *rg_into) {\n"
       << "  int rg_me = blockIdx.x * blockDim.x + threadIdx.x;\n  "
          "(void)rg_me;\n  "
       << Body << "}\n"
       << "static void rg_launch_" << Name << "(void) {\n  rg_kernel_" << Name
       << "<<<" << S.Grid << ", " << S.Block << ">>>(" << Passed
       << "rg_results());\n  rg_must(cudaGetLastError());\n"
       << "  rg_must(cudaDeviceSynchronize());\n}\n";
  };
  bool Returns = F.Result != "void";
  std::string Plain = "((" + F.PointerType + ")" + F.Name + ")(";
  for (size_t I = 0; I < F.Parameters.size(); ++I)
    Plain += (I ? ", " : "") + ParameterText(F.Parameters[I], I).argument();
  Kernel("primal", true, false,
         (Returns ? "rg_into[rg_me] = " : "") + Plain + ");\n");
  std::string Sum = Returns ? "rg_sum(0)" : "0";
  OS << "static long double rg_primal(void) {\n  rg_launch_primal();\n  return "
     << Sum << ";\n}\n";
  if (S.Trace) {
    OS << WithoutDerivatives;
    return;
  }
  auto Returned = [&](bool Value) { // in the places of rg_into
    std::string Text;
    for (size_t K = 0; K < Scalars.size(); ++K)
      Text += "  rg_into[" + std::to_string(K) +
              " * RG_THREADS + rg_me] = rg_r" +
              (Value || Scalars.size() > 1 ? ".a" + std::to_string(Scalars[K])
                                           : std::string()) +
              ";\n";
    return Text;
  };
  auto SumUp = [&] {
    for (size_t K = 0; K < Scalars.size(); ++K)
      OS << "  " << ParameterText(F.Parameters[Scalars[K]], Scalars[K]).shadow()
         << " = rg_sum(" << K << ");\n";
  };
  Kernel("reverse", true, true,
         (Scalars.empty() ? "" : E.Adjoints + " rg_r = ") + E.Reverse + ";\n" +
             Returned(false));
  OS << "static void rg_reverse(void) {\n  rg_launch_reverse();\n";
  SumUp();
  OS << "}\n";
  Kernel("forward", false, true,
         (Returns ? "rg_into[rg_me] = " : "") + E.Forward + ";\n");
  OS << "static long double rg_forward(void) {\n  rg_launch_forward();\n  "
        "return "
     << Sum << ";\n}\n";
  if (!Returns) {
    OS << "static long double rg_reverse_value(void) {\n  rg_reverse();\n  "
          "return 0;\n}\n"
          "static long double rg_forward_value(long double *value) {\n  *value "
          "= 0;\n  return rg_forward();\n}\n";
    return;
  }
  // The primal's result comes behind the adjoints.
  std::string Last = std::to_string(Scalars.size());
  Kernel("reverse_value", true, true,
         (Scalars.empty() ? F.Result : "struct rg_reverse_values") +
             " rg_r = " + E.ReverseValue + ";\n" + Returned(true) +
             "  rg_into[" + Last + " * RG_THREADS + rg_me] = rg_r" +
             (Scalars.empty() ? "" : ".value") + ";\n");
  OS << "static long double rg_reverse_value(void) {\n  "
        "rg_launch_reverse_value();\n";
  SumUp();
  OS << "  return rg_sum(" << Last << ");\n}\n";
  Kernel("forward_value", false, true,
         "struct rg_forward_values rg_r = " + E.ForwardValue +
             ";\n  rg_into[rg_me] = rg_r.tangent;\n  rg_into[RG_THREADS + "
             "rg_me] = rg_r.value;\n");
  OS << "static long double rg_forward_value(long double *value) {\n  "
        "rg_launch_forward_value();\n"
        "  *value = rg_sum(1);\n  return rg_sum(0);\n}\n";
}
