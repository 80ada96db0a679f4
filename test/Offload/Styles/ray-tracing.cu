// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays through a scene of virtual objects that a kernel made, with random numbers.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <curand_kernel.h>
// "Ray tracing in one weekend" in CUDA
class vec3 {
public:
  __host__ __device__ vec3() {}
  __host__ __device__ vec3(float a, float b, float c) {
    e[0] = a;
    e[1] = b;
    e[2] = c;
  }
  __host__ __device__ float x() const { return e[0]; }
  __host__ __device__ float y() const { return e[1]; }
  __host__ __device__ float z() const { return e[2]; }
  __host__ __device__ vec3 &operator+=(const vec3 &o) {
    for (int i = 0; i < 3; i++)
      e[i] += o.e[i];
    return *this;
  }
  float e[3];
};
__host__ __device__ inline vec3 operator+(vec3 a, vec3 b) { return a += b; }
__host__ __device__ inline vec3 operator-(const vec3 &a, const vec3 &b) {
  return vec3(a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]);
}
__host__ __device__ inline vec3 operator*(float t, const vec3 &v) { return vec3(t * v.e[0], t * v.e[1], t * v.e[2]); }
__host__ __device__ inline vec3 operator*(const vec3 &a, const vec3 &b) {
  return vec3(a.e[0] * b.e[0], a.e[1] * b.e[1], a.e[2] * b.e[2]);
}
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) {
  return a.e[0] * b.e[0] + a.e[1] * b.e[1] + a.e[2] * b.e[2];
}
__host__ __device__ inline vec3 unit(const vec3 &v) { return (1.f / sqrtf(dot(v, v))) * v; }
struct ray {
  vec3 o, d;
  __device__ vec3 at(float t) const { return o + t * d; }
};
class material;
struct hit_record {
  float t;
  vec3 p, n;
  material *m;
};
class hitable {
public:
  __device__ virtual bool hit(const ray &r, float t0, float t1, hit_record &h) const = 0;
  __device__ virtual ~hitable() {}
};
class material {
public:
  __device__ virtual bool scatter(const ray &in, const hit_record &h, vec3 &att, ray &out, curandState *s) const = 0;
};
__device__ vec3 in_sphere(curandState *s) {
  vec3 p;
  do {
    p = 2.0f * vec3(curand_uniform(s), curand_uniform(s), curand_uniform(s)) - vec3(1, 1, 1);
  } while (dot(p, p) >= 1.0f);
  return p;
}
class lambert : public material {
public:
  vec3 a;
  __device__ lambert(vec3 a) : a(a) {}
  __device__ bool scatter(const ray &in, const hit_record &h, vec3 &att, ray &out, curandState *s) const override {
    out = ray{h.p, h.n + in_sphere(s)};
    att = a;
    return true;
  }
};
class metal : public material {
public:
  vec3 a;
  float f;
  __device__ metal(vec3 a, float f) : a(a), f(f) {}
  __device__ bool scatter(const ray &in, const hit_record &h, vec3 &att, ray &out, curandState *s) const override {
    vec3 v = unit(in.d), r = v - 2.f * dot(v, h.n) * h.n;
    out = ray{h.p, r + f * in_sphere(s)};
    att = a;
    return dot(out.d, h.n) > 0;
  }
};
class sphere : public hitable {
public:
  vec3 c;
  float r;
  material *m;
  __device__ sphere(vec3 c, float r, material *m) : c(c), r(r), m(m) {}
  __device__ ~sphere() override { delete m; }
  __device__ bool hit(const ray &ra, float t0, float t1, hit_record &h) const override {
    vec3 oc = ra.o - c;
    float a = dot(ra.d, ra.d), b = dot(oc, ra.d), cc = dot(oc, oc) - r * r, D = b * b - a * cc;
    if (D > 0) {
      for (int s = -1; s <= 1; s += 2) {
        float t = (-b + s * sqrtf(D)) / a;
        if (t < t1 && t > t0) {
          h.t = t;
          h.p = ra.at(t);
          h.n = (1 / r) * (h.p - c);
          h.m = m;
          return true;
        }
      }
    }
    return false;
  }
};
class world : public hitable {
public:
  hitable **l;
  int n;
  __device__ world(hitable **l, int n) : l(l), n(n) {}
  __device__ bool hit(const ray &r, float t0, float t1, hit_record &h) const override {
    hit_record t;
    bool any = false;
    float close = t1;
    for (int i = 0; i < n; i++)
      if (l[i]->hit(r, t0, close, t)) {
        any = true;
        close = t.t;
        h = t;
      }
    return any;
  }
};
__device__ vec3 color(const ray &r, hitable **w, curandState *s) {
  ray cur = r;
  vec3 att(1, 1, 1);
  for (int i = 0; i < 20; i++) {
    hit_record h;
    if ((*w)->hit(cur, 0.001f, 1e30f, h)) {
      ray sc;
      vec3 a;
      if (h.m->scatter(cur, h, a, sc, s)) {
        att = att * a;
        cur = sc;
      } else
        return vec3(0, 0, 0);
    } else {
      float t = .5f * (unit(cur.d).y() + 1.f);
      return att * ((1.f - t) * vec3(1, 1, 1) + t * vec3(.5f, .7f, 1.f));
    }
  }
  return vec3(0, 0, 0);
}
__global__ void create(hitable **l, hitable **w) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    l[0] = new sphere(vec3(0, 0, -1), .5f, new lambert(vec3(.8f, .3f, .3f)));
    l[1] = new sphere(vec3(0, -100.5f, -1), 100, new lambert(vec3(.8f, .8f, 0)));
    l[2] = new sphere(vec3(1, 0, -1), .5f, new metal(vec3(.8f, .6f, .2f), .1f));
    *w = new world(l, 3);
  }
}
__global__ void rinit(int mx, int my, curandState *s) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;
  if ((i >= mx) || (j >= my))
    return;
  curand_init(1984, j * mx + i, 0, &s[j * mx + i]);
}
__global__ void render(vec3 *fb, int mx, int my, int ns, hitable **w, curandState *rs) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;
  if ((i >= mx) || (j >= my))
    return;
  int px = j * mx + i;
  curandState s = rs[px];
  vec3 c(0, 0, 0);
  for (int k = 0; k < ns; k++) {
    float u = float(i + curand_uniform(&s)) / mx, v = float(j + curand_uniform(&s)) / my;
    c += color(ray{vec3(0, 0, 0), vec3(-2 + 4 * u, -1 + 2 * v, -1)}, w, &s);
  }
  rs[px] = s;
  fb[px] = (1.f / ns) * c;
}
__global__ void destroy(hitable **l, hitable **w) {
  for (int i = 0; i < 3; i++)
    delete l[i];
  delete *w;
}
int main() {
  int nx = 40, ny = 20;
  vec3 *fb;
  hitable **l, **w;
  curandState *s;
  CHECK(cudaMallocManaged((void **)&fb, nx * ny * sizeof(vec3)));
  CHECK(cudaMalloc((void **)&l, 24));
  CHECK(cudaMalloc((void **)&w, 8));
  CHECK(cudaMalloc((void **)&s, nx * ny * sizeof(curandState)));
  create<<<1, 1>>>(l, w);
  dim3 b(nx / 8 + 1, ny / 8 + 1), t(8, 8);
  rinit<<<b, t>>>(nx, ny, s);
  render<<<b, t>>>(fb, nx, ny, 8, w, s);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  destroy<<<1, 1>>>(l, w);
  CHECK(cudaDeviceSynchronize());
  double sum = 0;
  for (int i = 0; i < nx * ny; i++) {
    for (int k = 0; k < 3; k++) {
      EXPECT(fb[i].e[k] >= 0 && fb[i].e[k] <= 1.0001f);
      sum += fb[i].e[k];
    }
  }
  printf("%f\n", sum / nx / ny / 3);
  EXPECT(fb[(ny - 1) * nx].z() > .9f);
  EXPECT(fb[10 * nx + 20].x() > fb[10 * nx + 20].z());
  return finish();
}
