! Characters beside active numbers: trimmed, moved, repeated, searched, of a length that
! assignment gives; questions about a class.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module labels
  use, intrinsic :: iso_c_binding
  implicit none
  type :: item
    real(c_double) :: weight
    character(len=8) :: name
  end type
  type :: shape
    real(c_double) :: r
  end type
  type, extends(shape) :: rect
    real(c_double) :: b
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
  real(c_double) function by_name(x) bind(C)
    real(c_double), value :: x
    type(item) :: items(3)
    character(len=16) :: line, kind
    character(len=:), allocatable :: s, both
    character(len=4), allocatable :: short(:)
    integer :: i
    by_name = 0
    do i = 1, 3
      items(i)%weight = x**i
      write (line, '(a,i0)') '  item', i
      items(i)%name = adjustl(line)
    end do
    s = ''
    do i = 1, 3
      kind = items(i)%name
      select case (trim(kind))
      case ('item1')
        by_name = by_name + 2*items(i)%weight
      case ('item2')
        by_name = by_name + sin(items(i)%weight)
      case default
        by_name = by_name - items(i)%weight
      end select
      s = s // trim(kind) // '_' // repeat('z', i)
      both = s // adjustr(kind)
      if (both(len(both):len(both)) == achar(iachar('0') + i)) by_name = by_name*x
      if (index(s, 'zz') > 0 .and. scan(s, '12') == 5) by_name = by_name + len(s)*x
      if (verify(trim(kind), 'itemz0123456789') == 0) by_name = by_name + x
    end do
    short = [character(len=4) :: 'ab', 'abcd']
    short = [character(len=6) :: 'abcdef', 'a', 'b']
    if (size(short) == 3 .and. short(1) == 'abcd' .and. len_trim(short(2)) == 1) by_name = by_name*x
  end function
  real(c_double) function by_class(x) bind(C)
    real(c_double), value :: x
    type(shape), target :: a
    type(rect), target :: b
    class(shape), pointer :: p
    integer :: i
    a%r = x
    b%r = x*x
    b%b = 1 + x
    by_class = 0
    do i = 1, 4
      if (mod(i, 2) == 0) then
        p => b
      else
        p => a
      end if
      select type (p)
      class is (rect)
        by_class = by_class + p%r*p%b
      class default
        by_class = by_class*p%r + i
      end select
      if (same_type_as(p, a)) by_class = by_class + x*p%r
      if (extends_type_of(p, a)) by_class = by_class + p%r
    end do
  end function
  subroutine check(f, g, t, x, code)
    interface
      real(c_double) function f(x) bind(C)
        import
        real(c_double), value :: x
      end function
    end interface
    real(c_double), intent(in) :: g, t, x
    integer, intent(in) :: code
    real(c_double) :: h, d
    h = 1d-3
    d = (8*(f(x + h) - f(x - h)) - (f(x + 2*h) - f(x - 2*h)))/(12*h)
    if (.not. abs(g - d) < 1d-8*abs(d)) error stop code
    if (.not. abs(t - d) < 1d-8*abs(d)) error stop code + 1
  end subroutine
end module

program main
  use labels
  implicit none
  real(c_double), parameter :: x = 1.3d0
  if (abs(by_name(1d0) - 43 - sin(1d0)) > 1d-12) error stop 9
  call check(by_name, gradient(c_funloc(by_name), x), tangent(c_funloc(by_name), x, 1d0), x, 1)
  call check(by_class, gradient(c_funloc(by_class), x), tangent(c_funloc(by_class), x, 1d0), x, 3)
end program
