//===- sparse.hpp - sparse Jacobians and Hessians ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++17, header-only, beside <retrograd/retrograd.hpp>.
//
//   rg::sparse_jacobian(f)(x, ...)    the Jacobian of f by x as an
//                                     rg::SparseMatrix (compressed rows)
//   rg::sparse_hessian(f)(x, ...)     the Hessian of a scalar f, likewise
//   rg::jacobian_pattern(f)(x, ...)   where the Jacobian may be nonzero
//   rg::hessian_pattern(f)(x, ...)    the same of the Hessian
//   rg::sparse_jacobian(f)(plan, x, ...), rg::sparse_hessian(f)(plan, x, ...)
//                                     with a pattern found before: plan is an
//                                     rg::JacobianPlan or rg::HessianPlan of it
//
// Arguments as for rg::jacobian: the first holds the numbers to differentiate
// by (a std::array or std::vector of numbers, say), the others are constant.
//
// The pattern is that of the computation at x: result i is taken to depend on
// argument j if some chain of operations that were executed leads from j to i,
// whatever the numbers are. So it is a superset of the nonzeros at every point
// where f takes the same branches and indexes memory in the same way, zeros by
// chance included. Without a plan it is found anew at each x. A plan that is
// used again is checked at each x by one more derivative along a random
// direction; if it does not hold there, the program stops with a message.
//
// Columns (or rows, if that takes fewer) that share no row are computed
// together: Curtis, Powell and Reid, "On the estimation of sparse Jacobian
// matrices", 1974; for the symmetric Hessian by a star colouring: Coleman and
// More, "Estimation of sparse Hessian matrices and graph coloring problems",
// 1984, in the greedy form of Gebremedhin, Manne and Pothen, "What color is
// your Jacobian?", 2005. Method and limits: docs/Sparse.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SPARSE_HPP
#define RETROGRAD_SPARSE_HPP

#include "retrograd.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#define RG_INLINE inline __attribute__((always_inline))

namespace rg {

/// Places of a matrix, by rows: those of row i are column[start[i]] to
/// column[start[i + 1] - 1], in ascending order.
struct Pattern {
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> start{0};
  std::vector<std::size_t> column;

