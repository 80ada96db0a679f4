! An internal procedure that calls what its host was given, through a record: what that one reads from a module. Another internal
! procedure has the type that it has with the parameter for the variables of its host.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module steps
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    real(c_double) function gradient(f, x) bind(C, name="__enzyme_autodiff_1")
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
    end function
  end interface
  abstract interface
    real(8) function plain(t)
      real(8), intent(in) :: t
    end function
    real(8) function method(scale, t)
      real(8), intent(in) :: scale, t
    end function
  end interface
  type :: stepper
    procedure(method), pointer, nopass :: next => null()
  end type
  real(8) :: rate
contains
  real(8) function decay(t)
    real(8), intent(in) :: t
    decay = t * rate
  end function
  real(8) function at(g, t)
    procedure(plain) :: g
    real(8), intent(in) :: t
    at = g(t)
  end function
  recursive subroutine run(s, y, n)
    type(stepper), intent(in) :: s
    real(8), intent(inout) :: y
    integer, intent(in) :: n
    real(8) :: start
    if (n == 0) return
    start = 1
    y = y - 0.125d0 * at(inside, start)
    call run(s, y, n - 1)
  contains
    real(8) function inside(t)
      real(8), intent(in) :: t
      inside = s%next(1d0, t)
    end function
  end subroutine
  recursive subroutine follow(g, y, n)
    procedure(plain) :: g
    real(8), intent(out) :: y
    integer, intent(in) :: n
    type(stepper) :: s
    if (n > 8) call follow(g, y, n - 1)
    s%next => wrapped
    y = 1
    call run(s, y, n)
  contains
    real(8) function wrapped(scale, t)
      real(8), intent(in) :: scale, t
      wrapped = scale * g(t)
    end function
  end subroutine
  real(c_double) function f(x) bind(C)
    real(c_double), value :: x
    real(8) :: y
    rate = x
    call follow(decay, y, 4)
    f = y
  end function
end module
program main
  use steps
  if (abs(gradient(c_funloc(f), 2.0_c_double) + 0.5d0) > 1d-9) error stop 1
end program
