#pragma once
/* The roles of parameters in calls.h. Of each: its type in C, what is read before the call (IN) and
   after it (OUT). L is C or F; L_INT(p) and the like read a parameter in the form of the language.
   In Fortran every parameter is an address. */

#define C_INT(p) (p)
#define F_INT(p) (*(const MPI_Fint*)(p))
#define C_TYPE(p) (p)
#define F_TYPE(p) PMPI_Type_f2c(*(const MPI_Fint*)(p))
#define C_COMM(p) (p)
#define F_COMM(p) PMPI_Comm_f2c(*(const MPI_Fint*)(p))
#define C_FIRST 0
#define F_FIRST 1
#define C_COMM_AT(p) (*(p))
#define F_COMM_AT(p) F_COMM(p)
#define C_TYPE_AT(p) (*(p))
#define F_TYPE_AT(p) F_TYPE(p)
#define C_REQUEST_AT(p) (*(p))
#define F_REQUEST_AT(p) PMPI_Request_f2c(*(const MPI_Fint*)(p))
#define C_IN_PLACE(p) ((p) == MPI_IN_PLACE)
#define F_IN_PLACE(p) ((const void*)(p) == (const void*)FORTRAN_IN_PLACE)

/* Buffers. SENT and RECEIVED: MPI_IN_PLACE makes the arguments of that side mean nothing. */
#define PARAMETER_BUF void*
#define IN_BUF(L, p)
#define OUT_BUF(L, p)
#define PARAMETER_CBUF const void*
#define IN_CBUF(L, p)
#define OUT_CBUF(L, p)
#define PARAMETER_SENT const void*
#define IN_SENT(L, p) call.left_out[0] = L##_IN_PLACE(p);
#define OUT_SENT(L, p)
#define PARAMETER_RECEIVED void*
#define IN_RECEIVED(L, p) call.left_out[1] = L##_IN_PLACE(p);
#define OUT_RECEIVED(L, p)

/* What is transferred, and with whom. */
#define PARAMETER_COUNT int
#define IN_COUNT(L, p) call.count[0] = L##_INT(p);
#define OUT_COUNT(L, p)
#define PARAMETER_COUNT2 int
#define IN_COUNT2(L, p) call.count[1] = L##_INT(p);
#define OUT_COUNT2(L, p)
#define PARAMETER_TYPE MPI_Datatype
#define IN_TYPE(L, p) call.type[0] = L##_TYPE(p);
#define OUT_TYPE(L, p)
#define PARAMETER_TYPE2 MPI_Datatype
#define IN_TYPE2(L, p) call.type[1] = L##_TYPE(p);
#define OUT_TYPE2(L, p)
#define PARAMETER_PEER int
#define IN_PEER(L, p) call.peer[0] = L##_INT(p);
#define OUT_PEER(L, p)
#define PARAMETER_PEER2 int
#define IN_PEER2(L, p) call.peer[1] = L##_INT(p);
#define OUT_PEER2(L, p)
#define PARAMETER_TAG int
#define IN_TAG(L, p) call.tag[0] = L##_INT(p);
#define OUT_TAG(L, p)
#define PARAMETER_TAG2 int
#define IN_TAG2(L, p) call.tag[1] = L##_INT(p);
#define OUT_TAG2(L, p)
#define PARAMETER_COMM MPI_Comm
#define IN_COMM(L, p) call.comm = L##_COMM(p);
#define OUT_COMM(L, p)
/* Roots: elsewhere the arguments of one side mean nothing. */
#define PARAMETER_GATHERER int
#define IN_GATHERER(L, p) call.peer[0] = L##_INT(p), call.root_side = 1;
#define OUT_GATHERER(L, p)
#define PARAMETER_SCATTERER int
#define IN_SCATTERER(L, p) call.peer[0] = L##_INT(p), call.root_side = 0;
#define OUT_SCATTERER(L, p)
/* One entry per partner. */
#define PARAMETER_COUNTS const int*
#define IN_COUNTS(L, p) call.counts[0] = (p);
#define OUT_COUNTS(L, p)
#define PARAMETER_COUNTS2 const int*
#define IN_COUNTS2(L, p) call.counts[1] = (p);
#define OUT_COUNTS2(L, p)
#define PARAMETER_TYPES const MPI_Datatype*
#define IN_TYPES(L, p) call.types[0] = (p);
#define OUT_TYPES(L, p)
#define PARAMETER_TYPES2 const MPI_Datatype*
#define IN_TYPES2(L, p) call.types[1] = (p);
#define OUT_TYPES2(L, p)

/* Requests and how they end. */
#define PARAMETER_OPENED MPI_Request*
#define IN_OPENED(L, p)
#define OUT_OPENED(L, p) call.opened = L##_REQUEST_AT(p), call.opens = 1;
#define PARAMETER_PERSISTENT MPI_Request*
#define IN_PERSISTENT(L, p)
#define OUT_PERSISTENT(L, p) call.opened = L##_REQUEST_AT(p), call.opens = 2;
#define PARAMETER_REQUEST MPI_Request*
#define IN_REQUEST(L, p) call.requests = (p), call.length = -1;
#define OUT_REQUEST(L, p)
#define PARAMETER_LENGTH int
#define IN_LENGTH(L, p) call.length = L##_INT(p);
#define OUT_LENGTH(L, p)
#define PARAMETER_REQUESTS MPI_Request*
#define IN_REQUESTS(L, p) call.requests = (p);
#define OUT_REQUESTS(L, p)
#define PARAMETER_FLAG int*
#define IN_FLAG(L, p)
#define OUT_FLAG(L, p) call.by_flag = 1, call.result = *(const int*)(p) != 0;
#define PARAMETER_FLAG_PASSED int*
#define IN_FLAG_PASSED(L, p)
#define OUT_FLAG_PASSED(L, p)
#define PARAMETER_INDEX int*
#define IN_INDEX(L, p)
#define OUT_INDEX(L, p)                                                                 \
  call.by_index = 1, call.done = *(const int*)(p) != MPI_UNDEFINED, call.indices = (p), \
  call.first = L##_FIRST;
