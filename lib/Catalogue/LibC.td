//===- LibC.td - the C library outside <math.h> ---------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mostly routines without a derivative. A name may stand under Inactive only if
// the routine writes no number through a pointer: so no fread, no scanf, which are
// ReadingRoutines.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

let Section = "Allocation" in {
def malloc : Allocation<["malloc"], "P:Z", [0], "free">;
def calloc : Allocation<["calloc"], "P:ZZ", [0, 1], "free"> { let ZeroFills = 1; }
def aligned_alloc : Allocation<["aligned_alloc", "memalign"], "P:ZZ", [1], "free">;
def valloc : Allocation<["valloc"], "P:Z", [0], "free">;
def free : Deallocation<["free", "cfree"], "V:P"> { let OfHeap = 1; }
def realloc : Handler<"Realloc"> {
  let Names = ["realloc"];
  let Prototype = "P:PZ";
}
def posix_memalign : Expansion<"rg_expand_posix_memalign", ["posix_memalign"], "I:PZZ">;
}

//===----------------------------------------------------------------------===//
// Memory and strings
//===----------------------------------------------------------------------===//

let Section = "Memory and strings" in {
def memcpy : Handler<"MemCpy"> { let Names = ["memcpy"]; let Prototype = "P:PPZ"; }
def memmove : Handler<"MemMove"> { let Names = ["memmove"]; let Prototype = "P:PPZ"; }
def memset : Handler<"MemSet"> { let Names = ["memset"]; let Prototype = "P:PIZ"; }
// The same where _FORTIFY_SOURCE adds the size of the destination.
def memcpy_chk : Handler<"MemCpy"> {
  let Names = ["__memcpy_chk"];
  let Prototype = "P:PPZZ";
}
def memmove_chk : Handler<"MemMove"> {
  let Names = ["__memmove_chk"];
  let Prototype = "P:PPZZ";
}
def memset_chk : Handler<"MemSet"> {
  let Names = ["__memset_chk"];
  let Prototype = "P:PIZZ";
}
// What is sorted may be active: the bodies are in runtime/sorting.c.
def qsort : Expansion<"rg_expand_qsort", ["qsort"], "V:PZZP">;
def qsort_r : Expansion<"rg_expand_qsort_r", ["qsort_r"], "V:PZZPP">;
def bsearch : Expansion<"rg_expand_bsearch", ["bsearch"], "P:PPZZP">;
def string_queries : InactiveInC<
    ["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp",
     "strcoll", "strchr", "strrchr", "strstr", "strpbrk", "strspn", "strcspn",
     "memcmp", "bcmp", "memchr", "memrchr", "wcslen",
     "strerror", "strsignal"]> {
  let Summary = "read strings and bytes";
}
def string_cutters : Inactive<["strtok", "strtok_r", "strsep"]> {
  let Summary = "end words by characters of zero, through a pointer kept elsewhere";
}
def string_makers : InactiveInC<
    ["strcpy", "strncpy", "strcat", "strncat", "stpcpy", "stpncpy", "strdup",
     "strndup", "strlcpy", "strlcat", "__strcpy_chk", "__strncpy_chk", "__strcat_chk",
     "__strncat_chk", "__stpcpy_chk"]> {
  let Summary = "write characters, never numbers";
}
def character_queries : InactiveInC<
    ["isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "ispunct",
     "isprint", "iscntrl", "isxdigit", "isgraph", "isblank", "toupper", "tolower",
     "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"]>;
def number_parsers : InactiveInC<
    ["atoi", "atol", "atoll", "atof", "strtod", "strtof", "strtold", "strtol",
     "strtoll", "strtoul", "strtoull", "strtoimax", "strtoumax",
     "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull"]> {
  let Summary = "numbers out of text are constants";
}
}

//===----------------------------------------------------------------------===//
// Output and the rest of the system
//===----------------------------------------------------------------------===//

