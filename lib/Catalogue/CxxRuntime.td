//===- CxxRuntime.td - operator new, exceptions, libstdc++ ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ runtime of the Itanium ABI. The prefixes below name members of classes
// that hold characters, streams or locks, never numbers; what libstdc++ can
// instantiate for numbers (containers, algorithms) has a body and needs no record.
//
//===----------------------------------------------------------------------===//

// Members of std::string and its kin, by the rest of their names.
class Members<string qualifiers, list<string> members> {
  list<string> Names = !foldl([]<string>, ["c", "w", "Du", "Ds", "Di"], All, Char,
      !listconcat(All, !foreach(Member, members,
          "_ZN" # qualifiers # "St7__cxx1112basic_stringI" # Char # "St11char_traitsI" #
          Char # "ESaI" # Char # "EE" # Member)));
}

let Section = "C++ runtime" in {
def operator_new : Allocation<["_Znwm", "_Znam"], "P:Z", [0], "_ZdlPv">;
def operator_new_nothrow
    : Allocation<["_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"], "P:ZP", [0], "_ZdlPv">;
def operator_new_aligned
    : Allocation<["_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"], "P:ZZ", [0], "free">;
def operator_new_aligned_nothrow
    : Allocation<["_ZnwmSt11align_val_tRKSt9nothrow_t",
                  "_ZnamSt11align_val_tRKSt9nothrow_t"], "P:ZZP", [0], "free">;
// When a free is delayed, nothing but the address is kept.
def operator_delete : Deallocation<["_ZdlPv", "_ZdlPvm", "_ZdlPvRKSt9nothrow_t"], "V:P*"> {
  let Deallocator = "_ZdlPv";
  let OfHeap = 1;
}
def operator_delete_array : Deallocation<["_ZdaPv", "_ZdaPvm", "_ZdaPvRKSt9nothrow_t"], "V:P*"> {
  let Deallocator = "_ZdaPv";
  let OfHeap = 1;
}
def operator_delete_aligned : Deallocation<
    ["_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
     "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
     "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t"],
    "V:P*"> {
  let Deallocator = "free";
  let OfHeap = 1;
}

// Memory resources (std::pmr). Their virtual functions are the library's, and what one
// gives is memory of which nobody else knows: operator new gives such memory, too. The
// primals of derivatives take it there, so that it stays until they have ended.
def pmr_allocate
    : Expansion<"rg_expand_pmr_allocate", ["_ZNSt3pmr15memory_resource8allocateEmm"], "P:PZZ"> {
  let OfRuntime = 1;
}
def pmr_deallocate
    : Expansion<"rg_expand_pmr_deallocate", ["_ZNSt3pmr15memory_resource10deallocateEPvmm"], "V:PPZZ"> {
  let OfRuntime = 1;
}
def pmr_resources : InactiveInC<
    ["_ZNSt3pmr20get_default_resourceEv", "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE",
     "_ZNSt3pmr19new_delete_resourceEv", "_ZNSt3pmr20null_memory_resourceEv",
     "_ZNSt3pmr15memory_resourceD0Ev", "_ZNSt3pmr15memory_resourceD1Ev", "_ZNSt3pmr15memory_resourceD2Ev",
     "_ZNSt3pmr25monotonic_buffer_resourceD0Ev", "_ZNSt3pmr25monotonic_buffer_resourceD1Ev",
     "_ZNSt3pmr25monotonic_buffer_resourceD2Ev", "_ZNSt3pmr25monotonic_buffer_resource18_M_release_buffersEv",
     "_ZNSt3pmr28unsynchronized_pool_resourceC1ERKNS_12pool_optionsEPNS_15memory_resourceE",
     "_ZNSt3pmr28unsynchronized_pool_resourceC2ERKNS_12pool_optionsEPNS_15memory_resourceE",
     "_ZNSt3pmr28unsynchronized_pool_resourceD0Ev", "_ZNSt3pmr28unsynchronized_pool_resourceD1Ev",
     "_ZNSt3pmr28unsynchronized_pool_resourceD2Ev", "_ZNSt3pmr28unsynchronized_pool_resource7releaseEv",
     "_ZNSt3pmr26synchronized_pool_resourceC1ERKNS_12pool_optionsEPNS_15memory_resourceE",
     "_ZNSt3pmr26synchronized_pool_resourceC2ERKNS_12pool_optionsEPNS_15memory_resourceE",
     "_ZNSt3pmr26synchronized_pool_resourceD0Ev", "_ZNSt3pmr26synchronized_pool_resourceD1Ev",
     "_ZNSt3pmr26synchronized_pool_resourceD2Ev", "_ZNSt3pmr26synchronized_pool_resource7releaseEv"]> {
  let Summary = "memory resources (std::pmr) begin and end; see pmr_allocate";
}

// What an exception carries may be active; the C++ runtime frees it.
def exception_allocate : Allocation<["__cxa_allocate_exception"], "P:Z", [0], ""> {
  let ShadowBehind = 1;
}
// Preparation knows these by their records: see lib/Primal/LowerExceptions.cpp.
def exception_throw : Inactive<["__cxa_throw"], "V:PPP">;
def exception_rethrow : Inactive<["__cxa_rethrow"], "V:">;
def exception_begin_catch : Inactive<["__cxa_begin_catch"], "P:P">;
def exception_end_catch : Inactive<["__cxa_end_catch"], "V:">;
def exception_get_pointer : Inactive<["__cxa_get_exception_ptr"], "P:P">;
def exception_current : Inactive<["_ZSt17current_exceptionv"]>;
def exception_again : Inactive<["_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"]>;
def exception_init : Inactive<["__cxa_init_primary_exception"], "P:PPP">;
// The constructor from an object; the others are in libstdc++'s headers.
def exception_holder : Inactive<["_ZNSt15__exception_ptr13exception_ptrC1EPv",
                                 "_ZNSt15__exception_ptr13exception_ptrC2EPv"]>;
def exceptions : Inactive<
    ["__cxa_free_exception",
     "__cxa_throw_bad_array_new_length", "__cxa_bad_cast", "__cxa_bad_typeid",
     "__cxa_call_unexpected", "__cxa_call_terminate", "__cxa_pure_virtual",
     "__cxa_deleted_virtual",
     "__clang_call_terminate", "_Unwind_Resume", "_Unwind_RaiseException",
     "_ZSt9terminatev", "_ZSt18uncaught_exceptionv",
     "_ZSt19uncaught_exceptionsv",
     // std::__throw_*, the constructors and destructors of exception classes
     "_ZSt16__throw_*", "_ZSt17__throw_*", "_ZSt18__throw_*", "_ZSt19__throw_*",
     "_ZSt20__throw_*", "_ZSt21__throw_*", "_ZSt22__throw_*", "_ZSt23__throw_*",
     "_ZSt24__throw_*", "_ZSt25__throw_*", "_ZSt26__throw_*", "_ZSt28__throw_*",
     "_ZSt21__glibcxx_assert_fail*", "_ZNSt3_V2*", "_ZNSt9exception*", "_ZNKSt9exception*", "_ZNSt11logic_error*",
     "_ZNKSt11logic_error*", "_ZNSt12domain_error*", "_ZNSt12length_error*",
     "_ZNSt12out_of_range*", "_ZNSt16invalid_argument*", "_ZNSt13runtime_error*",
     "_ZNKSt13runtime_error*", "_ZNSt11range_error*", "_ZNSt14overflow_error*",
     "_ZNSt15underflow_error*", "_ZNSt9bad_alloc*", "_ZNSt8bad_cast*",
     "_ZNSt12system_error*", "_ZNKSt9bad_alloc*",
     "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
     "_ZNKSt15__exception_ptr13exception_ptr6_M_getEv", "_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv"]>;
def static_initialisation : InactiveInC<
    ["__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort",
     "__cxa_atexit", "__cxa_thread_atexit", "__cxa_finalize"]>;
def run_time_types : InactiveInC<["_ZNKSt9type_info*", "__cxa_demangle"]>;

def dynamic_cast : Expansion<"rg_expand_dynamic_cast", ["__dynamic_cast"], "P:PPPL">;
let OfRuntime = 1 in
def cast_distance : InactiveInC<["rg_cast_distance"]>;

// Streams and strings. Of istream, what writes numbers is a ReadingRoutine.
def numbers_from_stream : Inactive<["rg_numbers_from_stream"]> {
  let Memory = "n";
  let Summary = "what is left of `>>` and `read` of a stream: what is read depends on no input";
}
let OfRuntime = 1 in
def streams : Inactive<
    ["_ZNSo*", "_ZNKSo*", "_ZStlsISt11char_traits*", "_ZStlsIcSt11char_traitsIcESaIcEE*", "_ZSt16__ostream_insert*",
     "_ZSt4endl*", "_ZSt4ends*", "_ZSt5flush*", "_ZSt7getlineI*", "_ZSt2wsI*", "_ZStrsISt11char_traits*", "_ZStrsIcSt11char_traitsIcESaIcEE*",
     "_ZNSi3get*", "_ZNSi4peek*", "_ZNSi5unget*", "_ZNSi6ignore*", "_ZNSi7getline*", "_ZNSi7putback*",
     "_ZNKSi6gcount*", "_ZNSi5seekg*", "_ZNSi5tellg*", "_ZNSi6sentry*", "_ZNSi4sync*",
     "_ZNSt7__cxx1119basic_istringstream*", "_ZNKSt7__cxx1119basic_istringstream*",
     "_ZNSt14basic_ifstream*", "_ZNSt13basic_fstream*", "_ZNSt8ios_base*", "_ZNKSt8ios_base*",
     "_ZNSt9basic_ios*", "_ZNKSt9basic_ios*", "_ZNKSt5ctypeI*", "_ZNSt5ctypeI*",
     "_ZNSt6locale*", "_ZNKSt6locale*", "_ZNSt15basic_streambuf*",
     "_ZNSt13basic_filebuf*", "_ZNSt14basic_ofstream*",
     "_ZNSt7__cxx1115basic_stringbuf*", "_ZNKSt7__cxx1115basic_stringbuf*",
     "_ZNSt7__cxx1118basic_stringstream*", "_ZNKSt7__cxx1118basic_stringstream*",
     "_ZNSt7__cxx1119basic_ostringstream*", "_ZNKSt7__cxx1119basic_ostringstream*"]>;
// Strings of characters with std::allocator. Their members are calls until derivatives
// exist (Guard/HeldForLink), and then one operation each, whatever LLVM would have
// inlined of them: they touch the primal's string alone. A shadow's string is the
// caller's or empty; nobody reads its characters.
let OfCharacters = 1, OfRuntime = 1 in {
def string_begins : Inactive<Members<"", ["C*"]>.Names> {
  let Shadow = "rg_string_begin";
}
def string_ends : Inactive<Members<"", ["D*"]>.Names> {
  let Shadow = "rg_string_end";
}
def string_reads : Inactive<!listconcat(
    Members<"", ["ixEm", "2atEm", "4dataEv", "5beginEv", "3endEv", "5frontEv", "4backEv"]>.Names,
    Members<"K", ["ixEm", "2atEm", "4dataEv", "5c_strEv", "5beginEv", "3endEv",
                  "6cbeginEv", "4cendEv", "5frontEv", "4backEv", "4sizeEv", "6lengthEv",
                  "8max_sizeEv", "8capacityEv", "5emptyEv", "7compare*", "4find*",
                  "5rfind*", "13find_first_of*", "12find_last_of*", "17find_first_not_of*",
                  "16find_last_not_of*", "11starts_with*", "9ends_with*", "8contains*"]>.Names)> {
  let Memory = "r";
}
def string_members : Inactive<!listconcat(Members<"", ["*"]>.Names, Members<"K", ["*"]>.Names)>;
}
// Strings with other allocators, and what else handles characters: where there is a
// body, it is looked into. What these call back is the user's.
let OfCharacters = 1 in
def strings : Inactive<
    !listconcat(Members<"", ["20resize_and_overwrite*", "22__resize_and_overwrite*"]>.Names,
    ["_ZNSt7__cxx1112basic_stringI*", "_ZNKSt7__cxx1112basic_stringI*",
     "_ZNSt11char_traitsI*", "_ZNSt8__detail18__to_chars_10_implI*",
     "_ZNSaIcEC*", "_ZNSaIcED*", "_ZNSt15__new_allocatorIcE*",
     "_ZNSsC*", "_ZNSsD*", "_ZNSs6*", "_ZNSs7*", "_ZNKSs*"])>;
let OfRuntime = 1 in
def string_shadows : InactiveInC<["rg_string_begin", "rg_string_end"], "V:PP">;
def clocks_cxx : Inactive<
    ["_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
     "_ZNSt13random_device*"]>;
// Checked iterators (_GLIBCXX_DEBUG): lists of iterators beside the containers.
def checked_iterators : InactiveInC<
    ["_ZN11__gnu_debug19_Safe_iterator_base*", "_ZNK11__gnu_debug19_Safe_iterator_base*",
     "_ZN11__gnu_debug19_Safe_sequence_base*", "_ZN11__gnu_debug25_Safe_local_iterator_base*",
     "_ZN11__gnu_debug30_Safe_unordered_container_base*",
     "_ZN11__gnu_debug16_Error_formatter*", "_ZNK11__gnu_debug16_Error_formatter*"]>;
def hashing : InactiveInC<["_ZSt11_Hash_bytes*", "_ZNKSt8__detail20_Prime_rehash_policy*"]>;
def numbers_to_chars : InactiveInC<
    ["_ZSt8to_charsPcS_f*", "_ZSt8to_charsPcS_d*", "_ZSt8to_charsPcS_e*"]>;
}

// Extraction of std::istream, in its two forms, and its read.
foreach T = ["f", "d", "e"] in
  def "stream_reads_"#T : ReadingRoutine<"Value",
      ["_ZNSirsER"#T, "_ZNSi10_M_extractI"#T#"EERSiRT_"], 1, "numbers_from_stream"> {
    let Letter = !cond(!eq(T, "f"): "G", !eq(T, "d"): "D", true: "X");
  }
foreach T = ["b", "s", "t", "i", "j", "l", "m", "x", "y"] in
  def "stream_reads_"#T : ReadingRoutine<"Value",
      ["_ZNSirsER"#T, "_ZNSi10_M_extractI"#T#"EERSiRT_"], 1, "numbers_from_stream"> {
    let Letter = "N";
  }
// std::from_chars of a text in memory; of integers it has a body.
foreach T = ["f", "d", "e"] in
  def "chars_read_"#T : ReadingRoutine<"Value",
      ["_ZSt10from_charsPKcS0_R"#T#"St12chars_format"], 2, "numbers_read"> {
    let Letter = !cond(!eq(T, "f"): "G", !eq(T, "d"): "D", true: "X");
  }
def stream_reads_block : ReadingRoutine<"Block", ["_ZNSi4readEPcl"], 1, "numbers_from_stream"> {
  let Counter = "_ZNKSi6gcountEv";
}

// The links of std::list's and std::map's nodes: see runtime/containers.c. They
// look inactive (no number is touched), but the shadows have to be linked too.
let Section = "Containers of libstdc++" in {
def list_hook : Expansion<"rg_expand_list_hook",
    ["_ZNSt8__detail15_List_node_base7_M_hookEPS0_"], "V:PP">;
def list_unhook : Expansion<"rg_expand_list_unhook",
    ["_ZNSt8__detail15_List_node_base9_M_unhookEv"], "V:P">;
def list_transfer : Expansion<"rg_expand_list_transfer",
    ["_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_"], "V:PPP">;
def list_reverse : Expansion<"rg_expand_list_reverse",
    ["_ZNSt8__detail15_List_node_base10_M_reverseEv"], "V:P">;
def list_swap : Expansion<"rg_expand_list_swap",
    ["_ZNSt8__detail15_List_node_base4swapERS0_S1_"], "V:PP">;
def tree_next : Expansion<"rg_expand_tree_next",
    ["_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
     "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base"], "P:P">;
def tree_previous : Expansion<"rg_expand_tree_previous",
    ["_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
     "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base"], "P:P">;
def tree_insert : Expansion<"rg_expand_tree_insert",
    ["_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_"], "">;
def tree_erase : Expansion<"rg_expand_tree_erase",
    ["_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_"], "P:PP">;
}
