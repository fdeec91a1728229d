/* Sites, communicators and datatypes: numbered and defined when first met. Everything asked of MPI
 * here is local. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "recorder.h"

enum {
  most = 4096,
  most_sites = 1 << 14,
  most_modules = 256,
  most_dims = 16,
  most_integers = 64,
  deepest = 8
};

static const void* site_keys[2 * most_sites];
static int32_t site_values[2 * most_sites];
static struct map sites = {site_keys, site_values, 2 * most_sites - 1};
static int32_t site_count;
/* Calls of libraries, and where the program called the library: by both, hashed. */
struct library_site {
  const void* address;
  const void* caller;
};
static struct library_site library_sites[most_sites];
static const void* library_keys[2 * most_sites];
static int32_t library_values[2 * most_sites];
static struct map libraries = {library_keys, library_values, 2 * most_sites - 1};
static int32_t library_count;
static uintptr_t program_begin, program_end;
static const void* module_keys[2 * most_modules];
static int32_t module_values[2 * most_modules];
static struct map modules = {module_keys, module_values, 2 * most_modules - 1};
static int32_t module_count;

static const void* comm_keys[2 * most];
static int32_t comm_values[2 * most];
static struct map comms = {comm_keys, comm_values, 2 * most - 1};
static int32_t comm_count;
static int32_t comm_rank[most];
static int32_t comm_size[most];
static int32_t partners[most][2];

static const void* type_keys[2 * most];
static int32_t type_values[2 * most];
static struct map types = {type_keys, type_values, 2 * most - 1};
static int32_t type_count;
static int64_t type_bytes[most];

static int32_t full(void) {
  recorder.header->flags |= recording_tables;
  return -1;
}

static int32_t module_number(const struct link_map* map) {
  const int32_t known = map_find(&modules, map);
  if (known >= 0 || module_count == most_modules) {
    return known;
  }
  char path[4096];
  const char* name = map->l_name;
  if (name[0] == '\0') {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    name = path;
  } else if (realpath(name, path) != NULL) {
    name = path;
  }
  struct stat status;
  const int there = stat(name, &status) == 0;
  define_begin(recording_module);
  define_text(name);
  define_number(there ? (int64_t)status.st_size : -1);
  define_number(there ? (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec : -1);
  define_end();
  map_put(&modules, map, module_count);
  return module_count++;
}

/* The first object is the program itself. */
static int take_program(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  program_begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = info->dlpi_phdr + i;
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
      const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
      program_begin = begin < program_begin ? begin : program_begin;
      program_end = begin + part->p_memsz > program_end ? begin + part->p_memsz : program_end;
    }
  }
  return 1;
}

void find_program(void) { dl_iterate_phdr(take_program, NULL); }

static int is_of_program(const void* address) {
  return (uintptr_t)address >= program_begin && (uintptr_t)address < program_end;
}

static _Unwind_Reason_Code take_caller(struct _Unwind_Context* context, void* caller) {
  const void* address = (const void*)_Unwind_GetIP(context);
  if (!is_of_program(address)) {
    return _URC_NO_REASON;
  }
  *(const void**)caller = address;
  return _URC_NORMAL_STOP;
}

/* Of a call from a library: its entry in library_sites, if the stack tells one. */
const void* site_of(const void* address) {
  const void* caller = NULL;
  if (is_of_program(address)) {
    return address;
  }
  _Unwind_Backtrace(take_caller, &caller);
  if (caller == NULL) {
    return address;
  }
  uint64_t key = mix(mix(1, (uint64_t)(uintptr_t)address), (uint64_t)(uintptr_t)caller) | 1U;
  for (;; key += 2) {
    const int32_t known = map_find(&libraries, (const void*)(uintptr_t)key);
    if (known < 0) {
      break;
    }
    const struct library_site* site = library_sites + known;
    if (site->address == address && site->caller == caller) {
      return site;
    }
  }
  if (library_count == most_sites) {
    (void)full();
    return address;
  }
  struct library_site* made = library_sites + library_count;
  made->address = address;
  made->caller = caller;
  map_put(&libraries, (const void*)(uintptr_t)key, library_count++);
  return made;
}

