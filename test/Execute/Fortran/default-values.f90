! Default values of derived types, of which two extend one: integers, logicals, characters, procedure pointers, allocatable arrays. Their
! procedures are called by way of classes, through so many calls that the last round of inlining brings the trampoline's use.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module m
  use, intrinsic :: iso_c_binding
  implicit none
  type :: method
    integer :: id = 1
    character(32) :: name = 'brent'
  end type
  type, abstract :: base
    integer :: status = 0
    logical :: stopped = .false.
    integer :: steps = 0
    integer :: most = huge(1)
    procedure(slope), pointer :: f => null()
    type(method) :: solver
    real(8), allocatable :: work(:, :)
    real(8) :: last = 0
  contains
    procedure(advance), deferred :: step
    procedure :: run
  end type
  type, extends(base) :: euler
    real(8) :: damping = 0.5d0
    real(8), allocatable :: tolerance(:)
  contains
    procedure :: step => step_euler
  end type
  type, extends(base) :: heun
    integer :: kept(6) = [1, 2, 3, 4, 5, 6]
    real(8) :: weights(2) = [0.5d0, 0.5d0]
    procedure(slope), pointer, nopass :: other => null()
  contains
    procedure :: step => step_heun
  end type
  abstract interface
    subroutine slope(me, t, y, dy)
      import
      class(base), intent(inout) :: me
      real(8), intent(in) :: t, y(:)
      real(8), intent(out) :: dy(:)
    end subroutine
    subroutine advance(me, t, y, h)
      import
      class(base), intent(inout) :: me
      real(8), intent(in) :: t, h
      real(8), intent(inout) :: y(:)
    end subroutine
  end interface
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
  recursive subroutine run(me, t, y, h, n)
    class(base), intent(inout) :: me
    real(8), intent(in) :: t, h
    real(8), intent(inout) :: y(:)
    integer, intent(in) :: n
    if (.not. allocated(me%work)) allocate(me%work(size(y), 2))
    if (n == 0 .or. me%steps >= me%most) return
    call me%step(t, y, h)
    me%steps = me%steps + 1
    me%last = y(1)*h
    call me%run(t + h, y, h, n - 1)
  end subroutine
  subroutine step_euler(me, t, y, h)
    class(euler), intent(inout) :: me
    real(8), intent(in) :: t, h
    real(8), intent(inout) :: y(:)
    call me%f(t, y, me%work(:, 1))
    y = y + h*me%work(:, 1) - me%damping*me%last*h
  end subroutine
  subroutine step_heun(me, t, y, h)
    class(heun), intent(inout) :: me
    real(8), intent(in) :: t, h
    real(8), intent(inout) :: y(:)
    call me%f(t, y, me%work(:, 1))
    call me%f(t + h, y + h*me%work(:, 1), me%work(:, 2))
    y = y + h*(me%weights(1)*me%work(:, 1) + me%weights(2)*me%work(:, 2))
  end subroutine
  real(c_double) function f(x) bind(C)
    real(c_double), value :: x
    type(euler) :: a
    type(heun) :: b
    real(8) :: y(2)
    y = [x, 1d0]
    a%f => pendulum
    b%f => pendulum
    call a%run(0d0, y, 0.1d0, 4)
    call b%run(0d0, y, 0.1d0, 4)
    f = sum(y*y) + a%last + b%last
  contains
    subroutine pendulum(me, t, y, dy)
      class(base), intent(inout) :: me
      real(8), intent(in) :: t, y(:)
      real(8), intent(out) :: dy(:)
      dy(1) = y(2)
      dy(2) = -x*sin(y(1)) + cos(t)*me%last
    end subroutine
  end function
end module
program main
  use m
  real(8) :: x = 1.3d0, h = 1d-6, reverse, forward, differences
  reverse = gradient(c_funloc(f), x)
  forward = tangent(c_funloc(f), x, 1d0)
  differences = (f(x + h) - f(x - h))/(2*h)
  if (abs(reverse - forward) > 1d-12 .or. abs(reverse - differences) > 1d-7) then
    print *, reverse, forward, differences
    error stop 1
  end if
end program
