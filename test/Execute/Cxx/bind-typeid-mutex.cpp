// std::bind, typeid, a mutex and atomic counters beside active data.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <functional>
#include <string>
#include <typeinfo>
#include <mutex>
#include <atomic>
#include <vector>
#include <cmath>
using namespace std::placeholders;
template<class T,class...A> T __enzyme_autodiff(void*,A...);
template<class T,class...A> T __enzyme_fwddiff(void*,A...);
std::mutex m; std::atomic<int> calls{0}; std::atomic<long> total{0};
double mul(double a,double b){return a*b;}
struct S{double k; double scale(double x)const{return k*x*x;} };
struct Base{virtual ~Base(){} virtual double go(double x){return x;}};
struct D1:Base{double go(double x)override{return x*x;}};
struct D2:Base{double go(double x)override{return std::sin(x);}};
double f(const double*x){ auto b=std::bind(mul,_1,x[1]); auto c=std::bind(mul,_2,_1); return b(x[0])+c(x[0],x[2])*b(x[2]); }
double g(const double*x){ S s{x[1]}; auto b=std::bind(&S::scale,&s,_1); std::function<double(double)> q=std::bind(&S::scale,s,_1); return b(x[0])+q(x[2]); }
double h(const double*x){ D1 a;D2 b; Base*v[2]={&a,&b}; double r=0; for(int i=0;i<2;i++){ if(typeid(*v[i])==typeid(D1)) r+=x[0]*v[i]->go(x[i]); else if(typeid(*v[i])==typeid(D2)) r+=2*v[i]->go(x[i]); } return r; }
double mu(const double*x){ double s=0; for(int i=0;i<3;i++){ std::lock_guard<std::mutex> l(m); calls++; s+=x[i]*x[i]; total.fetch_add(i); if(calls.load()>1000000) s=0; } std::unique_lock<std::mutex> u(m); u.unlock(); return s; }
double at(const double*x){ std::atomic<double> a{0.}; for(int i=0;i<3;i++) a.store(a.load()+x[i]*x[i]); return a.load(); }
double hash(const double*x){ double r=0; D1 a; r+= (typeid(a).hash_code()!=0)*x[0]; r+= (std::string(typeid(double).name())=="d")*x[1]*x[1]; return r;}
#define T(F) {double d[3]={};__enzyme_autodiff<void>((void*)F,x,d); RG_GRADS(d,F(x),x,3); for(int i=0;i<3;i++){double t[3]={};t[i]=1; RG_NEAR(__enzyme_fwddiff<double>((void*)F,x,t),d[i]);}}
int main(){
 double x[3]={.5,.7,1.1};
 T(f) T(g) T(h) T(mu) T(at) T(hash)
 return rgReport();
}
