!mod$ v1 sum:d017575e9baa8c07
!need$ f154ee9453c5b663 n rgtest
module kernels
use rgtest,only:enzyme_const
use rgtest,only:enzyme_dup
use rgtest,only:enzyme_dupnoneed
use rgtest,only:enzyme_out
use rgtest,only:enzyme_primal_return
use rgtest,only:rg_checks
use rgtest,only:rg_failures
use rgtest,only:function_of_array
use rgtest,only:rg_near
use rgtest,only:rg_difference
use rgtest,only:rg_report
use rgtest,only:c_associated
use rgtest,only:c_funloc
use rgtest,only:c_funptr
use rgtest,only:c_f_pointer
use rgtest,only:c_loc
use rgtest,only:c_null_funptr
use rgtest,only:c_null_ptr
use rgtest,only:c_ptr
use rgtest,only:c_sizeof
use rgtest,only:operator(==)
use rgtest,only:operator(/=)
use rgtest,only:c_int8_t
use rgtest,only:c_int16_t
use rgtest,only:c_int32_t
use rgtest,only:c_int64_t
use rgtest,only:c_int128_t
use rgtest,only:c_int
use rgtest,only:c_short
use rgtest,only:c_long
use rgtest,only:c_long_long
use rgtest,only:c_signed_char
use rgtest,only:c_size_t
use rgtest,only:c_intmax_t
use rgtest,only:c_intptr_t
use rgtest,only:c_ptrdiff_t
use rgtest,only:c_int_least8_t
use rgtest,only:c_int_fast8_t
use rgtest,only:c_int_least16_t
use rgtest,only:c_int_fast16_t
use rgtest,only:c_int_least32_t
use rgtest,only:c_int_fast32_t
use rgtest,only:c_int_least64_t
use rgtest,only:c_int_fast64_t
use rgtest,only:c_int_least128_t
use rgtest,only:c_int_fast128_t
use rgtest,only:c_float
use rgtest,only:c_double
use rgtest,only:c_long_double
use rgtest,only:c_float_complex
use rgtest,only:c_double_complex
use rgtest,only:c_long_double_complex
use rgtest,only:c_bool
use rgtest,only:c_char
use rgtest,only:c_null_char
use rgtest,only:c_alert
use rgtest,only:c_backspace
use rgtest,only:c_form_feed
use rgtest,only:c_new_line
use rgtest,only:c_carriage_return
use rgtest,only:c_horizontal_tab
use rgtest,only:c_vertical_tab
use rgtest,only:c_float128
use rgtest,only:c_float128_complex
use rgtest,only:c_uint8_t
use rgtest,only:c_uint16_t
use rgtest,only:c_uint32_t
use rgtest,only:c_uint64_t
use rgtest,only:c_uint128_t
use rgtest,only:c_unsigned_char
use rgtest,only:c_unsigned_short
use rgtest,only:c_unsigned
use rgtest,only:c_unsigned_long
use rgtest,only:c_unsigned_long_long
use rgtest,only:c_uintmax_t
use rgtest,only:c_uint_fast8_t
use rgtest,only:c_uint_fast16_t
use rgtest,only:c_uint_fast32_t
use rgtest,only:c_uint_fast64_t
use rgtest,only:c_uint_fast128_t
use rgtest,only:c_uint_least8_t
use rgtest,only:c_uint_least16_t
use rgtest,only:c_uint_least32_t
use rgtest,only:c_uint_least64_t
use rgtest,only:c_uint_least128_t
use rgtest,only:c_f_procpointer
type::point
real(8)::x
real(8)::y
integer(4)::tag
end type
interface
subroutine reverse(f,m,x,dx,c,n) bind(c,name="__enzyme_autodiff_array")
import::c_funptr
type(c_funptr),value::f
integer(4),value::m
real(8)::x(1_8:*)
real(8)::dx(1_8:*)
integer(4),value::c
integer(4),value::n
end
end interface
interface
function forward(f,m,x,dx,c,n) bind(c,name="__enzyme_fwddiff_array")
import::c_funptr
type(c_funptr),value::f
integer(4),value::m
real(8)::x(1_8:*)
real(8)::dx(1_8:*)
integer(4),value::c
integer(4),value::n
real(8)::forward
end
end interface
contains
function shifts(x,n) bind(c)
integer(4),value::n
real(8),intent(in)::x(1_8:int(n,kind=8))
real(8)::shifts
end
function points(x,n) bind(c)
integer(4),value::n
real(8),intent(in)::x(1_8:int(n,kind=8))
real(8)::points
end
end
