// RUN: not %rgcxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %rgcxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// Graphs in a file without kernels are refused at the user's line. Graphs beside what is differentiated are nobody's
// business.
extern "C" {
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaMemcpyAsync(void *to, const void *from, unsigned long bytes, int kind, void *stream);
}
template <class R, class... T> R __enzyme_autodiff(void *, T...);
extern int enzyme_dup, enzyme_const;
void *stream, *graph, *exec;

double captured(const double *x, double *y) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaStreamBeginCapture', graphs have a reverse where a stream captures them, or the program adds their nodes one behind the other, and they are launched in the file of their kernels [RG2203]
  // CHECK-DAG: cuda-graphs.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'captured'
  cudaStreamBeginCapture(stream, 0);
  cudaMemcpyAsync(y, x, 8, 4, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  return y[0];
}
double launched(const double *x, double *y) {
  // CHECK-DAG: error: a CUDA program cannot be differentiated here: 'cudaGraphLaunch', graphs have a reverse where a stream captures them, or the program adds their nodes one behind the other, and they are launched in the file of their kernels [RG2203]
  // CHECK-DAG: cuda-graphs.cpp:[[@LINE+1]]:{{[0-9]+}}: note: it is here, in 'launched'
  cudaGraphLaunch(exec, stream);
  return y[0] * x[0];
}
double plain(const double *x) { return x[0] * x[0]; }

int main() {
  double x = 1, dx = 0, y = 0, dy = 0;
  __enzyme_autodiff<double>((void *)captured, enzyme_dup, &x, &dx, enzyme_dup, &y, &dy);
  __enzyme_autodiff<double>((void *)launched, enzyme_dup, &x, &dx, enzyme_dup, &y, &dy);
  cudaGraphLaunch(exec, stream);
  __enzyme_autodiff<double>((void *)plain, enzyme_dup, &x, &dx);
}
