//===- MPI.td - messages ----------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Routines that move numbers have functions in runtime/messages*.c, which undo them
// in the reverse sweep (docs/Parallel.md, "Messages"). Handles are '?': pointers in
// Open MPI, integers in MPICH. What bytes are, their memory tells
// (lib/Rules/MessageShape). A program's own MPI (stubs for one rank) is
// differentiated as it is.
//
//===----------------------------------------------------------------------===//

class Message<string routine, list<string> names, string prototype, string memory>
    : Rule<routine, "rg_mpi_reverse", routine, names, prototype, memory> {
  let Communicates = 1;
}

// Makes a request for MPI_Start.
class Standing<string routine, list<string> names, string prototype, string memory>
    : Message<routine, names, prototype, memory> {
  let Text = "standing";
}

// Whatever else a program sends has a type that was made, or is in a variable.
def mpi_type_double : MessageType<"D", ["ompi_mpi_double", "ompi_mpi_dblprec", "ompi_mpi_real8", "ompi_mpi_dblcplex", "ompi_mpi_complex16", "ompi_mpi_c_double_complex", "ompi_mpi_cxx_dblcplex"], [0x4c00080b, 0x4c00081f, 0x4c000829, 0x4c001022, 0x4c00102a, 0x4c001041, 0x4c001035, 17, 15, 22, 20]>;
def mpi_type_float : MessageType<"G", ["ompi_mpi_float", "ompi_mpi_real", "ompi_mpi_real4", "ompi_mpi_cplex", "ompi_mpi_complex8", "ompi_mpi_c_float_complex", "ompi_mpi_cxx_cplex"], [0x4c00040a, 0x4c00041c, 0x4c000427, 0x4c00081e, 0x4c000828, 0x4c000840, 0x4c000834, 13, 14, 18, 19]>;
def mpi_type_integer : MessageType<"I", ["ompi_mpi_short", "ompi_mpi_int", "ompi_mpi_long", "ompi_mpi_unsigned_short", "ompi_mpi_unsigned_long", "ompi_mpi_unsigned", "ompi_mpi_long_int", "ompi_mpi_short_int", "ompi_mpi_2int", "ompi_mpi_wchar", "ompi_mpi_long_long_int", "ompi_mpi_unsigned_long_long", "ompi_mpi_logical", "ompi_mpi_logical1", "ompi_mpi_logical2", "ompi_mpi_logical4", "ompi_mpi_logical8", "ompi_mpi_integer", "ompi_mpi_integer1", "ompi_mpi_integer2", "ompi_mpi_integer4", "ompi_mpi_integer8", "ompi_mpi_integer16", "ompi_mpi_2integer", "ompi_mpi_int8_t", "ompi_mpi_uint8_t", "ompi_mpi_int16_t", "ompi_mpi_uint16_t", "ompi_mpi_int32_t", "ompi_mpi_uint32_t", "ompi_mpi_int64_t", "ompi_mpi_uint64_t", "ompi_mpi_aint", "ompi_mpi_offset", "ompi_mpi_c_bool", "ompi_mpi_cxx_bool", "ompi_mpi_count", "ompi_mpi_char", "ompi_mpi_signed_char", "ompi_mpi_unsigned_char", "ompi_mpi_character"], [0x4c000101, 0x4c000118, 0x4c000102, 0x4c00040e, 0x4c000203, 0x4c000204, 0x4c000405, 0x4c000406, 0x4c000807, 0x4c000808, 0x4c000809, 0x4c000819, 0x8c000002, 0x8c000003, 0x4c000816, 0x4c00041d, 0x4c00041b, 0x4c000820, 0x4c00011a, 0x4c00012d, 0x4c00022f, 0x4c000430, 0x4c000831, 0x4c000137, 0x4c000238, 0x4c000439, 0x4c00083a, 0x4c00013b, 0x4c00023c, 0x4c00043d, 0x4c00083e, 0x4c00013f, 0x4c000843, 0x4c000844, 0x4c000845, 0x4c000133, 5, 6, 7, 8, 9, 10, 11]>;
def mpi_type_bytes : MessageType<"B", ["ompi_mpi_byte"], [0x4c00010d, 1]>;
def mpi_type_packed : MessageType<"K", ["ompi_mpi_packed"], [0x4c00010f, 2]>;

