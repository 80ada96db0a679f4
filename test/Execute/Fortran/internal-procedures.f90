! Internal procedures by address: of several hosts, beside module procedures, handed on, kept in procedure pointers, within each other's
! calls, with variables of the host that they read and write. None of the procedures that call them is inlined: they call themselves.
! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
module routines
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    real(8) function plain(t)
      real(8), intent(in) :: t
    end function
    subroutine slope(t, y, dy)
      real(8), intent(in) :: t
      real(8), intent(in) :: y(:)
      real(8), intent(out) :: dy(:)
    end subroutine
  end interface
  type :: quadrature
    procedure(plain), pointer, nopass :: integrand => null()
    integer :: depth = 2
    real(8) :: weight = 1
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
  recursive real(8) function integral(g, a, b, n) result(s)
    procedure(plain) :: g
    real(8), intent(in) :: a, b
    integer, intent(in) :: n
    real(8) :: mid
    mid = (a + b)/2
    if (n == 0) then
      s = (b - a)*(g(a) + 4*g(mid) + g(b))/6
    else
      s = integral(g, a, mid, n - 1) + integral(g, mid, b, n - 1)
    end if
  end function
  real(8) function cubed(t)
    real(8), intent(in) :: t
    cubed = t*t*t
  end function

  ! Two hosts and a module procedure for one callee.
  real(c_double) function several(x) bind(C)
    real(c_double), value :: x
    real(8) :: scale
    scale = x*x
    several = integral(decay, 0d0, x, 2) + integral(cubed, 0d0, x, 1) + other(x, 3d0)
  contains
    real(8) function decay(t)
      real(8), intent(in) :: t
      decay = scale*exp(-t*x)
    end function
  end function
  real(8) function other(y, a)
    real(8), intent(in) :: y, a
    other = integral(bent, y, a, 2)
  contains
    real(8) function bent(t)
      real(8), intent(in) :: t
      bent = sin(y*t) + a*y
    end function
  end function

  ! A variable that the procedure chooses among, and one that it writes.
  real(c_double) function counted(x) bind(C)
    real(c_double), value :: x
    real(8) :: total
    integer :: calls
    procedure(plain), pointer :: p
    total = 0
    calls = 0
    p => inner
    if (x > 100) p => cubed
    counted = integral(p, 0d0, x, 2) + total*x
  contains
    real(8) function inner(t)
      real(8), intent(in) :: t
      calls = calls + 1
      total = total + t*x*calls
      inner = total
    end function
  end function

  ! An internal procedure whose host was given one, and hands on another.
  recursive real(8) function doubled(g, t, n) result(s)
    procedure(plain) :: g
    real(8), intent(in) :: t
    integer, intent(in) :: n
    if (n == 0) then
      s = integral(twice, 0d0, t, 1)
    else
      s = doubled(twice, t, n - 1)
    end if
  contains
    real(8) function twice(u)
      real(8), intent(in) :: u
      twice = 2*g(u)*t
    end function
  end function
  real(c_double) function nested(x) bind(C)
    real(c_double), value :: x
    nested = doubled(inner, x, 2)
  contains
    real(8) function inner(t)
      real(8), intent(in) :: t
      inner = cos(t*x)
    end function
  end function

  ! Kept in a record, with arrays of the host.
  recursive subroutine apply(q, a, r, n)
    type(quadrature), intent(inout) :: q
    real(8), intent(in) :: a
    real(8), intent(inout) :: r
    integer, intent(in) :: n
    if (n == 0) then
      r = r + q%weight*integral(q%integrand, 0d0, a, q%depth)
    else
      q%weight = q%weight*a
      call apply(q, a, r, n - 1)
      q%depth = abs(q%depth - 1)
      call apply(q, a/2, r, n - 1)
    end if
  end subroutine
  real(c_double) function recorded(x) bind(C)
    real(c_double), value :: x
    type(quadrature) :: q
    real(8) :: c(4)
    integer :: i
    c = [(x**i, i=1, 4)]
    q%integrand => polynomial
    recorded = 0
    call apply(q, x, recorded, 2)
  contains
    real(8) function polynomial(t)
      real(8), intent(in) :: t
      polynomial = c(1) + t*(c(2) + t*(c(3) + t*c(4)))
    end function
  end function

  ! A subroutine, with arrays whose shape is assumed.
  recursive subroutine steps(f, t, y, h, n)
    procedure(slope) :: f
    real(8), intent(in) :: t, h
    real(8), intent(inout) :: y(:)
    integer, intent(in) :: n
    real(8), allocatable :: k1(:), k2(:)
    if (n == 0) return
    allocate(k1(size(y)), k2(size(y)))
    call f(t, y, k1)
    call f(t + h, y + h*k1, k2)
    y = y + h/2*(k1 + k2)
    call steps(f, t + h, y, h, n - 1)
  end subroutine
  real(c_double) function orbit(x) bind(C)
    real(c_double), value :: x
    real(8) :: y(2), damping
    integer :: evaluations
    evaluations = 0
    damping = x/10
    y = [x, 1d0]
    call steps(pendulum, 0d0, y, 0.1d0, 5)
    orbit = sum(y*y) + evaluations*x
  contains
    subroutine pendulum(t, y, dy)
      real(8), intent(in) :: t
      real(8), intent(in) :: y(:)
      real(8), intent(out) :: dy(:)
      evaluations = evaluations + 1
      dy(1) = y(2)
      dy(2) = -x*sin(y(1)) - damping*y(2) + cos(t)
    end subroutine
  end function

  ! Only the procedure around it is active, not what calls it.
  recursive subroutine visit(g, n)
    procedure(plain) :: g
    integer, intent(in) :: n
    real(8) :: r
    if (n == 0) return
    r = g(real(n, 8))
    call visit(g, n - 1)
  end subroutine
  real(c_double) function visited(x) bind(C)
    real(c_double), value :: x
    real(8) :: seen
    seen = 0
    call visit(note, 4)
    visited = seen*seen
  contains
    real(8) function note(t)
      real(8), intent(in) :: t
      seen = seen + t*x*x
      note = 0
    end function
  end function