  std::size_t nonzeros() const { return column.size(); }
  bool contains(std::size_t Row, std::size_t Column) const {
    return std::binary_search(column.begin() + start[Row],
                              column.begin() + start[Row + 1], Column);
  }
  bool operator==(const Pattern &O) const {
    return rows == O.rows && columns == O.columns && start == O.start &&
           column == O.column;
  }
  /// All places of both: for functions that branch, the pattern of several
  /// points. Both must be of one size.
  Pattern united(const Pattern &O) const {
    detail::check(rows == O.rows && columns == O.columns,
                  "patterns of different sizes have no union");
    Pattern U{rows, columns, {0}, {}};
    for (std::size_t Row = 0; Row < rows; ++Row) {
      std::set_union(
          column.begin() + start[Row], column.begin() + start[Row + 1],
          O.column.begin() + O.start[Row], O.column.begin() + O.start[Row + 1],
          std::back_inserter(U.column));
      U.start.push_back(U.column.size());
    }
    return U;
  }
  Pattern transposed() const {
    Pattern T{columns, rows, std::vector<std::size_t>(columns + 1),
              std::vector<std::size_t>(column.size())};
    for (std::size_t C : column)
      ++T.start[C + 1];
    std::partial_sum(T.start.begin(), T.start.end(), T.start.begin());
    std::vector<std::size_t> Next(T.start.begin(), T.start.end() - 1);
    for (std::size_t Row = 0; Row < rows; ++Row)
      for (std::size_t K = start[Row]; K < start[Row + 1]; ++K)
        T.column[Next[column[K]]++] = Row;
    return T;
  }
};

/// A matrix in compressed rows: value[k] stands in column column[k].
template <class T> struct SparseMatrix : Pattern {
  std::vector<T> value;

  T operator()(std::size_t Row, std::size_t Column) const {
    auto First = this->column.begin() + this->start[Row],
         Last = this->column.begin() + this->start[Row + 1];
    auto At = std::lower_bound(First, Last, Column);
    return At == Last || *At != Column
               ? T(0)
               : value[std::size_t(At - this->column.begin())];
  }
};

/// Which columns (or rows) are computed together: those of one colour.
struct Coloring {
  std::vector<std::size_t> colour;
  std::size_t colours = 0;
};

/// A pattern and what to compute together: made once, used at many points.
struct JacobianPlan {
  Pattern pattern;
  Coloring coloring;
  bool byRows = false; ///< reverse mode
  explicit JacobianPlan(Pattern P);
};
struct HessianPlan {
  Pattern pattern; ///< symmetric, with its diagonal
  Coloring coloring;
  explicit HessianPlan(const Pattern &P);
};

namespace detail {

/// The smallest colour that is not marked as forbidden for vertex V.
inline std::size_t freeColour(const std::vector<std::size_t> &ForbiddenFor,
                              std::size_t V) {
  std::size_t Colour = 0;
  while (Colour < ForbiddenFor.size() && ForbiddenFor[Colour] == V)
    ++Colour;
  return Colour;
}

inline constexpr std::size_t Uncoloured = std::size_t(-1);

/// Rows in the order of falling length: greedy colouring uses fewer colours so.
inline std::vector<std::size_t> longestFirst(const Pattern &P) {
  std::vector<std::size_t> Order(P.rows);
  std::iota(Order.begin(), Order.end(), std::size_t(0));
  std::sort(Order.begin(), Order.end(), [&](std::size_t A, std::size_t B) {
    const std::size_t OfA = P.start[A + 1] - P.start[A],
                      OfB = P.start[B + 1] - P.start[B];
    return OfA != OfB ? OfA > OfB : A < B;
  });
  return Order;
}

/// Columns of one colour have no row in common.
inline Coloring colourColumns(const Pattern &ByRow) {
  const Pattern ByColumn = ByRow.transposed();
  Coloring C{std::vector<std::size_t>(ByRow.columns, Uncoloured), 0};
  std::vector<std::size_t> ForbiddenFor(ByRow.columns, Uncoloured);
  for (std::size_t V : longestFirst(ByColumn)) {
    for (std::size_t K = ByColumn.start[V]; K < ByColumn.start[V + 1]; ++K) {
      const std::size_t Row = ByColumn.column[K];
      for (std::size_t L = ByRow.start[Row]; L < ByRow.start[Row + 1]; ++L)
        if (std::size_t Used = C.colour[ByRow.column[L]]; Used != Uncoloured)
          ForbiddenFor[Used] = V;
    }
    C.colour[V] = freeColour(ForbiddenFor, V);
    C.colours = std::max(C.colours, C.colour[V] + 1);
  }
  return C;
}

/// Vertices of the symmetric pattern P so that neighbours differ, and every
/// path of four vertices has three colours. Then of each place (i, j) one of
/// the two compressed products has nothing but that entry.
inline Coloring colourStars(const Pattern &P) {
  Coloring C{std::vector<std::size_t>(P.rows, Uncoloured), 0};
  std::vector<std::size_t> ForbiddenFor(P.rows, Uncoloured);
  auto Forbid = [&](std::size_t Of, std::size_t V) {
    if (C.colour[Of] != Uncoloured)
      ForbiddenFor[C.colour[Of]] = V;
  };
  auto ForNeighbours = [&](std::size_t V, auto Do) {
    for (std::size_t K = P.start[V]; K < P.start[V + 1]; ++K)
      if (P.column[K] != V)
        Do(P.column[K]);
  };
  for (std::size_t V : longestFirst(P)) {
    ForNeighbours(V, [&](std::size_t W) {
      Forbid(W, V);
      ForNeighbours(W, [&](std::size_t X) {
        if (X == V || C.colour[X] == Uncoloured)
          return;
        // V - W - X: with W coloured, V may have X's colour unless X is the
        // middle of a path W - X - Y whose ends share a colour.
        if (C.colour[W] == Uncoloured) {
          Forbid(X, V);
          return;
        }
        ForNeighbours(X, [&](std::size_t Y) {
          if (Y != W && C.colour[Y] == C.colour[W])
            Forbid(X, V);
        });
      });
    });
    C.colour[V] = freeColour(ForbiddenFor, V);
    C.colours = std::max(C.colours, C.colour[V] + 1);
  }
  return C;
}

/// P, its transpose and the diagonal.
inline Pattern symmetric(const Pattern &P) {
  check(P.rows == P.columns, "the pattern of a Hessian is square");
  Pattern Diagonal{P.rows, P.columns, {0}, {}};
  for (std::size_t I = 0; I < P.rows; ++I) {
    Diagonal.column.push_back(I);
    Diagonal.start.push_back(I + 1);
  }
  return P.united(P.transposed()).united(Diagonal);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

struct PatternTag {};
RG_INLINE int marker(PatternTag) { return enzyme_pattern; }

/// Columns that the bits of one tangent stand for: what the smallest format
/// that f may compute in has room for (half precision).
inline constexpr std::size_t SetBits = 16;
/// Tangents per sweep.
inline constexpr std::size_t SetLanes = 8;

template <class T> T setOf(unsigned Bit) {
  T Set = 0;
  std::uint16_t Bits = std::uint16_t(1u << Bit); // little endian
  std::memcpy(&Set, &Bits, sizeof(Bits));
  return Set;
}
template <class T> unsigned bitsOf(const T &Set) {
  std::uint16_t Bits;
  std::memcpy(&Bits, &Set, sizeof(Bits));
  return Bits;
}

/// The gradient of f by its first argument, as a function.
template <class F, class... A>
using GradientOf =
    GradientFunction<F, true, !IsConstantArgument<Bare<A>>::value...>;

/// Which numbers of f's result depend on which of Point.
template <class R, class F, class X, class... P>
RG_INLINE Pattern patternOf(const F &f, X &Point, P &&...ports) {
  using NX = Numbers<X>;
  using NR = Numbers<R>;
  const std::size_t N = NX::size(Point);
  std::vector<std::vector<std::size_t>> Rows;
  for (std::size_t First = 0; First < N || First == 0;
       First += SetLanes * SetBits) {
    std::array<X, SetLanes> Sets;
    for (std::size_t Lane = 0; Lane < SetLanes; ++Lane) {
      Sets[Lane] = NX::zeros(Point);
      for (std::size_t Bit = 0; Bit < SetBits; ++Bit)
        if (std::size_t C = First + Lane * SetBits + Bit; C < N)
          NX::at(Sets[Lane], C) = setOf<typename NX::Scalar>(unsigned(Bit));
    }
    R Out{};
    std::array<R, SetLanes> Found{};
    StripPort<R, SetLanes> Result(&Out, Found);
    StripPort<X, SetLanes> Argument(&Point, Sets);
    std::tuple<StripPort<R, SetLanes> &, StripPort<X, SetLanes> &, P &...>
    Ports(Result, Argument, ports...);
    expandStrip<true, 0>(
        reinterpret_cast<void *>(
            &StoreThunk<R, F, StripPort<X, SetLanes>, Bare<P>...>::call),
        Ports, std::make_index_sequence<SetLanes>(), PatternTag(), WidthTag(),
        WidthIs<SetLanes>(), ConstTag(), Callee<F>::pass(f));
    Rows.resize(NR::size(Out));
    for (std::size_t Row = 0; Row < Rows.size(); ++Row)
      for (std::size_t Lane = 0; Lane < SetLanes; ++Lane)
        for (unsigned Bits = bitsOf(NR::at(Found[Lane], Row)), Bit = 0; Bits;
             ++Bit, Bits >>= 1)
          if (Bits & 1)
            Rows[Row].push_back(First + Lane * SetBits + Bit);
  }
  Pattern Whole{Rows.size(), N, {0}, {}};
  for (const std::vector<std::size_t> &Row : Rows) {
    Whole.column.insert(Whole.column.end(), Row.begin(), Row.end());
    Whole.start.push_back(Whole.column.size());
  }
  return Whole;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A direction without regularity, the same in every run.
template <class X> X scattered(X Like) {
  std::uint64_t State = 0x9E3779B97F4A7C15u;
  for (std::size_t I = 0; I < Numbers<X>::size(Like); ++I) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    Numbers<X>::at(Like, I) = typename Numbers<X>::Scalar(
        0.5 + double(State >> 40) / double(std::uint64_t(1) << 24));
  }
  return Like;
}

/// Stops the program where Product is not Matrix (or its transpose) times
/// Direction.
template <class T, class V, class W>
void checkProduct(const SparseMatrix<T> &Matrix, bool Transposed, V &Direction,
                  W &Product) {
  std::vector<T> Sum(Numbers<W>::size(Product)), Size(Sum.size());
  T Largest = 0;
  for (std::size_t Row = 0; Row < Matrix.rows; ++Row)
    for (std::size_t K = Matrix.start[Row]; K < Matrix.start[Row + 1]; ++K) {
      const std::size_t To = Transposed ? Matrix.column[K] : Row,
                        From = Transposed ? Row : Matrix.column[K];
      const T Part = Matrix.value[K] * T(Numbers<V>::at(Direction, From));
      Sum[To] += Part;
      Size[To] += Part < 0 ? -Part : Part;
      Largest = std::max(Largest, Part < 0 ? -Part : Part);
    }
  const T Allowed = std::sqrt(std::numeric_limits<T>::epsilon());
  for (std::size_t I = 0; I < Sum.size(); ++I) {
    const T Error = Sum[I] - T(Numbers<W>::at(Product, I));
    // Written so that NaN passes: it says nothing of the pattern.
    check(!((Error < 0 ? -Error : Error) > Allowed * (Size[I] + Largest)),
          "the sparsity pattern of this plan does not hold at this point (f "
          "takes other branches or indices here); find it anew, or unite "
          "the patterns of several points");
  }
}

template <class R, class F, class X, class... P>
RG_INLINE auto sparseJacobianOf(const F &f, X &Point, const R &Value,
                                const JacobianPlan &Plan, bool Check,
                                P &&...ports) {
  using NX = Numbers<X>;
  using NR = Numbers<R>;
  using T = typename NX::Scalar;
  SparseMatrix<T> J{{Plan.pattern}, {}};
  check(J.rows == NR::size(Value) && J.columns == NX::size(Point),
        "the plan of this sparse Jacobian is of another size");
  J.value.resize(J.nonzeros());
  const std::vector<std::size_t> &Colour = Plan.coloring.colour;
  const std::size_t Colours = Plan.coloring.colours;
  // Seeds (or directions) of one colour each, and last a random one whose
  // product is compared with the matrix.
  auto Computed = [&](auto Random, auto Along, auto Sweep, auto Entries) {
    auto SeedOf = [&](std::size_t C) {
      if (C == Colours)
        return Random;
      auto Seed = Random;
      for (std::size_t I = 0; I < Colour.size(); ++I)
        Numbers<decltype(Seed)>::at(Seed, I) = Colour[I] == C;
      return Seed;
    };
    auto Use = [&](std::size_t C, auto &Product) {
      if (C == Colours)
        Along = Product;
      else
        for (std::size_t Row = 0; Row < J.rows; ++Row)
          for (std::size_t K = J.start[Row]; K < J.start[Row + 1]; ++K)
            Entries(C, Row, K, Product);
    };
    Sweep(Colours + Check, SeedOf, Use);
    if (Check)
      checkProduct(J, Plan.byRows, Random, Along);
  };
  if (Plan.byRows)
    Computed(
        scattered(NR::zeros(Value)), NX::zeros(Point),
        [&](std::size_t Count, auto &SeedOf, auto &Use) {
          forRows<R>(f, Point, Count, SeedOf, NR::zeros(Value), Use, ports...);
        },
        [&](std::size_t C, std::size_t Row, std::size_t K, X &Adjoint) {
          if (Colour[Row] == C)
            J.value[K] = NX::at(Adjoint, J.column[K]);
        });
  else
    Computed(
        scattered(NX::zeros(Point)), NR::zeros(Value),
        [&](std::size_t Count, auto &DirectionOf, auto &Use) {
          forColumns<R>(f, Point, Count, DirectionOf, Use, ports...);
        },
        [&](std::size_t C, std::size_t Row, std::size_t K, R &Tangent) {
          if (Colour[J.column[K]] == C)
            J.value[K] = T(NR::at(Tangent, Row));
        });
  return J;
}

/// g: the gradient of the function.
template <class G, class X, class... P>
RG_INLINE auto sparseHessianOf(const G &g, X &Point, const HessianPlan &Plan,
                               bool Check, P &&...ports) {
  using NX = Numbers<X>;
  using T = typename NX::Scalar;
  const std::size_t N = NX::size(Point), Colours = Plan.coloring.colours;
  SparseMatrix<T> H{{Plan.pattern}, {}};
  check(H.rows == N, "the plan of this sparse Hessian is of another size");
  H.value.resize(H.nonzeros());
  const std::vector<std::size_t> &Colour = Plan.coloring.colour;
  X Random = scattered(NX::zeros(Point)), Along = NX::zeros(Point);
  std::vector<T> Compressed(N * Colours);
  forColumns<X>(
      g, Point, Colours + Check,
      [&](std::size_t C) {
        if (C == Colours)
          return Random;
        X Direction = NX::zeros(Point);
        for (std::size_t I = 0; I < N; ++I)
          if (Colour[I] == C)
            NX::at(Direction, I) = 1;
        return Direction;
      },
      [&](std::size_t C, X &Product) {
        if (C == Colours)
          Along = Product;
        else
          for (std::size_t I = 0; I < N; ++I)
            Compressed[I * Colours + C] = NX::at(Product, I);
      },
      ports...);
  // An entry stands alone in its compressed product if its column's colour
  // occurs once in the row.
  std::vector<std::size_t> Times(N * Colours);
  for (std::size_t Row = 0; Row < N; ++Row)
    for (std::size_t K = H.start[Row]; K < H.start[Row + 1]; ++K)
      ++Times[Row * Colours + Colour[H.column[K]]];
  for (std::size_t Row = 0; Row < N; ++Row)
    for (std::size_t K = H.start[Row]; K < H.start[Row + 1]; ++K) {
      const std::size_t Column = H.column[K];
      H.value[K] = Times[Row * Colours + Colour[Column]] == 1
                       ? Compressed[Row * Colours + Colour[Column]]
                       : Compressed[Column * Colours + Colour[Row]];
    }
  if (Check)
    checkProduct(H, false, Random, Along);
  return H;
}

} // namespace detail

inline JacobianPlan::JacobianPlan(Pattern P) : pattern(std::move(P)) {
  Coloring Columns = detail::colourColumns(pattern),
           Rows = detail::colourColumns(pattern.transposed());
  byRows = Rows.colours < Columns.colours;
  coloring = std::move(byRows ? Rows : Columns);
}
inline HessianPlan::HessianPlan(const Pattern &P)
    : pattern(detail::symmetric(P)), coloring(detail::colourStars(pattern)) {}

//===----------------------------------------------------------------------===//
// What users call
//===----------------------------------------------------------------------===//

namespace detail {
/// What is the same for all of them: a copy of x, constants behind it.
template <class F> struct OfFirstArgument {
  F f;
  template <class R, class X, class... A>
  RG_INLINE R value(X &Point, A &&...a) const {
    return f(Point, MakerOf<A>::Port::as(MakerOf<A>::make(a).value)...);
  }
  template <class X, class R, class... A>
  static constexpr void requireNumbers() {
    static_assert(holdsNumbers<X> && !std::is_floating_point_v<X>,
                  "the first argument of a sparse derivative must be a "
                  "std::array, std::vector or std::complex of numbers");
    static_assert((IsConstantArgument<Bare<A>>::value && ...),
                  "a sparse derivative is taken by the first argument: wrap "
                  "the others in rg::constant(x)");
    static_assert(holdsNumbers<R>,
                  "the function must return a floating-point number, or a "
                  "std::array, std::vector or std::complex of them");
  }
};
} // namespace detail

/// rg::jacobian_pattern(f)
template <class F> struct JacobianPattern : detail::OfFirstArgument<F> {
  template <class X, class... A>
  RG_INLINE Pattern operator()(const X &x, A &&...a) const {
    using R = detail::Result<F, X &, A...>;
    this->template requireNumbers<X, R, A...>();
    X Point = x;
    return detail::patternOf<R>(this->f, Point, detail::MakerOf<A>::make(a)...);
  }
};
/// rg::sparse_jacobian(f)
template <class F> struct SparseJacobian : detail::OfFirstArgument<F> {
  template <class X, class... A>
  RG_INLINE auto operator()(const JacobianPlan &plan, const X &x,
                            A &&...a) const {
    using R = detail::Result<F, X &, A...>;
    this->template requireNumbers<X, R, A...>();
    X Point = x;
    const R Value = this->template value<R>(Point, a...);
    return detail::sparseJacobianOf<R>(this->f, Point, Value, plan, true,
                                       detail::MakerOf<A>::make(a)...);
  }
  template <class X, class... A,
            std::enable_if_t<!std::is_same_v<X, JacobianPlan>, int> = 0>
  RG_INLINE auto operator()(const X &x, A &&...a) const {
    using R = detail::Result<F, X &, A...>;
    this->template requireNumbers<X, R, A...>();
    X Point = x;
    const R Value = this->template value<R>(Point, a...);
    const JacobianPlan Found(
        detail::patternOf<R>(this->f, Point, detail::MakerOf<A>::make(a)...));
    return detail::sparseJacobianOf<R>(this->f, Point, Value, Found, false,
                                       detail::MakerOf<A>::make(a)...);
  }
};
/// rg::hessian_pattern(f)
template <class F> struct HessianPattern : detail::OfFirstArgument<F> {
  template <class X, class... A>
  RG_INLINE Pattern operator()(const X &x, A &&...a) const {
    this->template requireNumbers<X, detail::Result<F, X &, A...>, A...>();
    const detail::GradientOf<F, A...> g{this->f};
    X Point = x;
    return detail::symmetric(
        detail::patternOf<X>(g, Point, detail::MakerOf<A>::make(a)...));
  }
};
/// rg::sparse_hessian(f)
template <class F> struct SparseHessian : detail::OfFirstArgument<F> {
  template <class X, class... A>
  RG_INLINE auto operator()(const HessianPlan &plan, const X &x,
                            A &&...a) const {
    this->template requireNumbers<X, detail::Result<F, X &, A...>, A...>();
    const detail::GradientOf<F, A...> g{this->f};
    X Point = x;
    return detail::sparseHessianOf(g, Point, plan, true,
                                   detail::MakerOf<A>::make(a)...);
  }
  template <class X, class... A,
            std::enable_if_t<!std::is_same_v<X, HessianPlan>, int> = 0>
  RG_INLINE auto operator()(const X &x, A &&...a) const {
    this->template requireNumbers<X, detail::Result<F, X &, A...>, A...>();
    const detail::GradientOf<F, A...> g{this->f};
    X Point = x;
    const HessianPlan Found(
        detail::patternOf<X>(g, Point, detail::MakerOf<A>::make(a)...));
    return detail::sparseHessianOf(g, Point, Found, false,
                                   detail::MakerOf<A>::make(a)...);
  }
};

template <class F>
RG_INLINE JacobianPattern<std::decay_t<F>> jacobian_pattern(F &&f) {
  return {{static_cast<F &&>(f)}};
}
template <class F>
RG_INLINE SparseJacobian<std::decay_t<F>> sparse_jacobian(F &&f) {
  return {{static_cast<F &&>(f)}};
}
template <class F>
RG_INLINE HessianPattern<std::decay_t<F>> hessian_pattern(F &&f) {
  return {{static_cast<F &&>(f)}};
}
template <class F>
RG_INLINE SparseHessian<std::decay_t<F>> sparse_hessian(F &&f) {
  return {{static_cast<F &&>(f)}};
}

} // namespace rg

#undef RG_INLINE

#endif // RETROGRAD_SPARSE_HPP
