// Parallel.c - gradients of programs with OpenMP regions
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one line per program: threads, primal and gradient in milliseconds (the least of
// several runs), their ratio. Before that each gradient is compared with a difference along
// one direction; the program fails if they disagree.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

// Every iteration has its own numbers: no thread meets another.
static void potential(double *x, double *y, int n, int unused) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] * sin(x[i]) + exp(-x[i]);
}

// Heat that conducts better where it is warm, explicit steps on a square.
static void heat(double *u, double *v, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) {
        const double *c = u + i * n + j;
        v[i * n + j] = *c + 0.1 * *c * (c[-n] + c[n] + c[-1] + c[1] - 4 * *c);
      }
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        u[i * n + j] = v[i * n + j];
  }
}

// The energy of a ligand (the first atoms) in many poses beside a protein: each pose has its
// turn and its shift, and all read the same atoms. x: six numbers per pose, then the atoms.
enum { LIGAND = 20, PROTEIN = 200 };
static inline double poseEnergy(const double *pose, const double *atoms) {
    double ca = cos(pose[0]), sa = sin(pose[0]), cb = cos(pose[1]), sb = sin(pose[1]), cc = cos(pose[2]), sc = sin(pose[2]);
    double e = 0;
    for (int i = 0; i < LIGAND; ++i) {
      const double *a = atoms + 3 * i;
      double x1 = ca * a[0] - sa * a[1], y1 = sa * a[0] + ca * a[1];
      double x2 = cb * x1 + sb * a[2], z2 = cb * a[2] - sb * x1;
      double y3 = cc * y1 - sc * z2, z3 = sc * y1 + cc * z2;
      for (int j = LIGAND; j < LIGAND + PROTEIN; ++j) {
        double dx = x2 + pose[3] - atoms[3 * j], dy = y3 + pose[4] - atoms[3 * j + 1], dz = z3 + pose[5] - atoms[3 * j + 2];
        double r2 = dx * dx + dy * dy + dz * dz + 0.5, s = 1 / r2, s3 = s * s * s;
        e += s3 * s3 - s3 + 0.1 / sqrt(r2);
      }
    }
    return e;
}
static void docking(double *x, double *energy, int poses, int unused) {
#pragma omp parallel for
  for (int p = 0; p < poses; ++p)
    energy[p] = poseEnergy(x + 6 * p, x + 6 * poses);
}
// The same by tasks of some poses each.
static void dockingTasks(double *x, double *energy, int poses, int unused) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(10)
  for (int p = 0; p < poses; ++p)
    energy[p] = poseEnergy(x + 6 * p, x + 6 * poses);
}

// A norm by halves: a task for each, down to parts of some thousand numbers.
static double norm(const double *x, int n) {
  if (n <= 4000) {
    double r = 0;
    for (int i = 0; i < n; ++i)
      r += sqrt(1 + x[i] * x[i]);
    return log(r);
  }
  double left, right;
#pragma omp task shared(left)
  left = norm(x, n / 2);
#pragma omp task shared(right)
  right = norm(x + n / 2, n - n / 2);
#pragma omp taskwait
  return log(exp(left) + exp(right));
}
static void tree(double *x, double *y, int n, int unused) {
#pragma omp parallel
#pragma omp single
  y[0] = norm(x, n);
}

// Paths of a price, with random numbers of each path's own; x: rate, volatility, strike,
// start. Every path reads all four.
static void monteCarlo(double *x, double *y, int paths, int steps) {
  double sum = 0, rate = x[0] * 0.1, sigma = x[1] * 0.3, strike = x[2], start = x[3] + 0.5;
#pragma omp parallel for reduction(+ : sum)
  for (int p = 0; p < paths; ++p) {
    unsigned long long state = 0x9e3779b97f4a7c15ull * (p + 1);
    double s = start, mean = 0;
    for (int t = 0; t < steps; ++t) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      double z = 3.4 * ((state >> 11) * 0x1p-53 - 0.5);
      s *= exp((rate - 0.5 * sigma * sigma) / steps + sigma * sqrt(1.0 / steps) * z);
      mean += s / steps;
    }
    sum += log1p(exp(8 * (mean - strike))) / 8;
  }
  y[0] = sum * exp(-rate) / paths;
}

