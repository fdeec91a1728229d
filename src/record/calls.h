#pragma once
/* The calls that are recorded, each a line: CALL(name in C, name in Fortran, kind, parameters by
   their roles). The wrappers of all languages, the numbers of the operations and their names in a
   recording come from this list alone. What a role is: library/roles.h. A kind is a value of
   gridcast::record::Kind. */

#define RECORD_POINT_TO_POINT(CALL)                                                            \
  CALL(Send, send, send, CBUF, COUNT, TYPE, PEER, TAG, COMM)                                   \
  CALL(Ssend, ssend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM)                                 \
  CALL(Bsend, bsend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM)                                 \
  CALL(Rsend, rsend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM)                                 \
  CALL(Recv, recv, receive, BUF, COUNT, TYPE, PEER, TAG, COMM, STATUS)                         \
  CALL(Isend, isend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, OPENED)                         \
  CALL(Issend, issend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, OPENED)                       \
  CALL(Ibsend, ibsend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, OPENED)                       \
  CALL(Irsend, irsend, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, OPENED)                       \
  CALL(Irecv, irecv, receive, BUF, COUNT, TYPE, PEER, TAG, COMM, OPENED)                       \
  CALL(Send_init, send_init, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, PERSISTENT)             \
  CALL(Ssend_init, ssend_init, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, PERSISTENT)           \
  CALL(Bsend_init, bsend_init, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, PERSISTENT)           \
  CALL(Rsend_init, rsend_init, send, CBUF, COUNT, TYPE, PEER, TAG, COMM, PERSISTENT)           \
  CALL(Recv_init, recv_init, receive, BUF, COUNT, TYPE, PEER, TAG, COMM, PERSISTENT)           \
  CALL(Sendrecv, sendrecv, exchange, CBUF, COUNT, TYPE, PEER, TAG, BUF, COUNT2, TYPE2, PEER2,  \
       TAG2, COMM, STATUS)                                                                     \
  CALL(Sendrecv_replace, sendrecv_replace, exchange, BUF, COUNT, TYPE, PEER, TAG, PEER2, TAG2, \
       COMM, STATUS)                                                                           \
  CALL(Probe, probe, probe, PEER, TAG, COMM, STATUS)                                           \
  CALL(Iprobe, iprobe, probe, PEER, TAG, COMM, FLAG, STATUS)                                   \
  CALL(Mprobe, mprobe, probe, PEER, TAG, COMM, MESSAGE, STATUS)                                \
  CALL(Improbe, improbe, probe, PEER, TAG, COMM, FLAG, MESSAGE, STATUS)                        \
  CALL(Mrecv, mrecv, receive, BUF, COUNT, TYPE, MESSAGE, STATUS)                               \
  CALL(Imrecv, imrecv, receive, BUF, COUNT, TYPE, MESSAGE, OPENED)

#define RECORD_REQUESTS(CALL)                                                    \
  CALL(Start, start, start, REQUEST)                                             \
  CALL(Startall, startall, start, LENGTH, REQUESTS)                              \
  CALL(Wait, wait, complete, REQUEST, STATUS)                                    \
  CALL(Waitall, waitall, complete, LENGTH, REQUESTS, STATUS)                     \
  CALL(Waitany, waitany, complete, LENGTH, REQUESTS, INDEX, STATUS)              \
  CALL(Waitsome, waitsome, complete, LENGTH, REQUESTS, DONE, INDICES, STATUS)    \
  CALL(Test, test, complete, REQUEST, FLAG, STATUS)                              \
  CALL(Testall, testall, complete, LENGTH, REQUESTS, FLAG, STATUS)               \
  CALL(Testany, testany, complete, LENGTH, REQUESTS, INDEX, FLAG_PASSED, STATUS) \
  CALL(Testsome, testsome, complete, LENGTH, REQUESTS, DONE, INDICES, STATUS)    \
  CALL(Request_free, request_free, release, REQUEST)                             \
  CALL(Cancel, cancel, other, REQUEST)

