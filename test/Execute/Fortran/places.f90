! RG-LEVELS: O0 O2 O3
! Places of elements: maxloc, minloc, findloc; reshape in another order of dimensions.
include 'rgtest.inc'
module kernels
  use rgtest
contains
  real(c_double) function places(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(3, 4)
    integer :: at(2), first(1), columns(4)
    a = reshape(x(1:12), [3, 4])
    at = maxloc(a)
    first = minloc(x)
    columns = maxloc(a, dim=1)
    places = a(at(1), at(2))**2 * x(first(1)) + a(columns(3), 3) * a(columns(1), 1) &
      + x(maxloc(x, dim=1, mask=x < 1.1d0)) * findloc(x > 1.1d0, .true., dim=1)
  end function
  real(c_double) function reordered(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(3, 4), b(2, 3, 2)
    integer :: i, j
    a = reshape(x(1:12), [3, 4], order=[2, 1])
    b = reshape(x(1:10) * x(2:11), [2, 3, 2], pad=[x(12)], order=[3, 1, 2])
    reordered = 0
    do j = 1, 4
      do i = 1, 3
        reordered = reordered + a(i, j)**2 * (i + 2 * j)
      end do
    end do
    reordered = reordered + sum(b(1, :, :)) * b(2, 3, 2) + b(2, 1, 1)**2
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(12), dx(12), t(12), d
  integer :: i
  do i = 1, 12
    x(i) = 0.9d0 + 0.6d0 * sin(2.3d0 * i)
  end do
  dx = 0
  call reverse(c_funloc(places), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    d = rg_difference(places, x, i)
    call rg_near('reverse places', dx(i), d)
    call rg_near('forward places', forward(c_funloc(places), enzyme_dup, x, t, enzyme_const, 12), d)
  end do
  dx = 0
  call reverse(c_funloc(reordered), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    d = rg_difference(reordered, x, i)
    call rg_near('reverse reordered', dx(i), d)
    call rg_near('forward reordered', forward(c_funloc(reordered), enzyme_dup, x, t, enzyme_const, 12), d)
  end do
  ! The values themselves are those of flang's own.
  call rg_near('a place', places(x, 12), maxval(x)**2 * minval(x) + maxval(x(7:9)) * maxval(x(1:3)) &
    + maxval(x, mask=x < 1.1d0) * findloc(x > 1.1d0, .true., dim=1))
  call rg_report()
end program
