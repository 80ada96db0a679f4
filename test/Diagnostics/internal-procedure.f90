! The address of an internal procedure that reads variables of its host is a trampoline, code that is made when the program
! runs. Where what gets it is not inlined (here it calls itself), nobody
! knows of those variables when it is called, and the derivative is refused.
! REQUIRES: flang
! RUN: not %rgfort -O2 -c %s -o %t.o 2>&1 | FileCheck %s
! RUN: not %rgfort -O0 -c %s -o %t.o 2>&1 | FileCheck %s
! CHECK: error: {{.*}}it makes the address of an internal procedure that reaches active variables of the procedure around it; put both procedures and these variables into a module [RG2002]
module solve
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    real(c_double) function gradient(f, x) bind(C, name="__enzyme_autodiff_1")
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
    end function
  end interface
contains
  real(c_double) function root(x) bind(C)
    real(c_double), value :: x
    root = 1
    call newton(residual, root, 8)
  contains
    real(c_double) function residual(y)
      real(c_double), intent(in) :: y
      residual = y*y - x
    end function
  end function
  recursive subroutine newton(g, y, steps)
    interface
      real(c_double) function g(y)
        import
        real(c_double), intent(in) :: y
      end function
    end interface
    real(c_double), intent(inout) :: y
    integer, intent(in) :: steps
    real(c_double) :: before
    if (steps == 0) return
    before = y
    y = y - g(y)/(2*y)
    call newton(g, y, steps - 1)
    if (abs(y - before) > 1) y = y + g(y)
  end subroutine
end module
program main
  use solve
  print *, gradient(c_funloc(root), 2.0_c_double)
end program
