#include "functions.h"

#include <array>
#include <string_view>
#include <unordered_map>

namespace gridcast::trace {
namespace {

struct Entry {
  std::string_view name;
  Decoder decoder;
};

constexpr std::array decoded = {
    // intervals
    Entry{"binter_", decode::begin_user_interval},
    Entry{"bsloop_", decode::begin_sequential_interval},
    Entry{"bploop_", decode::begin_parallel_interval},
    // processor systems and abstract machines
    Entry{"crtps_", decode::create_system}, Entry{"psview_", decode::reshape_system},
    Entry{"getps_", decode::get_system}, Entry{"delps_", decode::delete_system},
    Entry{"getam_", decode::get_machine}, Entry{"getamr_", decode::get_machine_element},
    Entry{"mapam_", decode::map_machine}, Entry{"runam_", decode::run_task},
    // templates and arrays
    Entry{"crtamv_", decode::create_template}, Entry{"delamv_", decode::delete_template},
    Entry{"blkdiv_", decode::divide_blocks}, Entry{"setelw_", decode::set_weights},
    Entry{"genblk_", decode::set_block_lengths}, Entry{"distr_", decode::distribute},
    Entry{"redis_", decode::redistribute}, Entry{"getamv_", decode::get_template},
    Entry{"crtda_", decode::create_array}, Entry{"delda_", decode::delete_array},
    Entry{"crtrda_", decode::create_replicated_array}, Entry{"align_", decode::align},
    Entry{"realn_", decode::realign}, Entry{"delobj_", decode::delete_object},
    // copies and single elements
    Entry{"arrcpy_", decode::copy_arrays}, Entry{"aarrcp_", decode::start_copy},
    Entry{"waitcp_", decode::wait_copy}, Entry{"rwelm_", decode::access_element},
    Entry{"copelm_", decode::access_element}, Entry{"elmcpy_", decode::access_element},
    // loops
    Entry{"crtpl_", decode::create_loop}, Entry{"mappl_", decode::map_loop},
    Entry{"dopl_", decode::run_loop}, Entry{"endpl_", decode::end_loop},
    Entry{"across_", decode::across}, Entry{"exfrst_", decode::export_first},
    Entry{"imlast_", decode::import_last},
    // reductions
    Entry{"crtrg_", decode::create_reduction_group}, Entry{"crtred_", decode::create_reduction},
    Entry{"insred_", decode::insert_reduction}, Entry{"delred_", decode::delete_reduction},
    Entry{"delrg_", decode::delete_reduction_group}, Entry{"strtrd_", decode::start_reduction},
    Entry{"waitrd_", decode::wait_reduction},
    // shadow edges
    Entry{"crtshg_", decode::create_shadow_group}, Entry{"inssh_", decode::insert_shadow},
    Entry{"insshd_", decode::insert_shadow}, Entry{"incsh_", decode::include_shadow},
    Entry{"incshd_", decode::include_shadow}, Entry{"delshg_", decode::delete_shadow_group},
    Entry{"strtsh_", decode::start_shadow}, Entry{"waitsh_", decode::wait_shadow},
    Entry{"sendsh_", decode::send_shadow}, Entry{"recvsh_", decode::receive_shadow},
    // remote access
    Entry{"crtrbl_", decode::create_remote_buffer}, Entry{"crtrbp_", decode::create_point_buffer},
    Entry{"loadrb_", decode::load_buffer}, Entry{"waitrb_", decode::wait_buffer},
    Entry{"crtbg_", decode::create_buffer_group}, Entry{"insrb_", decode::insert_buffer},
    Entry{"loadbg_", decode::load_buffer_group}, Entry{"waitbg_", decode::wait_buffer_group},
    // statements over blocks
    Entry{"statement_", decode::run_statement},
    // input
    Entry{"srmem_", decode::share_memory}, Entry{"dvm_fread", decode::read_bytes},
    Entry{"dvm_read", decode::read_bytes}};

constexpr std::array without_parameters = {
    Entry{"einter_", decode::end_interval},     Entry{"enloop_", decode::end_interval},
    Entry{"eloop_", decode::end_interval},      Entry{"stopam_", decode::stop_task},
    Entry{"begbl_", decode::begin_block},       Entry{"endbl_", decode::end_block},
    Entry{"biof_", decode::begin_io_statement}, Entry{"eiof_", decode::end_io_statement}};

/// dvm_NAME: input and output of C, status to all (docs/functions.md).
constexpr std::array<std::string_view, 45> with_status = {
    "rewind", "tmpfile", "ungetc",  "setbuf",  "setvbuf", "remove",   "rename",  "tmpnam",
    "close",  "fstat",   "lseek",   "access",  "stat",    "clearerr", "ferror",  "fgetpos",
    "ftell",  "getc",    "open",    "write",   "fflush",  "fgetc",    "feof",    "getchar",
    "gets",   "putc",    "putchar", "puts",    "vscanf",  "fopen",    "fclose",  "vfprintf",
    "fwrite", "fgets",   "fputc",   "fputs",   "freopen", "fseek",    "fsetpos", "fscanf",
    "scanf",  "fprintf", "printf",  "vprintf", "vfscanf"};

/// Ordinary functions of docs/functions.md, of the traces that came with it, and of the library's
/// dynamic debugger (d…_).
constexpr std::array ordinary = std::to_array<std::string_view>(
    {"mps_Bcast",     "mps_Barrier", "setpsw_",       "tstio_",
     "dvm_dfread",    "dvm_dfwrite", "bsynch_",       "tsynch_",
     "clocel_",       "rlocel_",     "wlocel_",       "getlen_",
     "getrnk_",       "getsiz_",     "lindtp_",       "locind_",
     "tstda_",        "tstelm_",     "rtl_BroadCast", "rtl_Waitrequest",
     "dvm_Init",      "dvm_Done",    "dvm_exit",      "env_Done",
     "parloop_Done",  "bbuf_Done",   "bgroup_Done",   "disarr_Done",
     "RedGroup_Done", "RedVar_Done", "CreateVMS",     "CreateBoundBuffer",
     "GetLocElmAddr", "saverg_",     "lexit_",        "dbegpl_",
     "dbegsl_",       "dbegtr_",     "dendl_",        "diter_",
     "dldv_",         "dprstv_",     "dstv_",         "dcrtrg_",
     "dinsrd_",       "dsavrg_",     "dskpbl_",       "dcalcrg_",
     "ddelrg_"});

using Table = std::unordered_map<std::string_view, FunctionKind>;

Table make_table() {
  Table table;
  for (const std::string_view name : ordinary) {
    table[name] = {.decoder = nullptr, .needs_parameters = false, .known = true};
  }
  for (const Entry& entry : without_parameters) {
    table[entry.name] = {.decoder = entry.decoder, .needs_parameters = false, .known = true};
  }
  for (const Entry& entry : decoded) {
    table[entry.name] = {.decoder = entry.decoder, .needs_parameters = true, .known = true};
  }
  return table;
}

}  // namespace

FunctionKind function_kind(std::string_view name) {
  static const Table table = make_table();
  if (const auto found = table.find(name); found != table.end()) {
    return found->second;
  }
  constexpr std::string_view io = "dvm_";
  if (!name.starts_with(io)) {
    return {};
  }
  const std::string_view rest = name.substr(io.size());
  if (rest == "void_printf" || rest == "void_fprintf" || rest == "void_vprintf" ||
      rest == "void_vfprintf") {
    return {.decoder = decode::output_without_result, .needs_parameters = false, .known = true};
  }
  for (const std::string_view known : with_status) {
    if (rest == known) {
      return {.decoder = decode::input_output, .needs_parameters = false, .known = true};
    }
  }
  return {};
}

}  // namespace gridcast::trace
