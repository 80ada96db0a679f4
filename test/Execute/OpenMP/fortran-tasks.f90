! REQUIRES: flang
! RG-FLAGS: -fopenmp
! RG-THREADS: 1 2 3
! Tasks in Fortran: recursion, taskwait, firstprivate; tasks of loops, whose bounds are
! among what the tasks share.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  recursive subroutine tree(x, n, r)
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: r
    real(c_double) :: a, b
    if (n == 1) then
      r = x(1) * x(1)
      return
    end if
    !$omp task shared(a)
    call tree(x(1), n / 2, a)
    !$omp end task
    !$omp task shared(b)
    call tree(x(n / 2 + 1), n - n / 2, b)
    !$omp end task
    !$omp taskwait
    r = a + b + 0.1d0 * a * b
  end subroutine
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: y(n), r
    integer :: i
    !$omp parallel
    !$omp single
    do i = 1, n
      !$omp task firstprivate(i) shared(y)
      y(i) = sin(x(i)) * x(n + 1 - i)
      !$omp end task
    end do
    !$omp taskwait
    call tree(y, n, r)
    !$omp end single
    !$omp end parallel
    energy = r
  end function
  real(c_double) function loops(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: y(n), z(n), w
    integer :: i
    w = x(2)
    !$omp parallel
    !$omp single
    !$omp taskloop grainsize(2)
    do i = 1, n
      y(i) = x(i) * x(i) + w
    end do
    !$omp end taskloop
    !$omp taskloop num_tasks(3) firstprivate(w)
    do i = 1, n
      z(i) = w * y(i) * x(1)
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    loops = sum(z) * w
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
  dx = 0
  call reverse(c_funloc(loops), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(loops, x, i)
    call rg_near('reverse loops', dx(i), d)
    call rg_near('forward loops', forward(c_funloc(loops), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  call rg_report()
end program