// Shock waves in a gas on a mesh of quadrilaterals that moves with it (von Neumann and
// Richtmyer's scheme): elements have energy, nodes move. Each element computes forces on its
// corners, each node adds up those of its corners, which it finds by a list; the time step is
// a minimum over all elements, which the threads find by hand. x: per node place and
// velocity, per element its energy, which are changed.
enum { MESH = 300 };
static int nodesOf[4 * MESH * MESH], firstCorner[(MESH + 1) * (MESH + 1) + 1], cornersOf[4 * MESH * MESH];
static double massOf[MESH * MESH], oldArea[MESH * MESH], pressure[MESH * MESH], force[8 * MESH * MESH];
static void makeMesh(int n) {
  int fill[(MESH + 1) * (MESH + 1)], nodes = (n + 1) * (n + 1);
  memset(firstCorner, 0, sizeof firstCorner);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int at[4] = {i * (n + 1) + j, i * (n + 1) + j + 1, (i + 1) * (n + 1) + j + 1, (i + 1) * (n + 1) + j};
      for (int k = 0; k < 4; ++k) {
        nodesOf[4 * (i * n + j) + k] = at[k];
        ++firstCorner[at[k] + 1];
      }
      massOf[i * n + j] = 1;
    }
  for (int k = 0; k < nodes; ++k)
    firstCorner[k + 1] += firstCorner[k];
  memcpy(fill, firstCorner, sizeof fill);
  for (int c = 0; c < 4 * n * n; ++c)
    cornersOf[fill[nodesOf[c]]++] = c;
}
static inline double areaOf(const double *at, const int *nodes) {
  double px[4], py[4];
  for (int k = 0; k < 4; ++k)
    px[k] = at[2 * nodes[k]], py[k] = at[2 * nodes[k] + 1];
  return 0.5 * ((px[2] - px[0]) * (py[3] - py[1]) - (px[3] - px[1]) * (py[2] - py[0]));
}
static void hydro(double *x, double *y, int n, int steps) {
  int nodes = (n + 1) * (n + 1), elements = n * n;
  double *at = x, *speed = x + 2 * nodes, *energy = x + 4 * nodes, dt = 0.02, least[64];
#pragma omp parallel for
  for (int k = 0; k < nodes; ++k) {
    at[2 * k] = k % (n + 1) + 0.2 * at[2 * k];
    at[2 * k + 1] = k / (n + 1) + 0.2 * at[2 * k + 1];
  }
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int e = 0; e < elements; ++e) {
      const int *of = nodesOf + 4 * e;
      double area = areaOf(at, of), p = 0.4 * energy[e] * massOf[e] / area;
      oldArea[e] = area;
      for (int k = 0; k < 4; ++k) { // a side presses on its two nodes
        int before = of[(k + 3) % 4], after = of[(k + 1) % 4];
        force[8 * e + 2 * k] = 0.5 * p * (at[2 * after + 1] - at[2 * before + 1]);
        force[8 * e + 2 * k + 1] = 0.5 * p * (at[2 * before] - at[2 * after]);
      }
      pressure[e] = p;
    }
#pragma omp parallel for
    for (int k = 0; k < nodes; ++k) {
      double fx = 0, fy = 0, mass = 0;
      for (int c = firstCorner[k]; c < firstCorner[k + 1]; ++c) {
        fx += force[2 * cornersOf[c]];
        fy += force[2 * cornersOf[c] + 1];
        mass += 0.25 * massOf[cornersOf[c] / 4];
      }
      speed[2 * k] += dt * fx / mass;
      speed[2 * k + 1] += dt * fy / mass;
      at[2 * k] += dt * speed[2 * k];
      at[2 * k + 1] += dt * speed[2 * k + 1];
    }
    for (int k = 0; k < 64; ++k)
      least[k] = 1e3;
