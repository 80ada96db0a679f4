// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that find pointers in memory: structs of pointers, tables of rows and of tables, lists and trees, in
// memory of the device, in managed memory and in variables; tables that change between launches; memory without
// derivatives among them, and memory that the program keeps.
#include "gradients.h"
#include <cstring>
#include <cuda_runtime.h>

struct Mesh {
  double *at, *mass;
  int *next;
  int n;
  double stiffness;
};
__global__ void stretch(const Mesh *m, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m->n) {
    double d = m->at[i] - m->at[m->next[i]];
    out[i] += m->stiffness * d * d * m->mass[i];
  }
}
__global__ void move(Mesh *m, const double *force) {
  int i = threadIdx.x;
  if (i < m->n)
    m->at[i] = m->at[i] * cos(force[i]) + 0.1 * m->mass[i];
}
template <class T> T *onDevice(const T *from, int n) {
  T *d;
  cudaMalloc(&d, n * sizeof(T));
  cudaMemcpy(d, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}
static double sumOf(const double *d, int n) {
  double s = 0;
  std::vector<double> v(n);
  cudaMemcpy(v.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += v[i] * (1 + i % 3);
  return s;
}
double structs(const double *x, int n) {
  int m = n / 3;
  Mesh h;
  std::vector<int> next(m);
  for (int i = 0; i < m; i++)
    next[i] = (3 * i + 1) % m;
  h.n = m, h.stiffness = x[0];
  h.at = onDevice(x, m), h.mass = onDevice(x + m, m), h.next = onDevice(next.data(), m);
  Mesh *d = onDevice(&h, 1);
  double *out;
  cudaMalloc(&out, m * sizeof(double));
  cudaMemset(out, 0, m * sizeof(double));
  for (int t = 0; t < 3; t++) {
    stretch<<<2, 16>>>(d, out);
    move<<<1, 32>>>(d, out);
  }
  double s = sumOf(h.at, m) + sumOf(out, m);
  cudaFree(h.at), cudaFree(h.mass), cudaFree(h.next), cudaFree(d), cudaFree(out);
  return s;
}

// Rows that change places between launches.
__global__ void mix(double *const *a, double *const *b, int rows, int columns) {
  int r = blockIdx.x, c = threadIdx.x;
  if (c < columns)
    b[r][c] = sin(a[r][c]) * a[(r + 1) % rows][c] + 0.5 * b[r][c];
}
double tables(const double *x, int n) {
  const int rows = 3, columns = n / 6;
  double *whole = onDevice(x, n), *row[2 * rows];
  for (int r = 0; r < 2 * rows; r++)
    row[r] = whole + r * columns;
  double **a = onDevice(row, rows), **b = onDevice(row + rows, rows);
  for (int t = 0; t < 4; t++) {
    mix<<<rows, 32>>>(a, b, rows, columns);
    double *first = row[t % rows];
    row[t % rows] = row[rows + (t + 1) % rows];
    row[rows + (t + 1) % rows] = first;
    cudaMemcpy(a, row, rows * sizeof(double *), cudaMemcpyHostToDevice);
    cudaMemcpy(b, row + rows, rows * sizeof(double *), cudaMemcpyHostToDevice);
  }
  double s = sumOf(whole, n);
  cudaFree(whole), cudaFree(a), cudaFree(b);
  return s;
}

// Two steps, by a struct that is passed by value, and rows without derivatives beside others.
struct View {
  double *const *const *pages;
  int pagesAt, rows, columns;
};
__global__ void add(View v, double *out) {
  int c = threadIdx.x;
  double s = 0;
  for (int p = 0; p < v.pagesAt; p++)
    for (int r = 0; r < v.rows; r++)
      s += v.pages[p][r][c] * v.pages[p][(r + 1) % v.rows][(c + 1) % v.columns];
  out[c] = s;
}
double pages(const double *x, int n) {
  const int columns = n / 4;
  double constants[64], *rows[2][3], **page[2];
  for (int i = 0; i < columns; i++)
    constants[i] = 0.3 + 0.1 * i;
  double *whole = onDevice(x, n), *fixed = onDevice(constants, columns), *out;
  for (int p = 0; p < 2; p++) {
    rows[p][0] = whole + 2 * p * columns, rows[p][1] = fixed, rows[p][2] = whole + (2 * p + 1) * columns;
    page[p] = onDevice(rows[p], 3);
  }
  View v = {onDevice(page, 2), 2, 3, columns};
  cudaMalloc(&out, columns * sizeof(double));
  add<<<1, columns>>>(v, out);
  double s = sumOf(out, columns);
  cudaFree(whole), cudaFree(fixed), cudaFree(out), cudaFree(page[0]), cudaFree(page[1]), cudaFree((void *)v.pages);
  return s;
}

// A list in managed memory that kernels and the host walk over.
struct Node {
  double v, sum;
  Node *next;
  int id;
};
__global__ void walk(Node *head, double a, int n) {
  if (threadIdx.x >= n)
    return;
  Node *p = head;
  for (int k = 0; k < threadIdx.x; k++)
    p = p->next;
  p->sum = a * p->v * p->v + (p->next ? p->next->v : 0.5);
}
__global__ void total(const Node *head, double *out) {
  double s = 0;
  for (const Node *p = head; p; p = p->next)
    s += p->sum * (1 + p->id % 2);
  *out = s;
}
double list(const double *x, int n) {
  Node *head = nullptr;
  double *out, s = 0;
  cudaMallocManaged(&out, sizeof(double));
  for (int i = n - 1; i >= 0; i--) {
    Node *q;
    cudaMallocManaged(&q, sizeof(Node));
    q->v = x[i], q->sum = 0, q->next = head, q->id = i;
    head = q;
  }
  for (int t = 0; t < 2; t++) {
    walk<<<1, 64>>>(head, x[t], n);
    total<<<1, 1>>>(head, out);
    cudaDeviceSynchronize();
    s += *out * (t + 1);
    for (Node *p = head; p; p = p->next)
      p->v = 0.5 * p->v + 0.1 * p->sum;
  }
  while (head) {
    Node *next = head->next;
    cudaFree(head);
    head = next;
  }
  cudaFree(out);
  return s;
}

// A tree in one block of the device: addresses of the device, made by the host.
struct Branch {
  double weight;
  const Branch *left, *right;
};
__global__ void leaves(const Branch *root, double *out, int deep) {
  const Branch *b = root;
  double product = 1;
  for (int k = 0; k < deep; k++) {
    product *= b->weight;
    b = threadIdx.x >> k & 1 ? b->right : b->left;
  }
  out[threadIdx.x] = product * product;
}
double tree(const double *x, int n) {
  const int deep = 4, nodes = 15;
  Branch h[15], *d;
  double *out;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&out, 8 * sizeof(double));
  for (int i = 0; i < nodes; i++)
    h[i] = {x[i % n], 2 * i + 1 < nodes ? d + 2 * i + 1 : nullptr, 2 * i + 2 < nodes ? d + 2 * i + 2 : nullptr};
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  leaves<<<1, 8>>>(d, out, deep);
  double s = sumOf(out, 8);
  cudaFree(d), cudaFree(out);
  return s;
}

// Pointers in variables of the device, which change between launches.
struct Pointers {
  double *a, *b;
  const int *index;
  int n;
  double w[3];
};
__constant__ Pointers variable;
__device__ double *scratch;
__global__ void weigh(double s) {
  int i = threadIdx.x;
  if (i < variable.n)
    variable.b[i] = s * variable.a[variable.index[i]] * variable.w[i % 3];
}
__global__ void square() {
  int i = threadIdx.x;
  if (i < variable.n)
    scratch[i] = variable.b[i] * variable.b[(i + 1) % variable.n];
}
double variables(const double *x, int n) {
  int m = n / 2;
  Pointers h;
  std::vector<int> index(m);
  for (int i = 0; i < m; i++)
    index[i] = (5 * i + 2) % m;
  double *other, s = 0;
  h.a = onDevice(x, m), h.b = onDevice(x + m, m), h.index = onDevice(index.data(), m), h.n = m;
  cudaMalloc(&other, m * sizeof(double));
  for (int k = 0; k < 3; k++)
    h.w[k] = x[k] * x[k + 1];
  for (int t = 0; t < 3; t++) {
    cudaMemcpyToSymbol(variable, &h, sizeof h);
    cudaMemcpyToSymbol(scratch, &other, sizeof other);
    weigh<<<1, 64>>>(x[t]);
    square<<<1, 64>>>();
    s += sumOf(other, m) * (t + 1);
    double *a = h.a;
    h.a = other, other = a;
  }
  cudaFree(h.a), cudaFree(h.b), cudaFree((void *)h.index), cudaFree(other);
  return s;
}

// A struct of pointers that the program has made before, and keeps.
static Mesh kept, *keptThere;
double keeps(const double *x, int n) {
  int m = 8;
  if (!keptThere) {
    int next[8] = {1, 2, 3, 4, 5, 6, 7, 0};
    kept.n = m, kept.stiffness = 1.5;
    cudaMalloc(&kept.at, m * sizeof(double)), cudaMalloc(&kept.mass, m * sizeof(double));
    kept.next = onDevice(next, m);
    keptThere = onDevice(&kept, 1);
  }
  double *out;
  cudaMalloc(&out, m * sizeof(double));
  cudaMemset(out, 0, m * sizeof(double));
  cudaMemcpy(kept.at, x, m * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(kept.mass, x + n - m, m * sizeof(double), cudaMemcpyHostToDevice);
  stretch<<<1, 8>>>(keptThere, out);
  move<<<1, 8>>>(keptThere, out);
  double s = sumOf(kept.at, m) + sumOf(out, m);
  cudaFree(out);
  return s;
}

int main() {
  rgCheckGradient(structs, 36, 0.4);
  rgCheckGradient(tables, 36, 0.4);
  rgCheckGradient(pages, 24, 0.4);
  rgCheckGradient(list, 12, 0.4);
  rgCheckGradient(tree, 15, 0.6);
  rgCheckGradient(variables, 20, 0.4);
  double x[20] = {};
  keeps(x, 20);
  rgCheckGradient(keeps, 20, 0.4);
  return rgReport();
}
