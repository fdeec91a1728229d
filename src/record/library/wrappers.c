/* The wrappers: those of C, and of Fortran in its two forms (mpif.h and `use mpi`: mpi_send_;
   mpi_f08: mpi_send_f08_, the same parameters), all from the list in calls.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "recorder.h"
#include "roles.h"

#define EXPORTED __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

#if defined(MPICH_VERSION)
extern int mpipriv1_[] __attribute__((weak)); /* a common block: MPI_BOTTOM, MPI_IN_PLACE, ... */
#define FORTRAN_IN_PLACE (mpipriv1_ + 1)
#define FORTRAN_LIBRARIES "libmpichfort.so.12", "libmpifort.so.12"
#else
extern int mpi_fortran_in_place_ __attribute__((weak));
#define FORTRAN_IN_PLACE (&mpi_fortran_in_place_)
#define FORTRAN_LIBRARIES "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"
#endif

/* The function of the MPI library itself. The library of Fortran is there only in programs in
 * Fortran. */
static void* find_next(const char* name) {
  static const char* const libraries[] = {FORTRAN_LIBRARIES};
  void* found = dlsym(RTLD_NEXT, name);
  for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; ++i) {
    void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
      found = dlsym(library, name);
    }
  }
  if (found == NULL) {
    complain("the MPI library does not have", name);
    abort();
  }
  return found;
}

static int is_recording(void) { return recorder.on && !inside_call; }

#define C_DECLARE(role, number) PARAMETER_##role p##number
#define C_BEFORE(role, number) IN_##role(C, p##number)
#define C_AFTER(role, number) OUT_##role(C, p##number)
#define C_WRAPPER(Name, name, kind, ...)                                  \
  EXPORTED int MPI_##Name(EACH(C_DECLARE, COMMA, __VA_ARGS__)) {          \
    if (!is_recording()) {                                                \
      return PMPI_##Name(EACH(PASS, COMMA, __VA_ARGS__));                 \
    }                                                                     \
    struct call call;                                                     \
    begin_call(&call, operation_##Name, kind_##kind, language_c, CALLER); \
    EACH(C_BEFORE, NOTHING, __VA_ARGS__)                                  \
    prepare_call(&call);                                                  \
    const int code = PMPI_##Name(EACH(PASS, COMMA, __VA_ARGS__));         \
    call.ended = read_ticks();                                            \
    if (code == MPI_SUCCESS) {                                            \
      EACH(C_AFTER, NOTHING, __VA_ARGS__)                                 \
    }                                                                     \
    finish_call(&call, code == MPI_SUCCESS);                              \
    return code;                                                          \
  }
RECORD_LISTED(C_WRAPPER)

#define F_DECLARE(role, number) void* p##number
#define F_BEFORE(role, number) IN_##role(F, p##number)
#define F_AFTER(role, number) OUT_##role(F, p##number)
#define F_FORM(name, symbol, pname, Operation, kind, ...)                      \
  EXPORTED void symbol(EACH(F_DECLARE, COMMA, __VA_ARGS__), MPI_Fint* error) { \
    static void (*next)(EACH(F_DECLARE, COMMA, __VA_ARGS__), MPI_Fint*);       \
    if (next == NULL) {                                                        \
      *(void**)&next = find_next(pname);                                       \
    }                                                                          \
    if (!is_recording()) {                                                     \
      next(EACH(PASS, COMMA, __VA_ARGS__), error);                             \
      return;                                                                  \
    }                                                                          \
    MPI_Fint code = MPI_SUCCESS;                                               \
    struct call call;                                                          \
    begin_call(&call, Operation, kind_##kind, language_fortran, CALLER);       \
    EACH(F_BEFORE, NOTHING, __VA_ARGS__)                                       \
    prepare_call(&call);                                                       \
    next(EACH(PASS, COMMA, __VA_ARGS__), &code);                               \
    call.ended = read_ticks();                                                 \
    if (code == MPI_SUCCESS) {                                                 \
      EACH(F_AFTER, NOTHING, __VA_ARGS__)                                      \
    }                                                                          \
    finish_call(&call, code == MPI_SUCCESS);                                   \
    if (error != NULL) {                                                       \
      *error = code;                                                           \
    }                                                                          \
  }
#define F_WRAPPER(Name, name, kind, ...) \
  F_FORM(name, mpi_##name##_, "pmpi_" #name "_", operation_##Name, kind, __VA_ARGS__)
RECORD_LISTED(F_WRAPPER)
#if !defined(MPICH_VERSION) /* whose mpi_f08 calls C */
#define F08_WRAPPER(Name, name, kind, ...) \
  F_FORM(name, mpi_##name##_f08_, "pmpi_" #name "_f08_", operation_##Name, kind, __VA_ARGS__)
RECORD_LISTED(F08_WRAPPER)
#endif

/* What begins and ends a recording. */
EXPORTED int MPI_Init(int* count, char*** arguments) {
  const struct recording_clock begin = read_clocks();
  const int code = PMPI_Init(count, arguments);
  begin_recording(begin, operation_Init, CALLER);
  return code;
}

EXPORTED int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const struct recording_clock begin = read_clocks();
  const int code = PMPI_Init_thread(count, arguments, required, provided);
  begin_recording(begin, operation_Init_thread, CALLER);
  return code;
}

EXPORTED int MPI_Finalize(void) {
  end_recording(recording_finished, operation_Finalize, CALLER);
  return PMPI_Finalize();
}

EXPORTED int MPI_Abort(MPI_Comm comm, int code) {
  end_recording(recording_aborted, operation_Abort, CALLER);
  return PMPI_Abort(comm, code);
}

#define F_SESSION(suffix)                                                                  \
  EXPORTED void mpi_init##suffix(MPI_Fint* error) {                                        \
    void (*next)(MPI_Fint*);                                                               \
    *(void**)&next = find_next("pmpi_init" #suffix);                                       \
    const struct recording_clock begin = read_clocks();                                    \
    next(error);                                                                           \
    begin_recording(begin, operation_Init, CALLER);                                        \
  }                                                                                        \
  EXPORTED void mpi_init_thread##suffix(void* required, void* provided, MPI_Fint* error) { \
    void (*next)(void*, void*, MPI_Fint*);                                                 \
    *(void**)&next = find_next("pmpi_init_thread" #suffix);                                \
    const struct recording_clock begin = read_clocks();                                    \
    next(required, provided, error);                                                       \
    begin_recording(begin, operation_Init_thread, CALLER);                                 \
  }                                                                                        \
  EXPORTED void mpi_finalize##suffix(MPI_Fint* error) {                                    \
    void (*next)(MPI_Fint*);                                                               \
    *(void**)&next = find_next("pmpi_finalize" #suffix);                                   \
    end_recording(recording_finished, operation_Finalize, CALLER);                         \
    next(error);                                                                           \
  }                                                                                        \
  EXPORTED void mpi_abort##suffix(void* comm, void* code, MPI_Fint* error) {               \
    void (*next)(void*, void*, MPI_Fint*);                                                 \
    *(void**)&next = find_next("pmpi_abort" #suffix);                                      \
    end_recording(recording_aborted, operation_Abort, CALLER);                             \
    next(comm, code, error);                                                               \
  }
F_SESSION(_)
#if !defined(MPICH_VERSION)
F_SESSION(_f08_)
#endif
