! REQUIRES: flang
! RG-LEVELS: O0 O1 O2 O3
! Derived types with default values, pointer and allocatable components: allocated, linked,
! assigned as a whole.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
  type settings
    real(8) :: scale = 2d0, shift(2) = [1d0, 3d0]
    integer :: n = 3
    logical :: on = .true.
  end type
  type, extends(settings) :: named
    character(5) :: name = 'plain'
    type(settings) :: inner
  end type
  type node
    real(8) :: v
    type(node), pointer :: next => null()
  end type
  type tree
    real(8) :: key = 0
    type(tree), pointer :: left => null(), right => null()
  end type
  type stack
    integer :: top = 0
    real(8), allocatable :: items(:)
  end type
  type model
    real(8), allocatable :: w(:, :)
    type(stack), allocatable :: s(:)
    type(settings) :: o
  end type
  type cell
    real(8) :: v
    type(cell), allocatable :: next
  end type
contains
  real(c_double) function defaults(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(named), allocatable :: one, all(:)
    allocate (one); allocate (all(n))
    one%scale = one%scale*x(1); one%inner%shift = one%inner%shift*x(2:3)
    all(2) = one
    all(3)%shift(2) = x(4)
    defaults = one%scale*one%inner%shift(2) + all(2)%inner%shift(1)*all(3)%shift(2) + all(1)%scale*x(5)
    if (all(1)%on .and. all(3)%name == 'plain') defaults = defaults*all(1)%inner%n
  end function
  real(c_double) function linked(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(node), pointer :: head, tail, p
    integer :: i
    nullify (head)
    do i = 1, n
      allocate (p); p%v = x(i)**2; p%next => head; head => p
    end do
    tail => head
    do while (associated(tail%next))
      tail => tail%next
    end do
    allocate (tail%next); tail%next%v = x(1)*x(2)
    linked = 0
    do while (associated(head))
      linked = linked*0.5d0 + sin(head%v)
      p => head%next; deallocate (head); head => p
    end do
  end function
  recursive subroutine insert(t, k)
    type(tree), pointer, intent(inout) :: t
    real(8), intent(in) :: k
    if (.not. associated(t)) then
      allocate (t); t%key = k
    else if (k < t%key) then
      call insert(t%left, k)
    else
      call insert(t%right, k)
    end if
  end subroutine
  recursive real(8) function walk(t, depth) result(r)
    type(tree), pointer, intent(in) :: t
    integer, intent(in) :: depth
    r = 0
    if (associated(t)) r = walk(t%left, depth + 1) + walk(t%right, depth + 2) + depth*t%key**2
  end function
  real(c_double) function sorted(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(tree), pointer :: root
    integer :: i
    root => null()
    do i = 1, n
      call insert(root, sin(3*x(i)))
    end do
    sorted = walk(root, 1)
  end function
  subroutine push(s, v)
    type(stack), intent(inout) :: s
    real(8), intent(in) :: v
    real(8), allocatable :: t(:)
    if (.not. allocated(s%items)) allocate (s%items(2))
    if (s%top == size(s%items)) then
      allocate (t(2*s%top)); t(1:s%top) = s%items; call move_alloc(t, s%items)
    end if
    s%top = s%top + 1; s%items(s%top) = v
  end subroutine
  type(model) function made(x)
    real(8), intent(in) :: x(:)
    integer :: i
    made%w = reshape(x(1:4)**2, [2, 2])
    allocate (made%s(2))
    do i = 1, 2
      call push(made%s(i), x(i)); call push(made%s(i), x(i + 1)**2); call push(made%s(i), x(i + 2))
    end do
    made%o%scale = x(1)
  end function
  real(c_double) function owning(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(model) :: p, q
    type(model), allocatable :: a(:), b(:)
    p = made(x)
    q = p
    q%s(1)%items(2) = q%s(1)%items(2)*x(3)
    allocate (a(2))
    a(1) = q; a(2) = p
    allocate (b, source=a)
    b(2)%w(1, 1) = 5*x(1)
    q = q
    owning = sum(p%w) + sum(q%w*a(1)%w) + q%s(1)%items(2)*p%s(1)%items(2) + a(2)%w(1, 1)*b(2)%w(1, 1) &
             + b(1)%s(2)%items(3)*b(1)%o%scale
  end function
  real(c_double) function chained(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    type(cell), allocatable, target :: head
    type(cell), pointer :: p
    integer :: i
    allocate (head); head%v = x(1); p => head
    do i = 2, n
      allocate (p%next); p => p%next; p%v = x(i)**2
    end do
    chained = 0; p => head
    do
      chained = chained*0.7d0 + p%v*x(1)
      if (.not. allocated(p%next)) exit
      p => p%next
    end do
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(5), dx(5, 5), t(5), d(5)
  integer :: i
  x = [0.5d0, 0.7d0, 0.9d0, 1.1d0, 0.3d0]
  dx = 0
  call reverse(c_funloc(defaults), enzyme_dup, x, dx(:, 1), enzyme_const, 5)
  call reverse(c_funloc(linked), enzyme_dup, x, dx(:, 2), enzyme_const, 5)
  call reverse(c_funloc(sorted), enzyme_dup, x, dx(:, 3), enzyme_const, 5)
  call reverse(c_funloc(owning), enzyme_dup, x, dx(:, 4), enzyme_const, 5)
  call reverse(c_funloc(chained), enzyme_dup, x, dx(:, 5), enzyme_const, 5)
  do i = 1, 5
    d(1) = rg_difference(defaults, x, i)
    d(2) = rg_difference(linked, x, i)
    d(3) = rg_difference(sorted, x, i)
    d(4) = rg_difference(owning, x, i)
    d(5) = rg_difference(chained, x, i)
    t = 0
    t(i) = 1
    call rg_near('reverse defaults', dx(i, 1), d(1))
    call rg_near('reverse linked', dx(i, 2), d(2))
    call rg_near('reverse sorted', dx(i, 3), d(3))
    call rg_near('reverse owning', dx(i, 4), d(4))
    call rg_near('reverse chained', dx(i, 5), d(5))
    call rg_near('forward defaults', forward(c_funloc(defaults), enzyme_dup, x, t, enzyme_const, 5), d(1))
    call rg_near('forward linked', forward(c_funloc(linked), enzyme_dup, x, t, enzyme_const, 5), d(2))
    call rg_near('forward sorted', forward(c_funloc(sorted), enzyme_dup, x, t, enzyme_const, 5), d(3))
    call rg_near('forward owning', forward(c_funloc(owning), enzyme_dup, x, t, enzyme_const, 5), d(4))
    call rg_near('forward chained', forward(c_funloc(chained), enzyme_dup, x, t, enzyme_const, 5), d(5))
  end do
  call rg_report()
end program
