// Methods in tables, whose functions have the same prototypes and get their states by void *: a call of one member goes to
// what stands at that member, whatever other tables have. Then a member that is set to what another one held.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

// How a step is chosen: by a damping factor, or by a radius.
struct Method {
  const char *Name;
  void *(*Make)(int N);
  int (*Begin)(void *State, double *X, int N);
  int (*Step)(void *State, double *X, int N);
  int (*End)(void *State, double *X, int N);
};
// How a system is solved: the same prototypes, at other places.
struct Solver {
  int (*Prepare)(void *State, double *X, int N);
  const char *Name;
  int (*Solve)(void *State, double *X, int N);
  int (*Check)(void *State, double *X, int N);
  void *(*Make)(int N);
};

struct Damped {
  double Damping;
  long Tried;
  double *Last;
  const struct Solver *With;
  void *SolverState;
};
struct Relaxed {
  long Sweeps;
  long Rows;
  double Factor;
  double Right[];
};

static void *makeRelaxed(int N) {
  struct Relaxed *S = calloc(1, sizeof(struct Relaxed) + N * sizeof(double));
  S->Rows = N;
  return S;
}
static int prepareRelaxed(void *State, double *X, int N) {
  struct Relaxed *S = State;
  S->Sweeps = 1;
  S->Factor = 0.8 + 0.01 * X[0];
  for (int I = 0; I < N; ++I)
    S->Right[I] = X[I] * X[I];
  return 0;
}
static int solveRelaxed(void *State, double *X, int N) {
  struct Relaxed *S = State;
  for (long K = 0; K < S->Sweeps; ++K)
    for (long I = 0; I < S->Rows; ++I)
      X[I] += S->Factor * (S->Right[I] - X[I] * (I ? 1.5 : X[S->Rows - 1]));
  S->Sweeps <<= 1;
  return 0;
}
static int checkRelaxed(void *State, double *X, int N) {
  struct Relaxed *S = State;
  return S->Sweeps > 8 || X[0] > 1e6;
}
static const struct Solver Relaxation = {prepareRelaxed, "relaxation", solveRelaxed, checkRelaxed, makeRelaxed};

static void *makeDamped(int N) {
  struct Damped *S = calloc(1, sizeof(struct Damped));
  S->Last = calloc(N, sizeof(double));
  S->With = &Relaxation;
  S->SolverState = S->With->Make(N);
  return S;
}
static int beginDamped(void *State, double *X, int N) {
  struct Damped *S = State;
  S->Damping = 0.1 * X[1];
  S->Tried = 2;
  for (int I = 0; I < N; ++I)
    S->Last[I] = X[I];
  return S->With->Prepare(S->SolverState, X, N);
}
static int reject(double *Damping, long *Tried) {
  *Damping *= (double)*Tried;
  *Tried <<= 1;
  return 0;
}
static int stepDamped(void *State, double *X, int N) {
  struct Damped *S = State;
  S->With->Solve(S->SolverState, X, N);
  for (int I = 0; I < N; ++I) {
    X[I] = X[I] / (1 + S->Damping) + 0.1 * S->Last[I];
    S->Last[I] = X[I];
  }
  if (X[0] > 0.2)
    reject(&S->Damping, &S->Tried);
  return S->With->Check(S->SolverState, X, N);
}
static int endDamped(void *State, double *X, int N) {
  struct Damped *S = State;
  X[0] += S->Damping * S->Last[N - 1];
  free(S->Last);
  free(S->SolverState);
  free(S);
  return 0;
}
const struct Method DampedMethod = {"damped", makeDamped, beginDamped, stepDamped, endDamped};

struct Workspace {
  const struct Method *How;
  void *State;
  double *X;
};
static struct Workspace *make(const struct Method *How, const double *X, int N) {
  struct Workspace *W = malloc(sizeof *W);
  W->How = How;
  W->State = How->Make(N);
  W->X = malloc(N * sizeof(double));
  for (int I = 0; I < N; ++I)
    W->X[I] = X[I];
  return W;
}

static double fit(const double *X, int N) {
  struct Workspace *W = make(&DampedMethod, X, N);
  W->How->Begin(W->State, W->X, N);
  for (int K = 0; K < 6 && !W->How->Step(W->State, W->X, N); ++K)
    ;
  W->How->End(W->State, W->X, N);
  double Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += W->X[I] * (I + 1);
  free(W->X);
  free(W);
  return Sum;
}

// A call of Step may reach what stood at Check, and at End of the other kind.
struct Pair {
  int (*First)(void *State, double *X, int N);
  int (*Second)(void *State, double *X, int N);
};
static int doubled(void *State, double *X, int N) {
  for (int I = 0; I < N; ++I)
    X[I] *= 2 + *(double *)State;
  return 0;
}
static int squared(void *State, double *X, int N) {
  for (int I = 0; I < N; ++I)
    X[I] *= X[I] * *(double *)State;
  return 0;
}
static const struct Pair Both = {doubled, squared};
struct Pair *volatile Kept;
static double exchanged(const double *X, int N) {
  struct Pair P = Both, Q = Both;
  Kept = &Q;
  P.First = Kept->Second;
  Kept = &P;
  double Y[4], Sum = 0;
  for (int I = 0; I < N; ++I)
    Y[I] = X[I];
  Kept->First(&Y[0], Y + 1, N - 1);
  Kept->Second(&Y[1], Y + 2, N - 2);
  for (int I = 0; I < N; ++I)
    Sum += (I + 1) * Y[I];
  return Sum;
}

int main(void) {
  double x[4] = {0.6, 0.4, 0.9, 0.7}, t[4] = {0, 1, 0, 0};
  double d[4] = {0}, e[4] = {0};
  __enzyme_autodiff((void *)fit, x, d, 4);
  RG_GRADS(d, fit(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)fit, x, t, 4), d[1]);
  __enzyme_autodiff((void *)exchanged, x, e, 4);
  RG_GRADS(e, exchanged(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)exchanged, x, t, 4), e[1]);
  return rgReport();
}