end module

program main
  use routines
  implicit none
  procedure(several), pointer :: f
  call check('several', several)
  call check('counted', counted)
  call check('nested', nested)
  call check('recorded', recorded)
  call check('orbit', orbit)
  call check('visited', visited)
contains
  subroutine check(name, f)
    character(*), intent(in) :: name
    procedure(several) :: f
    real(8) :: x, h, reverse, forward, differences
    x = 1.3d0
    h = 1d-5
    differences = (f(x + h) - f(x - h))/(2*h)
    reverse = derivative(1)
    forward = derivative(2)
    if (abs(reverse - differences) > 1d-6*max(1d0, abs(differences)) .or. abs(reverse - forward) > 1d-10*max(1d0, abs(forward))) then
      print *, name, reverse, forward, differences
      error stop 1
    end if
  contains
    real(8) function derivative(mode)
      integer, intent(in) :: mode
      select case (name)
      case ('several')
        derivative = merge(gradient(c_funloc(several), x), tangent(c_funloc(several), x, 1d0), mode == 1)
      case ('counted')
        derivative = merge(gradient(c_funloc(counted), x), tangent(c_funloc(counted), x, 1d0), mode == 1)
      case ('nested')
        derivative = merge(gradient(c_funloc(nested), x), tangent(c_funloc(nested), x, 1d0), mode == 1)
      case ('recorded')
        derivative = merge(gradient(c_funloc(recorded), x), tangent(c_funloc(recorded), x, 1d0), mode == 1)
      case ('orbit')
        derivative = merge(gradient(c_funloc(orbit), x), tangent(c_funloc(orbit), x, 1d0), mode == 1)
      case ('visited')
        derivative = merge(gradient(c_funloc(visited), x), tangent(c_funloc(visited), x, 1d0), mode == 1)
      end select
    end function
  end subroutine
end program
