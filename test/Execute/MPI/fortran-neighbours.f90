! REQUIRES: flang, mpi-fortran
! RG-RANKS: 1 2 3
! MPI in Fortran by mpif.h: collective routines among the neighbours of a topology, and collective routines that do
! not wait.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  include 'openmpi/mpif.h'
contains
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: out(4), in(4), all(2, 2), got(6), s, t, sums(3), parts(2, 3), mine(2), root(2), r8
    integer :: ierr, rank, np, i, ring, req(4)
    integer :: counts(2), froms(2), places(2), everybody(3), begins(3), dims(1)
    logical :: periodic(1)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
    dims = np
    periodic = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., ring, ierr)
    out = [x(1) * x(2), x(3), sin(x(4)), x(5) * x(5)]
    call MPI_Neighbor_alltoall(out, 2, MPI_DOUBLE_PRECISION, in, 2, MPI_DOUBLE_PRECISION, ring, ierr)
    s = in(1) * in(2) * in(2) + 3 * in(3) * in(4) * x(1)
    call MPI_Neighbor_allgather(out, 2, MPI_DOUBLE_PRECISION, all, 2, MPI_DOUBLE_PRECISION, ring, ierr)
    s = s + all(1, 1) * all(2, 2) + all(2, 1) * all(1, 2) * (rank + 2)
    counts = [2, 2]
    froms = [0, 2]
    places = [4, 1]
    got = x(1)
    call MPI_Neighbor_alltoallv(in, counts, froms, MPI_DOUBLE_PRECISION, got, counts, places, MPI_DOUBLE_PRECISION, &
                                ring, ierr)
    do i = 1, 6
      s = s + got(i) * got(i) * i
    end do
    call MPI_Neighbor_allgatherv(got, 2, MPI_DOUBLE_PRECISION, in, counts, froms, MPI_DOUBLE_PRECISION, ring, ierr)
    s = s + in(1) * in(4) + in(2) * in(3)
    call MPI_Ineighbor_alltoall(in, 2, MPI_DOUBLE_PRECISION, out, 2, MPI_DOUBLE_PRECISION, ring, req(1), ierr)
    call MPI_Ineighbor_allgather(got(3), 1, MPI_DOUBLE_PRECISION, mine, 1, MPI_DOUBLE_PRECISION, ring, req(2), ierr)
    call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
    s = s + out(1) * out(4) + mine(1) * mine(2) * out(2)

    sums = [x(1) * x(2), x(2) * x(3), x(3) * x(4)] * (rank + 1)
    t = s * 0.1d0
    call MPI_Iallreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Ibcast(t, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, req(2), ierr)
    mine = [x(4) * x(5), x(1)]
    call MPI_Iallgather(mine, 2, MPI_DOUBLE_PRECISION, parts, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, req(3), ierr)
    root = 0
    call MPI_Ireduce(mine, root, 2, MPI_DOUBLE_PRECISION, MPI_MAX, np - 1, MPI_COMM_WORLD, req(4), ierr)
    call MPI_Waitall(4, req, MPI_STATUSES_IGNORE, ierr)
    s = s + sums(1) * sums(2) * sums(3) * t
    do i = 1, np
      s = s + parts(1, i) * parts(2, i) * i
    end do
    if (rank == np - 1) s = s + root(1) * root(2)
    everybody = 2
    begins = [4, 2, 0]
    call MPI_Iallgatherv(mine, 2, MPI_DOUBLE_PRECISION, got, everybody, begins, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, &
                         req(1), ierr)
    call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
    s = s + got(5) * got(6) * x(2)
    do i = 1, 3
      sums(i) = s * i
    end do
    call MPI_Iscatter(sums, 1, MPI_DOUBLE_PRECISION, r8, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
    sums = r8
    call MPI_Igather(r8, 1, MPI_DOUBLE_PRECISION, sums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
    parts(1, :) = sums
    call MPI_Ialltoall(parts, 1, MPI_DOUBLE_PRECISION, in, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, req(1), ierr)
    call MPI_Wait(req(1), MPI_STATUS_IGNORE, ierr)
    energy = s + in(1) * in(1) * 1d-3
    call MPI_Comm_free(ring, ierr)
  end function
end module
include 'rgmpi.inc'
