! The energy of a chain of springs, and its gradient.
module model
  use, intrinsic :: iso_c_binding
  implicit none
  include 'retrograd.inc'
  interface
    subroutine gradient(f, m, at, slope, c, n) bind(C, name="__enzyme_autodiff_energy")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: m, c, n
      real(c_double) :: at(*), slope(*)
    end subroutine
  end interface
contains
  real(c_double) function energy(at, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: at(n)
    energy = sum((at(2:) - at(:n - 1) - 1)**2)
  end function
end module

program main
  use model
  real(c_double) :: at(4) = [0d0, 1d0, 2.5d0, 3d0], slope(4) = 0
  call gradient(c_funloc(energy), enzyme_dup, at, slope, enzyme_const, 4)
  print '(a, 4f8.3)', 'gradient:', slope
end program