let Section = "Input and output" in {
def output : InactiveInC<
    ["printf", "sprintf", "snprintf", "dprintf", "puts", "putchar", "putchar_unlocked", "perror",
     "asprintf", "__printf_chk", "__sprintf_chk", "__snprintf_chk", "__dprintf_chk"]>;
def output_to_stream : InactiveInC<["fprintf", "__fprintf_chk"]> { let StreamArg = 0; }
def characters_to_stream : InactiveInC<["fputs", "putc", "fputc", "fputs_unlocked"]> {
  let StreamArg = 1;
}
// What they print lies in memory.
def output_of_memory : InactiveInC<
    ["vprintf", "vsprintf", "vsnprintf", "vdprintf", "vasprintf", "write",
     "__vprintf_chk", "__vsprintf_chk", "__vsnprintf_chk"]> {
  let Memory = "t";
}
def output_of_memory_to_stream : InactiveInC<["vfprintf", "__vfprintf_chk"]> {
  let Memory = "t";
  let StreamArg = 0;
}
def bytes_to_stream : InactiveInC<["fwrite"]> {
  let Memory = "t";
  let StreamArg = 3;
}
def files : InactiveInC<
    ["fopen", "fopen64", "freopen", "fdopen", "fclose", "fseek", "ftell",
     "fseeko", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno", "setvbuf",
     "setbuf", "remove", "rename", "tmpfile", "open", "close", "lseek", "getc",
     "fgetc", "getchar", "ungetc", "fgets", "gets", "access", "unlink", "isatty"]> {
  let Summary = "characters and positions only; fread and scanf are not here";
}
// What is left of calls of these: numbers go elsewhere, or code behind the call says
// that they are constants.
def numbers_read : InactiveInC<["rg_numbers_read"]> {
  let Memory = "n";
  let Summary = "what is left of `scanf` with a constant format, of `fread` and their like: what is read depends on no input";
}
def flush : InactiveInC<["fflush"]> { let StreamArg = 0; }
}

def read_by_format : ReadingRoutine<"Format",
    ["scanf", "__isoc99_scanf", "__isoc23_scanf"], 0, "numbers_read">;
def read_by_format_from : ReadingRoutine<"Format",
    ["fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf", "__isoc23_fscanf",
     "__isoc23_sscanf"], 1, "numbers_read">;
def read_block : ReadingRoutine<"Block", ["fread", "fread_unlocked"], 0, "numbers_read"> {
  let Size = 1;
}
def read_block_checked : ReadingRoutine<"Block",
    ["__fread_chk", "__fread_unlocked_chk"], 0, "numbers_read"> {
  let Size = 2;
}
def read_descriptor : ReadingRoutine<"Block",
    ["read", "__read_chk", "pread", "pread64", "__pread_chk", "__pread64_chk"], 1, "numbers_read">;

let Section = "System" in {
def clocks : InactiveInC<
    ["time", "clock", "difftime", "gettimeofday", "clock_gettime", "clock_getres",
     "localtime", "gmtime", "mktime", "ctime", "asctime", "strftime", "localtime_r",
     "gmtime_r", "times", "getrusage", "sleep", "usleep", "nanosleep"]>;
def random_numbers : Inactive<
    ["rand", "srand", "rand_r", "random", "srandom", "initstate", "setstate",
     "drand48", "erand48", "lrand48", "nrand48", "mrand48", "jrand48", "srand48",
     "seed48", "lcong48", "drand48_r", "random_r", "getentropy", "arc4random",
     "arc4random_uniform"]> {
  let Summary = "random numbers do not depend on the inputs";
}
def program : InactiveInC<
    ["exit", "_exit", "_Exit", "quick_exit", "abort", "atexit", "raise", "signal",
     "__assert_fail", "__assertfail", "__assert_perror_fail", "__assert_rtn", "__assert",
     "__stack_chk_fail", "__chk_fail", "__longjmp_chk", "getenv", "secure_getenv",
     "setenv", "system", "getpid", "sysconf", "getpagesize", "sched_yield",
     "sched_getcpu", "malloc_usable_size", "mallopt", "malloc_trim",
     "__errno_location", "feclearexcept", "fetestexcept", "feraiseexcept",
     "fegetround", "fegetenv", "feholdexcept", "fegetexceptflag", "fesetexceptflag",
     "fesetexcept", "fegetmode", "feenableexcept", "fedisableexcept", "fegetexcept",
     "setlocale", "localeconv", "__tls_get_addr", "__cyg_profile_func_enter",
     "__cyg_profile_func_exit", "mcount"]>;
let SetsRounding = 1 in
def rounding_modes : InactiveInC<["fesetround", "fesetenv", "feupdateenv", "fesetmode"]>;
def integer_arithmetic : Inactive<["abs", "labs", "llabs", "div", "ldiv", "lldiv", "ffs"]> {
  let Pure = 1;
}
def locks : InactiveInC<
    ["pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock",
     "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_spin_lock",
     "pthread_spin_unlock", "pthread_self", "pthread_equal", "pthread_rwlock_rdlock",
     "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_rwlock_tryrdlock",
     "pthread_rwlock_trywrlock", "pthread_spin_trylock"]>;
}

