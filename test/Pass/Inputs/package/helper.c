double helper(double x) { return x * x; }
