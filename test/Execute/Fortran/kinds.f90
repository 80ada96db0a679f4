! REQUIRES: flang
! RG-LEVELS: O0 O1 O2
! matmul of complex numbers and of operands of two kinds; products, sums and norms along one dimension;
! transfer, reduce, set_exponent; random numbers; integers beside them.
include 'rgtest.inc'
module kernels
  use rgtest
  implicit none
contains
  real(c_double) function complex_products(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    complex(8) :: a(2, 2), b(2, 2), v(2), z(4)
    real(8) :: m(2, 2)
    z = cmplx(x, x(4:1:-1) * 0.5d0, 8)
    a = reshape(z, [2, 2])
    m = reshape(x, [2, 2])
    b = matmul(transpose(a), m) + matmul(m, a)
    v = matmul(b, matmul(a, [x(1), x(2)]))
    complex_products = sum(abs(matmul(a, b))**2) + real(sum(v)) * aimag(v(1)) &
      + abs(product(z)) + real(product(z, mask = real(z) > 0.8d0)) + abs(sum(sum(a, dim=1) * z(1:2)))
  end function
  real(c_double) function two_kinds(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(8) :: m(2, 2), v(2)
    integer :: k(2, 2), s(2)
    k = reshape([1, 2, 3, 4], [2, 2])
    s = sum(k, dim=1) + maxval(k, dim=2)
    m = reshape(x, [2, 2])
    m = matmul(k, m) + matmul(m, transpose(k)) * s(1)
    v = norm2(m, dim=2) * product(k, dim=1)
    two_kinds = sum(m * m) + v(1) * v(2)
  end function
  pure real(8) function joined(a, b)
    real(8), intent(in) :: a, b
    joined = a * b + 0.1d0
  end function
  real(c_double) function others(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    integer(8) :: bits(4)
    real(8) :: y(4), u(4)
    u = 0
    call random_number(u)
    bits = transfer(x * x, bits)
    y = transfer(bits, y)
    others = sum(y * x) + reduce(x, joined) + reduce(y, joined, mask = y > 0.5d0) &
      + set_exponent(x(1), 3) * x(2) + sum(u * 0) * x(3)
  end function
end module
program test
  use kernels
  implicit none
  real(8) :: x(4), dx(4), t(4), d
  integer :: i
  x = [0.7d0, 1.3d0, 0.4d0, 2.1d0]
  dx = 0
  call reverse(c_funloc(complex_products), enzyme_dup, x, dx, enzyme_const, 4)
  do i = 1, 4
    t = 0
    t(i) = 1
    d = rg_difference(complex_products, x, i)
    call rg_near('reverse complex_products', dx(i), d)
    call rg_near('forward complex_products', forward(c_funloc(complex_products), enzyme_dup, x, t, enzyme_const, 4), d)
  end do
  dx = 0
  call reverse(c_funloc(two_kinds), enzyme_dup, x, dx, enzyme_const, 4)
  do i = 1, 4
    t = 0
    t(i) = 1
    d = rg_difference(two_kinds, x, i)
    call rg_near('reverse two_kinds', dx(i), d)
    call rg_near('forward two_kinds', forward(c_funloc(two_kinds), enzyme_dup, x, t, enzyme_const, 4), d)
  end do
  dx = 0
  call reverse(c_funloc(others), enzyme_dup, x, dx, enzyme_const, 4)
  do i = 1, 4
    t = 0
    t(i) = 1
    d = rg_difference(others, x, i)
    call rg_near('reverse others', dx(i), d)
    call rg_near('forward others', forward(c_funloc(others), enzyme_dup, x, t, enzyme_const, 4), d)
  end do
  call rg_report()
end program
