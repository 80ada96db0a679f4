! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Shifts of matrices, by one amount or many; arrays of derived type that are allocated,
! assigned and moved as a whole.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  type point
    real(8) :: x, y
    integer :: tag
  end type
contains
  real(c_double) function shifts(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(3, 4), b(3, 4), c(3, 4), d(2, 3, 2), e(2, 3, 2), bound(3)
    integer :: i, s(4)
    a = reshape([(x(1 + mod(i, n)) * i, i = 1, 12)], [3, 4])
    s = [1, -1, 2, 0]
    b = cshift(a, s, dim=1) * 2 + cshift(a, 1, dim=2)
    bound = x(1:3)
    c = eoshift(a, -1, boundary=bound, dim=2) + eoshift(b, s, dim=1)
    d = reshape(a, [2, 3, 2])
    e = cshift(d, 1, dim=2) + eoshift(d, 1, dim=3, boundary=x(2))
    shifts = sum(b * c) + sum(a * cshift(c, -1)) + sum(e * d * e)
  end function
  real(c_double) function points(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(point), allocatable :: p(:), q(:), r(:)
    type(point) :: one
    integer :: i
    allocate(p(n))
    do i = 1, n
      p(i) = point(x(i), x(i)**2, i)
    end do
    q = p(n:1:-1)
    one = q(2)
    q%x = q%x * one%y
    allocate(r, source=q)
    r(1)%y = 3
    call move_alloc(r, p)
    points = sum(p%x * q%y) + sum(q%x**2 * q%tag) + sum(p%y)
    deallocate(p)
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(6), dx(6), t(6), d
  integer :: i
  do i = 1, 6
    x(i) = 0.9d0 + 0.6d0 * sin(2.3d0 * i)
  end do
  dx = 0
  call reverse(c_funloc(shifts), enzyme_dup, x, dx, enzyme_const, 6)
  do i = 1, 6
    t = 0
    t(i) = 1
    d = rg_difference(shifts, x, i)
    call rg_near('reverse shifts', dx(i), d)
    call rg_near('forward shifts', forward(c_funloc(shifts), enzyme_dup, x, t, enzyme_const, 6), d)
  end do
  dx = 0
  call reverse(c_funloc(points), enzyme_dup, x, dx, enzyme_const, 6)
  do i = 1, 6
    t = 0
    t(i) = 1
    d = rg_difference(points, x, i)
    call rg_near('reverse points', dx(i), d)
    call rg_near('forward points', forward(c_funloc(points), enzyme_dup, x, t, enzyme_const, 6), d)
  end do
  call rg_report()
end program