#pragma omp parallel
    {
      double mine = 1e3;
#pragma omp for
      for (int e = 0; e < elements; ++e) {
        const int *of = nodesOf + 4 * e;
        double area = areaOf(at, of), growth = area - oldArea[e];
        double q = growth < 0 ? 2 * growth * growth * massOf[e] / (area * dt * dt) : 0;
        energy[e] -= (pressure[e] + 0.1 * q) * growth / massOf[e];
        double sound = sqrt(0.56 * energy[e]) + 0.1;
        double allowed = 0.1 * sqrt(area) / sound;
        if (allowed < mine)
          mine = allowed;
      }
      least[omp_get_thread_num()] = mine;
    }
    double next = 1.1 * dt;
    for (int k = 0; k < 64; ++k)
      next = least[k] < next ? least[k] : next;
    dt = next;
  }
  for (int e = 0; e < elements; ++e)
    y[e] = energy[e];
}

typedef void program(double *, double *, int, int);
static double timeOf(program *f, double *x, double *y, size_t nx, const double *start, int n, int m) {
  memcpy(x, start, nx * sizeof *x);
  double s = omp_get_wtime();
  f(x, y, n, m);
  return omp_get_wtime() - s;
}
static double total(program *f, double *x, double *y, size_t nx, size_t ny, const double *start, double h, int n, int m) {
  for (size_t i = 0; i < nx; ++i)
    x[i] = start[i] + h * (1 + cos(0.7 * i));
  memset(y, 0, ny * sizeof *y);
  f(x, y, n, m);
  double s = 0;
  for (size_t i = 0; i < ny; ++i)
    s += y[i];
  return s;
}

static int failures;
#define MEASURE(f, NX, NY, n, m)                                                                              \
  do {                                                                                                        \
    size_t nx = NX, ny = NY;                                                                                  \
    double *start = malloc(nx * 8), *x = malloc(nx * 8), *y = calloc(ny, 8), *dx = malloc(nx * 8), *dy = malloc(ny * 8); \
    for (size_t i = 0; i < nx; ++i)                                                                           \
      start[i] = 0.6 + 0.3 * cos(1.3 * i);                                                                    \
    double primal = 1e9, gradient = 1e9, along = 0, h = 1e-5;                                                 \
    for (int run = 0; run < 5; ++run) {                                                                       \
      double t = timeOf(f, x, y, nx, start, n, m);                                                            \
      primal = t < primal ? t : primal;                                                                       \
    }                                                                                                         \
    for (int run = 0; run < 5; ++run) {                                                                       \
      memcpy(x, start, nx * 8);                                                                               \
      memset(dx, 0, nx * 8);                                                                                  \
      for (size_t i = 0; i < ny; ++i)                                                                         \
        dy[i] = 1;                                                                                            \
      double t = omp_get_wtime();                                                                             \
      __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n, m);                               \
      t = omp_get_wtime() - t;                                                                                \
      gradient = t < gradient ? t : gradient;                                                                 \
    }                                                                                                         \
    for (size_t i = 0; i < nx; ++i)                                                                           \
      along += dx[i] * (1 + cos(0.7 * i));                                                                           \
    double want = (total(f, x, y, nx, ny, start, h, n, m) - total(f, x, y, nx, ny, start, -h, n, m)) / (2 * h); \
    int good = fabs(along - want) <= 1e-5 * fmax(1, fabs(want));                                              \
    failures += !good;                                                                                        \
    printf("| %-9s | %2d | %8.2f | %8.2f | %6.2f | %s |\n", #f, omp_get_max_threads(), primal * 1e3, gradient * 1e3, \
           gradient / primal, good ? "right" : "WRONG");                                                     \
    free(start), free(x), free(y), free(dx), free(dy);                                                        \
  } while (0)

int main(void) {
  MEASURE(potential, 1000000, 1000000, 1000000, 0);
  MEASURE(heat, 1000 * 1000, 1000 * 1000, 1000, 5);
  MEASURE(docking, 6 * 1000 + 3 * (LIGAND + PROTEIN), 1000, 1000, 0);
  MEASURE(dockingTasks, 6 * 1000 + 3 * (LIGAND + PROTEIN), 1000, 1000, 0);
  makeMesh(MESH);
  MEASURE(hydro, 4 * (MESH + 1) * (MESH + 1) + MESH * MESH, MESH * MESH, MESH, 10);
  MEASURE(tree, 1000000, 1, 1000000, 0);
  MEASURE(monteCarlo, 4, 1, 20000, 50);
  return failures != 0;
}
