! Fits a damped oscillation to measurements by gradient descent: the gradient of a
! Fortran function with respect to an array, by reverse mode.
!
!   rg-flang -O2 fortran-fit.f90 -o fit && ./fit
! REQUIRES: flang
! RG-LEVELS: O0 O2
module model
  use, intrinsic :: iso_c_binding
  implicit none
  include 'retrograd.inc'            ! the markers enzyme_dup, enzyme_const, ...
  interface
    ! A derivative call is declared with the arguments that it needs. Any name
    ! that begins with __enzyme_autodiff will do.
    subroutine gradient(f, m1, p, dp, m2, t, m3, y, m4, n) bind(C, name="__enzyme_autodiff_misfit")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m1, m2, m3, m4, n
      real(c_double) :: p(*), dp(*), t(*), y(*)
    end subroutine
  end interface
contains
  elemental real(8) function oscillation(a, b, w, t)
    real(8), intent(in) :: a, b, w, t
    oscillation = a * exp(-b * t) * cos(w * t)
  end function
  real(c_double) function misfit(p, t, y, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: p(3), t(n), y(n)
    misfit = sum((oscillation(p(1), p(2), p(3), t) - y)**2) / n
  end function
end module

program fit
  use model
  implicit none
  integer, parameter :: n = 40
  real(8) :: t(n), y(n), p(3), dp(3)
  integer :: i
  t = [(0.1d0 * i, i = 1, n)]
  y = oscillation(2d0, 0.3d0, 1.7d0, t)
  p = [1.5d0, 0.5d0, 1.6d0]
  do i = 1, 5000
    dp = 0                           ! gradients are added to the shadow
    call gradient(c_funloc(misfit), enzyme_dup, p, dp, enzyme_const, t, enzyme_const, y, enzyme_const, n)
    p = p - 0.1d0 * dp
  end do
  print '(a, 3f9.5)', 'amplitude, damping, frequency:', p
  if (any(abs(p - [2d0, 0.3d0, 1.7d0]) > 1d-4)) error stop 1
end program
