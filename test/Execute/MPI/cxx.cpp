// MPI in C++: buffers in vectors, requests in a class, a template that finds the datatype;
// several lanes; messages of integers and characters beside.
// REQUIRES: mpi
// RG-RANKS: 1 2 3
#include "rgmpi.h"
#include <cstring>
#include <vector>

template <class T> struct TypeOf;
template <> struct TypeOf<double> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <> struct TypeOf<int> {
  static MPI_Datatype get() { return MPI_INT; }
};
class Exchange {
  std::vector<MPI_Request> Requests;

public:
  template <class T> void send(const std::vector<T> &V, int To, int Tag) {
    Requests.emplace_back();
    MPI_Isend(V.data(), V.size(), TypeOf<T>::get(), To, Tag, MPI_COMM_WORLD, &Requests.back());
  }
  template <class T> void receive(std::vector<T> &V, int From, int Tag) {
    Requests.emplace_back();
    MPI_Irecv(V.data(), V.size(), TypeOf<T>::get(), From, Tag, MPI_COMM_WORLD, &Requests.back());
  }
  void finish() { MPI_Waitall(Requests.size(), Requests.data(), MPI_STATUSES_IGNORE); }
};

static double ring(const double *x, int n) {
  int Right = (rgRank + 1) % rgSize, Left = (rgRank + rgSize - 1) % rgSize;
  std::vector<double> Out(n), In(n);
  std::vector<int> Weights(n), Theirs(n);
  char Word[8] = "";
  if (rgRank == 0)
    strcpy(Word, "seven");
  MPI_Bcast(Word, 8, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) {
    Out[i] = x[i] * x[i] + std::sin(x[(i + 1) % n]);
    Weights[i] = i + rgRank;
  }
  Exchange E;
  E.receive(In, Left, 1);
  E.receive(Theirs, Left, 2);
  E.send(Out, Right, 1);
  E.send(Weights, Right, 2);
  E.finish();
  double S = 0;
  for (int i = 0; i < n; ++i)
    S += In[i] * In[i] * Theirs[i] * x[i];
  return S * strlen(Word);
}

extern int enzyme_width;
int enzyme_width;
struct Two {
  double V[2];
};
template <class T> T __enzyme_fwddiff(void *, ...);

int main(int argc, char **argv) {
  rgBegin(&argc, &argv);
  RG_MPI_CHECK(ring, 4);
  double x[4] = {0.5, 0.7, 0.2, 0.9}, a[4] = {1, 0.5, 0, -1}, b[4] = {0.3, 1, -0.4, 0.2};
  Two Both = __enzyme_fwddiff<Two>((void *)ring, enzyme_width, 2, enzyme_dup, x, a, b, enzyme_const, 4);
  double One = rgSum(__enzyme_fwddiff((void *)ring, enzyme_dup, x, a, enzyme_const, 4));
  double Other = rgSum(__enzyme_fwddiff((void *)ring, enzyme_dup, x, b, enzyme_const, 4));
  rgCompare("first lane", rgSum(Both.V[0]), One, One);
  rgCompare("second lane", rgSum(Both.V[1]), Other, Other);
  return rgEnd();
}
