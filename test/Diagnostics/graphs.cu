// REQUIRES: openblas
// RUN: %rgcxx --offload=cpu -O1 %s -o %t -lcublas -lcurand
// RUN: not --crash %t outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not --crash %t library 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not --crash %t primal 2>&1 | FileCheck %s --check-prefix=PRIMAL
// RUN: not --crash %t number 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not --crash %t failure 2>&1 | FileCheck %s --check-prefix=FAILURE
// RUN: not --crash %t fill 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: not --crash %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not --crash %t child 2>&1 | FileCheck %s --check-prefix=CHILD
// RUN: not %rgcxx --offload=cpu -O1 -DNODES -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NODES
// Graphs that derivatives cannot have, told when the program runs, by the name of the call.
#include <cstring>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>

extern int enzyme_dup;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

#ifdef NODES
extern "C" cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t, cudaGraphNode_t, unsigned);
#endif
__global__ void square(double *x) { *x *= *x; }
static cudaGraphExec_t made;
static cudaStream_t stream;
static const char *what;

static void capture(double *d) {
  cudaGraph_t g;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  square<<<1, 1, 0, stream>>>(d);
  if (!strcmp(what, "library") || !strcmp(what, "primal")) {
    curandGenerator_t r;
    curandCreateGenerator(&r, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetStream(r, stream);
    curandGenerateUniformDouble(r, d, 1);
  }
  if (!strcmp(what, "number") || !strcmp(what, "failure")) {
    cublasHandle_t h;
    double length, two = 2;
    cublasCreate(&h);
    cublasSetStream(h, stream);
    if (!strcmp(what, "number"))
      cublasDnrm2(h, 1, d, 1, &length);
    else
      cublasDgemv(h, CUBLAS_OP_N, 2, 2, &two, d, 1, d, 1, &two, d, 1); // a leading dimension of 1
  }
  if (!strcmp(what, "fill"))
    cudaMemset3DAsync(make_cudaPitchedPtr(d, 8, 8, 1), 0, make_cudaExtent(8, 1, 1), stream);
  if (!strcmp(what, "twice"))
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  if (!strcmp(what, "child"))
    cudaGraphLaunch(made, stream);
  cudaStreamEndCapture(stream, &g);
  cudaGraphInstantiate(&made, g, 0);
#ifdef NODES
  // NODES: error: a CUDA program cannot be differentiated here: 'cudaGraphNodeSetEnabled', graphs have a reverse where a stream captures them, or the program adds their nodes one behind the other, and they are launched in the file of their kernels [RG2203]
  // NODES: graphs.cu:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'capture'
  cudaGraphNodeSetEnabled(made, nullptr, 0);
#endif
}
static double f(const double *x) {
  double *d, y;
  cudaMalloc(&d, 8);
  cudaMemcpy(d, x, 8, cudaMemcpyHostToDevice);
  if (strcmp(what, "outside") && strcmp(what, "child"))
    capture(d);
  if (!strcmp(what, "child")) {
    what = "plain";
    capture(d);
    what = "child";
    capture(d);
  }
  cudaGraphLaunch(made, stream);
  cudaMemcpy(&y, d, 8, cudaMemcpyDeviceToHost);
  cudaFree(d);
  return y;
}
// OUTSIDE: retrograd: a derivative met a launch of a graph that it has not captured itself: capture it in the differentiated function [RG2203]
// LIBRARY: retrograd: a derivative met a call while a stream is being captured, which graphs of derivatives do not record, of 'curandGenerateUniformDouble' [RG2203]
// PRIMAL: retrograd: a call of cuRAND while a stream is captured: graphs of --offload=cpu do not record this library [RG1607]
// NUMBER: retrograd: a derivative met a call that gives the host a number while its stream is being captured (let the handle's pointer mode be that of the device), of 'cublasDnrm2_v2' [RG2203]
// FAILURE: retrograd: a derivative met a launch of a graph in which a library's call failed, of 'cublasDgemv_v2' [RG2203]
// FILL: retrograd: a derivative met a call in a stream that is being captured, which graphs of derivatives do not record, of 'cudaMemset3DAsync' [RG2203]
// TWICE: retrograd: a derivative met a capture that begins in a thread where another has not ended: it is 'cudaStreamBeginCapture' [RG2203]
// CHILD: retrograd: a derivative met a call in a stream that is being captured, which graphs of derivatives do not record, of 'cudaGraphLaunch' [RG2203]
int main(int argc, char **argv) {
  double x = 3, g = 0, *d;
  what = "plain";
  cudaStreamCreate(&stream);
  cudaMalloc(&d, 8);
  capture(d);
  what = argv[1];
  if (!strcmp(what, "primal"))
    f(&x);
  __enzyme_autodiff<double>((void *)f, enzyme_dup, &x, &g);
}
