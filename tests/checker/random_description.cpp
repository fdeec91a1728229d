#include "random_description.h"

#include <vector>

namespace gridcast::checker {
namespace {

using Texts = std::vector<std::string>;

class Writer {
public:
  Writer(Random& random, bool rich) : random_(random), rich_(rich) {}

  std::string write() {
    rank_ = static_cast<std::size_t>(random_.between(1, 3));
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      extents_.push_back(random_.once_in(4) ? random_.between(2, 9) : random_.between(10, 70));
    }
    tasks_ = random_.once_in(12);
    text_ = tasks_ ? "grid = [4]\n" : "";
    objects();
    const long count = random_.between(2, 5);
    for (long i = 0; i < count; ++i) {
      statement("do", true);
    }
    return text_;
  }

private:
  static std::string quoted(const Texts& values) {
    std::string list = "[";
    for (const std::string& value : values) {
      list += (list.size() > 1 ? ", \"" : "\"") + value + "\"";
    }
    return list + "]";
  }

  void line(const std::string& text) { text_ += text + "\n"; }

  std::string blocks() {
    Texts cut(rank_, "block");
    for (std::string& dim : cut) {
      dim = random_.once_in(4) ? "*" : "block";
    }
    if (cut == Texts(rank_, "*")) {
      cut.front() = "block";
    }
    cuts_ = cut;
    return quoted(cut);
  }

  Texts texts_of(const std::vector<long>& values) const {
    Texts texts;
    for (const long value : values) {
      texts.push_back(std::to_string(value));
    }
    return texts;
  }

  void objects() {
    line("[[template]]\nname = \"T\"\nextents = " + quoted(texts_of(extents_)));
    line("distribute = " + blocks());
    if (random_.once_in(3)) {
      Texts flags(rank_);
      for (std::string& flag : flags) {
        flag = random_.once_in(2) ? "true" : "false";
      }
      line("periodic = [" + joined(flags) + "]");
    }
    if (tasks_) {
      line("[[processors]]\nname = \"left\"\nbounds = [\"0 : 1\"]");
      line("[[processors]]\nname = \"right\"\nbounds = [\"2 : 3\"]");
      line("[[task]]\nname = \"one\"\nprocessors = \"left\"");
      line("[[task]]\nname = \"two\"\nprocessors = \"right\"");
    }
    for (const char* name : {"A", "B"}) {
      line(std::string("[[array]]\nname = \"") + name +
           "\"\nextents = " + quoted(texts_of(extents_)));
      line("element = " + std::to_string(random_.once_in(3) ? 4 : 8));
      if (rich_) {
        line("shadow_low = [" + joined(texts_of(widths(2))) + "]\nshadow_high = [" +
             joined(texts_of(widths(2))) + "]");
      } else {
        line("shadow = " + std::to_string(random_.between(1, 2)));
      }
      line("index = " + quoted(indices()) + "\nalign = \"T[" + joined(indices()) + "]\"");
    }
    line("[[array]]\nname = \"V\"\nextents = [\"" + std::to_string(extents_.front()) +
         "\"]\nshadow = 1\nindex = [\"i\"]\nalign = \"T[" + along_first("i") + "]\"");
  }

  Texts indices() const {
    const Texts names{"i", "j", "l"};
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(rank_)};
  }
  static std::string joined(const Texts& values) {
    std::string list;
    for (const std::string& value : values) {
      list += (list.empty() ? "" : ", ") + value;
    }
    return list;
  }
  std::string along_first(const std::string& first) const {
    Texts places(rank_, "*");
    places.front() = first;
    return joined(places);
  }

  /// "[[do.do]]" of the wanted depth.
  static std::string header(const std::string& path) { return "[[" + path + "]]"; }

  void statement(const std::string& path, bool may_repeat) {
    if (rich_ && random_.once_in(8)) {
      return interior_first(path);
    }
    switch (random_.up_to(may_repeat ? 12 : 9)) {
      case 0:
      case 1:
        return plain_loop(path);
      case 2:
        return exchange(path);
      case 3:
        return pipelined_loop(path);
      case 4:
        return input_output(path);
      case 5:
        return line(header(path) + "\ncompute = " + microseconds());
      case 6:
        return copy(path);
      case 7:
        return move(path);
      case 8:
        return overlapped(path);
      case 9:
        return section(path);
      case 10:
        return tasks_ ? task(path) : shrinking(path);
      case 11:
        return shrinking(path);
      default:
        return repeat(path);
    }
  }

