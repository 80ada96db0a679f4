! REQUIRES: flang, mpi-fortran
! RG-RANKS: 1 2 3
! MPI in Fortran by mpif.h: numbers of two kinds, packed into one buffer.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  include 'openmpi/mpif.h'
contains
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    character :: out(100), in(100)
    real(8) :: y(3), z
    integer :: ierr, rank, np, at, many, request(2)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
    many = 2 + mod(rank, 2)
    y = x(1:3) * x(2)
    z = sin(x(n))
    at = 0
    call MPI_Pack(many, 1, MPI_INTEGER, out, 100, at, MPI_COMM_WORLD, ierr)
    call MPI_Pack(y, many, MPI_DOUBLE_PRECISION, out, 100, at, MPI_COMM_WORLD, ierr)
    call MPI_Pack(z, 1, MPI_DOUBLE_PRECISION, out, 100, at, MPI_COMM_WORLD, ierr)
    call MPI_Irecv(in, 100, MPI_PACKED, mod(rank + np - 1, np), 3, MPI_COMM_WORLD, request(1), ierr)
    call MPI_Isend(out, at, MPI_PACKED, mod(rank + 1, np), 3, MPI_COMM_WORLD, request(2), ierr)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, ierr)
    at = 0
    call MPI_Unpack(in, 100, at, many, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call MPI_Unpack(in, 100, at, y, many, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    call MPI_Unpack(in, 100, at, z, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    energy = many * sum(y(1:many)**2) * z + y(1)
  end function
end module
include 'rgmpi.inc'
