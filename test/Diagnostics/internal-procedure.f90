! The address of an internal procedure whose host is not differentiated was made before the derivative: what it leads to is not known.
! RUN: %rgfort -O0 %s -Wl,-z,execstack -o %t && not --crash %t 2>&1 | FileCheck %s
! RUN: %rgfort -O2 %s -Wl,-z,execstack -o %t && not --crash %t 2>&1 | FileCheck %s
! REQUIRES: flang
! CHECK: retrograd: in 'f', a call through a pointer reached the function at {{.*}}, which has no derivative
module solve
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    real(8) function plain(t)
      real(8), intent(in) :: t
    end function
  end interface
  type :: holder
    procedure(plain), pointer, nopass :: g => null()
  end type
  type(holder) :: kept
  interface
    real(c_double) function gradient(f, x) bind(C, name="__enzyme_autodiff_1")
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
    end function
  end interface
contains
  real(c_double) function f(x) bind(C)
    real(c_double), value :: x
    f = kept%g(x)*x
  end function
end module
program main
  use solve
  implicit none
  real(8) :: scale
  scale = 2
  kept%g => scaled
  print *, gradient(c_funloc(f), 3d0)
contains
  real(8) function scaled(t)
    real(8), intent(in) :: t
    scaled = t*scale
  end function
end program