  std::string microseconds() { return std::to_string(random_.up_to(900)) + "e-6"; }
  std::string nanoseconds() {
    return random_.once_in(6) ? "0.0" : std::to_string(random_.between(1, 4000)) + "e-9";
  }

  void ranges(const std::string& first_range = "") {
    Texts loops;
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      const long last = extents_[dim] - 1;
      const long inset = last > 3 ? random_.up_to(1) : 0;
      std::string range = std::to_string(inset) + " : " + std::to_string(last - inset);
      if (random_.once_in(6) && last > 4) {
        range += " : 2";
      }
      loops.push_back(indices()[dim] + " = " +
                      (dim == 0 && !first_range.empty() ? first_range : range));
    }
    line("loop = " + quoted(loops));
  }

  void plain_loop(const std::string& path) {
    line(header(path));
    ranges();
    const std::string array = random_.once_in(2) ? "A" : random_.once_in(2) ? "B" : "T";
    line("on = \"" + array + "[" + joined(indices()) + "]\"\ntime = " + nanoseconds());
    const bool portions = random_.once_in(3);
    if (portions) {
      line("portions = " + std::to_string(random_.between(2, 3)));
    }
    const std::string edges = "x" + std::to_string(++names_);
    const bool edges_first = rich_ && portions && random_.once_in(2);
    if (edges_first) {
      line("export_first = [\"A\"]\nstart = \"" + edges + "\"");
    }
    reduction();
    if (random_.once_in(5)) {
      line("remote = [\"B[" + section_of(random_.up_to(extents_.front() - 1)) + "]\"]");
    }
    if (edges_first) {
      line(header(path) + "\nwait = \"" + edges + "\"");
    }
  }

  /// The interior before an exchange is waited for.
  void interior_first(const std::string& path) {
    const std::string faces = "x" + std::to_string(++names_);
    exchange(path);
    line("start = \"" + faces + "\"\n" + header(path));
    ranges();
    line("on = \"A[" + joined(indices()) + "]\"\ntime = " + nanoseconds() +
         "\nportions = 2\nimport_last = \"" + faces + "\"");
  }

  void reduction() {
    if (random_.once_in(3)) {
      line("reduce = [{ operation = \"max\", type = \"double\", count = " +
           std::to_string(random_.between(1, 40)) + " }]");
    }
  }

  std::string section_of(long first) {
    Texts places(rank_, "*");
    places.front() = std::to_string(first);
    if (random_.once_in(4)) {
      for (std::size_t dim = 1; dim < rank_; ++dim) {
        places[dim] = std::to_string(random_.up_to(extents_[dim] - 1));
      }
    }
    return joined(places);
  }

  void exchange(const std::string& path) {
    line(header(path) + "\nexchange = [\"A\"" + (random_.once_in(2) ? ", \"B\"]" : "]"));
    if (random_.once_in(3)) {
      line("corners = true");
    }
    if (rich_ && random_.once_in(2)) {
      line("low = [" + joined(texts_of(widths(2))) + "]\nhigh = [" + joined(texts_of(widths(2))) +
           "]");
    }
  }

  /// Per dimension from 0 to the most.
  std::vector<long> widths(long most) {
    std::vector<long> drawn(rank_);
    for (long& width : drawn) {
      width = random_.up_to(most);
    }
    return drawn;
  }

  void overlapped(const std::string& path) {
    const std::string name = "x" + std::to_string(++names_);
    exchange(path);
    line("start = \"" + name + "\"");
    plain_loop(path);
    if (random_.once_in(2)) {
      input_output(path);
    }
    line(header(path) + "\nwait = \"" + name + "\"");
  }

  void pipelined_loop(const std::string& path) {
    line(header(path));
    const long last = extents_.front() - 1;
    const bool down = random_.once_in(3) && last > 2;
    ranges(down ? std::to_string(last - 1) + " : 1 : -1" : "");
    line("on = \"A[" + joined(indices()) + "]\"\ntime = " + nanoseconds());
    Texts back(rank_, "0");
    Texts ahead(rank_, "0");
    back[static_cast<std::size_t>(random_.up_to(static_cast<long>(rank_) - 1))] = "1";
    ahead[static_cast<std::size_t>(random_.up_to(static_cast<long>(rank_) - 1))] = "1";
    line("across = [{ array = \"A\", new = [" + joined(back) + "], old = [" + joined(ahead) +
         "] }]");
    reduction();
  }

  void input_output(const std::string& path) {
    line(header(path) + "\nio = \"" + random_.one_of(Texts{"print", "write"}) +
         "\"\ntime = " + microseconds());
  }

  void copy(const std::string& path) {
    const std::string from = section_of(random_.up_to(extents_.front() - 1));
    std::string to = from;
    if (rank_ > 1 && from.find('*') != std::string::npos) {
      to = std::to_string(random_.up_to(extents_.front() - 1)) + from.substr(from.find(','));
    }
    line(header(path) + "\ncopy = \"A[" + from + "]\"\nto = \"B[" + to + "]\"");
  }

  void move(const std::string& path) {
    line(header(path) + "\nredistribute = \"T\"\ndistribute = " + blocks());
    if (random_.once_in(3)) {
      line("new_values = true");
    }
  }

  void section(const std::string& path) {
    line(header(path) + "\nloop = [\"i = 0 : " + std::to_string(extents_.front() - 1) +
         "\"]\non = \"V[i]\"\ntime = " + nanoseconds());
    if (random_.once_in(2)) {
      line("remote = [\"A[" + section_of(random_.up_to(extents_.front() - 1)) + "]\"]");
    }
    reduction();
  }

  void task(const std::string& path) {
    for (const char* name : {"one", "two"}) {
      line(header(path) + "\ntask = \"" + name + "\"");
      line(header(path + ".do") + "\ncompute = " + microseconds());
    }
  }

  void shrinking(const std::string& path) {
    const long last = std::min<long>(extents_.front() - 2, random_.between(1, 40));
    line(header(path) + "\nrepeat = \"k = 0 : " + std::to_string(std::max<long>(last, 0)) + "\"");
    interval();
    line(header(path + ".do") + "\nloop = [\"i = k+1 : " + std::to_string(extents_.front() - 1) +
         "\"]\non = \"V[i]\"\ntime = \"" + nanoseconds() + " * (" +
         std::to_string(extents_.front()) + " - k)\"");
    line(random_.once_in(3) ? "remote = [\"V[k]\"]" : "remote = [\"A[" + along_first("k") + "]\"]");
    reduction();
    if (random_.once_in(3)) {
      input_output(path + ".do");
    }
  }

  void interval() {
    if (random_.once_in(2)) {
      line("interval = \"sequential\"");
    }
  }

  void repeat(const std::string& path) {
    line(header(path) + "\nrepeat = " + std::to_string(random_.between(2, 4)));
    interval();
    const long count = random_.between(1, 4);
    for (long i = 0; i < count; ++i) {
      statement(path + ".do", false);
    }
  }

  Random& random_;
  bool rich_;
  std::size_t rank_ = 1;
  std::vector<long> extents_;
  Texts cuts_;
  bool tasks_ = false;
  long names_ = 0;
  std::string text_;
};

}  // namespace

