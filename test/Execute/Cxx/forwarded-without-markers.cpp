// Entry points that take everything by reference, in calls without a marker that would show it.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
template <class T, class... A> T __enzyme_autodiff(void *, A &&...);
template <class T, class... A> T __enzyme_fwddiff(void *, const A &...);
double norm(const double *x, int n) { double s=0; for(int i=0;i<n;i++) s+=x[i]*x[i]; return std::sqrt(s);}
double dot(const double *x, const double *y) { return x[0]*y[0]+x[1]*y[1]*x[1]; }
double sq(double x, double y){return x*x*y;}
struct P{double a,b;}; 
double ofp(P p){return p.a*p.b*p.b;}
double refs(const double&a, double &b){ return a*b*b;}
int main(){
 double x[2]={3,4}, d[2]={}, y[2]={5,6}, e[2]={}; double *px=x,*pd=d,*py=y,*pe=e;
 __enzyme_autodiff<void>((void*)norm, px, pd, 2);
 RG_NEAR(d[0], .6);
 d[0]=d[1]=0;
 __enzyme_autodiff<void>((void*)dot, px, pd, py, pe);
 RG_NEAR(d[0],5); RG_NEAR(d[1], 48); RG_NEAR(e[1],16);
 double t[2]={1,0}; double *pt=t, z[2]={0,0}, *pz=z;
 RG_NEAR(__enzyme_fwddiff<double>((void*)dot, px, pt, py, pz), 5);
 P r=__enzyme_autodiff<P>((void*)sq, 2.0, 3.0); RG_NEAR(r.a,12); RG_NEAR(r.b,4);
 P p{2,3}; P q=__enzyme_autodiff<P>((void*)ofp, p); RG_NEAR(q.a,9); RG_NEAR(q.b,12);
 double a=2,b=3,da=0,db=0; __enzyme_autodiff<void>((void*)refs, a,da,b,db); RG_NEAR(da,9); RG_NEAR(db,12);
 return rgReport();
}
