! Deferred type-bound procedures, called through class arguments and class pointers.
! REQUIRES: flang
! RG-LEVELS: O0 O2 O3
module shapes
  use, intrinsic :: iso_c_binding
  implicit none
  type, abstract :: shape
    real(c_double) :: r
  contains
    procedure(area_of), deferred :: area
    procedure :: grow => grow_shape
  end type
  abstract interface
    function area_of(this) result(a)
      import
      class(shape), intent(in) :: this
      real(c_double) :: a
    end function
  end interface
  type, extends(shape) :: circle
  contains
    procedure :: area => area_of_circle
  end type
  type, extends(shape) :: rect
    real(c_double) :: b
  contains
    procedure :: area => area_of_rect
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
  function area_of_circle(this) result(a)
    class(circle), intent(in) :: this
    real(c_double) :: a
    a = 3*this%r**2
  end function
  function area_of_rect(this) result(a)
    class(rect), intent(in) :: this
    real(c_double) :: a
    a = this%r*this%b
  end function
  subroutine grow_shape(this, by)
    class(shape), intent(inout) :: this
    real(c_double), intent(in) :: by
    this%r = this%r*by
  end subroutine
  real(c_double) function doubled(s)
    class(shape), intent(in) :: s
    doubled = 2*s%area()
  end function
  real(c_double) function f(x) bind(C)
    real(c_double), value :: x
    type(circle), target :: c
    type(rect), target :: q
    class(shape), pointer :: p
    integer :: i
    c%r = x
    q%r = x
    q%b = x*x
    f = doubled(c) + doubled(q)
    do i = 1, 3
      if (mod(i, 2) == 1) then
        p => c
      else
        p => q
      end if
      call p%grow(x + i)
      f = f + p%area()
    end do
  end function
end module

program main
  use shapes
  implicit none
  real(c_double) :: x, h, d
  x = 1.3d0
  h = 1d-3
  d = (8*(f(x + h) - f(x - h)) - (f(x + 2*h) - f(x - 2*h)))/(12*h)
  if (.not. abs(gradient(c_funloc(f), x) - d) < 1d-8*abs(d)) error stop 1
  if (.not. abs(tangent(c_funloc(f), x, 1d0) - d) < 1d-8*abs(d)) error stop 2
end program