std::string random_moves(Random& random) {
  const std::vector<std::string> names{"i", "j", "k"};
  const auto rank = static_cast<std::size_t>(random.between(2, 3));
  std::string extents;
  std::string indices;
  std::string loops;
  std::string at;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const std::string comma = dim > 0 ? ", " : "";
    const long extent = random.between(4, random.once_in(3) ? 40 : 12);
    extents += comma + "\"" + std::to_string(extent) + "\"";
    indices += comma + "\"" + names[dim] + "\"";
    const long first = random.between(0, random.once_in(2) ? 3 : 0);
    loops += comma + "\"" + names[dim] + " = " + std::to_string(first) + " : " +
             std::to_string(extent - 1) + "\"";
    at += comma + names[dim];
  }
  const auto blocks = [&] {
    const std::size_t whole = static_cast<std::size_t>(random.between(0, long(rank) - 1));
    std::string text;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      text += std::string(dim > 0 ? ", " : "") + (dim == whole ? "\"*\"" : "\"block\"");
    }
    return "distribute = [" + text + "]\n";
  };
  std::string text =
      "[[array]]\nname = \"A\"\nelement = 8\nextents = [" + extents + "]\n" + blocks();
  if (random.once_in(2)) {
    text += "[[array]]\nname = \"B\"\nelement = 4\nextents = [" + extents + "]\nindex = [" +
            indices + "]\nalign = \"A[" + at + "]\"\n";
  }
  text += "[[do]]\nrepeat = \"2\"\n";
  for (long step = random.between(2, 5); step > 0; --step) {
    text += "[[do.do]]\nredistribute = \"A\"\n" + blocks();
    text += "[[do.do]]\nloop = [" + loops + "]\non = \"A[" + at + "]\"\ntime = \"1e-7\"\n";
    text += random.once_in(2) ? "reduce = [{ operation = \"max\" }]\n" : "";
  }
  return text;
}

std::string random_description(Random& random, bool rich) { return Writer(random, rich).write(); }

}  // namespace gridcast::checker