// What -fsanitize=undefined puts beside the program: they print, at most.
let Section = "Sanitizers" in
def undefined_behaviour : Handler<"Ignore"> {
  let Names =
    ["__ubsan_handle_add_overflow", "__ubsan_handle_add_overflow_abort",
     "__ubsan_handle_alignment_assumption", "__ubsan_handle_alignment_assumption_abort",
     "__ubsan_handle_builtin_unreachable", "__ubsan_handle_divrem_overflow",
     "__ubsan_handle_divrem_overflow_abort", "__ubsan_handle_dynamic_type_cache_miss",
     "__ubsan_handle_dynamic_type_cache_miss_abort", "__ubsan_handle_float_cast_overflow",
     "__ubsan_handle_float_cast_overflow_abort", "__ubsan_handle_function_type_mismatch",
     "__ubsan_handle_function_type_mismatch_abort", "__ubsan_handle_implicit_conversion",
     "__ubsan_handle_implicit_conversion_abort", "__ubsan_handle_invalid_builtin",
     "__ubsan_handle_invalid_builtin_abort", "__ubsan_handle_load_invalid_value",
     "__ubsan_handle_load_invalid_value_abort", "__ubsan_handle_local_out_of_bounds",
     "__ubsan_handle_local_out_of_bounds_abort", "__ubsan_handle_missing_return",
     "__ubsan_handle_mul_overflow", "__ubsan_handle_mul_overflow_abort",
     "__ubsan_handle_negate_overflow", "__ubsan_handle_negate_overflow_abort",
     "__ubsan_handle_nonnull_arg", "__ubsan_handle_nonnull_arg_abort",
     "__ubsan_handle_nonnull_return_v1", "__ubsan_handle_nonnull_return_v1_abort",
     "__ubsan_handle_nullability_arg", "__ubsan_handle_nullability_arg_abort",
     "__ubsan_handle_nullability_return_v1", "__ubsan_handle_nullability_return_v1_abort",
     "__ubsan_handle_out_of_bounds", "__ubsan_handle_out_of_bounds_abort",
     "__ubsan_handle_pointer_overflow", "__ubsan_handle_pointer_overflow_abort",
     "__ubsan_handle_shift_out_of_bounds", "__ubsan_handle_shift_out_of_bounds_abort",
     "__ubsan_handle_sub_overflow", "__ubsan_handle_sub_overflow_abort",
     "__ubsan_handle_type_mismatch_v1", "__ubsan_handle_type_mismatch_v1_abort",
     "__ubsan_handle_vla_bound_not_positive", "__ubsan_handle_vla_bound_not_positive_abort"];
  let Summary = "reports of -fsanitize=undefined";
}

