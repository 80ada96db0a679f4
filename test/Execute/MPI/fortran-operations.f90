! REQUIRES: flang, mpi-fortran
! RG-RANKS: 1 2 3
! Reductions in Fortran by operations of the program's own: one that does not commute, of pairs of numbers; one that
! is not linear; in place, of a part of the ranks, scattered, and in a function that is called for its result.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  include 'openmpi/mpif.h'
  integer :: compose = 0, soft = 0, pair = 0
contains
  ! First a, then b: the order makes a difference.
  subroutine composed(a, b, n, t)
    integer :: n, t, i
    real(8) :: a(2, n), b(2, n)
    do i = 1, n
      b(2, i) = b(1, i) * a(2, i) + b(2, i)
      b(1, i) = a(1, i) * b(1, i)
    end do
  end subroutine
  subroutine softmax(a, b, n, t)
    integer :: n, t, i
    real(8) :: a(n), b(n), m
    do i = 1, n
      m = max(a(i), b(i))
      b(i) = m + log(exp(a(i) - m) + exp(b(i) - m))
    end do
  end subroutine
  subroutine prepare()
    integer :: ierr
    if (compose /= 0) return
    call MPI_Op_create(composed, .false., compose, ierr)
    call MPI_Op_create(softmax, .true., soft, ierr)
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair, ierr)
    call MPI_Type_commit(pair, ierr)
  end subroutine
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: a(2, 2), b(2, 2), v(6), w(6), one(2), s
    integer :: ierr, rank, np, i, counts(3)
    call prepare()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
    do i = 1, 2
      a(1, i) = x(i) + 0.3d0 * rank
      a(2, i) = sin(x(i + 1))
    end do
    call MPI_Allreduce(a, b, 2, pair, compose, MPI_COMM_WORLD, ierr)
    s = b(1, 1) * b(2, 1) + b(2, 2)**2 * x(1)
    b = 0
    call MPI_Reduce(a, b, 2, pair, compose, np - 1, MPI_COMM_WORLD, ierr)
    s = s + b(1, 1) * b(2, 2)
    do i = 1, 6
      v(i) = x(mod(i, n) + 1) * (rank + i)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, v, 6, MPI_DOUBLE_PRECISION, soft, MPI_COMM_WORLD, ierr)
    w = v
    call MPI_Scan(v, w, 6, MPI_DOUBLE_PRECISION, soft, MPI_COMM_WORLD, ierr)
    s = s + sum(w * w) * 0.1d0
    w = x(2)
    call MPI_Exscan(v, w, 6, MPI_DOUBLE_PRECISION, soft, MPI_COMM_WORLD, ierr)
    s = s + sum(w) * x(3)
    counts = 2
    call MPI_Reduce_scatter(v, one, counts, MPI_DOUBLE_PRECISION, soft, MPI_COMM_WORLD, ierr)
    s = s + one(1) * one(2)
    call MPI_Reduce_scatter_block(v, one, 2, MPI_DOUBLE_PRECISION, soft, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(one, w, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    energy = s + w(1) * w(2)
  end function
end module
include 'rgmpi.inc'
