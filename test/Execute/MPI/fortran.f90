! REQUIRES: flang, mpi-fortran
! RG-RANKS: 1 2 3
! MPI in Fortran by mpif.h: messages, requests, collective routines, in place too, rows of an array
! by a datatype, a Cartesian communicator.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  include 'openmpi/mpif.h'
contains
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: s, t, m, a(3), b(3), u(0:4, 3), v(3)
    integer :: ierr, rank, np, i, j, left, right, req(2), row, grid, low, high
    integer :: dims(1)
    logical :: periodic(1)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
    s = 0
    do i = 1, n
      s = s + x(i) * x(i) * (rank + 1)
    end do
    right = mod(rank + 1, np)
    left = mod(rank - 1 + np, np)
    call MPI_Sendrecv(s, 1, MPI_DOUBLE_PRECISION, right, 0, t, 1, MPI_DOUBLE_PRECISION, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    a = x(1:3) * t
    call MPI_Irecv(b, 3, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Isend(a, 3, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, req(2), ierr)
    call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
    s = s * t + sum(b) * x(2)
    call MPI_Allreduce(s, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    m = s
    call MPI_Allreduce(MPI_IN_PLACE, m, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call MPI_Bcast(t, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    energy = energy * x(1) + m * t

    dims = np
    periodic = .false.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., grid, ierr)
    call MPI_Cart_shift(grid, 0, 1, low, high, ierr)
    call MPI_Type_vector(3, 1, 5, MPI_DOUBLE_PRECISION, row, ierr)
    call MPI_Type_commit(row, ierr)
    u = 0
    do j = 1, 3
      do i = 1, 3
        u(i, j) = x(i) * x(j) + rank
      end do
    end do
    do i = 1, 2
      call MPI_Sendrecv(u(1, 1), 1, row, low, 2, u(4, 1), 1, row, high, 2, grid, MPI_STATUS_IGNORE, ierr)
      call MPI_Sendrecv(u(3, 1), 1, row, high, 3, u(0, 1), 1, row, low, 3, grid, MPI_STATUS_IGNORE, ierr)
      do j = 1, 3
        u(1:3, j) = u(1:3, j) + 0.1d0 * u(0:2, j) * u(2:4, j)
      end do
    end do
    call MPI_Type_free(row, ierr)
    call MPI_Comm_free(grid, ierr)
    v = u(2, :)
    energy = energy + sum(u(1:3, :)**2) + v(1) * v(2)
  end function
end module
include 'rgmpi.inc'