/* Its address is where the call returns to; the byte before belongs to the call. */
int32_t site_number(const void* site) {
  const int32_t known = map_find(&sites, site);
  if (known >= 0) {
    return known;
  }
  const void* address = site;
  int32_t caller = -1;
  if (site >= (const void*)library_sites && site < (const void*)(library_sites + most_sites)) {
    address = ((const struct library_site*)site)->address;
    caller = site_number(((const struct library_site*)site)->caller);
  }
  if (site_count == most_sites) {
    return full();
  }
  const char* before = (const char*)address - 1;
  Dl_info info;
  struct link_map* map = NULL;
  int32_t module = -1;
  memset(&info, 0, sizeof info);
  if (dladdr1(before, &info, (void**)&map, RTLD_DL_LINKMAP) != 0 && map != NULL) {
    module = module_number(map);
  }
  define_begin(recording_site);
  define_number(module);
  define_number(module >= 0 ? (int64_t)((uintptr_t)before - map->l_addr)
                            : (int64_t)(uintptr_t)before);
  define_text(info.dli_sname != NULL ? info.dli_sname : "");
  define_number(caller);
  define_end();
  map_put(&sites, site, site_count);
  return site_count++;
}

static void define_members(MPI_Comm comm, int size) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  const int told = size < list_limit ? size : list_limit;
  int* own = malloc(2 * (size_t)told * sizeof *own);
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  if (own != NULL) {
    for (int i = 0; i < told; ++i) {
      own[i] = i;
    }
    PMPI_Group_translate_ranks(group, told, own, world, own + told);
  }
  define_number(own != NULL ? told : 0);
  for (int i = 0; own != NULL && i < told; ++i) {
    define_number(own[told + i] >= 0 ? own[told + i] : recording_none);
  }
  free(own);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
}

static void define_grid(MPI_Comm comm, int32_t number) {
  int dims = 0;
  int extents[most_dims];
  int periodic[most_dims];
  int coordinates[most_dims];
  PMPI_Cartdim_get(comm, &dims);
  partners[number][0] = partners[number][1] = 2 * dims;
  if (dims > most_dims || dims < 1) {
    define_number(0);
    return;
  }
  PMPI_Cart_get(comm, dims, extents, periodic, coordinates);
  define_number(dims);
  for (int i = 0; i < dims; ++i) {
    define_number(extents[i]);
    define_number(periodic[i] != 0);
  }
}

static void define_graph(MPI_Comm comm, int32_t number) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  partners[number][0] = out;
  partners[number][1] = in;
  int* ranks = malloc(2 * ((size_t)in + (size_t)out + 1) * sizeof *ranks);
  const int told = ranks != NULL && in + out <= list_limit;
  define_number(told ? in : 0);
  define_number(told ? out : 0);
  if (told) {
    PMPI_Dist_graph_neighbors(comm, in, ranks, ranks + in + out, out, ranks + in,
                              ranks + 2 * in + out);
    for (int i = 0; i < in + out; ++i) {
      define_number(ranks[i]);
    }
  }
  free(ranks);
}

int32_t communicator_number(MPI_Comm comm, int32_t parent, int operation) {
  if (comm == MPI_COMM_NULL) {
    return -1;
  }
  const int32_t known = map_find(&comms, HANDLE_KEY(comm));
  if (known >= 0) {
    return known;
  }
  if (comm_count == most) {
    return full();
  }
  const int32_t number = comm_count++;
  map_put(&comms, HANDLE_KEY(comm), number);
  int size = 0;
  int rank = 0;
  int inter = 0;
  int topology = MPI_UNDEFINED;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_test_inter(comm, &inter);
  if (!inter) {
    PMPI_Topo_test(comm, &topology);
  }
  comm_rank[number] = inter ? -1 : rank;
  comm_size[number] = inter ? 0 : size;
  define_begin(recording_communicator);
  define_number(parent);
  define_number(operation);
  define_number(rank);
  define_number(size);
  define_members(comm, size);
  if (topology == MPI_CART) {
    define_number(recording_cartesian);
    define_grid(comm, number);
  } else if (topology == MPI_DIST_GRAPH) {
    define_number(recording_graph);
    define_graph(comm, number);
  } else {
    define_number(inter ? recording_inter : recording_flat);
  }
  define_end();
  return number;
}

