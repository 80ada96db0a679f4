// Compiles only with the plugin, whose option CMakeLists.txt sets.
extern "C" double helper(double x);
int main() { return helper(2) == 4 ? 0 : 1; }
