#pragma once
void scale_gradient(const float *x, float *dx, float *y, float *dy, int n);
