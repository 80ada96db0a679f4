! Which type a descriptor in memory has is found by comparing it with the program's tables; none of them ends the program.
! REQUIRES: flang
! RUN: rm -rf %t.mod && mkdir -p %t.mod
! RUN: %rgfort -O2 -c %s -J%t.mod -I%root/test/include -o %t.o -mllvm -rg-print-after=choose-fortran-types 2>&1 | FileCheck %s
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  type cell
    real(8) :: v
    type(cell), allocatable :: next
  end type
contains
  ! CHECK: ; after choose-fortran-types
  ! CHECK-LABEL: @rg.primal.chained(
  ! CHECK: icmp eq ptr [[TABLE:%.*]], @_QMkernelsEXdtXcell
  ! CHECK: store ptr @_QMkernelsEXdtXcell
  ! CHECK: call void @rg_fortran_initialise(ptr {{.*}}, ptr noundef [[TABLE]]){{.*}} !rg.types.tried
  real(c_double) function chained(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(cell), allocatable, target :: head
    type(cell), pointer :: p
    integer :: i
    allocate (head); head%v = x(1); p => head
    do i = 2, n
      allocate (p%next); p => p%next; p%v = x(i)**2
    end do
    chained = head%v*head%next%v
  end function
  subroutine gradient(x, dx, n)
    integer(c_int), value :: n
    real(c_double) :: x(n), dx(n)
    call reverse(c_funloc(chained), enzyme_dup, x, dx, enzyme_const, n)
  end subroutine
end module
