! REQUIRES: flang
! RG-FLAGS: -fopenmp
! RG-THREADS: 1 2 3
! OpenMP in Fortran: reductions, private and firstprivate variables, schedules, critical.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: y(n), t, a, p
    integer :: i
    a = x(1) * x(2)
    p = 1
    energy = 0
    !$omp parallel do private(t) firstprivate(a)
    do i = 1, n
      t = sin(x(i)) * a
      y(i) = t * t + x(n + 1 - i)
    end do
    !$omp end parallel do
    !$omp parallel do reduction(+:energy) schedule(dynamic, 2)
    do i = 1, n
      energy = energy + y(i) * x(i)
    end do
    !$omp end parallel do
    !$omp parallel
    !$omp do schedule(static, 1)
    do i = 1, n
      !$omp critical
      p = p * (1 + 0.1d0 * y(i))
      !$omp end critical
    end do
    !$omp end do
    !$omp single
    p = p * p
    !$omp end single
    !$omp end parallel
    energy = energy * p
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(11), dx(11), t(11), d
  integer :: i
  do i = 1, 11
    x(i) = 0.6d0 + 0.3d0 * cos(3d0 * i)
  end do
  dx = 0
  call reverse(c_funloc(energy), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(energy, x, i)
    call rg_near('reverse energy', dx(i), d)
    call rg_near('forward energy', forward(c_funloc(energy), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  call rg_report()
end program