#define RECORD_COLLECTIVES(CALL)                                                                   \
  CALL(Barrier, barrier, collective, COMM)                                                         \
  CALL(Bcast, bcast, collective, BUF, COUNT, TYPE, PEER, COMM)                                     \
  CALL(Reduce, reduce, collective, CBUF, BUF, COUNT, TYPE, OP, PEER, COMM)                         \
  CALL(Allreduce, allreduce, collective, CBUF, BUF, COUNT, TYPE, OP, COMM)                         \
  CALL(Scan, scan, collective, CBUF, BUF, COUNT, TYPE, OP, COMM)                                   \
  CALL(Exscan, exscan, collective, CBUF, BUF, COUNT, TYPE, OP, COMM)                               \
  CALL(Reduce_scatter, reduce_scatter, collective, CBUF, BUF, COUNTS, TYPE, OP, COMM)              \
  CALL(Reduce_scatter_block, reduce_scatter_block, collective, CBUF, BUF, COUNT, TYPE, OP, COMM)   \
  CALL(Gather, gather, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, GATHERER, COMM)          \
  CALL(Gatherv, gatherv, collective, SENT, COUNT, TYPE, BUF, COUNTS2, PLACES, TYPE2, GATHERER,     \
       COMM)                                                                                       \
  CALL(Scatter, scatter, collective, CBUF, COUNT, TYPE, RECEIVED, COUNT2, TYPE2, SCATTERER, COMM)  \
  CALL(Scatterv, scatterv, collective, CBUF, COUNTS, PLACES, TYPE, RECEIVED, COUNT2, TYPE2,        \
       SCATTERER, COMM)                                                                            \
  CALL(Allgather, allgather, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, COMM)              \
  CALL(Allgatherv, allgatherv, collective, SENT, COUNT, TYPE, BUF, COUNTS2, PLACES, TYPE2, COMM)   \
  CALL(Alltoall, alltoall, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, COMM)                \
  CALL(Alltoallv, alltoallv, collective, SENT, COUNTS, PLACES, TYPE, BUF, COUNTS2, PLACES, TYPE2,  \
       COMM)                                                                                       \
  CALL(Alltoallw, alltoallw, collective, SENT, COUNTS, PLACES, TYPES, BUF, COUNTS2, PLACES,        \
       TYPES2, COMM)                                                                               \
  CALL(Ibarrier, ibarrier, collective, COMM, OPENED)                                               \
  CALL(Ibcast, ibcast, collective, BUF, COUNT, TYPE, PEER, COMM, OPENED)                           \
  CALL(Ireduce, ireduce, collective, CBUF, BUF, COUNT, TYPE, OP, PEER, COMM, OPENED)               \
  CALL(Iallreduce, iallreduce, collective, CBUF, BUF, COUNT, TYPE, OP, COMM, OPENED)               \
  CALL(Iscan, iscan, collective, CBUF, BUF, COUNT, TYPE, OP, COMM, OPENED)                         \
  CALL(Iexscan, iexscan, collective, CBUF, BUF, COUNT, TYPE, OP, COMM, OPENED)                     \
  CALL(Ireduce_scatter, ireduce_scatter, collective, CBUF, BUF, COUNTS, TYPE, OP, COMM, OPENED)    \
  CALL(Ireduce_scatter_block, ireduce_scatter_block, collective, CBUF, BUF, COUNT, TYPE, OP, COMM, \
       OPENED)                                                                                     \
  CALL(Igather, igather, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, GATHERER, COMM,        \
       OPENED)                                                                                     \
  CALL(Igatherv, igatherv, collective, SENT, COUNT, TYPE, BUF, COUNTS2, PLACES, TYPE2, GATHERER,   \
       COMM, OPENED)                                                                               \
  CALL(Iscatter, iscatter, collective, CBUF, COUNT, TYPE, RECEIVED, COUNT2, TYPE2, SCATTERER,      \
       COMM, OPENED)                                                                               \
  CALL(Iscatterv, iscatterv, collective, CBUF, COUNTS, PLACES, TYPE, RECEIVED, COUNT2, TYPE2,      \
       SCATTERER, COMM, OPENED)                                                                    \
  CALL(Iallgather, iallgather, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, COMM, OPENED)    \
  CALL(Iallgatherv, iallgatherv, collective, SENT, COUNT, TYPE, BUF, COUNTS2, PLACES, TYPE2, COMM, \
       OPENED)                                                                                     \
  CALL(Ialltoall, ialltoall, collective, SENT, COUNT, TYPE, BUF, COUNT2, TYPE2, COMM, OPENED)      \
  CALL(Ialltoallv, ialltoallv, collective, SENT, COUNTS, PLACES, TYPE, BUF, COUNTS2, PLACES,       \
       TYPE2, COMM, OPENED)                                                                        \
  CALL(Ialltoallw, ialltoallw, collective, SENT, COUNTS, PLACES, TYPES, BUF, COUNTS2, PLACES,      \
       TYPES2, COMM, OPENED)

