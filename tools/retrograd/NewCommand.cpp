//===- NewCommand.cpp - a small project to start from ---------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NewCommand.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;
using namespace retrograd;

namespace {

const char *Cxx = R"(// The energy of a chain of springs, and its gradient.
#include <cstdio>
#include <retrograd/retrograd.hpp>
#include <vector>

double energy(const std::vector<double> &at, double stiffness) {
  double sum = 0;
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    double stretch = at[i + 1] - at[i] - 1;
    sum += 0.5 * stiffness * stretch * stretch;
  }
  return sum;
}

int main() {
  std::vector<double> at{0, 1, 2.5, 3};
  std::vector<double> slope = rg::gradient(energy)(at, rg::constant(2.0));
  for (size_t i = 0; i < at.size(); ++i)
    std::printf("d energy / d at[%zu] = %g\n", i, slope[i]);
}
)";

const char *C = R"(// The energy of a chain of springs, and its gradient.
#include <retrograd/retrograd.h>
#include <stdio.h>

double __enzyme_autodiff(void *, ...);

// n springs between n + 1 positions.
double energy(const double *at, int n, double stiffness) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double stretch = at[i + 1] - at[i] - 1;
    sum += 0.5 * stiffness * stretch * stretch;
  }
  return sum;
}

int main(void) {
  double at[4] = {0, 1, 2.5, 3}, slope[4] = {0};
  __enzyme_autodiff((void *)energy, enzyme_dup, at, slope, enzyme_const, 3,
                    enzyme_const, 2.0);
  for (int i = 0; i < 4; ++i)
    printf("d energy / d at[%d] = %g\n", i, slope[i]);
}
)";

const char *Fortran = R"(! The energy of a chain of springs, and its gradient.
module model
  use, intrinsic :: iso_c_binding
  implicit none
  include 'retrograd.inc'
  interface
    subroutine gradient(f, m, at, slope, c, n) bind(C, name="__enzyme_autodiff_energy")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m, c, n
      real(c_double) :: at(*), slope(*)
    end subroutine
  end interface
contains
  real(c_double) function energy(at, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: at(n)
    energy = sum((at(2:) - at(:n - 1) - 1)**2)
  end function
end module

program main
  use model
  real(c_double) :: at(4) = [0d0, 1d0, 2.5d0, 3d0], slope(4) = 0
  call gradient(c_funloc(energy), enzyme_dup, at, slope, enzyme_const, 4)
  print '(a, 4f8.3)', 'gradient:', slope
end program
)";

const char *Cuda = R"(// A kernel and its gradient, which is a kernel, too.
#include <cstdio>

__device__ void __enzyme_autodiff(void *, ...);
extern __device__ int enzyme_dup, enzyme_const;

__global__ void square(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i];
}

__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)square, enzyme_dup, x, dx, enzyme_dup, y, dy,
                    enzyme_const, n);
}

int main() {
  const int n = 4;
  float *x, *dx, *y, *dy;
  for (float **p : {&x, &dx, &y, &dy})
    cudaMallocManaged(p, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    x[i] = i, dx[i] = 0, dy[i] = 1;
  gradient<<<1, 64>>>(x, dx, y, dy, n);
  if (cudaError_t e = cudaDeviceSynchronize())
    return std::fprintf(stderr, "%s\n", cudaGetErrorString(e)), 1;
  for (int i = 0; i < n; ++i)
    std::printf("d y / d x[%d] = %g\n", i, dx[i]);
}
)";

int complain(const Twine &Message) {
  errs() << "retrograd: " << Message << "\n";
  return 2;
}

bool writeFile(StringRef Folder, StringRef Name, StringRef Text) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, Name);
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
  OS.close();
  return !EC && !OS.has_error();
}

} // namespace

int retrograd::newCommand(const NewProject &P) {
  struct Kind {
    const char *Name, *Source, *Text, *Driver, *Flags;
  };
  const Kind Kinds[] = {
      {"c++", "program.cpp", Cxx, "rg-clang++", "-std=c++17 -O2"},
      {"c", "program.c", C, "rg-clang", "-O2"},
      {"fortran", "program.f90", Fortran, "rg-flang", "-O2"},
      {"cuda", "program.cu", Cuda, "rg-clang++", "-O2 --offload=cpu"}};
  const Kind *K = nullptr;
  for (const Kind &Each : Kinds)
    if (P.Language == Each.Name)
      K = &Each;
  if (!K)
    return complain("--language is c++, c, fortran or cuda and not '" +
                    P.Language + "'");
  if (P.Folder.empty())
    return complain("'new' wants a folder: retrograd new FOLDER");
  if (sys::fs::exists(P.Folder))
    return complain("'" + P.Folder + "' is there already");
  if (std::error_code EC = sys::fs::create_directories(P.Folder))
    return complain("cannot make '" + P.Folder + "': " + EC.message());
  std::string Make =
      std::string("COMPILER ?= ") + P.BinDirectory + "/" + K->Driver +
      "\nFLAGS ?= " + K->Flags + "\n\nprogram: " + K->Source +
      "\n\t$(COMPILER) $(FLAGS) $< -lm -o $@\n\nclean:\n\trm -f program "
      "*.mod\n\n.PHONY: clean\n";
  // With CMake: languages whose compiler CMake lets us choose at configuration.
  std::string CMake;
  if (P.Language == "c++" || P.Language == "c") {
    bool Plus = P.Language == "c++";
    CMake =
        std::string("cmake_minimum_required(VERSION 3.25)\nproject(Program "
                    "LANGUAGES ") +
        (Plus ? "CXX" : "C") + ")\n# cmake -S . -B build -DCMAKE_" +
        (Plus ? "CXX" : "C") +
        "_COMPILER=" + (Plus ? "clang++-22" : "clang-22") +
        " -DCMAKE_PREFIX_PATH=" + sys::path::parent_path(P.BinDirectory).str() +
        "\nfind_package(Retrograd REQUIRED)\nadd_executable(program " +
        K->Source + ")\n" +
        (Plus ? "target_compile_features(program PRIVATE cxx_std_17)\n"
              : "target_link_libraries(program PRIVATE m)\n") +
        "retrograd_differentiable(program)\n";
  }
  // Editors by clangd, which does not ask the driver for its headers.
  std::string Clangd;
  if (!CMake.empty())
    Clangd = "CompileFlags:\n  Add: [-I" +
             sys::path::parent_path(P.BinDirectory).str() + "/include" +
             (P.Language == "c++" ? ", -std=c++17" : "") + "]\n";
  if (!writeFile(P.Folder, K->Source, K->Text) ||
      (!Clangd.empty() && !writeFile(P.Folder, ".clangd", Clangd)) ||
      !writeFile(P.Folder, "Makefile", Make) ||
      (!CMake.empty() && !writeFile(P.Folder, "CMakeLists.txt", CMake)))
    return complain("cannot write into '" + P.Folder + "'");
  outs() << "wrote " << P.Folder << "/" << K->Source << " and Makefile"
         << (CMake.empty() ? "" : " and CMakeLists.txt") << "; next: cd "
         << P.Folder << " && make && ./program\n";
  return 0;
}
