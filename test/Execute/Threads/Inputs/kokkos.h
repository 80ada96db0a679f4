// The interface of Kokkos in small, by its names: Views with records of their arrays,
// tiles, teams, reducers. What is compiled in that library is in kokkos.cpp. Its own ways
// to run a body begin with a function that is compiled, too: derivatives run substitutes.
#ifndef KOKKOS_SMALL_H
#define KOKKOS_SMALL_H
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace Kokkos {
struct Serial {};
struct Host {};
struct AUTO_t {};
inline constexpr AUTO_t AUTO;
int num_threads();
bool is_initialized();
void set_threads(int n);
int arrays();
void start(); // of a loop

class HostSpace {
public:
  void *allocate(const char *label, size_t bytes, size_t reported = 0) const;
};

namespace Impl {
template <class Space = void, class End = void> class SharedAllocationRecord;
class SharedAllocationHeader {
public:
  SharedAllocationRecord<void, void> *record;
  char label[120];
};
template <> class SharedAllocationRecord<void, void> {
protected:
  typedef void (*function_type)(SharedAllocationRecord<void, void> *);
  SharedAllocationHeader *const array;
  size_t const bytes;
  function_type const dealloc;
  int count;
  std::string label;
  SharedAllocationRecord(SharedAllocationHeader *, size_t, function_type, const std::string &);

public:
  virtual std::string get_label() const { return "none"; }
  virtual ~SharedAllocationRecord() = default;
  void *data() const { return array + 1; }
  static void increment(SharedAllocationRecord *);
  static SharedAllocationRecord *decrement(SharedAllocationRecord *);
};
void fill_host_accessible_header_info(SharedAllocationRecord<void, void> *, SharedAllocationHeader &,
                                      std::string const &);
template <class Space> class SharedAllocationRecordCommon : public SharedAllocationRecord<void, void> {
protected:
  Space space;

public:
  ~SharedAllocationRecordCommon();
  SharedAllocationRecordCommon(Space const &, std::string const &, std::size_t, function_type);
  // A program may give the place where it is to be cleared.
  template <class Where>
  SharedAllocationRecordCommon(Where const &, Space const &s, std::string const &l, std::size_t n,
                               function_type f)
      : SharedAllocationRecord<void, void>(
            (SharedAllocationHeader *)s.allocate(l.c_str(), n + sizeof(SharedAllocationHeader), n),
            n + sizeof(SharedAllocationHeader), f, l),
        space(s) {
    fill_host_accessible_header_info(this, *array, l);
  }
  std::string get_label() const override;
};
extern template class SharedAllocationRecordCommon<HostSpace>;
template <class End> void deallocate(SharedAllocationRecord<void, void> *r) {
  delete (SharedAllocationRecord<HostSpace, End> *)r;
}
template <class End>
class SharedAllocationRecord<HostSpace, End> : public SharedAllocationRecordCommon<HostSpace> {
public:
  End end;
  SharedAllocationRecord(HostSpace const &s, std::string const &l, size_t n)
      : SharedAllocationRecordCommon<HostSpace>(s, l, n, &deallocate<End>) {}
  SharedAllocationRecord(Host const &h, HostSpace const &s, std::string const &l, size_t n)
      : SharedAllocationRecordCommon<HostSpace>(h, s, l, n, &deallocate<End>) {}
};
struct Nothing {
  void *of = nullptr;
};
void hostspace_parallel_deepcopy(void *to, const void *from, ptrdiff_t bytes);
struct SharedAllocationTracker {
  SharedAllocationRecord<void, void> *record = nullptr;
  template <class Space> std::string get_label() const { return record ? record->get_label() : ""; }
};
} // namespace Impl

// Of one dimension; a view of memory that is somebody else's has no record.
template <class T, class Space = HostSpace> class View {
  typedef Impl::SharedAllocationRecord<void, void> Record;
  Impl::SharedAllocationTracker track;
  T *at = nullptr;
  size_t n = 0;

public:
  View() = default;
  View(T *p, size_t n = 1) : at(p), n(n) {}
  View(const std::string &label, size_t n, bool here = false) : n(n) {
    const size_t bytes = n * sizeof(T);
    typedef Impl::SharedAllocationRecord<HostSpace, Impl::Nothing> Made;
    Record::increment(track.record = here ? new Made(Host(), HostSpace(), label, bytes)
                                    : new Made(HostSpace(), label, bytes));
    at = (T *)track.record->data();
    memset(at, 0, bytes);
  }
  View(const View &o) : track(o.track), at(o.at), n(o.n) {
    if (track.record)
      Record::increment(track.record);
  }
  View &operator=(const View &o) {
    if (o.track.record)
      Record::increment(o.track.record);
    if (track.record)
      Record::decrement(track.record);
    track.record = o.track.record;
    at = o.at;
    n = o.n;
    return *this;
  }
  ~View() {
    if (track.record)
      Record::decrement(track.record);
  }
  T &operator()(size_t i) const { return at[i]; }
  T *data() const { return at; }
  size_t size() const { return n; }
  std::string label() const { return track.get_label<Space>(); }
};
template <class T> void deep_copy(const View<T> &to, const View<T> &from) {
  Impl::hostspace_parallel_deepcopy(to.data(), from.data(), from.size() * sizeof(T));
}
template <class T> void resize(View<T> &v, size_t n) {
  View<T> w(v.label(), n);
  Impl::hostspace_parallel_deepcopy(w.data(), v.data(), (n < v.size() ? n : v.size()) * sizeof(T));
  v = w;
}

template <class... Traits> class RangePolicy {
  long first, last;

public:
  RangePolicy(long b, long e) : first(b), last(e) {}
  long begin() const { return first; }
  long end() const { return last; }
};
template <unsigned N> struct Rank {};
template <unsigned N> struct Array {
  long at[N];
};
struct Two {
  Array<2> lower, upper, tile, tiles;
};
template <class Of, class... Traits> struct MDRangePolicy {
  char where = 0;
  Array<2> lower, upper, tile, tiles;
  long m_num_tiles, in_tile;
  bool tuned = false;
  MDRangePolicy(Array<2> l, Array<2> u, Array<2> t = {{2, 3}}) : lower(l), upper(u), tile(t) {
    for (int d = 0; d < 2; ++d)
      tiles.at[d] = (u.at[d] - l.at[d] + t.at[d] - 1) / t.at[d];
    m_num_tiles = tiles.at[0] * tiles.at[1];
    in_tile = t.at[0] * t.at[1];
  }
};

namespace Impl {
class HostThreadTeamData {
public:
  struct {
    long first, second;
  } range = {-1, -1};
  int64_t end = 0;
  int64_t *scratch = nullptr, *pool_scratch = nullptr, *team_scratch = nullptr;
  int pool_rank = 0, pool_size = 1;
  size_t m_team_reduce = 0, m_team_shared = 0, m_thread_local = 0, all = 0;
  int team_base = 0, m_team_rank = 0, m_team_size = 1, team_alloc = 1, rank = 0, league = 1, chunk = 0,
      steal = 0, step = 0, team_step = 0;
};
template <class Space> class HostThreadTeamMember {
  char *memory;
  HostThreadTeamData &data;
  int rank, league;

public:
  HostThreadTeamMember(HostThreadTeamData &d, int rank, int league)
      : memory((char *)(d.team_scratch + d.m_team_shared)), data(d), rank(rank), league(league) {}
  int league_rank() const { return rank; }
  int league_size() const { return league; }
  int team_rank() const { return data.m_team_rank; }
  int team_size() const { return data.m_team_size; }
  double *team_scratch() const { return (double *)memory; }
};
template <class Space, class... Traits> class TeamPolicyInternal {
  int league, team;
  size_t bytes = 0;

public:
  TeamPolicyInternal(int league, int team) : league(league), team(team) {}
  int league_size() const { return league; }
  int team_size() const { return team; }
  size_t scratch_size(const int &level, int = -1) const { return level ? 0 : bytes; }
  void set_bytes(size_t n) { bytes = n; }
};
template <class Body, class Enable = void> struct FunctorTeamShmemSize {
  static size_t value(const Body &, int) { return 0; }
};
} // namespace Impl
template <class... Traits> class TeamPolicy : public Impl::TeamPolicyInternal<Host, Traits...> {
public:
  typedef Impl::HostThreadTeamMember<Host> member_type;
  TeamPolicy(int league, const AUTO_t &) : Impl::TeamPolicyInternal<Host, Traits...>(league, 1) {}
  TeamPolicy(int league, int team) : Impl::TeamPolicyInternal<Host, Traits...>(league, team) {}
  TeamPolicy &set_scratch(size_t n) {
    this->set_bytes(n);
    return *this;
  }
};

namespace Impl {
template <class P> struct TagOf {
  typedef void type;
};
template <template <class...> class P, class A> struct TagOf<P<A>> {
  typedef A type;
};
template <> struct TagOf<RangePolicy<Serial>> {
  typedef void type;
};
template <class N, class A> struct TagOf<MDRangePolicy<N, A>> {
  typedef A type;
};
template <class N> struct TagOf<MDRangePolicy<N>> {
  typedef void type;
};
template <class Tag, class Body, class... Args> void call(const Body &body, Args &&...args) {
  if constexpr (std::is_void_v<Tag>)
    body(args...);
  else
    body(Tag(), args...);
}
template <class Policy, class Body, class Tag, class Value, class Enable> struct HostIterateTile {
  Policy policy;
  Body body;
  HostIterateTile(Policy const &p, Body const &b) : policy(p), body(b) {}
  template <class... V> void walk(long tile, V &...v) const {
    const long i0 = policy.lower.at[0] + tile % policy.tiles.at[0] * policy.tile.at[0];
    const long j0 = policy.lower.at[1] + tile / policy.tiles.at[0] * policy.tile.at[1];
    for (long i = i0; i < i0 + policy.tile.at[0] && i < policy.upper.at[0]; ++i)
      for (long j = j0; j < j0 + policy.tile.at[1] && j < policy.upper.at[1]; ++j)
        call<Tag>(body, i, j, v...);
  }
  template <class I> void operator()(I tile) const { walk(tile); }
  template <class I, class V> void operator()(I tile, V &v) const { walk(tile, v); }
};

// What a reducer is to the library, by what the program says.
template <class Policy, class Of, class Value> struct FunctorAnalysis {
  struct Reducer {
    Of of;
    Reducer(Of const &o) : of(o) {}
    Value &init(Value *v) const {
      if constexpr (requires { of.init(*v); })
        of.init(*v);
      else
        *v = Value();
      return *v;
    }
    void join(Value *to, Value const *from) const {
      if constexpr (requires { of.join(*to, *from); })
        of.join(*to, *from);
      else
        *to += *from;
    }
    void final(Value *v) const {
      if constexpr (requires { of.final(*v); })
        of.final(*v);
    }
  };
};
template <class Body, class R, class Enable> struct CombinedFunctorReducer {
  Body body;
  R reducer;
  CombinedFunctorReducer(Body const &b, R const &r) : body(b), reducer(r) {}
  template <class... Args> void operator()(Args &&...args) const { body(args...); }
};
template <class Result> struct ReduceResult {
  typedef Result type;
  static constexpr bool is_reducer = false;
  static View<Result, Host> return_value(Result &r, const auto &) { return View<Result, Host>(&r); }
};
template <class Result>
  requires requires { typename Result::value_type; }
struct ReduceResult<Result> {
  typedef typename Result::value_type type;
  static constexpr bool is_reducer = true;
  static View<type, Host> return_value(Result &r, const auto &) { return r.view(); }
};
template <class T> struct ReduceResult<View<T>> {
  typedef T type;
  static constexpr bool is_reducer = false;
  static View<T> &return_value(View<T> &r, const auto &) { return r; }
};
template <class Body, class Policy, class Value> struct ParallelReduce {
  Body body;
  Policy policy;
  Value *result;
  template <class V>
  ParallelReduce(Body const &b, Policy const &p, V const &v)
      : body(b), policy(p), result(v.data()) {}
  void execute() const {
    start();
    Value v;
    body.reducer.init(&v);
    if constexpr (requires { policy.m_num_tiles; }) {
      HostIterateTile<Policy, Body, typename TagOf<Policy>::type, Value &, void> walk(policy, body);
      for (long i = 0; i < policy.m_num_tiles; ++i)
        walk(i, v);
    } else if constexpr (requires { policy.begin(); }) {
      for (long i = policy.begin(); i < policy.end(); ++i)
        call<typename TagOf<Policy>::type>(body.body, i, v);
    } else {
      HostThreadTeamData data;
      for (int i = 0; i < policy.league_size(); ++i)
        call<typename TagOf<Policy>::type>(
            body.body, HostThreadTeamMember<Host>(data, i, policy.league_size()), v);
      FunctorTeamShmemSize<decltype(body.body)>::value(body.body, policy.team_size());
      policy.scratch_size(0);
    }
    Value other;
    body.reducer.init(&other);
    body.reducer.join(&v, &other);
    body.reducer.final(&v);
    *result = v;
  }
};
template <class Policy, class Body, class Result> struct ParallelReduceAdaptor {
  static void execute_impl(const std::string &, const Policy &policy, const Body &body, Result &result) {
    typedef ReduceResult<Result> R;
    typedef typename R::type Value;
    if constexpr (R::is_reducer) {
      typedef typename FunctorAnalysis<Policy, Result, Value>::Reducer Reducer;
      typedef CombinedFunctorReducer<Body, Reducer, void> Both;
      Both both(body, Reducer(result));
      ParallelReduce<Both, Policy, Value>(both, policy, R::return_value(result, body)).execute();
    } else {
      typedef typename FunctorAnalysis<Policy, Body, Value>::Reducer Reducer;
      typedef CombinedFunctorReducer<Body, Reducer, void> Both;
      Both both(body, Reducer(body));
      ParallelReduce<Both, Policy, Value>(both, policy, R::return_value(result, body)).execute();
    }
  }
};
} // namespace Impl

template <class Policy, class Body, class Enable = void>
void parallel_for(const std::string &, const Policy &policy, const Body &body) {
  start();
  typedef typename Impl::TagOf<Policy>::type Tag;
  if constexpr (requires { policy.m_num_tiles; }) {
    Impl::HostIterateTile<Policy, Body, Tag, void, void> walk(policy, body);
    for (long i = 0; i < policy.m_num_tiles; ++i)
      walk(i);
  } else if constexpr (requires { policy.begin(); }) {
    for (long i = policy.begin(); i < policy.end(); ++i)
      Impl::call<Tag>(body, i);
  } else {
    Impl::HostThreadTeamData data;
    const size_t bytes = policy.scratch_size(0) + Impl::FunctorTeamShmemSize<Body>::value(body, policy.team_size());
    std::string memory(bytes, 0);
    data.team_scratch = (int64_t *)memory.data();
    for (int i = 0; i < policy.league_size(); ++i)
      Impl::call<Tag>(body, Impl::HostThreadTeamMember<Host>(data, i, policy.league_size()));
  }
}
template <class Policy, class Body, class Result>
void parallel_reduce(const std::string &label, const Policy &p, const Body &body, Result &result) {
  Impl::ParallelReduceAdaptor<Policy, Body, Result>::execute_impl(label, p, body, result);
}
template <class T, class Space> struct Max {
  typedef T value_type;
  View<T, Space> value;
  explicit Max(T &v) : value(&v) {}
  void join(T &into, const T &from) const {
    if (from > into)
      into = from;
  }
  void init(T &v) const { v = -1e300; }
  View<T, Space> view() const { return value; }
};
} // namespace Kokkos
#endif
