! A step in a function of another language; check reads it as an object of -flto.
module m
  use iso_c_binding
contains
  real(c_double) function energy(x, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    integer :: i
    energy = 0
    do i = 1, n
      energy = energy + coarse(x(i)) * x(i)
    end do
  end function
  real(c_double) function coarse(t) bind(C)
    real(c_double), value :: t
    coarse = anint(t * 1d6) * 1d-6 ! line 16
  end function
end module
