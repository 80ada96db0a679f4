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
  bool operator==(const Pattern &_RgO) const {
    return rows == _RgO.rows && columns == _RgO.columns &&
           start == _RgO.start && column == _RgO.column;
  }
  /// All places of both: for functions that branch, the pattern of several
  /// points. Both must be of one size.
  Pattern united(const Pattern &_RgO) const {
    detail::check(rows == _RgO.rows && columns == _RgO.columns,
                  "patterns of different sizes have no union");
    Pattern _RgU{rows, columns, {0}, {}};
    for (std::size_t Row = 0; Row < rows; ++Row) {
      std::set_union(column.begin() + start[Row],
                     column.begin() + start[Row + 1],
                     _RgO.column.begin() + _RgO.start[Row],
                     _RgO.column.begin() + _RgO.start[Row + 1],
                     std::back_inserter(_RgU.column));
      _RgU.start.push_back(_RgU.column.size());
    }
    return _RgU;
  }
  Pattern transposed() const {
    Pattern _RgT{columns, rows, std::vector<std::size_t>(columns + 1),
                 std::vector<std::size_t>(column.size())};
    for (std::size_t _RgC : column)
      ++_RgT.start[_RgC + 1];
    std::partial_sum(_RgT.start.begin(), _RgT.start.end(), _RgT.start.begin());
    std::vector<std::size_t> Next(_RgT.start.begin(), _RgT.start.end() - 1);
    for (std::size_t Row = 0; Row < rows; ++Row)
      for (std::size_t _RgK = start[Row]; _RgK < start[Row + 1]; ++_RgK)
        _RgT.column[Next[column[_RgK]]++] = Row;
    return _RgT;
  }
};

