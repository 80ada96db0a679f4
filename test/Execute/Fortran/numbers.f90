! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Complex and single precision, powers, remainders; do while, exit, cycle, select case.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(c_double) function complexes(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    complex(8) :: z, w, v(3)
    z = cmplx(x(1), x(2), 8)
    w = exp(z) * sqrt(z) / (z + (1d0, 2d0)) + z**3 + conjg(z) * log(z) + z**(-2)
    v = [z, w, z * w]
    complexes = abs(w) + real(w) * aimag(w) + real(sum(v)) + aimag(dot_product(v, v * z)) &
      + real(sin(z) * cosh(w / 5) + z**w * (0.1d0, 0.2d0))
  end function
  real(c_double) function singles(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: t, u
    integer :: i
    t = 0
    do i = 1, n
      if (mod(i, 4) == 0) cycle
      if (i > 7) exit
      select case (i)
      case (1:2)
        t = t + x(i) * max(x(i), 0.5d0) - min(x(i), 1.5d0)**2
      case (5)
        t = t + mod(x(i) * 7, 3d0) * modulo(-x(i), 2d0) + sign(x(i), x(1))
      case default
        t = t + x(i)**i + x(1)**x(i) + hypot(x(i), t) + erf(x(i)) + log_gamma(x(i) + 2)
      end select
    end do
    u = 1
    do while (abs(u * u - t) > 1d-14 * t)
      u = 0.5d0 * (u + t / u)
    end do
    singles = u + scale(x(1), 3) + fraction(x(2) / 64) + atan2(x(1), x(2))
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
  call fill(x(1:2))
  dx = 0
  call reverse(c_funloc(complexes), enzyme_dup, x, dx, enzyme_const, 2)
  do i = 1, 2
    t = 0
    t(i) = 1
    d = rg_difference(complexes, x(1:2), i)
    call rg_near('reverse complexes', dx(i), d)
    call rg_near('forward complexes', forward(c_funloc(complexes), enzyme_dup, x, t, enzyme_const, 2), d)
  end do
  call fill(x(1:8))
  dx = 0
  call reverse(c_funloc(singles), enzyme_dup, x, dx, enzyme_const, 8)
  do i = 1, 8
    t = 0
    t(i) = 1
    d = rg_difference(singles, x(1:8), i)
    call rg_near('reverse singles', dx(i), d)
    call rg_near('forward singles', forward(c_funloc(singles), enzyme_dup, x, t, enzyme_const, 8), d)
  end do
  call rg_report()
end program
