// Forward mode from a tape, over containers, virtual calls, closures and memory that is
// freed before the tape is read.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <vector>
#include <map>
#include <list>
#include <string>
#include <memory>
#include <cmath>
#include <algorithm>
#include <functional>
#include <numeric>
extern int enzyme_dup, enzyme_const, enzyme_nofree;
extern "C" void rg_tape_free(void*);
struct R { void *tape; double v; };
template <class... A> R __enzyme_augmentfwd(void*, A...);
template <class... A> double __enzyme_fwdsplit(void*, A...);
template <class... A> double __enzyme_fwddiff(void*, A...);
struct Shape { virtual ~Shape(){} virtual double area(double) const = 0; };
struct Sq : Shape { double s; Sq(double s):s(s){} double area(double k) const override { return s*s*k; } };
struct Ci : Shape { double r; std::vector<double> w; Ci(double r):r(r),w{r,2*r}{} double area(double k) const override { return r*std::sin(k)*w[1]; } };
double f(double *x, int n) {
  std::vector<double> v; for (int i=0;i<n;i++) v.push_back(std::sin(x[i])*x[i]);
  std::sort(v.begin(), v.end());
  double s = std::inner_product(v.begin(), v.end(), v.rbegin(), 0.0);
  std::map<std::string,double> m; for (int i=0;i<n;i++) m["k"+std::to_string(i%3)] += v[i]*v[i];
  for (auto &kv : m) s += kv.second*kv.first.size();
  std::list<double> l(v.begin(), v.end()); l.push_front(x[0]); l.reverse(); double a=1; for (double d : l) s += (a*=0.5)*d*d;
  std::vector<std::unique_ptr<Shape>> sh; for (int i=0;i<n;i++) if (i&1) sh.push_back(std::make_unique<Sq>(x[i])); else sh.push_back(std::make_unique<Ci>(x[i]));
  for (auto &p : sh) s += p->area(x[1]);
  std::function<double(double)> g = [&](double t){ return t*x[0]; };
  s += g(s*0.1);
  for (int i=0;i<n;i++) x[i]*=s;
  return s;
}
template<class F> void check(F *f) {
  const int n=5;
  double x[n], x0[n]; for (int i=0;i<n;i++) x0[i]=x[i]=0.7+0.6*i;
  double d[n]={};
  R t = __enzyme_augmentfwd<double*,double*,int>((void*)f, x, d, n);
  for (int k=0;k<n;k++) {
    double y[n],dy[n]={},dz[n]={}; std::copy(x0,x0+n,y); dy[k]=dz[k]=1;
    double want=__enzyme_fwddiff<double*,double*,int>((void*)f,y,dy,n);
    for(auto&v:x) v=1e300;
    double got=__enzyme_fwdsplit<int,double*,double*,int,void*>((void*)f,enzyme_nofree,x,dz,n,t.tape);
    RG_NEAR(got,want); for(int i=0;i<n;i++) RG_NEAR(dz[i],dy[i]);
    double p[n],q[n]; std::copy(x0,x0+n,p); std::copy(x0,x0+n,q); p[k]+=1e-6;q[k]-=1e-6;
    RG_WITHIN(got,(f(p,n)-f(q,n))/2e-6,1e-6);
  }
  rg_tape_free(t.tape);
}
int main(){ check(f); return rgReport(); }
int enzyme_dup, enzyme_const, enzyme_nofree;
