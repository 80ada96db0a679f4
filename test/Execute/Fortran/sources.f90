! Components allocated from a source: the kind of what the descriptor in memory describes is
! that of the source.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module grids
  use, intrinsic :: iso_c_binding
  implicit none
  type :: grid
    integer :: n = 0
    real(c_double), allocatable :: u(:), f(:)
    character(len=:), allocatable :: name
  contains
    procedure :: begin
    procedure :: step
  end type
  interface
    real(c_double) function gradient(f, x) bind(C, name="__enzyme_autodiff_1")
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
    end function
    real(c_double) function tangent(f, x, dx) bind(C, name="__enzyme_fwddiff_1")
      import
      type(c_funptr), value :: f
      real(c_double), value :: x, dx
    end function
  end interface
contains
  subroutine begin(this, x)
    class(grid), intent(inout) :: this
    real(c_double), intent(in) :: x(:)
    this%n = size(x)
    this%u = x
    allocate (this%f, source=sin(x))
    allocate (character(len=2 + this%n) :: this%name)
    this%name = 'heat'
  end subroutine
  subroutine step(this, dt)
    class(grid), intent(inout) :: this
    real(c_double), intent(in) :: dt
    real(c_double), allocatable :: next(:)
    integer :: i
    next = [(this%u(i) + dt*(this%f(i) - this%u(modulo(i, this%n) + 1)), i=1, this%n)]
    call move_alloc(next, this%u)
  end subroutine
  real(c_double) function f(x) bind(C)
    real(c_double), value :: x
    type(grid) :: g
    integer :: t
    call g%begin([x, x*x, 1/x, x - 1])
    do t = 1, 5
      call g%step(0.1d0*x)
    end do
    f = sum(g%u**2) + len(g%name)*g%f(2)
  end function
end module

program main
  use grids
  implicit none
  real(c_double) :: x, h, d
  x = 1.3d0
  h = 1d-3
  d = (8*(f(x + h) - f(x - h)) - (f(x + 2*h) - f(x - 2*h)))/(12*h)
  if (.not. abs(gradient(c_funloc(f), x) - d) < 1d-8*abs(d)) error stop 1
  if (.not. abs(tangent(c_funloc(f), x, 1d0) - d) < 1d-8*abs(d)) error stop 2
end program
