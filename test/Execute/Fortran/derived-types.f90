! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Derived types: components, arrays of them, allocatable and nested components, pointers.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  type :: particle
    real(8) :: pos(3), vel(3)
    real(8) :: mass
    integer :: kind
  end type
  type :: net
    integer :: n
    real(8), allocatable :: w(:,:), b(:)
  end type
contains
  subroutine step(p, dt)
    type(particle), intent(inout) :: p
    real(8), intent(in) :: dt
    p%pos = p%pos + dt * p%vel
    p%vel = p%vel - dt * p%pos / p%mass
  end subroutine
  real(c_double) function kinetic(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(particle) :: p(n / 4)
    integer :: i
    do i = 1, n / 4
      p(i)%vel = x(4*i-3:4*i-1)
      p(i)%mass = x(4*i)
      p(i)%kind = i
      p(i)%pos = 0
    end do
    kinetic = 0
    do i = 1, n / 4
      call step(p(i), 0.1d0)
      call step(p(i), 0.2d0)
      kinetic = kinetic + 0.5d0 * p(i)%mass * sum(p(i)%vel**2) + norm2(p(i)%pos)
    end do
  end function
  real(c_double) function network(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(net) :: t
    real(8), allocatable :: h(:)
    integer :: i, j
    t%n = n
    allocate(t%w(n,n), t%b(n))
    do j = 1, n
      do i = 1, n
        t%w(i,j) = sin(real(i + 2*j, 8)) * x(1)
      end do
      t%b(j) = cos(real(j, 8)) + x(2)
    end do
    h = x
    do i = 1, 3
      h = tanh(matmul(t%w, h) + t%b)
    end do
    network = sum(h) + minval(h) * product(h)
    deallocate(t%w)
  end function
  real(c_double) function views(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8), target :: store(n)
    real(8), pointer :: odd(:), p(:)
    real(8), allocatable :: grown(:), moved(:)
    store = x * x
    odd => store(1:n:2)
    odd = odd * x(1)
    allocate(p(3))
    p = odd(1:3) + store(2)
    allocate(grown, source=p)
    grown = [grown(2:3), grown(1)] * 2d0
    call move_alloc(grown, moved)
    grown = moved(3:1:-1) + x(2)
    views = sum(odd) * sum(grown * moved) + dot_product(p, grown)
    deallocate(p)
  end function
  subroutine fill(x)
    real(8), intent(out) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = 0.9d0 + 0.6d0 * sin(2.3d0 * i)
    end do
  end subroutine
end module
program test
  use kernels
  implicit none
  real(8) :: x(32), dx(32), t(32), d
  integer :: i
  call fill(x(1:8))
  dx = 0
  call reverse(c_funloc(kinetic), enzyme_dup, x, dx, enzyme_const, 8)
  do i = 1, 8
    t = 0
    t(i) = 1
    d = rg_difference(kinetic, x(1:8), i)
    call rg_near('reverse kinetic', dx(i), d)
    call rg_near('forward kinetic', forward(c_funloc(kinetic), enzyme_dup, x, t, enzyme_const, 8), d)
  end do
  call fill(x(1:4))
  dx = 0
  call reverse(c_funloc(network), enzyme_dup, x, dx, enzyme_const, 4)
  do i = 1, 4
    t = 0
    t(i) = 1
    d = rg_difference(network, x(1:4), i)
    call rg_near('reverse network', dx(i), d)
    call rg_near('forward network', forward(c_funloc(network), enzyme_dup, x, t, enzyme_const, 4), d)
  end do
  call fill(x(1:6))
  dx = 0
  call reverse(c_funloc(views), enzyme_dup, x, dx, enzyme_const, 6)
  do i = 1, 6
    t = 0
    t(i) = 1
    d = rg_difference(views, x(1:6), i)
    call rg_near('reverse views', dx(i), d)
    call rg_near('forward views', forward(c_funloc(views), enzyme_dup, x, t, enzyme_const, 6), d)
  end do
  call rg_report()
end program
