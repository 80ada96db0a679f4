! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! matmul in all its ranks, transpose, reshape, spread, shifts, reductions.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(c_double) function products(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(3, 2), b(2, 3), c(3, 3), v(3), w(2)
    a = reshape(x(1:6), [3, 2])
    b = transpose(a) * 0.5d0 + reshape(x(7:12), [2, 3])
    c = matmul(a, b)
    v = matmul(c, x(1:3))
    w = matmul(v, a)
    v = v + matmul(transpose(c), x(4:6)) + matmul(a, w)
    products = dot_product(v, x(7:9)) + norm2(w) + sum(matmul(transpose(a), a))
  end function
  real(c_double) function reductions(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(3, 4), r(3), s(4)
    a = reshape(x(1:12), [3, 4])
    r = sum(a * a, dim=2)
    s = maxval(a, dim=1) * product(a, dim=1)
    reductions = sum(a, mask = a > 0.8d0) + maxval(a) * minval(a) + product(r) &
      + sum(s) + minval(s, mask = s > 0.1d0) + real(count(a > 0.5d0), 8) + sum(minval(a, dim=2))
  end function
  real(c_double) function moves(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: v(4), w(4), a(4, 3), b(3, 4)
    v = cshift(x(1:4), 1) * x(5:8)
    w = eoshift(v, -1) + eoshift(v, 2, boundary=x(9))
    a = spread(w, 2, 3)
    b = spread(w * v, 1, 3)
    a = merge(a, 2 * a, a > 0.5d0) + transpose(b)
    moves = sum(a * a) + sum(pack(a, a > 0.7d0)**2) &
      + sum(unpack(v, w > 0.6d0, w) * w) * merge(1d0, 2d0, x(1) > 0)
  end function
  subroutine fill(x)
    real(8), intent(out) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = 0.9d0 + 0.6d0 * sin(2.3d0 * i)
    end do
  end subroutine
end module
program test
  use kernels
  implicit none
  real(8) :: x(32), dx(32), t(32), d
  integer :: i
  call fill(x(1:12))
  dx = 0
  call reverse(c_funloc(products), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    d = rg_difference(products, x(1:12), i)
    call rg_near('reverse products', dx(i), d)
    call rg_near('forward products', forward(c_funloc(products), enzyme_dup, x, t, enzyme_const, 12), d)
  end do
  call fill(x(1:12))
  dx = 0
  call reverse(c_funloc(reductions), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    d = rg_difference(reductions, x(1:12), i)
    call rg_near('reverse reductions', dx(i), d)
    call rg_near('forward reductions', forward(c_funloc(reductions), enzyme_dup, x, t, enzyme_const, 12), d)
  end do
  call fill(x(1:9))
  dx = 0
  call reverse(c_funloc(moves), enzyme_dup, x, dx, enzyme_const, 9)
  do i = 1, 9
    t = 0
    t(i) = 1
    d = rg_difference(moves, x(1:9), i)
    call rg_near('reverse moves', dx(i), d)
    call rg_near('forward moves', forward(c_funloc(moves), enzyme_dup, x, t, enzyme_const, 9), d)
  end do
  call rg_report()
end program