/// A matrix in compressed rows: value[k] stands in column column[k].
template <class _RgT> struct SparseMatrix : Pattern {
  std::vector<_RgT> value;

  _RgT operator()(std::size_t Row, std::size_t Column) const {
    auto First = this->column.begin() + this->start[Row],
         Last = this->column.begin() + this->start[Row + 1];
    auto At = std::lower_bound(First, Last, Column);
    return At == Last || *At != Column
               ? _RgT(0)
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
  explicit JacobianPlan(Pattern _RgP);
};
struct HessianPlan {
  Pattern pattern; ///< symmetric, with its diagonal
  Coloring coloring;
  explicit HessianPlan(const Pattern &_RgP);
};

namespace detail {

/// The smallest colour that is not marked as forbidden for vertex V.
inline std::size_t freeColour(const std::vector<std::size_t> &ForbiddenFor,
                              std::size_t _RgV) {
  std::size_t Colour = 0;
  while (Colour < ForbiddenFor.size() && ForbiddenFor[Colour] == _RgV)
    ++Colour;
  return Colour;
}

inline constexpr std::size_t Uncoloured = std::size_t(-1);

/// Rows in the order of falling length: greedy colouring uses fewer colours so.
inline std::vector<std::size_t> longestFirst(const Pattern &_RgP) {
  std::vector<std::size_t> Order(_RgP.rows);
  std::iota(Order.begin(), Order.end(), std::size_t(0));
  std::sort(Order.begin(), Order.end(),
            [&](std::size_t _RgA, std::size_t _RgB) {
              const std::size_t OfA = _RgP.start[_RgA + 1] - _RgP.start[_RgA],
                                OfB = _RgP.start[_RgB + 1] - _RgP.start[_RgB];
              return OfA != OfB ? OfA > OfB : _RgA < _RgB;
            });
  return Order;
}

/// Columns of one colour have no row in common.
inline Coloring colourColumns(const Pattern &ByRow) {
  const Pattern ByColumn = ByRow.transposed();
  Coloring _RgC{std::vector<std::size_t>(ByRow.columns, Uncoloured), 0};
  std::vector<std::size_t> ForbiddenFor(ByRow.columns, Uncoloured);
  for (std::size_t _RgV : longestFirst(ByColumn)) {
    for (std::size_t _RgK = ByColumn.start[_RgV];
         _RgK < ByColumn.start[_RgV + 1]; ++_RgK) {
      const std::size_t Row = ByColumn.column[_RgK];
      for (std::size_t _RgL = ByRow.start[Row]; _RgL < ByRow.start[Row + 1];
           ++_RgL)
        if (std::size_t Used = _RgC.colour[ByRow.column[_RgL]];
            Used != Uncoloured)
          ForbiddenFor[Used] = _RgV;
    }
    _RgC.colour[_RgV] = freeColour(ForbiddenFor, _RgV);
    _RgC.colours = std::max(_RgC.colours, _RgC.colour[_RgV] + 1);
  }
  return _RgC;
}

/// Vertices of the symmetric pattern P so that neighbours differ, and every
/// path of four vertices has three colours. Then of each place (i, j) one of
/// the two compressed products has nothing but that entry.
inline Coloring colourStars(const Pattern &_RgP) {
  Coloring _RgC{std::vector<std::size_t>(_RgP.rows, Uncoloured), 0};
  std::vector<std::size_t> ForbiddenFor(_RgP.rows, Uncoloured);
  auto Forbid = [&](std::size_t Of, std::size_t _RgV) {
    if (_RgC.colour[Of] != Uncoloured)
      ForbiddenFor[_RgC.colour[Of]] = _RgV;
  };
  auto ForNeighbours = [&](std::size_t _RgV, auto Do) {
    for (std::size_t _RgK = _RgP.start[_RgV]; _RgK < _RgP.start[_RgV + 1];
         ++_RgK)
      if (_RgP.column[_RgK] != _RgV)
        Do(_RgP.column[_RgK]);
  };
  for (std::size_t _RgV : longestFirst(_RgP)) {
    ForNeighbours(_RgV, [&](std::size_t _RgW) {
      Forbid(_RgW, _RgV);
      ForNeighbours(_RgW, [&](std::size_t _RgX) {
        if (_RgX == _RgV || _RgC.colour[_RgX] == Uncoloured)
          return;
        // V - W - X: with W coloured, V may have X's colour unless X is the
        // middle of a path W - X - Y whose ends share a colour.
        if (_RgC.colour[_RgW] == Uncoloured) {
          Forbid(_RgX, _RgV);
          return;
        }
        ForNeighbours(_RgX, [&](std::size_t _RgY) {
          if (_RgY != _RgW && _RgC.colour[_RgY] == _RgC.colour[_RgW])
            Forbid(_RgX, _RgV);
        });
      });
    });
    _RgC.colour[_RgV] = freeColour(ForbiddenFor, _RgV);
    _RgC.colours = std::max(_RgC.colours, _RgC.colour[_RgV] + 1);
  }
  return _RgC;
}

/// P, its transpose and the diagonal.
inline Pattern symmetric(const Pattern &_RgP) {
  check(_RgP.rows == _RgP.columns, "the pattern of a Hessian is square");
  Pattern Diagonal{_RgP.rows, _RgP.columns, {0}, {}};
  for (std::size_t _RgI = 0; _RgI < _RgP.rows; ++_RgI) {
    Diagonal.column.push_back(_RgI);
    Diagonal.start.push_back(_RgI + 1);
  }
  return _RgP.united(_RgP.transposed()).united(Diagonal);
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

template <class _RgT> _RgT setOf(unsigned Bit) {
  _RgT Set = 0;
  std::uint16_t Bits = std::uint16_t(1u << Bit); // little endian
  std::memcpy(&Set, &Bits, sizeof(Bits));
  return Set;
}
template <class _RgT> unsigned bitsOf(const _RgT &Set) {
  std::uint16_t Bits;
  std::memcpy(&Bits, &Set, sizeof(Bits));
  return Bits;
}

/// The gradient of f by its first argument, as a function.
template <class _RgF, class... _RgA>
using GradientOf =
    GradientFunction<_RgF, true, !IsConstantArgument<Bare<_RgA>>::value...>;

/// Which numbers of f's result depend on which of Point.
template <class _RgR, class _RgF, class _RgX, class... _RgP>
RG_INLINE Pattern patternOf(const _RgF &f, _RgX &Point, _RgP &&...ports) {
  using NX = Numbers<_RgX>;
  using NR = Numbers<_RgR>;
  const std::size_t _RgN = NX::size(Point);
  std::vector<std::vector<std::size_t>> Rows;
  for (std::size_t First = 0; First < _RgN || First == 0;
       First += SetLanes * SetBits) {
    std::array<_RgX, SetLanes> Sets;
    for (std::size_t Lane = 0; Lane < SetLanes; ++Lane) {
      Sets[Lane] = NX::zeros(Point);
      for (std::size_t Bit = 0; Bit < SetBits; ++Bit)
        if (std::size_t _RgC = First + Lane * SetBits + Bit; _RgC < _RgN)
          NX::at(Sets[Lane], _RgC) = setOf<typename NX::Scalar>(unsigned(Bit));
    }
    _RgR Out{};
    std::array<_RgR, SetLanes> Found{};
    StripPort<_RgR, SetLanes> Result(&Out, Found);
    StripPort<_RgX, SetLanes> Argument(&Point, Sets);
    std::tuple<StripPort<_RgR, SetLanes> &, StripPort<_RgX, SetLanes> &,
               _RgP &...>
    Ports(Result, Argument, ports...);
    expandStrip<true, 0>(reinterpret_cast<void *>(
                             &StoreThunk<_RgR, _RgF, StripPort<_RgX, SetLanes>,
                                         Bare<_RgP>...>::call),
                         Ports, std::make_index_sequence<SetLanes>(),
                         PatternTag(), WidthTag(), WidthIs<SetLanes>(),
                         ConstTag(), Callee<_RgF>::pass(f));
    Rows.resize(NR::size(Out));
    for (std::size_t Row = 0; Row < Rows.size(); ++Row)
      for (std::size_t Lane = 0; Lane < SetLanes; ++Lane)
        for (unsigned Bits = bitsOf(NR::at(Found[Lane], Row)), Bit = 0; Bits;
             ++Bit, Bits >>= 1)
          if (Bits & 1)
            Rows[Row].push_back(First + Lane * SetBits + Bit);
  }
  Pattern Whole{Rows.size(), _RgN, {0}, {}};
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
template <class _RgX> _RgX scattered(_RgX Like) {
  std::uint64_t State = 0x9E3779B97F4A7C15u;
  for (std::size_t _RgI = 0; _RgI < Numbers<_RgX>::size(Like); ++_RgI) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    Numbers<_RgX>::at(Like, _RgI) = typename Numbers<_RgX>::Scalar(
        0.5 + double(State >> 40) / double(std::uint64_t(1) << 24));
  }
  return Like;
}

/// Stops the program where Product is not Matrix (or its transpose) times
/// Direction.
template <class _RgT, class _RgV, class _RgW>
void checkProduct(const SparseMatrix<_RgT> &Matrix, bool Transposed,
                  _RgV &Direction, _RgW &Product) {
  std::vector<_RgT> Sum(Numbers<_RgW>::size(Product)), Size(Sum.size());
  _RgT Largest = 0;
  for (std::size_t Row = 0; Row < Matrix.rows; ++Row)
    for (std::size_t _RgK = Matrix.start[Row]; _RgK < Matrix.start[Row + 1];
         ++_RgK) {
      const std::size_t To = Transposed ? Matrix.column[_RgK] : Row,
                        From = Transposed ? Row : Matrix.column[_RgK];
      const _RgT Part =
          Matrix.value[_RgK] * _RgT(Numbers<_RgV>::at(Direction, From));
      Sum[To] += Part;
      Size[To] += Part < 0 ? -Part : Part;
      Largest = std::max(Largest, Part < 0 ? -Part : Part);
    }
  const _RgT Allowed = std::sqrt(std::numeric_limits<_RgT>::epsilon());
  for (std::size_t _RgI = 0; _RgI < Sum.size(); ++_RgI) {
    const _RgT Error = Sum[_RgI] - _RgT(Numbers<_RgW>::at(Product, _RgI));
    // Written so that NaN passes: it says nothing of the pattern.
    check(!((Error < 0 ? -Error : Error) > Allowed * (Size[_RgI] + Largest)),
          "the sparsity pattern of this plan does not hold at this point (f "
          "takes other branches or indices here); find it anew, or unite "
          "the patterns of several points");
  }
}

template <class _RgR, class _RgF, class _RgX, class... _RgP>
RG_INLINE auto sparseJacobianOf(const _RgF &f, _RgX &Point, const _RgR &Value,
                                const JacobianPlan &Plan, bool Check,
                                _RgP &&...ports) {
  using NX = Numbers<_RgX>;
  using NR = Numbers<_RgR>;
  using _RgT = typename NX::Scalar;
  SparseMatrix<_RgT> _RgJ{{Plan.pattern}, {}};
  check(_RgJ.rows == NR::size(Value) && _RgJ.columns == NX::size(Point),
        "the plan of this sparse Jacobian is of another size");
  _RgJ.value.resize(_RgJ.nonzeros());
  const std::vector<std::size_t> &Colour = Plan.coloring.colour;
  const std::size_t Colours = Plan.coloring.colours;
  // Seeds (or directions) of one colour each, and last a random one whose
  // product is compared with the matrix.
  auto Computed = [&](auto Random, auto Along, auto Sweep, auto Entries) {
    auto SeedOf = [&](std::size_t _RgC) {
      if (_RgC == Colours)
        return Random;
      auto Seed = Random;
      for (std::size_t _RgI = 0; _RgI < Colour.size(); ++_RgI)
        Numbers<decltype(Seed)>::at(Seed, _RgI) = Colour[_RgI] == _RgC;
      return Seed;
    };
    auto Use = [&](std::size_t _RgC, auto &Product) {
      if (_RgC == Colours)
        Along = Product;
      else
        for (std::size_t Row = 0; Row < _RgJ.rows; ++Row)
          for (std::size_t _RgK = _RgJ.start[Row]; _RgK < _RgJ.start[Row + 1];
               ++_RgK)
            Entries(_RgC, Row, _RgK, Product);
    };
    Sweep(Colours + Check, SeedOf, Use);
    if (Check)
      checkProduct(_RgJ, Plan.byRows, Random, Along);
  };
  if (Plan.byRows)
    Computed(
        scattered(NR::zeros(Value)), NX::zeros(Point),
        [&](std::size_t Count, auto &SeedOf, auto &Use) {
          forRows<_RgR>(f, Point, Count, SeedOf, NR::zeros(Value), Use,
                        ports...);
        },
        [&](std::size_t _RgC, std::size_t Row, std::size_t _RgK,
            _RgX &Adjoint) {
          if (Colour[Row] == _RgC)
            _RgJ.value[_RgK] = NX::at(Adjoint, _RgJ.column[_RgK]);
        });
  else
    Computed(
        scattered(NX::zeros(Point)), NR::zeros(Value),
        [&](std::size_t Count, auto &DirectionOf, auto &Use) {
          forColumns<_RgR>(f, Point, Count, DirectionOf, Use, ports...);
        },
        [&](std::size_t _RgC, std::size_t Row, std::size_t _RgK,
            _RgR &Tangent) {
          if (Colour[_RgJ.column[_RgK]] == _RgC)
            _RgJ.value[_RgK] = _RgT(NR::at(Tangent, Row));
        });
  return _RgJ;
}

/// g: the gradient of the function.
template <class _RgG, class _RgX, class... _RgP>
RG_INLINE auto sparseHessianOf(const _RgG &g, _RgX &Point,
                               const HessianPlan &Plan, bool Check,
                               _RgP &&...ports) {
  using NX = Numbers<_RgX>;
  using _RgT = typename NX::Scalar;
  const std::size_t _RgN = NX::size(Point), Colours = Plan.coloring.colours;
  SparseMatrix<_RgT> _RgH{{Plan.pattern}, {}};
  check(_RgH.rows == _RgN,
        "the plan of this sparse Hessian is of another size");
  _RgH.value.resize(_RgH.nonzeros());
  const std::vector<std::size_t> &Colour = Plan.coloring.colour;
  _RgX Random = scattered(NX::zeros(Point)), Along = NX::zeros(Point);
  std::vector<_RgT> Compressed(_RgN * Colours);
  forColumns<_RgX>(
      g, Point, Colours + Check,
      [&](std::size_t _RgC) {
        if (_RgC == Colours)
          return Random;
        _RgX Direction = NX::zeros(Point);
        for (std::size_t _RgI = 0; _RgI < _RgN; ++_RgI)
          if (Colour[_RgI] == _RgC)
            NX::at(Direction, _RgI) = 1;
        return Direction;
      },
      [&](std::size_t _RgC, _RgX &Product) {
        if (_RgC == Colours)
          Along = Product;
        else
          for (std::size_t _RgI = 0; _RgI < _RgN; ++_RgI)
            Compressed[_RgI * Colours + _RgC] = NX::at(Product, _RgI);
      },
      ports...);
  // An entry stands alone in its compressed product if its column's colour
  // occurs once in the row.
  std::vector<std::size_t> Times(_RgN * Colours);
  for (std::size_t Row = 0; Row < _RgN; ++Row)
    for (std::size_t _RgK = _RgH.start[Row]; _RgK < _RgH.start[Row + 1]; ++_RgK)
      ++Times[Row * Colours + Colour[_RgH.column[_RgK]]];
  for (std::size_t Row = 0; Row < _RgN; ++Row)
    for (std::size_t _RgK = _RgH.start[Row]; _RgK < _RgH.start[Row + 1];
         ++_RgK) {
      const std::size_t Column = _RgH.column[_RgK];
      _RgH.value[_RgK] = Times[Row * Colours + Colour[Column]] == 1
                             ? Compressed[Row * Colours + Colour[Column]]
                             : Compressed[Column * Colours + Colour[Row]];
    }
  if (Check)
    checkProduct(_RgH, false, Random, Along);
  return _RgH;
}

} // namespace detail

inline JacobianPlan::JacobianPlan(Pattern _RgP) : pattern(std::move(_RgP)) {
  Coloring Columns = detail::colourColumns(pattern),
           Rows = detail::colourColumns(pattern.transposed());
  byRows = Rows.colours < Columns.colours;
  coloring = std::move(byRows ? Rows : Columns);
}
inline HessianPlan::HessianPlan(const Pattern &_RgP)
    : pattern(detail::symmetric(_RgP)), coloring(detail::colourStars(pattern)) {
}

//===----------------------------------------------------------------------===//
// What users call
//===----------------------------------------------------------------------===//

namespace detail {
/// What is the same for all of them: a copy of x, constants behind it.
template <class _RgF> struct OfFirstArgument {
  _RgF f;
  template <class _RgR, class _RgX, class... _RgA>
  RG_INLINE _RgR value(_RgX &Point, _RgA &&...a) const {
    return f(Point, MakerOf<_RgA>::Port::as(MakerOf<_RgA>::make(a).value)...);
  }
  template <class _RgX, class _RgR, class... _RgA>
  static constexpr void requireNumbers() {
    static_assert(holdsNumbers<_RgX> && !std::is_floating_point_v<_RgX>,
                  "the first argument of a sparse derivative must be a "
                  "std::array, std::vector or std::complex of numbers");
    static_assert((IsConstantArgument<Bare<_RgA>>::value && ...),
                  "a sparse derivative is taken by the first argument: wrap "
                  "the others in rg::constant(x)");
    static_assert(holdsNumbers<_RgR>,
                  "the function must return a floating-point number, or a "
                  "std::array, std::vector or std::complex of them");
  }
};
} // namespace detail

/// rg::jacobian_pattern(f)
template <class _RgF> struct JacobianPattern : detail::OfFirstArgument<_RgF> {
  template <class _RgX, class... _RgA>
  RG_INLINE Pattern operator()(const _RgX &x, _RgA &&...a) const {
    using _RgR = detail::Result<_RgF, _RgX &, _RgA...>;
    this->template requireNumbers<_RgX, _RgR, _RgA...>();
    _RgX Point = x;
    return detail::patternOf<_RgR>(this->f, Point,
                                   detail::MakerOf<_RgA>::make(a)...);
  }
};
/// rg::sparse_jacobian(f)
template <class _RgF> struct SparseJacobian : detail::OfFirstArgument<_RgF> {
  template <class _RgX, class... _RgA>
  RG_INLINE auto operator()(const JacobianPlan &plan, const _RgX &x,
                            _RgA &&...a) const {
    using _RgR = detail::Result<_RgF, _RgX &, _RgA...>;
    this->template requireNumbers<_RgX, _RgR, _RgA...>();
    _RgX Point = x;
    const _RgR Value = this->template value<_RgR>(Point, a...);
    return detail::sparseJacobianOf<_RgR>(this->f, Point, Value, plan, true,
                                          detail::MakerOf<_RgA>::make(a)...);
  }
  template <class _RgX, class... _RgA,
            std::enable_if_t<!std::is_same_v<_RgX, JacobianPlan>, int> = 0>
  RG_INLINE auto operator()(const _RgX &x, _RgA &&...a) const {
    using _RgR = detail::Result<_RgF, _RgX &, _RgA...>;
    this->template requireNumbers<_RgX, _RgR, _RgA...>();
    _RgX Point = x;
    const _RgR Value = this->template value<_RgR>(Point, a...);
    const JacobianPlan Found(detail::patternOf<_RgR>(
        this->f, Point, detail::MakerOf<_RgA>::make(a)...));
    return detail::sparseJacobianOf<_RgR>(this->f, Point, Value, Found, false,
                                          detail::MakerOf<_RgA>::make(a)...);
  }
};
/// rg::hessian_pattern(f)
template <class _RgF> struct HessianPattern : detail::OfFirstArgument<_RgF> {
  template <class _RgX, class... _RgA>
  RG_INLINE Pattern operator()(const _RgX &x, _RgA &&...a) const {
    this->template requireNumbers<_RgX, detail::Result<_RgF, _RgX &, _RgA...>,
                                  _RgA...>();
    const detail::GradientOf<_RgF, _RgA...> g{this->f};
    _RgX Point = x;
    return detail::symmetric(
        detail::patternOf<_RgX>(g, Point, detail::MakerOf<_RgA>::make(a)...));
  }
};
/// rg::sparse_hessian(f)
template <class _RgF> struct SparseHessian : detail::OfFirstArgument<_RgF> {
  template <class _RgX, class... _RgA>
  RG_INLINE auto operator()(const HessianPlan &plan, const _RgX &x,
                            _RgA &&...a) const {
    this->template requireNumbers<_RgX, detail::Result<_RgF, _RgX &, _RgA...>,
                                  _RgA...>();
    const detail::GradientOf<_RgF, _RgA...> g{this->f};
    _RgX Point = x;
    return detail::sparseHessianOf(g, Point, plan, true,
                                   detail::MakerOf<_RgA>::make(a)...);
  }
  template <class _RgX, class... _RgA,
            std::enable_if_t<!std::is_same_v<_RgX, HessianPlan>, int> = 0>
  RG_INLINE auto operator()(const _RgX &x, _RgA &&...a) const {
    this->template requireNumbers<_RgX, detail::Result<_RgF, _RgX &, _RgA...>,
                                  _RgA...>();
    const detail::GradientOf<_RgF, _RgA...> g{this->f};
    _RgX Point = x;
    const HessianPlan Found(
        detail::patternOf<_RgX>(g, Point, detail::MakerOf<_RgA>::make(a)...));
    return detail::sparseHessianOf(g, Point, Found, false,
                                   detail::MakerOf<_RgA>::make(a)...);
  }
};

template <class _RgF>
RG_INLINE JacobianPattern<std::decay_t<_RgF>> jacobian_pattern(_RgF &&f) {
  return {{static_cast<_RgF &&>(f)}};
}
template <class _RgF>
RG_INLINE SparseJacobian<std::decay_t<_RgF>> sparse_jacobian(_RgF &&f) {
  return {{static_cast<_RgF &&>(f)}};
}
template <class _RgF>
RG_INLINE HessianPattern<std::decay_t<_RgF>> hessian_pattern(_RgF &&f) {
  return {{static_cast<_RgF &&>(f)}};
}
template <class _RgF>
RG_INLINE SparseHessian<std::decay_t<_RgF>> sparse_hessian(_RgF &&f) {
  return {{static_cast<_RgF &&>(f)}};
}

} // namespace rg

#undef RG_INLINE

#endif // RETROGRAD_SPARSE_HPP
