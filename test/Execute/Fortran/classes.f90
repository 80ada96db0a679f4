! RG-LEVELS: O0 O2 O3
! Allocatable objects of a class: allocated as a type, from a source, by assignment; in components, arrays,
! arguments and results; moved.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  type, abstract :: shape
    real(8) :: weight = 1d0
  contains
    procedure(area_i), deferred :: area
  end type
  abstract interface
    real(8) function area_i(this)
      import shape
      class(shape), intent(in) :: this
    end function
  end interface
  type, extends(shape) :: circle
    real(8) :: r
  contains
    procedure :: area => area_circle
  end type
  type, extends(shape) :: rect
    real(8) :: a, b
  contains
    procedure :: area => area_rect
  end type
  type, extends(shape) :: poly
    real(8), allocatable :: c(:)
  contains
    procedure :: area => area_poly
  end type
  type :: holder
    class(shape), allocatable :: s
  end type
contains
  real(8) function area_circle(this)
    class(circle), intent(in) :: this
    area_circle = 3.14d0 * this%r**2 * this%weight
  end function
  real(8) function area_rect(this)
    class(rect), intent(in) :: this
    area_rect = this%a * this%b * this%weight
  end function
  real(8) function area_poly(this)
    class(poly), intent(in) :: this
    area_poly = sum(this%c**2) * this%weight
  end function
  ! factory
  subroutine make(s, kind, x)
    class(shape), allocatable, intent(out) :: s
    integer, intent(in) :: kind
    real(8), intent(in) :: x(:)
    if (kind == 1) then
      allocate(s, source=circle(x(3), x(1)))
    else
      allocate(s, source=rect(r_weight(x), x(1), x(2)))
    end if
  end subroutine
  real(8) function r_weight(x)
    real(8), intent(in) :: x(:)
    r_weight = x(3)
  end function
  real(c_double) function factory(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s
    integer :: i
    factory = 0
    do i = 1, 4
      call make(s, mod(i, 2), x(i:i+2))
      factory = factory + s%area() * i
    end do
  end function
  real(c_double) function assigned(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s
    s = circle(1d0, x(1))
    assigned = s%area()
    s = rect(x(4), x(2), x(3))
    assigned = assigned * s%area()
  end function
  real(c_double) function held(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(holder) :: h(3)
    integer :: i
    h(1)%s = circle(1d0, x(1))
    h(2)%s = rect(x(4), x(2), x(3))
    h(3)%s = circle(x(5), x(6))
    held = 0
    do i = 1, 3
      held = held + h(i)%s%area() * x(i)
    end do
  end function
  real(c_double) function owning(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s
    allocate(poly :: s)
    select type (s)
    type is (poly)
      s%c = x(1:4) * x(2:5)
      s%weight = x(6)
    end select
    owning = s%area()
  end function
  real(c_double) function sourced(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s, t
    integer :: i
    allocate(circle :: s)
    select type (s)
    class is (circle)
      s%r = x(1)
    class default
      error stop
    end select
    allocate(t, source=s)
    sourced = t%area() * s%area()
    call move_alloc(t, s)
    sourced = sourced + s%area() * x(2)
    if (allocated(t)) sourced = 0
  end function
  real(c_double) function listed(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s(:)
    integer :: i
    allocate(circle :: s(4))
    select type (s)
    type is (circle)
      do i = 1, 4
        s(i)%r = x(i)**2
      end do
    end select
    listed = 0
    do i = 1, 4
      listed = listed + s(i)%area() * x(i + 1)
    end do
  end function
  function build(x, flag) result(s)
    real(8), intent(in) :: x(:)
    logical, intent(in) :: flag
    class(shape), allocatable :: s
    if (flag) then
      s = circle(1d0, x(1))
    else
      s = rect(1d0, x(1), x(2))
    end if
  end function
  real(c_double) function returned(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    class(shape), allocatable :: s
    s = build(x, x(1) > 0)
    returned = s%area()
    s = build(x, x(1) < 0)
    returned = returned * s%area()
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(12), dx(12), t(12)
  integer :: i
  do i = 1, 12
    x(i) = 0.9d0 + 0.6d0 * sin(2.3d0 * i)
  end do
  dx = 0
  call reverse(c_funloc(factory), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse factory', dx(i), rg_difference(factory, x, i))
    call rg_near('forward factory', forward(c_funloc(factory), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(assigned), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse assigned', dx(i), rg_difference(assigned, x, i))
    call rg_near('forward assigned', forward(c_funloc(assigned), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(held), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse held', dx(i), rg_difference(held, x, i))
    call rg_near('forward held', forward(c_funloc(held), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(owning), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse owning', dx(i), rg_difference(owning, x, i))
    call rg_near('forward owning', forward(c_funloc(owning), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(sourced), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse sourced', dx(i), rg_difference(sourced, x, i))
    call rg_near('forward sourced', forward(c_funloc(sourced), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(listed), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse listed', dx(i), rg_difference(listed, x, i))
    call rg_near('forward listed', forward(c_funloc(listed), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  dx = 0
  call reverse(c_funloc(returned), enzyme_dup, x, dx, enzyme_const, 12)
  do i = 1, 12
    t = 0
    t(i) = 1
    call rg_near('reverse returned', dx(i), rg_difference(returned, x, i))
    call rg_near('forward returned', forward(c_funloc(returned), enzyme_dup, x, t, enzyme_const, 12), dx(i))
  end do
  call rg_report()
end program