// Our own tape, met when a derivative is differentiated again. Its memory is
// memory like any other. Scopes nest like calls in a tangent sweep; the primal
// sweep of an outer reverse derivative keeps all that was taped until its own
// reverse sweep is done.
let Section = "The runtime", OfRuntime = 1 in {
def tape_bytes : InactiveInC<["rg_tape_bytes_total", "rg_tape_bytes_peak",
                           "rg_tape_bytes_reset", "rg_block_bytes", "rg_tape_limit"]>;
def tape_alloc : Allocation<["rg_tape_alloc"], "P:PZ", [1], "">;
def tape_zalloc : Allocation<["rg_tape_zalloc"], "P:PZ", [1], ""> { let ZeroFills = 1; }
def split_begin : Allocation<["rg_split_begin"], "P:", [], ""> { let ZeroFills = 1; }
def split_end : Deallocation<["rg_split_end"], "V:P"> { let ReleasesOthers = 1; }
def split_errors : InactiveInC<["rg_split_wrong_tape", "rg_split_wrong_shadow"]>;
def tape_begin : Handler<"TapeBegin"> {
  let Names = ["rg_tape_begin"];
  let Prototype = "P:";
}
def tape_end : Handler<"TapeEnd"> {
  let Names = ["rg_tape_end"];
  let Prototype = "V:P";
}
def tape_mark : Handler<"TapeEnd"> {
  let Names = ["rg_tape_mark", "rg_tape_rewind"];
  let Prototype = "V:PP";
}
def tape_defer_free : Handler<"TapeDeferFree"> {
  let Names = ["rg_tape_defer_free"];
  let Prototype = "V:PPP";
}
// Which block of the caller's follows which (runtime/replaced.c).
def tape_note_places : Handler<"TapeNote"> {
  let Names = ["rg_note_places", "rg_note_made"];
  let Prototype = "V:PPZ";
}
def tape_note_released : Handler<"TapeNote"> {
  let Names = ["rg_note_released"];
  let Prototype = "V:PPPZ";
}
def tape_note_moved : Handler<"TapeNote"> {
  let Names = ["rg_note_moved"];
  let Prototype = "V:PPPPZ";
}
// Moves what is not zero (runtime/unknown.c): a tangent of zero would be lost.
def adjoint_move_unknown : Handler<"Refused"> {
  let Names = ["rg_adjoint_move_unknown"];
  let Text = "bytes of unknown type, copied in a derivative that is differentiated again; read them as what they are";
  let Summary = Text;
}
def tape_settle : Handler<"TapeEnd"> {
  let Names = ["rg_settle_replaced"];
  let Prototype = "V:P";
}
}
// Handlers, as preparation writes them (runtime/exceptions.c).
let Section = "The runtime", OfRuntime = 1 in
def handlers : Inactive<["rg_exception_begin", "rg_exception_pointer", "rg_exception_is_behind",
                         "rg_exception_is_pointer", "rg_exception_keep", "rg_exception_text", "rg_exception_again",
                         "rg_exception_hold", "rg_exception_current",
                         "rg_exception_is", "rg_exception_match", "rg_exception_raise"]>;
// Beside calls that read numbers (runtime/reading.c).
let Section = "The runtime", OfRuntime = 1 in {
def constants_here : Handler<"MemSet"> {
  let Names = ["rg_constants_here"];
  let Prototype = "P:PIZ";
}
def unread : InactiveInC<["rg_mark_unread", "rg_is_unread"]>;
}
// Which number lies where (runtime/formats.c): they look at addresses alone.
let Section = "The runtime", OfRuntime = 1, Memory = "r" in
def format_watch : InactiveInC<["rg_format_begin", "rg_format_read", "rg_format_see",
                                "rg_format_write", "rg_format_move", "rg_format_look",
                                "rg_format_tell", "rg_format_take", "rg_format_put"]>;
// -rg-nan (runtime/nan.c): says what it sees.
let Section = "The runtime", OfRuntime = 1 in
def nan_watch : InactiveInC<["rg_nan_check"]>;
// The order of elements and the place of one, by the user's comparator.
let Section = "The runtime", OfRuntime = 1, CallsBack = 1 in
def sorting : InactiveInC<["rg_sort_order", "rg_search"]>;
let Section = "The runtime", OfRuntime = 1 in
def dispatch_ends : InactiveInC<["rg_unknown_callee", "rg_unknown_member",
                                   "rg_refused_callee"]> {
  let Summary = "end the program: a call through a pointer without a derivative";
}

//===----------------------------------------------------------------------===//
// What the user tells about the program
//===----------------------------------------------------------------------===//

let Section = "Hints" in {
def layout_hint : InactiveInC<["rg_hint_layout"], "V:PL"> {
  let Summary = "`__enzyme_double(p, bytes)` and its kind";
}
def format_hint : InactiveInC<["rg_hint_formats.*"]> {
  let Summary = "bytes of numbers are copied to where the source has numbers of another type";
}
def iteration_hint : Inactive<["rg_hint_iterations*"], "N:NN"> {
  let Summary = "`__enzyme_iter(n, step)`";
  let Pure = 1;
  let Cheap = 1;
}
}