#define RECORD_NEIGHBOURS(CALL)                                                                   \
  CALL(Neighbor_allgather, neighbor_allgather, neighbours, CBUF, COUNT, TYPE, BUF, COUNT2, TYPE2, \
       COMM)                                                                                      \
  CALL(Neighbor_allgatherv, neighbor_allgatherv, neighbours, CBUF, COUNT, TYPE, BUF, COUNTS2,     \
       PLACES, TYPE2, COMM)                                                                       \
  CALL(Neighbor_alltoall, neighbor_alltoall, neighbours, CBUF, COUNT, TYPE, BUF, COUNT2, TYPE2,   \
       COMM)                                                                                      \
  CALL(Neighbor_alltoallv, neighbor_alltoallv, neighbours, CBUF, COUNTS, PLACES, TYPE, BUF,       \
       COUNTS2, PLACES, TYPE2, COMM)                                                              \
  CALL(Neighbor_alltoallw, neighbor_alltoallw, neighbours, CBUF, COUNTS, ADDRESSES, TYPES, BUF,   \
       COUNTS2, ADDRESSES, TYPES2, COMM)                                                          \
  CALL(Ineighbor_allgather, ineighbor_allgather, neighbours, CBUF, COUNT, TYPE, BUF, COUNT2,      \
       TYPE2, COMM, OPENED)                                                                       \
  CALL(Ineighbor_allgatherv, ineighbor_allgatherv, neighbours, CBUF, COUNT, TYPE, BUF, COUNTS2,   \
       PLACES, TYPE2, COMM, OPENED)                                                               \
  CALL(Ineighbor_alltoall, ineighbor_alltoall, neighbours, CBUF, COUNT, TYPE, BUF, COUNT2, TYPE2, \
       COMM, OPENED)                                                                              \
  CALL(Ineighbor_alltoallv, ineighbor_alltoallv, neighbours, CBUF, COUNTS, PLACES, TYPE, BUF,     \
       COUNTS2, PLACES, TYPE2, COMM, OPENED)                                                      \
  CALL(Ineighbor_alltoallw, ineighbor_alltoallw, neighbours, CBUF, COUNTS, ADDRESSES, TYPES, BUF, \
       COUNTS2, ADDRESSES, TYPES2, COMM, OPENED)

#define RECORD_COMMUNICATORS(CALL)                                                               \
  CALL(Cart_create, cart_create, communicator, COMM, INT, INTS, INTS, INT, MADE)                 \
  CALL(Cart_sub, cart_sub, communicator, COMM, INTS, MADE)                                       \
  CALL(Graph_create, graph_create, communicator, COMM, INT, INTS, INTS, INT, MADE)               \
  CALL(Dist_graph_create, dist_graph_create, communicator, COMM, INT, INTS, INTS, INTS, INTS,    \
       INFO, INT, MADE)                                                                          \
  CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, communicator, COMM, INT, INTS,    \
       INTS, INT, INTS, INTS, INFO, INT, MADE)                                                   \
  CALL(Comm_split, comm_split, communicator, COMM, INT, INT, MADE)                               \
  CALL(Comm_split_type, comm_split_type, communicator, COMM, INT, INT, INFO, MADE)               \
  CALL(Comm_dup, comm_dup, communicator, COMM, MADE)                                             \
  CALL(Comm_dup_with_info, comm_dup_with_info, communicator, COMM, INFO, MADE)                   \
  CALL(Comm_create, comm_create, communicator, COMM, GROUP, MADE)                                \
  CALL(Comm_create_group, comm_create_group, communicator, COMM, GROUP, INT, MADE)               \
  CALL(Intercomm_create, intercomm_create, communicator, COMM, INT, PASSED_COMM, INT, INT, MADE) \
  CALL(Intercomm_merge, intercomm_merge, communicator, COMM, INT, MADE)                          \
  CALL(Comm_free, comm_free, release, FREED_COMM)                                                \
  CALL(Comm_disconnect, comm_disconnect, release, FREED_COMM)                                    \
  CALL(Type_free, type_free, release, FREED_TYPE)

/* What a recording does not describe is counted and marked with a warning. */
#define RECORD_OUTSIDE(CALL)                                                                    \
  CALL(Win_create, win_create, one_sided, BUF, AINT, INT, INFO, COMM, WINDOW)                   \
  CALL(Win_allocate, win_allocate, one_sided, AINT, INT, INFO, COMM, BUF, WINDOW)               \
  CALL(Win_allocate_shared, win_allocate_shared, one_sided, AINT, INT, INFO, COMM, BUF, WINDOW) \
  CALL(Win_create_dynamic, win_create_dynamic, one_sided, INFO, COMM, WINDOW)                   \
  CALL(Win_fence, win_fence, one_sided, INT, PASSED_WINDOW)

/* All of them. Wrapped by hand, because they begin and end a recording: Init, Init_thread,
 * Finalize, Abort. */
#define RECORD_LISTED(CALL)   \
  RECORD_POINT_TO_POINT(CALL) \
  RECORD_REQUESTS(CALL)       \
  RECORD_COLLECTIVES(CALL)    \
  RECORD_NEIGHBOURS(CALL)     \
  RECORD_COMMUNICATORS(CALL)  \
  RECORD_OUTSIDE(CALL)

#define RECORD_CALLS(CALL)                   \
  CALL(Init, init, other, INT)               \
  CALL(Init_thread, init_thread, other, INT) \
  CALL(Finalize, finalize, other, INT)       \
  CALL(Abort, abort, other, INT)             \
  RECORD_LISTED(CALL)
