/* The function is in model.f90. */
double energy(const double *x, int n);
double model(const double *x, int n) { return energy(x, n); }
