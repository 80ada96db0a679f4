/* Libraries that are loaded while the program runs: each brings its own tape. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv) {
  for (int round = 0; round < 3; ++round) {
    void *first = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    void *second = first ? dlopen(argv[2], RTLD_NOW) : 0;
    if (!second) {
      puts(dlerror());
      return 1;
    }
    double (*two)(double) = (double (*)(double))dlsym(second, "two");
    double x = 0.5 + round;
    if (fabs(two(x) - 8 * pow(x, 7) - cos(x) - 2 * cos(2 * x)) > 1e-6)
      return 2;
    dlclose(second);
    dlclose(first);
  }
  return 0;
}
