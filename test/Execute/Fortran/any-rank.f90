! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Arguments of any rank (select rank): the procedure has a descriptor of its own, whose bounds begin at 1.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(8) function size_of(a)
    real(8), intent(in) :: a(..)
    integer :: i, j
    select rank (a)
    rank (0)
      size_of = a**3
    rank (1)
      size_of = a(1) * a(size(a)) + sqrt(sum(a**2)) + lbound(a, 1)
    rank (2)
      size_of = 0
      do j = 1, size(a, 2)
        do i = 1, size(a, 1)
          size_of = size_of + a(i, j)**2 * i - a(i, j) * j
        end do
      end do
    rank default
      size_of = rank(a)
    end select
  end function
  subroutine grow(a, by)
    real(8), intent(inout) :: a(..)
    real(8), intent(in) :: by
    select rank (a)
    rank (1)
      a = a * by
    rank (2)
      a(:, 1) = a(:, 1) + by
    end select
  end subroutine
  real(c_double) function f(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: y(0:5), z(2, 3), cube(2, 2, 2)
    real(8), allocatable :: w(:)
    y = x(1:6)
    z = reshape(x(1:6), [2, 3])
    w = x(2:4) * x(1:3)
    cube = x(1)
    call grow(y(0:4:2), x(2))
    call grow(z, x(3))
    f = size_of(x(1)) + size_of(y) + 2 * size_of(z) + 3 * size_of(z(:, 3:1:-1)) + size_of(w) + size_of(cube)
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(6), dx(6), t(6), d
  integer :: i
  do i = 1, 6
    x(i) = 0.9d0 + 0.31d0 * i
  end do
  dx = 0
  call reverse(c_funloc(f), enzyme_dup, x, dx, enzyme_const, 6)
  do i = 1, 6
    t = 0
    t(i) = 1
    d = rg_difference(f, x, i)
    call rg_near('reverse', dx(i), d)
    call rg_near('forward', forward(c_funloc(f), enzyme_dup, x, t, enzyme_const, 6), d)
  end do
  call rg_report()
end program
