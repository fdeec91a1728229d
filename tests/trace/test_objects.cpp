#include <catch2/catch.hpp>
#include <string>

#include "trace_text.h"

using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

std::string group(const std::string& reference, const std::string& fixed = "1") {
  return call("crtshg_", "StaticSign=" + fixed + ";", "ShadowGroupRef=" + reference + ";");
}
std::string erase_group(const std::string& reference) {
  return call("delshg_", "ShadowGroupRef=" + reference + ";");
}
std::string start(const std::string& reference) {
  return call("strtsh_", "ShadowGroupRef=" + reference + ";");
}
std::string loop(const std::string& reference) {
  return call("crtpl_", "Rank=1;", "LoopRef=" + reference + ";");
}
std::string end_loop(const std::string& reference) {
  return call("endpl_", "LoopRef=" + reference + ";");
}
std::string array(const std::string& header, const std::string& handle) {
  return call("crtda_",
              "ArrayHeader=" + header +
                  "; Rank=1; TypeSize=8;\nSizeArray[0]=8;\n"
                  "LowShdWidthArray[0]=0;\nHiShdWidthArray[0]=0;",
              "ArrayHandlePtr=" + handle + ";");
}
std::string length(const std::string& names) { return call("getamv_", names, "AMViewRef=0;"); }

std::vector<Slot> created(const Program& program) {
  std::vector<Slot> slots;
  for (const auto& made : all<CreateShadowGroup>(program)) {
    slots.push_back(made.result);
  }
  return slots;
}

using Slots = std::vector<Slot>;

}  // namespace

TEST_CASE("freed slots are used again, the lowest first") {
  const Program program = parse(group("a") + group("b") + group("c") + erase_group("b") +
                                erase_group("a") + group("d") + group("e") + group("f"));
  CHECK(created(program) == Slots{0, 1, 2, 0, 1, 3});
  CHECK(program.slots.shadow_groups == 4);
}

TEST_CASE("a new object under an existing reference replaces the old one") {
  const Program program = parse(group("a") + group("b") + group("a") + start("a") + start("b"));
  CHECK(created(program) == Slots{0, 1, 0});
  CHECK(call_at(program, 3) == Call(StartShadow{0}));
  CHECK(call_at(program, 4) == Call(StartShadow{1}));
}

TEST_CASE("a reference that comes back for another kind ends the old object") {
  const std::string reduction_group =
      call("crtrg_", "StaticSign=1; DelRedSign=0;", "RedGroupRef=a;");
  const Program program = parse(group("a") + reduction_group + group("b"));
  CHECK(created(program) == Slots{0, 0});
  CHECK(error_of(trace_of(group("a") + reduction_group + start("a"))) ==
        "t.ptr:16: strtsh_: ShadowGroupRef=a names no existing object "
        "(expected a shadow group created before)");
}

TEST_CASE("delobj_ deletes whatever the reference names") {
  const Program program =
      parse(group("a") + array("1", "2") + loop("3") + call("delobj_", "ObjectRef=a;") +
            call("delobj_", "ObjectRef=2;") + call("delobj_", "ObjectRef=77;") + group("b"));
  CHECK(call_at(program, 3) == Call(DeleteShadowGroup{0}));
  CHECK(call_at(program, 4) == Call(DeleteArray{0}));
  CHECK(call_at(program, 5) == Call(Ordinary{true}));
  CHECK(call_at(program, 6) == Call(CreateShadowGroup{0}));
}

TEST_CASE("what a block creates ends with it, unless it is static") {
  SECTION("loops") {
    const Program program = parse(loop("1") + group("a", "0") + group("b", "1") + end_loop("1") +
                                  loop("2") + group("c", "0") + group("d", "0") + end_loop("2"));
    CHECK(created(program) == Slots{0, 1, 0, 2});
    CHECK(program.slots.loops == 1);
  }
  SECTION("begbl_ and endbl_") {
    const Program program = parse(group("a", "0") + call("begbl_") + group("b", "0") +
                                  call("endbl_") + group("c", "0"));
    CHECK(created(program) == Slots{0, 1, 1});
  }
  SECTION("but stays known until its slot is needed") {
    const Program program =
        parse(call("begbl_") + group("b", "0") + call("endbl_") + start("b") + group("c", "0"));
    CHECK(call_at(program, 3) == Call(StartShadow{0}));
    CHECK(created(program) == Slots{0, 1});
  }
}

TEST_CASE("groups that own their members free them") {
  const auto members = [](const std::string& owns) {
    return call("crtrg_", "DelRedSign=" + owns + ";", "RedGroupRef=a;") +
           call("crtred_", "RedArrayType=1; RedArrayLength=1; LocElmLength=0;", "RedRef=b;") +
           call("insred_", "RedGroupRef=a; RedRef=b;") + call("delrg_", "RedGroupRef=a;") +
           call("crtred_", "RedArrayType=1; RedArrayLength=1; LocElmLength=0;", "RedRef=c;");
  };
  CHECK(parse(members("1")).slots.reductions == 1);
  CHECK(parse(members("0")).slots.reductions == 2);
}

TEST_CASE("arrays are named by handle or header") {
  const Program program =
      parse(array("1", "a") + array("2", "b") + length("ArrayHandlePtr=b; ArrayHeader=1;") +
            length("ArrayHeader=2;") + length("ArrayHandlePtr=77; ArrayHeader=1;") +
            array("1", "c") + length("ArrayHandlePtr=c;"));
  CHECK(call_at(program, 2) == Call(GetTemplate{no_object, 1}));
  CHECK(call_at(program, 3) == Call(GetTemplate{no_object, 1}));
  CHECK(call_at(program, 4) == Call(GetTemplate{no_object, 0}));
  CHECK(call_at(program, 6) == Call(GetTemplate{no_object, 0}));
  CHECK(program.slots.arrays == 2);
}

TEST_CASE("references of any width are told apart") {
  const Program program =
      parse(group("123456789abcdef0123456789") + group("223456789abcdef0123456789") +
            group("0x00000012") + start("223456789ABCDEF0123456789") + start("12"));
  CHECK(created(program) == Slots{0, 1, 2});
  CHECK(call_at(program, 3) == Call(StartShadow{1}));
  CHECK(call_at(program, 4) == Call(StartShadow{2}));
}

TEST_CASE("copy flags belong to a started copy") {
  const std::string copy = call("aarrcp_", "FromBufferPtr=1; ToBufferPtr=2; CopyFlagPtr=f;");
  const std::string wait = call("waitcp_", "CopyFlagPtr=f;");
  CHECK(all<WaitCopy>(parse(copy + wait + copy + wait)).size() == 2);
  CHECK(error_of(trace_of(copy + wait + wait)) ==
        "t.ptr:14: waitcp_: CopyFlagPtr=f belongs to no copy that was started "
        "(expected aarrcp_ with this flag before)");
}