#define PARAMETER_DONE int*
#define IN_DONE(L, p)
#define OUT_DONE(L, p) \
  call.by_index = 1, call.done = *(const int*)(p) == MPI_UNDEFINED ? 0 : *(const int*)(p);
#define PARAMETER_INDICES int*
#define IN_INDICES(L, p)
#define OUT_INDICES(L, p) call.indices = (p), call.first = L##_FIRST;

/* Communicators and datatypes that begin or end. */
#define PARAMETER_MADE MPI_Comm*
#define IN_MADE(L, p)
#define OUT_MADE(L, p) call.made = L##_COMM_AT(p), call.has_made = 1;
#define PARAMETER_FREED_COMM MPI_Comm*
#define IN_FREED_COMM(L, p) call.comm = L##_COMM_AT(p), call.ended_comm = 1;
#define OUT_FREED_COMM(L, p)
#define PARAMETER_FREED_TYPE MPI_Datatype*
#define IN_FREED_TYPE(L, p) call.freed = L##_TYPE_AT(p);
#define OUT_FREED_TYPE(L, p)

/* Handed on only. */
#define PARAMETER_INT int
#define IN_INT(L, p)
#define OUT_INT(L, p)
#define PARAMETER_INTS const int*
#define IN_INTS(L, p)
#define OUT_INTS(L, p)
#define PARAMETER_AINT MPI_Aint
#define IN_AINT(L, p)
#define OUT_AINT(L, p)
#define PARAMETER_PLACES const int*
#define IN_PLACES(L, p)
#define OUT_PLACES(L, p)
#define PARAMETER_ADDRESSES const MPI_Aint*
#define IN_ADDRESSES(L, p)
#define OUT_ADDRESSES(L, p)
#define PARAMETER_OP MPI_Op
#define IN_OP(L, p)
#define OUT_OP(L, p)
#define PARAMETER_STATUS MPI_Status*
#define IN_STATUS(L, p)
#define OUT_STATUS(L, p)
#define PARAMETER_MESSAGE MPI_Message*
#define IN_MESSAGE(L, p)
#define OUT_MESSAGE(L, p)
#define PARAMETER_GROUP MPI_Group
#define IN_GROUP(L, p)
#define OUT_GROUP(L, p)
#define PARAMETER_INFO MPI_Info
#define IN_INFO(L, p)
#define OUT_INFO(L, p)
#define PARAMETER_PASSED_COMM MPI_Comm
#define IN_PASSED_COMM(L, p)
#define OUT_PASSED_COMM(L, p)
#define PARAMETER_WINDOW MPI_Win*
#define IN_WINDOW(L, p)
#define OUT_WINDOW(L, p)
#define PARAMETER_PASSED_WINDOW MPI_Win
#define IN_PASSED_WINDOW(L, p)
#define OUT_PASSED_WINDOW(L, p)

/* EACH(M, S, roles...): M(role, number) for each, S() between them. */
#define EACH_1(M, S, a) M(a, 1)
#define EACH_2(M, S, a, b) EACH_1(M, S, a) S() M(b, 2)
#define EACH_3(M, S, a, b, c) EACH_2(M, S, a, b) S() M(c, 3)
#define EACH_4(M, S, a, b, c, d) EACH_3(M, S, a, b, c) S() M(d, 4)
#define EACH_5(M, S, a, b, c, d, e) EACH_4(M, S, a, b, c, d) S() M(e, 5)
#define EACH_6(M, S, a, b, c, d, e, f) EACH_5(M, S, a, b, c, d, e) S() M(f, 6)
#define EACH_7(M, S, a, b, c, d, e, f, g) EACH_6(M, S, a, b, c, d, e, f) S() M(g, 7)
#define EACH_8(M, S, a, b, c, d, e, f, g, h) EACH_7(M, S, a, b, c, d, e, f, g) S() M(h, 8)
#define EACH_9(M, S, a, b, c, d, e, f, g, h, i) EACH_8(M, S, a, b, c, d, e, f, g, h) S() M(i, 9)
#define EACH_10(M, S, a, b, c, d, e, f, g, h, i, j) \
  EACH_9(M, S, a, b, c, d, e, f, g, h, i) S() M(j, 10)
#define EACH_11(M, S, a, b, c, d, e, f, g, h, i, j, k) \
  EACH_10(M, S, a, b, c, d, e, f, g, h, i, j) S() M(k, 11)
#define EACH_12(M, S, a, b, c, d, e, f, g, h, i, j, k, l) \
  EACH_11(M, S, a, b, c, d, e, f, g, h, i, j, k) S() M(l, 12)
#define EACH_NAME(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define EACH(M, S, ...)                                                                     \
  EACH_NAME(__VA_ARGS__, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8, EACH_7, EACH_6, EACH_5, \
            EACH_4, EACH_3, EACH_2, EACH_1, 0)                                              \
  (M, S, __VA_ARGS__)
#define COMMA() ,
#define NOTHING()
#define PASS(role, number) p##number