int communicator_partners(int32_t number, int side) {
  return number < 0 ? 0 : partners[number][side];
}
int communicator_rank(int32_t number) { return number < 0 ? -1 : comm_rank[number]; }
int communicator_size(int32_t number) { return number < 0 ? 0 : comm_size[number]; }
void forget_communicator(MPI_Comm comm) { map_remove(&comms, HANDLE_KEY(comm)); }

static int64_t pieces_of(MPI_Datatype type, int depth);

/* Pieces of memory of a type built from `old`, if it is built in one of the regular ways; 0: not
 * known. */
static int64_t regular_pieces(int combiner, const int* integers, MPI_Datatype old, int depth) {
  const int64_t inner = pieces_of(old, depth + 1);
  if (inner != 1) {
    return 0;
  }
  switch (combiner) {
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return integers[0];
    case MPI_COMBINER_SUBARRAY: {
      /* ndims, sizes, subsizes, starts, order: the fastest dimensions that are taken whole make
       * longer pieces */
      const int dims = integers[0];
      const int* sizes = integers + 1;
      const int* taken = sizes + dims;
      const int in_c = integers[3 * dims + 1] == MPI_ORDER_C;
      int64_t pieces = 1;
      int whole = 1;
      for (int k = 0; k < dims; ++k) {
        const int i = in_c ? dims - 1 - k : k;
        pieces *= whole ? 1 : taken[i];
        whole = whole && taken[i] == sizes[i];
      }
      return pieces;
    }
    default:
      return 0;
  }
}

static int64_t pieces_of(MPI_Datatype type, int depth) {
  int bytes = 0;
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  int integers = 0;
  int addresses = 0;
  int old_types = 0;
  int combiner = 0;
  PMPI_Type_size(type, &bytes);
  PMPI_Type_get_true_extent(type, &begin, &extent);
  if (bytes == extent) {
    return 1;
  }
  PMPI_Type_get_envelope(type, &integers, &addresses, &old_types, &combiner);
  if (combiner == MPI_COMBINER_NAMED || old_types != 1 || integers > most_integers ||
      addresses > most_integers || depth > deepest) {
    return 0;
  }
  int numbers[most_integers];
  MPI_Aint places[most_integers];
  MPI_Datatype old = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents(type, integers, addresses, 1, numbers, places, &old);
  int64_t pieces = 0;
  if (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_RESIZED ||
      (combiner == MPI_COMBINER_CONTIGUOUS && numbers[0] == 1)) {
    pieces = pieces_of(old, depth + 1);
  } else {
    pieces = regular_pieces(combiner, numbers, old, depth);
  }
  int inner = 0;
  PMPI_Type_get_envelope(old, &integers, &addresses, &old_types, &inner);
  if (inner != MPI_COMBINER_NAMED) {
    PMPI_Type_free(&old);
  }
  return pieces;
}

int32_t datatype_number(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || HANDLE_KEY(type) == NULL) {
    return -1;
  }
  const int32_t known = map_find(&types, HANDLE_KEY(type));
  if (known >= 0) {
    return known;
  }
  if (type_count == most) {
    return full();
  }
  int bytes = 0;
  int length = 0;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  char name[MPI_MAX_OBJECT_NAME] = "";
  PMPI_Type_size(type, &bytes);
  PMPI_Type_get_extent(type, &low, &extent);
  PMPI_Type_get_true_extent(type, &true_low, &true_extent);
  PMPI_Type_get_name(type, name, &length);
  const int64_t pieces = pieces_of(type, 0);
  define_begin(recording_datatype);
  define_number(bytes);
  define_number(extent);
  define_number(true_extent);
  define_number(pieces);
  define_text(name);
  define_end();
  type_bytes[type_count] = bytes;
  map_put(&types, HANDLE_KEY(type), type_count);
  return type_count++;
}

int64_t datatype_bytes(int32_t number) { return number < 0 ? 0 : type_bytes[number]; }
void forget_datatype(MPI_Datatype type) { map_remove(&types, HANDLE_KEY(type)); }