let Section = "MPI" in {
def mpi_send : Message<"rg_mpi_send", ["MPI_Send"], "I:PI?II?", "r@2 - - - - -">;
def mpi_ssend : Message<"rg_mpi_ssend", ["MPI_Ssend"], "I:PI?II?", "r@2 - - - - -">;
def mpi_bsend : Message<"rg_mpi_bsend", ["MPI_Bsend"], "I:PI?II?", "r@2 - - - - -">;
def mpi_rsend : Message<"rg_mpi_rsend", ["MPI_Rsend"], "I:PI?II?", "r@2 - - - - -">;
def mpi_recv : Message<"rg_mpi_recv", ["MPI_Recv"], "I:PI?II?P", "w@2 - - - - - i">;
def mpi_mprobe : Message<"rg_mpi_mprobe", ["MPI_Mprobe"], "I:II?PP", "- - - i i">;
def mpi_improbe : Message<"rg_mpi_improbe", ["MPI_Improbe"], "I:II?PPP", "- - - i i i">;
def mpi_mrecv : Message<"rg_mpi_mrecv", ["MPI_Mrecv"], "I:PI?PP", "w@2 - - i i"> { let Text = "standing"; }
def mpi_imrecv : Message<"rg_mpi_imrecv", ["MPI_Imrecv"], "I:PI?PP", "w@2 - - i i"> { let Text = "standing"; }
def mpi_sendrecv : Message<"rg_mpi_sendrecv", ["MPI_Sendrecv"], "I:PI?IIPI?II?P", "r@2 - - - - w@7 - - - - - i">;
def mpi_sendrecv_replace : Message<"rg_mpi_sendrecv_replace", ["MPI_Sendrecv_replace"], "I:PI?IIII?P", "m@2 - - - - - - - i">;

def mpi_isend : Message<"rg_mpi_isend", ["MPI_Isend"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_issend : Message<"rg_mpi_issend", ["MPI_Issend"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_ibsend : Message<"rg_mpi_ibsend", ["MPI_Ibsend"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_irsend : Message<"rg_mpi_irsend", ["MPI_Irsend"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_irecv : Message<"rg_mpi_irecv", ["MPI_Irecv"], "I:PI?II?P", "w@2 - - - - - i">;
def mpi_send_init : Standing<"rg_mpi_send_init", ["MPI_Send_init"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_ssend_init : Standing<"rg_mpi_ssend_init", ["MPI_Ssend_init"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_bsend_init : Standing<"rg_mpi_bsend_init", ["MPI_Bsend_init"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_rsend_init : Standing<"rg_mpi_rsend_init", ["MPI_Rsend_init"], "I:PI?II?P", "r@2 - - - - - i">;
def mpi_recv_init : Standing<"rg_mpi_recv_init", ["MPI_Recv_init"], "I:PI?II?P", "w@2 - - - - - i">;
def mpi_start : Message<"rg_mpi_start", ["MPI_Start"], "I:P", "i"> { let CallsBack = 1; }
def mpi_startall : Message<"rg_mpi_startall", ["MPI_Startall"], "I:IP", "- i"> { let CallsBack = 1; }
def mpi_request_free : Message<"rg_mpi_request_free", ["MPI_Request_free"], "I:P", "i">;
def mpi_wait : Message<"rg_mpi_wait", ["MPI_Wait"], "I:PP", "i i">;
def mpi_waitall : Message<"rg_mpi_waitall", ["MPI_Waitall"], "I:IPP", "- i i">;
def mpi_waitany : Message<"rg_mpi_waitany", ["MPI_Waitany"], "I:IPPP", "- i i i">;
def mpi_waitsome : Message<"rg_mpi_waitsome", ["MPI_Waitsome"], "I:IPPPP", "- i i i i">;
def mpi_test : Message<"rg_mpi_test", ["MPI_Test"], "I:PPP", "i i i">;
def mpi_testall : Message<"rg_mpi_testall", ["MPI_Testall"], "I:IPPP", "- i i i">;
def mpi_testany : Message<"rg_mpi_testany", ["MPI_Testany"], "I:IPPPP", "- i i i i">;
def mpi_testsome : Message<"rg_mpi_testsome", ["MPI_Testsome"], "I:IPPPP", "- i i i i">;
def mpi_comm_free : Message<"rg_mpi_comm_free", ["MPI_Comm_free"], "I:P", "i">;

// Where numbers lie in a packed buffer is known when the program runs
// (runtime/messages-packed.c).
def mpi_pack : Message<"rg_mpi_packs", ["MPI_Pack"], "I:PI?PIP?", "r@2 - - mK - i -">;
def mpi_unpack : Message<"rg_mpi_unpacks", ["MPI_Unpack"], "I:PIPPI??", "rK - i w@5 - - -">;

def mpi_bcast : Message<"rg_mpi_bcast", ["MPI_Bcast"], "I:PI?I?", "m@2 - - - -">;
def mpi_ibcast : Message<"rg_mpi_ibcast", ["MPI_Ibcast"], "I:PI?I?P", "m@2 - - - - i">;
def mpi_reduce : Message<"rg_mpi_reduce", ["MPI_Reduce"], "I:PPI??I?", "r@3 m@3 - - - - -">;
def mpi_ireduce : Message<"rg_mpi_ireduce", ["MPI_Ireduce"], "I:PPI??I?P", "r@3 m@3 - - - - - i">;
def mpi_allreduce : Message<"rg_mpi_allreduce", ["MPI_Allreduce"], "I:PPI???", "r@3 m@3 - - - -">;
def mpi_iallreduce : Message<"rg_mpi_iallreduce", ["MPI_Iallreduce"], "I:PPI???P", "r@3 m@3 - - - - i">;
def mpi_scan : Message<"rg_mpi_scan", ["MPI_Scan"], "I:PPI???", "r@3 m@3 - - - -">;
def mpi_iscan : Message<"rg_mpi_iscan", ["MPI_Iscan"], "I:PPI???P", "r@3 m@3 - - - - i">;
def mpi_exscan : Message<"rg_mpi_exscan", ["MPI_Exscan"], "I:PPI???", "r@3 m@3 - - - -">;
def mpi_iexscan : Message<"rg_mpi_iexscan", ["MPI_Iexscan"], "I:PPI???P", "r@3 m@3 - - - - i">;
def mpi_reduce_scatter_block : Message<"rg_mpi_reduce_scatter_block", ["MPI_Reduce_scatter_block"], "I:PPI???", "r@3 m@3 - - - -">;
def mpi_ireduce_scatter_block : Message<"rg_mpi_ireduce_scatter_block", ["MPI_Ireduce_scatter_block"], "I:PPI???P", "r@3 m@3 - - - - i">;
def mpi_reduce_scatter : Message<"rg_mpi_reduce_scatter", ["MPI_Reduce_scatter"], "I:PPP???", "r@3 m@3 n - - -">;
def mpi_ireduce_scatter : Message<"rg_mpi_ireduce_scatter", ["MPI_Ireduce_scatter"], "I:PPP???P", "r@3 m@3 n - - - i">;
def mpi_gather : Message<"rg_mpi_gather", ["MPI_Gather"], "I:PI?PI?I?", "r@2 - - m@5 - - - -">;
def mpi_igather : Message<"rg_mpi_igather", ["MPI_Igather"], "I:PI?PI?I?P", "r@2 - - m@5 - - - - i">;
def mpi_gatherv : Message<"rg_mpi_gatherv", ["MPI_Gatherv"], "I:PI?PPP?I?", "r@2 - - m@6 n n - - -">;
def mpi_igatherv : Message<"rg_mpi_igatherv", ["MPI_Igatherv"], "I:PI?PPP?I?P", "r@2 - - m@6 n n - - - i">;
def mpi_scatter : Message<"rg_mpi_scatter", ["MPI_Scatter"], "I:PI?PI?I?", "r@2 - - m@5 - - - -">;
def mpi_iscatter : Message<"rg_mpi_iscatter", ["MPI_Iscatter"], "I:PI?PI?I?P", "r@2 - - m@5 - - - - i">;
def mpi_scatterv : Message<"rg_mpi_scatterv", ["MPI_Scatterv"], "I:PPP?PI?I?", "r@3 n n - m@6 - - - -">;
def mpi_iscatterv : Message<"rg_mpi_iscatterv", ["MPI_Iscatterv"], "I:PPP?PI?I?P", "r@3 n n - m@6 - - - - i">;
def mpi_allgather : Message<"rg_mpi_allgather", ["MPI_Allgather"], "I:PI?PI??", "r@2 - - m@5 - - -">;
def mpi_iallgather : Message<"rg_mpi_iallgather", ["MPI_Iallgather"], "I:PI?PI??P", "r@2 - - m@5 - - - i">;
def mpi_allgatherv : Message<"rg_mpi_allgatherv", ["MPI_Allgatherv"], "I:PI?PPP??", "r@2 - - m@6 n n - -">;
def mpi_iallgatherv : Message<"rg_mpi_iallgatherv", ["MPI_Iallgatherv"], "I:PI?PPP??P", "r@2 - - m@6 n n - - i">;
def mpi_alltoall : Message<"rg_mpi_alltoall", ["MPI_Alltoall"], "I:PI?PI??", "r@2 - - m@5 - - -">;
def mpi_ialltoall : Message<"rg_mpi_ialltoall", ["MPI_Ialltoall"], "I:PI?PI??P", "r@2 - - m@5 - - - i">;
def mpi_alltoallv : Message<"rg_mpi_alltoallv", ["MPI_Alltoallv"], "I:PPP?PPP??", "r@3 n n - m@7 n n - -">;
def mpi_ialltoallv : Message<"rg_mpi_ialltoallv", ["MPI_Ialltoallv"], "I:PPP?PPP??P", "r@3 n n - m@7 n n - - i">;
def mpi_neighbor_allgather : Message<"rg_mpi_neighbor_allgather", ["MPI_Neighbor_allgather"], "I:PI?PI??", "r@2 - - m@5 - - -">;
def mpi_ineighbor_allgather : Message<"rg_mpi_ineighbor_allgather", ["MPI_Ineighbor_allgather"], "I:PI?PI??P", "r@2 - - m@5 - - - i">;
def mpi_neighbor_allgatherv : Message<"rg_mpi_neighbor_allgatherv", ["MPI_Neighbor_allgatherv"], "I:PI?PPP??", "r@2 - - m@6 n n - -">;
def mpi_ineighbor_allgatherv : Message<"rg_mpi_ineighbor_allgatherv", ["MPI_Ineighbor_allgatherv"], "I:PI?PPP??P", "r@2 - - m@6 n n - - i">;
def mpi_neighbor_alltoall : Message<"rg_mpi_neighbor_alltoall", ["MPI_Neighbor_alltoall"], "I:PI?PI??", "r@2 - - m@5 - - -">;
def mpi_ineighbor_alltoall : Message<"rg_mpi_ineighbor_alltoall", ["MPI_Ineighbor_alltoall"], "I:PI?PI??P", "r@2 - - m@5 - - - i">;
def mpi_neighbor_alltoallv : Message<"rg_mpi_neighbor_alltoallv", ["MPI_Neighbor_alltoallv"], "I:PPP?PPP??", "r@3 n n - m@7 n n - -">;
def mpi_ineighbor_alltoallv : Message<"rg_mpi_ineighbor_alltoallv", ["MPI_Ineighbor_alltoallv"], "I:PPP?PPP??P", "r@3 n n - m@7 n n - - i">;

// Open MPI 4 has them as extensions (mpi-ext.h).
def mpi_bcast_init : Standing<"rg_mpi_bcast_init", ["MPI_Bcast_init", "MPIX_Bcast_init"], "I:PI?I??P", "m@2 - - - - - i">;
def mpi_reduce_init : Standing<"rg_mpi_reduce_init", ["MPI_Reduce_init", "MPIX_Reduce_init"], "I:PPI??I??P", "r@3 m@3 - - - - - - i">;
def mpi_allreduce_init : Standing<"rg_mpi_allreduce_init", ["MPI_Allreduce_init", "MPIX_Allreduce_init"], "I:PPI????P", "r@3 m@3 - - - - - i">;
def mpi_scan_init : Standing<"rg_mpi_scan_init", ["MPI_Scan_init", "MPIX_Scan_init"], "I:PPI????P", "r@3 m@3 - - - - - i">;
def mpi_exscan_init : Standing<"rg_mpi_exscan_init", ["MPI_Exscan_init", "MPIX_Exscan_init"], "I:PPI????P", "r@3 m@3 - - - - - i">;
def mpi_reduce_scatter_block_init : Standing<"rg_mpi_reduce_scatter_block_init", ["MPI_Reduce_scatter_block_init", "MPIX_Reduce_scatter_block_init"], "I:PPI????P", "r@3 m@3 - - - - - i">;
def mpi_reduce_scatter_init : Standing<"rg_mpi_reduce_scatter_init", ["MPI_Reduce_scatter_init", "MPIX_Reduce_scatter_init"], "I:PPP????P", "r@3 m@3 n - - - - i">;
def mpi_gather_init : Standing<"rg_mpi_gather_init", ["MPI_Gather_init", "MPIX_Gather_init"], "I:PI?PI?I??P", "r@2 - - m@5 - - - - - i">;
def mpi_gatherv_init : Standing<"rg_mpi_gatherv_init", ["MPI_Gatherv_init", "MPIX_Gatherv_init"], "I:PI?PPP?I??P", "r@2 - - m@6 n n - - - - i">;
def mpi_scatter_init : Standing<"rg_mpi_scatter_init", ["MPI_Scatter_init", "MPIX_Scatter_init"], "I:PI?PI?I??P", "r@2 - - m@5 - - - - - i">;
def mpi_scatterv_init : Standing<"rg_mpi_scatterv_init", ["MPI_Scatterv_init", "MPIX_Scatterv_init"], "I:PPP?PI?I??P", "r@3 n n - m@6 - - - - - i">;
def mpi_allgather_init : Standing<"rg_mpi_allgather_init", ["MPI_Allgather_init", "MPIX_Allgather_init"], "I:PI?PI???P", "r@2 - - m@5 - - - - i">;
def mpi_allgatherv_init : Standing<"rg_mpi_allgatherv_init", ["MPI_Allgatherv_init", "MPIX_Allgatherv_init"], "I:PI?PPP???P", "r@2 - - m@6 n n - - - i">;
def mpi_alltoall_init : Standing<"rg_mpi_alltoall_init", ["MPI_Alltoall_init", "MPIX_Alltoall_init"], "I:PI?PI???P", "r@2 - - m@5 - - - - i">;
def mpi_alltoallv_init : Standing<"rg_mpi_alltoallv_init", ["MPI_Alltoallv_init", "MPIX_Alltoallv_init"], "I:PPP?PPP???P", "r@3 n n - m@7 n n - - - i">;
def mpi_neighbor_allgather_init : Standing<"rg_mpi_neighbor_allgather_init", ["MPI_Neighbor_allgather_init", "MPIX_Neighbor_allgather_init"], "I:PI?PI???P", "r@2 - - m@5 - - - - i">;
def mpi_neighbor_allgatherv_init : Standing<"rg_mpi_neighbor_allgatherv_init", ["MPI_Neighbor_allgatherv_init", "MPIX_Neighbor_allgatherv_init"], "I:PI?PPP???P", "r@2 - - m@6 n n - - - i">;
def mpi_neighbor_alltoall_init : Standing<"rg_mpi_neighbor_alltoall_init", ["MPI_Neighbor_alltoall_init", "MPIX_Neighbor_alltoall_init"], "I:PI?PI???P", "r@2 - - m@5 - - - - i">;
def mpi_neighbor_alltoallv_init : Standing<"rg_mpi_neighbor_alltoallv_init", ["MPI_Neighbor_alltoallv_init", "MPIX_Neighbor_alltoallv_init"], "I:PPP?PPP???P", "r@3 n n - m@7 n n - - - i">;
def mpi_barrier_init : Standing<"rg_mpi_barrier_init", ["MPI_Barrier_init", "MPIX_Barrier_init"], "I:??P", "- - i">;

def mpi_environment : InactiveInC<
    ["MPI_Init", "MPI_Init_thread", "MPI_Initialized", "MPI_Finalize", "MPI_Finalized",
     "MPI_Query_thread", "MPI_Is_thread_main", "MPI_Abort", "MPI_Wtime", "MPI_Wtick",
     "MPI_Get_processor_name", "MPI_Get_version", "MPI_Get_library_version",
     "MPI_Error_string", "MPI_Error_class", "MPI_Comm_set_errhandler",
     "MPI_Comm_get_errhandler", "MPI_Errhandler_set", "MPI_Pcontrol", "MPI_Info_create",
     "MPI_Info_set", "MPI_Info_free", "MPI_Barrier", "MPI_Ibarrier", "MPI_Get_address",
     "MPI_Address", "MPI_Aint_add", "MPI_Aint_diff"]>;
def mpi_communicators : InactiveInC<
    ["MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_split_type",
     "MPI_Comm_create", "MPI_Comm_create_group", "MPI_Comm_group", "MPI_Comm_compare",
     "MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Comm_set_name", "MPI_Comm_get_name",
     "MPI_Comm_test_inter", "MPI_Group_size", "MPI_Group_rank", "MPI_Group_incl",
     "MPI_Group_excl", "MPI_Group_translate_ranks", "MPI_Group_free", "MPI_Group_union",
     "MPI_Group_intersection", "MPI_Group_difference", "MPI_Group_range_incl",
     "MPI_Cart_create", "MPI_Cart_coords", "MPI_Cart_rank", "MPI_Cart_shift", "MPI_Cart_get",
     "MPI_Cart_sub", "MPI_Cartdim_get", "MPI_Dims_create", "MPI_Topo_test",
     "MPI_Graph_create", "MPI_Graph_get", "MPI_Graphdims_get", "MPI_Graph_neighbors",
     "MPI_Graph_neighbors_count", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent",
     "MPI_Dist_graph_neighbors", "MPI_Dist_graph_neighbors_count"]> {
  let Summary = "who a process is, and with whom it is together";
}
def mpi_datatypes : InactiveInC<
    ["MPI_Type_contiguous", "MPI_Type_vector", "MPI_Type_hvector", "MPI_Type_create_hvector",
     "MPI_Type_indexed", "MPI_Type_create_hindexed", "MPI_Type_create_indexed_block",
     "MPI_Type_create_hindexed_block", "MPI_Type_struct", "MPI_Type_create_struct",
     "MPI_Type_create_resized", "MPI_Type_create_subarray", "MPI_Type_dup", "MPI_Type_commit",
     "MPI_Type_free", "MPI_Type_size", "MPI_Type_extent", "MPI_Type_get_extent",
     "MPI_Type_get_true_extent", "MPI_Type_lb", "MPI_Type_ub", "MPI_Pack_size",
     "MPI_Op_free"]> {
  let Summary = "what a message consists of";
}
// The runtime defines it (routinesAtStart), in modules with reductions.
def mpi_operations : InactiveInC<["MPI_Op_create"]> {
  let OfRuntime = 1;
  let Summary = "how numbers are reduced";
}
def mpi_probes : InactiveInC<
    ["MPI_Probe", "MPI_Iprobe", "MPI_Get_count", "MPI_Get_elements", "MPI_Test_cancelled",
     "MPI_Status_set_error", "MPI_Buffer_attach", "MPI_Buffer_detach", "MPI_Request_get_status"]> {
  let Summary = "how large a message is, and whether there is one";
}
class RefusedMessage<string what, list<string> names> : Handler<"Refused"> {
  let Names = names;
  let Text = what;
  let Summary = what;
}
def mpi_one_sided : RefusedMessage<
    "one-sided communication (MPI_Put, MPI_Get, windows); send and receive",
    ["MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Rput", "MPI_Rget",
     "MPI_Raccumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Win_*"]>;
def mpi_files : RefusedMessage<
    "input and output by MPI; read before and write after what is differentiated",
    ["MPI_File_*"]>;
def mpi_packing : RefusedMessage<
    "messages that are packed for other machines; MPI_Pack has a derivative",
    ["MPI_Pack_external", "MPI_Unpack_external"]>;
def mpi_cancel : RefusedMessage<"a message that is cancelled", ["MPI_Cancel"]>;
def mpi_other_groups : RefusedMessage<
    "this collective routine; MPI_Alltoallv and messages between two ranks have derivatives",
    ["MPI_Alltoallw", "MPI_Ialltoallw", "MPI_Alltoallw_init", "MPIX_Alltoallw_init",
     "MPI_Neighbor_*", "MPI_Ineighbor_*", "MPIX_Neighbor_*", "MPI_Reduce_local"]>;
def mpi_parts : RefusedMessage<
    "a message in parts (MPI_Psend_init); send each part",
    ["MPI_Psend_init", "MPI_Precv_init", "MPI_Pready", "MPI_Pready_range", "MPI_Pready_list",
     "MPI_Parrived"]>;
def mpi_large : RefusedMessage<
    "a routine with counts of MPI_Count; use the one with counts of int",
    ["MPI_Send_c", "MPI_Ssend_c", "MPI_Bsend_c", "MPI_Rsend_c", "MPI_Recv_c", "MPI_Isend_c",
     "MPI_Issend_c", "MPI_Ibsend_c", "MPI_Irsend_c", "MPI_Irecv_c", "MPI_Sendrecv_c",
     "MPI_Sendrecv_replace_c", "MPI_Allgather_c", "MPI_Allgatherv_c", "MPI_Allreduce_c",
     "MPI_Alltoall_c", "MPI_Alltoallv_c", "MPI_Bcast_c", "MPI_Exscan_c", "MPI_Gather_c",
     "MPI_Gatherv_c", "MPI_Reduce_c", "MPI_Reduce_scatter_c", "MPI_Reduce_scatter_block_c",
     "MPI_Scan_c", "MPI_Scatter_c", "MPI_Scatterv_c"]>;
def mpi_processes : RefusedMessage<
    "processes that come and go", ["MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept",
     "MPI_Comm_connect", "MPI_Comm_disconnect", "MPI_Comm_join"]>;
def mpi_memory : RefusedMessage<
    "memory from MPI_Alloc_mem; use malloc", ["MPI_Alloc_mem", "MPI_Free_mem"]>;

// As Fortran calls them: everything by address; behind that the length of a buffer of
// characters.
def mpif_send : Message<"rg_mpif_send", ["mpi_send_"], "V:PPPPPPP*", "r@2 n n n n n i">;
def mpif_ssend : Message<"rg_mpif_ssend", ["mpi_ssend_"], "V:PPPPPPP*", "r@2 n n n n n i">;
def mpif_bsend : Message<"rg_mpif_bsend", ["mpi_bsend_"], "V:PPPPPPP*", "r@2 n n n n n i">;
def mpif_rsend : Message<"rg_mpif_rsend", ["mpi_rsend_"], "V:PPPPPPP*", "r@2 n n n n n i">;
def mpif_recv : Message<"rg_mpif_recv", ["mpi_recv_"], "V:PPPPPPPP*", "w@2 n n n n n i i">;
def mpif_sendrecv : Message<"rg_mpif_sendrecv", ["mpi_sendrecv_"], "V:PPPPPPPPPPPPP*", "r@2 n n n n w@7 n n n n n i i">;
def mpif_sendrecv_replace : Message<"rg_mpif_sendrecv_replace", ["mpi_sendrecv_replace_"], "V:PPPPPPPPPP*", "m@2 n n n n n n n i i">;
def mpif_isend : Message<"rg_mpif_isend", ["mpi_isend_"], "V:PPPPPPPP*", "r@2 n n n n n i i">;
def mpif_issend : Message<"rg_mpif_issend", ["mpi_issend_"], "V:PPPPPPPP*", "r@2 n n n n n i i">;
def mpif_ibsend : Message<"rg_mpif_ibsend", ["mpi_ibsend_"], "V:PPPPPPPP*", "r@2 n n n n n i i">;
def mpif_irsend : Message<"rg_mpif_irsend", ["mpi_irsend_"], "V:PPPPPPPP*", "r@2 n n n n n i i">;
def mpif_irecv : Message<"rg_mpif_irecv", ["mpi_irecv_"], "V:PPPPPPPP*", "w@2 n n n n n i i">;
def mpif_pack : Message<"rg_mpif_packs", ["mpi_pack_"], "V:PPPPPPPP*", "r@2 n n mK n i n i">;
def mpif_unpack : Message<"rg_mpif_unpacks", ["mpi_unpack_"], "V:PPPPPPPP*", "rK n i w@5 n n n i">;
def mpif_bcast : Message<"rg_mpif_bcast", ["mpi_bcast_"], "V:PPPPPP*", "m@2 n n n n i">;
def mpif_reduce : Message<"rg_mpif_reduce", ["mpi_reduce_"], "V:PPPPPPPP", "r@3 m@3 n n n n n i">;
def mpif_allreduce : Message<"rg_mpif_allreduce", ["mpi_allreduce_"], "V:PPPPPPP", "r@3 m@3 n n n n i">;
def mpif_scan : Message<"rg_mpif_scan", ["mpi_scan_"], "V:PPPPPPP", "r@3 m@3 n n n n i">;
def mpif_exscan : Message<"rg_mpif_exscan", ["mpi_exscan_"], "V:PPPPPPP", "r@3 m@3 n n n n i">;
def mpif_reduce_scatter_block : Message<"rg_mpif_reduce_scatter_block", ["mpi_reduce_scatter_block_"], "V:PPPPPPP", "r@3 m@3 n n n n i">;
def mpif_reduce_scatter : Message<"rg_mpif_reduce_scatter", ["mpi_reduce_scatter_"], "V:PPPPPPP", "r@3 m@3 n n n n i">;
def mpif_gather : Message<"rg_mpif_gather", ["mpi_gather_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n n i">;
def mpif_gatherv : Message<"rg_mpif_gatherv", ["mpi_gatherv_"], "V:PPPPPPPPPP", "r@2 n n m@6 n n n n n i">;
def mpif_scatter : Message<"rg_mpif_scatter", ["mpi_scatter_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n n i">;
def mpif_scatterv : Message<"rg_mpif_scatterv", ["mpi_scatterv_"], "V:PPPPPPPPPP", "r@3 n n n m@6 n n n n i">;
def mpif_allgather : Message<"rg_mpif_allgather", ["mpi_allgather_"], "V:PPPPPPPP", "r@2 n n m@5 n n n i">;
def mpif_allgatherv : Message<"rg_mpif_allgatherv", ["mpi_allgatherv_"], "V:PPPPPPPPP", "r@2 n n m@6 n n n n i">;
def mpif_alltoall : Message<"rg_mpif_alltoall", ["mpi_alltoall_"], "V:PPPPPPPP", "r@2 n n m@5 n n n i">;
def mpif_alltoallv : Message<"rg_mpif_alltoallv", ["mpi_alltoallv_"], "V:PPPPPPPPPP", "r@3 n n n m@7 n n n n i">;
def mpif_neighbor_allgather : Message<"rg_mpif_neighbor_allgather", ["mpi_neighbor_allgather_"], "V:PPPPPPPP", "r@2 n n m@5 n n n i">;
def mpif_ineighbor_allgather : Message<"rg_mpif_ineighbor_allgather", ["mpi_ineighbor_allgather_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n i i">;
def mpif_neighbor_allgatherv : Message<"rg_mpif_neighbor_allgatherv", ["mpi_neighbor_allgatherv_"], "V:PPPPPPPPP", "r@2 n n m@6 n n n n i">;
def mpif_ineighbor_allgatherv : Message<"rg_mpif_ineighbor_allgatherv", ["mpi_ineighbor_allgatherv_"], "V:PPPPPPPPPP", "r@2 n n m@6 n n n n i i">;
def mpif_neighbor_alltoall : Message<"rg_mpif_neighbor_alltoall", ["mpi_neighbor_alltoall_"], "V:PPPPPPPP", "r@2 n n m@5 n n n i">;
def mpif_ineighbor_alltoall : Message<"rg_mpif_ineighbor_alltoall", ["mpi_ineighbor_alltoall_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n i i">;
def mpif_neighbor_alltoallv : Message<"rg_mpif_neighbor_alltoallv", ["mpi_neighbor_alltoallv_"], "V:PPPPPPPPPP", "r@3 n n n m@7 n n n n i">;
def mpif_ineighbor_alltoallv : Message<"rg_mpif_ineighbor_alltoallv", ["mpi_ineighbor_alltoallv_"], "V:PPPPPPPPPPP", "r@3 n n n m@7 n n n n i i">;
def mpif_ibcast : Message<"rg_mpif_ibcast", ["mpi_ibcast_"], "V:PPPPPPP*", "m@2 n n n n i i">;
def mpif_ireduce : Message<"rg_mpif_ireduce", ["mpi_ireduce_"], "V:PPPPPPPPP", "r@3 m@3 n n n n n i i">;
def mpif_iallreduce : Message<"rg_mpif_iallreduce", ["mpi_iallreduce_"], "V:PPPPPPPP", "r@3 m@3 n n n n i i">;
def mpif_igather : Message<"rg_mpif_igather", ["mpi_igather_"], "V:PPPPPPPPPP", "r@2 n n m@5 n n n n i i">;
def mpif_iscatter : Message<"rg_mpif_iscatter", ["mpi_iscatter_"], "V:PPPPPPPPPP", "r@2 n n m@5 n n n n i i">;
def mpif_iallgather : Message<"rg_mpif_iallgather", ["mpi_iallgather_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n i i">;
def mpif_iallgatherv : Message<"rg_mpif_iallgatherv", ["mpi_iallgatherv_"], "V:PPPPPPPPPP", "r@2 n n m@6 n n n n i i">;
def mpif_ialltoall : Message<"rg_mpif_ialltoall", ["mpi_ialltoall_"], "V:PPPPPPPPP", "r@2 n n m@5 n n n i i">;
def mpif_ialltoallv : Message<"rg_mpif_ialltoallv", ["mpi_ialltoallv_"], "V:PPPPPPPPPPP", "r@3 n n n m@7 n n n n i i">;
def mpif_wait : Message<"rg_mpif_wait", ["mpi_wait_"], "V:PPP", "i i i">;
def mpif_waitall : Message<"rg_mpif_waitall", ["mpi_waitall_"], "V:PPPP", "n i i i">;
def mpif_waitany : Message<"rg_mpif_waitany", ["mpi_waitany_"], "V:PPPPP", "n i i i i">;
def mpif_test : Message<"rg_mpif_test", ["mpi_test_"], "V:PPPP", "i i i i">;
def mpif_testall : Message<"rg_mpif_testall", ["mpi_testall_"], "V:PPPPP", "n i i i i">;
def mpif_comm_free : Message<"rg_mpif_comm_free", ["mpi_comm_free_"], "V:PP", "i i">;
def mpi_environment_fortran : InactiveInC<
   ["mpi_init_", "mpi_init_thread_", "mpi_initialized_", "mpi_finalize_", "mpi_finalized_",
    "mpi_query_thread_", "mpi_is_thread_main_", "mpi_abort_", "mpi_wtime_", "mpi_wtick_",
    "mpi_get_processor_name_", "mpi_get_version_", "mpi_get_library_version_",
    "mpi_error_string_", "mpi_error_class_", "mpi_comm_set_errhandler_",
    "mpi_comm_get_errhandler_", "mpi_errhandler_set_", "mpi_pcontrol_", "mpi_info_create_",
    "mpi_info_set_", "mpi_info_free_", "mpi_barrier_", "mpi_ibarrier_", "mpi_get_address_",
    "mpi_address_", "mpi_aint_add_", "mpi_aint_diff_"]>;
def mpi_communicators_fortran : InactiveInC<
   ["mpi_comm_rank_", "mpi_comm_size_", "mpi_comm_dup_", "mpi_comm_split_",
    "mpi_comm_split_type_", "mpi_comm_create_", "mpi_comm_create_group_", "mpi_comm_group_",
    "mpi_comm_compare_", "mpi_comm_get_attr_", "mpi_comm_set_attr_", "mpi_comm_set_name_",
    "mpi_comm_get_name_", "mpi_comm_test_inter_", "mpi_group_size_", "mpi_group_rank_",
    "mpi_group_incl_", "mpi_group_excl_", "mpi_group_translate_ranks_", "mpi_group_free_",
    "mpi_group_union_", "mpi_group_intersection_", "mpi_group_difference_",
    "mpi_group_range_incl_", "mpi_cart_create_", "mpi_cart_coords_", "mpi_cart_rank_",
    "mpi_cart_shift_", "mpi_cart_get_", "mpi_cart_sub_", "mpi_cartdim_get_", "mpi_dims_create_",
    "mpi_topo_test_", "mpi_graph_create_", "mpi_graph_get_", "mpi_graphdims_get_",
    "mpi_graph_neighbors_", "mpi_graph_neighbors_count_", "mpi_dist_graph_create_",
    "mpi_dist_graph_create_adjacent_", "mpi_dist_graph_neighbors_",
    "mpi_dist_graph_neighbors_count_"]>;
def mpi_datatypes_fortran : InactiveInC<
   ["mpi_type_contiguous_", "mpi_type_vector_", "mpi_type_hvector_", "mpi_type_create_hvector_",
    "mpi_type_indexed_", "mpi_type_create_hindexed_", "mpi_type_create_indexed_block_",
    "mpi_type_create_hindexed_block_", "mpi_type_struct_", "mpi_type_create_struct_",
    "mpi_type_create_resized_", "mpi_type_create_subarray_", "mpi_type_dup_",
    "mpi_type_commit_", "mpi_type_free_", "mpi_type_size_", "mpi_type_extent_",
    "mpi_type_get_extent_", "mpi_type_get_true_extent_", "mpi_type_lb_", "mpi_type_ub_",
    "mpi_pack_size_", "mpi_op_free_"]>;
def mpi_operations_fortran : InactiveInC<["mpi_op_create_"]> {
  let OfRuntime = 1;
  let Summary = "how numbers are reduced";
}
def mpi_probes_fortran : InactiveInC<
   ["mpi_probe_", "mpi_iprobe_", "mpi_get_count_", "mpi_get_elements_", "mpi_test_cancelled_",
    "mpi_status_set_error_", "mpi_buffer_attach_", "mpi_buffer_detach_",
    "mpi_request_get_status_"]>;
}

let Section = "The runtime" in
def mpi_own_operation : InactiveInC<
   ["rg_mpi_own_operation", "rg_mpi_own_size", "rg_mpi_own_rank", "rg_mpi_own_counts",
    "rg_mpi_own_extent", "rg_mpi_own_in_place", "rg_mpi_own_self", "rg_mpif_own_operation",
    "rg_mpif_own_size", "rg_mpif_own_rank", "rg_mpif_own_extent", "rg_mpif_own_in_place",
    "rg_mpif_own_self", "rg_mpi_own_keep", "rg_mpi_own_count", "rg_mpi_own_next",
    "rg_mpi_own_stands", "rg_mpi_own_leave", "rg_mpi_own_standing"]> {
  let Summary = "what a reduction by the program's own operation needs to know";
  let OfRuntime = 1;
}
let Section = "The runtime" in
def mpi_runtime : Handler<"Refused"> {
  let Names = ["rg_mpi_*", "rg_mpif_*"];
  let Text = "messages in a derivative that is differentiated again";
  let Summary = Text;
  let OfRuntime = 1;
}
