! REQUIRES: flang
! RG-FLAGS: -fopenmp
! RG-THREADS: 1 2 3 8
! Variables of which each thread has its own (threadprivate): of a module, of a common block,
! of a procedure; from one region to the next; copyin, of numbers and arrays, and copyprivate.
include 'rgtest.inc'
module store
  implicit none
  real(8), save :: mine, table(3), square(2, 2)
  integer, save :: count
  real(8) :: ca, cb
  common /blk/ ca, cb
  !$omp threadprivate(mine, table, square, count, /blk/)
end module
module kernels
  use rgtest
  use store
  use omp_lib
  implicit none
contains
  real(c_double) function regions(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    integer :: i, k
    real(8) :: s
    s = 0
    !$omp parallel private(k)
    mine = x(1)
    do k = 1, 3
      table(k) = 1 + 0.1d0 * k * x(k)
    end do
    ca = x(2)
    cb = x(3) * x(3)
    !$omp do schedule(static)
    do i = 1, n
      mine = mine + x(i) * x(i) * table(mod(i, 3) + 1) * cb
    end do
    !$omp end do
    !$omp end parallel
    !$omp parallel reduction(+:s)
    ! Some of a thread's number stays behind when the derivative ends.
    if (omp_get_thread_num() > 0) s = s - x(1) * ca
    s = s + mine * ca - merge(x(1) * ca, 0d0, omp_get_thread_num() == 0)
    !$omp end parallel
    regions = s * s
  end function
  real(c_double) function copied(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    integer :: i
    real(8) :: s
    s = 0
    mine = x(1) * x(2)
    table = x(3:5)
    square(:, 1) = x(2:3)
    square(:, 2) = x(1:2) * mine
    !$omp parallel copyin(mine, table, square) reduction(+:s)
    !$omp do
    do i = 1, n
      s = s + mine * table(mod(i, 3) + 1) * x(i) * square(1, 2) * square(2, 1)
    end do
    !$omp end do
    !$omp single
    mine = x(4) * x(4)
    !$omp end single copyprivate(mine)
    !$omp do
    do i = 1, n
      s = s + mine * x(i)
    end do
    !$omp end do
    !$omp end parallel
    copied = s
  end function
  subroutine add(v)
    real(8), intent(in) :: v
    mine = mine + v
    count = count + 1
  end subroutine
  real(c_double) function called(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8), save :: own
    !$omp threadprivate(own)
    integer :: i
    real(8) :: s
    s = 0
    !$omp parallel reduction(+:s)
    mine = 0
    own = 1
    count = 0
    !$omp do schedule(dynamic)
    do i = 1, n
      call add(sin(x(i)) * x(mod(i, n) + 1))
      own = own + x(i)
    end do
    !$omp end do nowait
    s = s + mine + own - 1
    if (count > n) s = s * x(1)
    !$omp end parallel
    called = s * x(2)
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
  call reverse(c_funloc(regions), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(regions, x, i)
    call rg_near('reverse regions', dx(i), d)
    call rg_near('forward regions', forward(c_funloc(regions), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  dx = 0
  call reverse(c_funloc(copied), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(copied, x, i)
    call rg_near('reverse copied', dx(i), d)
    call rg_near('forward copied', forward(c_funloc(copied), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  dx = 0
  call reverse(c_funloc(called), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(called, x, i)
    call rg_near('reverse called', dx(i), d)
    call rg_near('forward called', forward(c_funloc(called), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  dx = 0
  call reverse(c_funloc(regions), enzyme_dup, x, dx, enzyme_const, 11)
  do i = 1, 11
    t = 0
    t(i) = 1
    d = rg_difference(regions, x, i)
    call rg_near('reverse regions', dx(i), d)
    call rg_near('forward regions', forward(c_funloc(regions), enzyme_dup, x, t, enzyme_const, 11), d)
  end do
  call rg_report()
end program
