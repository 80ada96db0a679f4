! Allocatable components of the caller's that the procedure allocates anew: the derivatives
! lie where the numbers were before the call. The bounds of a shadow stay.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module states
  use, intrinsic :: iso_c_binding
  implicit none
  type :: state
    real(c_double), allocatable :: a(:)
  end type
  integer(c_int), bind(C, name="enzyme_dup") :: dup
  interface
    subroutine gradient(f, mark_s, s, ds, mark_x, x, dx) bind(C, name="__enzyme_autodiff_s")
      import
      type(c_funptr), value :: f
      integer(c_int), value :: mark_s, mark_x
      type(c_ptr), value :: s, ds, x, dx
    end subroutine
  end interface
contains
  real(c_double) function append(s, x)
    type(state), intent(inout) :: s
    real(c_double), intent(in) :: x
    s%a = [s%a, x*s%a(1), x]
    append = sum(s%a**2)
  end function
  real(c_double) function moved(s, x)
    type(state), intent(inout) :: s
    real(c_double), intent(in) :: x
    real(c_double), allocatable :: b(:)
    allocate (b(2*size(s%a)))
    b = x
    b(1:size(s%a)) = s%a**2
    call move_alloc(b, s%a)
    moved = sum(s%a**2)
  end function
end module

program main
  use states
  implicit none
  type(state), target :: s, d
  real(c_double), target :: x, dx
  x = 1.5d0
  dx = 0
  s%a = [2d0, 3d0]
  d%a = [0d0, 0d0]
  call gradient(c_funloc(append), dup, c_loc(s), c_loc(d), dup, c_loc(x), c_loc(dx))
  if (any(abs([d%a(1:2), dx] - [13d0, 6d0, 15d0]) > 1d-12)) error stop 'append'
  dx = 0
  s%a = [2d0, 3d0]
  d%a = [0d0, 0d0]
  call gradient(c_funloc(moved), dup, c_loc(s), c_loc(d), dup, c_loc(x), c_loc(dx))
  if (any(abs([d%a(1:2), dx] - [32d0, 108d0, 6d0]) > 1d-12)) error stop 'moved'
end program
