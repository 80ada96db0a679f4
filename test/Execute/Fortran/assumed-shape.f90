! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Descriptors: assumed shape, strides, reversed sections, sections of matrices.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(8) function energy_shape(x)
    real(8), intent(in) :: x(:)
    integer :: i
    energy_shape = 0
    do i = 1, size(x) - 1
      energy_shape = energy_shape + (x(i+1) - x(i)**2)**2 * exp(-x(i))
    end do
  end function
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    energy = energy_shape(x) + energy_shape(x(1:n:2)) + energy_shape(x(n:1:-1))
  end function
  real(8) function trace(a)
    real(8), intent(in) :: a(:, :)
    integer :: i
    trace = 0
    do i = 1, min(size(a, 1), size(a, 2))
      trace = trace + a(i, i)**2 * sum(a(:, i))
    end do
  end function
  subroutine scale_rows(a, by)
    real(8), intent(inout) :: a(:, :)
    real(8), intent(in) :: by(:)
    integer :: i
    do i = 1, size(a, 1)
      a(i, :) = a(i, :) * by(i)
    end do
  end subroutine
  real(c_double) function sections(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(4, 4)
    integer :: i
    do i = 1, 4
      a(:, i) = x(1:4) * x(i + 4)
    end do
    call scale_rows(a(1:4:2, 2:3), x(3:4))
    sections = trace(a) + trace(transpose(a(2:4, :))) + trace(a(4:1:-1, 1:3))
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
  call fill(x(1:5))
  dx = 0
  call reverse(c_funloc(energy), enzyme_dup, x, dx, enzyme_const, 5)
  do i = 1, 5
    t = 0
    t(i) = 1
    d = rg_difference(energy, x(1:5), i)
    call rg_near('reverse energy', dx(i), d)
    call rg_near('forward energy', forward(c_funloc(energy), enzyme_dup, x, t, enzyme_const, 5), d)
  end do
  call fill(x(1:8))
  dx = 0
  call reverse(c_funloc(sections), enzyme_dup, x, dx, enzyme_const, 8)
  do i = 1, 8
    t = 0
    t(i) = 1
    d = rg_difference(sections, x(1:8), i)
    call rg_near('reverse sections', dx(i), d)
    call rg_near('forward sections', forward(c_funloc(sections), enzyme_dup, x, t, enzyme_const, 8), d)
  end do
  call rg_report()
end program
