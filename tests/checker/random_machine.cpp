#include "random_machine.h"

namespace gridcast::checker {
namespace {

std::string random_network(Random& random, const std::string& name,
                           const std::vector<std::string>& types) {
  const std::vector<std::string> starts{"0", "0.5", "1", "7", "30", "75.25", "400"};
  const std::vector<std::string> bytes{"0", "0.001", "0.05", "0.2", "1.5", "10"};
  std::string start = random.one_of(starts);
  std::string byte = random.one_of(bytes);
  if (random.once_in(3)) {
    start = std::to_string(random.up_to(100)) + "." + std::to_string(random.between(100, 999));
    byte = "0." + std::to_string(random.between(1000, 9999));
  }
  const std::string type = random.one_of(types);
  const bool loggp = type == "loggp";
  std::string text = name + ".CommType = " + type + ";\n";
  // From what is drawn anyway, so that known cases stay what they are.
  const std::size_t at = start.size() + 3 * byte.size() + 7 * name.size() + type.size();
  if (at % 4 == 0) {
    text += name + ".Segments = {0 (" + start + ", " + byte + "), " + std::to_string(20 * at) +
            " (" + starts[at % starts.size()] + ", " + bytes[at % bytes.size()] + "), 1000 (" +
            starts[(at / 2) % starts.size()] + ", " + bytes[(at / 3) % bytes.size()] + ")};\n";
  } else {
    text += name + (loggp ? ".L = " : ".TStart = ") + start + ";\n" + name +
            (loggp ? ".G = " : ".TByte = ") + byte + ";\n";
  }
  if (loggp || type == "ports") {
    const std::vector<std::string> costs{"0", "0.25", "1", "3.5", "20", "150.5"};
    const std::vector<std::string> names = loggp
                                               ? std::vector<std::string>{"o_s", "o_r", "g"}
                                               : std::vector<std::string>{"TSend", "TRecv", "TGap"};
    for (const std::string& cost : names) {
      if (!random.once_in(3)) {
        text += name + "." + cost + " = " + random.one_of(costs) + ";\n";
      }
    }
  }
  return text;
}

std::string random_network(Random& random, const std::string& name) {
  return random_network(random, name,
                        {"ethernet", "transputer", "myrinet (1)", "myrinet (2)", "myrinet (4)",
                         "ports", "ports", "loggp"});
}

std::string random_library(Random& random) {
  std::string text;
  const std::vector<std::string> costs{"0.5", "3", "15", "120.75"};
  for (const std::string cost : {"TCollective", "TLoad", "TPortion", "TCopy"}) {
    if (random.once_in(2)) {
      text += "c." + cost + " = " + random.one_of(costs) + ";\n";
    }
  }
  return text;
}

}  // namespace

std::string random_machine(Random& random, long processors) {
  const std::vector<std::string> performances{"1", "1", "2", "0.5", "2.5", "1.7", "0.3"};
  const bool equal = !random.once_in(3);
  const std::string p = equal && random.once_in(4) ? random.one_of(performances) : "1";
  std::string text = "cluster = c;\np = " + p + ";\n";
  text += "q = " + (equal ? p : random.one_of(performances)) + ";\n";
  const std::string all = std::to_string(processors);
  switch (random.up_to(4)) {
    case 0:
    case 1:
      text += "c = {" + std::to_string((processors + 1) / 2) + " x p, " + all + " x q};\n";
      break;
    case 2:
      text += "n = {" + std::to_string(random.between(1, 4)) + " x p, " +
              std::to_string(random.between(1, 2)) + " x q};\n" + random_network(random, "n") +
              "c = {" + all + " x n};\n";
      break;
    case 3:
      text += "n = {" + std::to_string(random.between(2, 3)) + " x p};\n" +
              random_network(random, "n") + "m = {2 x n, " + std::to_string(random.between(1, 3)) +
              " x q};\n" + random_network(random, "m") + "c = {" +
              std::to_string(random.between(1, 3)) + " x m, " + all + " x q};\n";
      break;
    default:
      text += "n = {" + std::to_string(random.between(2, 6)) + " x p};\n" +
              random_network(random, "n") + "m = {" + std::to_string(random.between(1, 4)) +
              " x q};\n" + random_network(random, "m") + "c = {" +
              std::to_string(random.between(1, 2)) + " x n, " + all + " x m};\n";
  }
  text += random_network(random, "c");
  if (random.once_in(3)) {
    text += random_library(random);
  }
  return text;
}

std::string random_port_tree(Random& random, long processors) {
  std::string text = "cluster = c;\np = 1;\n";
  std::string part = "p";
  long size = 1;
  for (const std::string name : {"k", "m", "n"}) {
    if (random.once_in(name == "n" ? 8 : 2)) {
      continue;
    }
    const long count = random.once_in(6) ? random.between(1, 40) : random.between(1, 7);
    text += name + " = {" + std::to_string(count) + " x " + part + "};\n" +
            random_network(random, name, {"ports", "loggp"});
    part = name;
    size *= count;
  }
  text += "c = {" + std::to_string(processors / size + 1) + " x " + part + "};\n" +
          random_network(random, "c", {"ports", "loggp"});
  return random.once_in(2) ? text + random_library(random) : text;
}

std::string random_ports(Random& random, long processors) {
  std::string text = "cluster = c;\np = 1;\nc = {" + std::to_string(processors) + " x p};\n" +
                     random_network(random, "c", {"ports", "loggp"});
  return random.once_in(2) ? text + random_library(random) : text;
}

std::string random_allreduce(std::uint64_t seed) {
  Random random(seed + 13);
  if (random.once_in(2)) {
    return "c.Allreduce = " + random.one_of<std::string>({"auto", "mpich", "openmpi"}) + ";\n";
  }
  std::string rows;
  for (long left = random.between(1, 3); left > 0; --left) {
    rows += (rows.empty() ? "" : ", ") + std::to_string(random.between(2, 9)) + " " +
            random.one_of<std::string>({"8", "24", "100", "3000", "100000"}) + " " +
            random.one_of<std::string>({"linear", "tree", "doubling", "rabenseifner", "ring"});
  }
  return "c.Allreduce = {" + rows + "};\n";
}

}  // namespace gridcast::checker
