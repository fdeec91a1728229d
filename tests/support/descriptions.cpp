#include "descriptions.h"

namespace gridcast::model::test {
namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

}  // namespace

std::string RandomDescription::number(int least, int most) {
  if (odd_ > 0 && chance(odd_)) {
    static const std::vector<std::string> strange = {
        "-1",      "0",          "-7",        "0.5",    "1e-12",   "1e6",
        "1048577", "2000000000", "1e12",      "-1e12",  "1e300",   "\"n*n*n*n*n\"",
        "\"n\"",   "\"-n\"",     "\"n - 1\"", "1e-320", "999999.9"};
    return one_of(strange);
  }
  return std::to_string(least + up_to(most - least));
}

/// A number inside a text.
std::string RandomDescription::entry() {
  std::string text = number(0, 9);
  std::erase(text, '"');
  return text;
}

std::string RandomDescription::list(int count, int least, int most) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + number(least, most);
  }
  return text + "]";
}

std::string RandomDescription::any_name() {
  std::vector<std::string> names = {chance(8) ? "nothing" : arrays_.front().name};
  for (const auto* objects : {&arrays_, &templates_}) {
    for (const Object& object : *objects) {
      names.push_back(object.name);
    }
  }
  return one_of(names);
}

std::string RandomDescription::mapping(const Object& over,
                                       const std::vector<std::string>& indices) {
  std::string text = over.name + "[";
  const int entries = odd_ > 0 && chance(40) ? over.rank + 1 : over.rank;
  for (int i = 0; i < entries; ++i) {
    // Mostly an index of its own per entry: one in two entries is a mistake.
    const auto own = static_cast<std::size_t>(i);
    const std::string index = own < indices.size() && !chance(12) ? indices[own]
                              : chance(12)                        ? one_of(indices)
                                                                  : "0";
    std::string one;
    switch (up_to(5)) {
      case 0:
        one = "*";
        break;
      case 1:
        one = entry();
        break;
      case 2:
        one = entry() + " * " + index + " + " + entry();
        break;
      case 3:
        one = index + " + " + entry();
        break;
      default:
        one = own < indices.size() ? indices[own] : "*";
    }
    text += (i == 0 ? "" : ", ") + one;
  }
  return text + "]";
}

std::string RandomDescription::section(const Object& of) {
  std::string text = of.name + "[";
  for (int i = 0; i < of.rank; ++i) {
    text += i == 0 ? "" : ", ";
    switch (up_to(4)) {
      case 0:
        text += entry();
        break;
      case 1:
        text += entry() + " : " + entry();
        break;
      default:
        text += "*";
    }
  }
  return text + "]";
}

std::string RandomDescription::formats(int rank) {
  std::string text = "[";
  for (int i = 0; i < rank; ++i) {
    text += (i == 0 ? "" : ", ") + quoted(chance(3) ? "*" : "block");
  }
  return text + "]";
}

void RandomDescription::processors() {
  const int count = up_to(2);
  for (int i = 0; i < count; ++i) {
    const std::string name = "P" + std::to_string(i);
    text_ += "[[processors]]\n";
    line("name", quoted(name));
    if (!systems_.empty() && chance(3)) {
      line("of", quoted(one_of(systems_)));
    }
    if (chance(2)) {
      line("shape", list(1 + up_to(2), 1, 3));
    } else {
      const std::string first = entry();
      line("bounds", quoted(chance(2) ? "0 : 0" : chance(5) ? first + " : " + entry() : "*"));
    }
    systems_.push_back(name);
  }
  for (std::size_t i = 0; i < systems_.size(); ++i) {
    text_ += "[[task]]\nname = \"t" + std::to_string(i) +
             "\"\nprocessors = " + quoted(systems_[i]) + "\n";
    tasks_.push_back("t" + std::to_string(i));
  }
}

void RandomDescription::array(int number_of) {
  Object made{"A" + std::to_string(number_of), odd_ > 0 && chance(60) ? 17 : 1 + up_to(2)};
  text_ += "[[array]]\n";
  line("name", quoted(made.name));
  std::string extents = "[";
  for (int i = 0; i < made.rank; ++i) {
    const std::string extent = chance(3) ? "\"n\"" : number(1, 12);
    made.extents.push_back(extent.front() == '"' ? extent.substr(1, extent.size() - 2) : extent);
    extents += (i == 0 ? "" : ", ") + extent;
  }
  line("extents", extents + "]");
  if (chance(2)) {
    line("element", number(1, 16));
  }
  if (chance(2)) {
    line("shadow", chance(2) ? number(0, 2) : list(made.rank, 0, 2));
  }
  std::vector<Object> patterns = templates_;
  patterns.insert(patterns.end(), arrays_.begin(), arrays_.end());
  if (patterns.empty() || chance(2)) {
    if (!chance(6)) {
      line("distribute", formats(made.rank));
      if (!systems_.empty() && chance(3)) {
        line("processors", quoted(one_of(systems_)));
      }
      if (chance(4)) {
        line(chance(2) ? "weights" : "blocks", "[" + list(1 + up_to(3), 0, 5) + "]");
      }
    }
  } else {
    std::vector<std::string> indices;
    std::string names = "[";
    for (int i = 0; i < made.rank; ++i) {
      indices.push_back("x" + std::to_string(i));
      names += (i == 0 ? "" : ", ") + quoted(indices.back());
    }
    line("index", names + "]");
    line("align", quoted(mapping(one_of(patterns), indices)));
  }
  arrays_.push_back(made);
}

void RandomDescription::objects() {
  const int count = up_to(1);
  for (int i = 0; i < count; ++i) {
    const Object made{"T" + std::to_string(i), 1 + up_to(2)};
    text_ += "[[template]]\n";
    line("name", quoted(made.name));
    line("extents", list(made.rank, 1, 12));
    if (!chance(3)) {
      line("distribute", formats(made.rank));
    }
    templates_.push_back(made);
  }
  const int arrays = 1 + up_to(2);
  for (int i = 0; i < arrays; ++i) {
    array(i);
  }
}

void RandomDescription::loop_extras(const std::vector<std::string>& indices) {
  if (chance(3)) {
    line("reduce", "[{ operation = \"" + one_of<std::string>({"sum", "max", "or"}) +
                       "\", type = \"" + one_of<std::string>({"int", "double", "complex"}) +
                       "\", count = " + number(1, 4) + ", extra = " + number(0, 8) + " }]");
  }
  if (chance(3)) {
    const Object& swept = one_of(arrays_);
    line("across", "[{ array = " + quoted(swept.name) + ", new = " + list(swept.rank, 0, 2) +
                       (chance(2) ? ", old = " + list(swept.rank, 0, 1) : "") + " }]");
  } else if (chance(6)) {
    line("export_first", "[" + quoted(one_of(arrays_).name) + "]");
    labels_.push_back("e" + std::to_string(up_to(2)));
    line("start", quoted(labels_.back()));
  }
  if (!labels_.empty() && chance(5)) {
    line("import_last", quoted(one_of(labels_)));
  }
  if (chance(3)) {
    line("remote", "[" + quoted(mapping(one_of(arrays_), indices)) + "]");
  }
}

void RandomDescription::whole_loop(const Object& over) {
  std::vector<std::string> indices;
  std::string ranges;
  std::string on;
  for (const std::string& extent : over.extents) {
    const std::string separator = indices.empty() ? "" : ", ";
    indices.push_back("i" + std::to_string(indices_++));
    ranges += separator + quoted(indices.back() + " = 0 : (" + extent + ") - 1");
    on += separator + indices.back();
  }
  line("loop", "[" + ranges + "]");
  line("on", quoted(over.name + "[" + on + "]"));
  line("time", chance(4) ? number(0, 3) : "1e-6");
  loop_extras(indices);
}

void RandomDescription::loop() {
  // Most loops at random leave their array.
  if (const Object& over = one_of(arrays_); !over.extents.empty() && !chance(4)) {
    whole_loop(over);
    return;
  }
  const int rank = odd_ > 0 && chance(40) ? 17 : 1 + up_to(2);
  std::vector<std::string> indices;
  std::string ranges = "[";
  for (int i = 0; i < rank; ++i) {
    indices.push_back("i" + std::to_string(indices_++));
    ranges += (i == 0 ? "" : ", ") +
              quoted(indices.back() + " = " + entry() + " : " + (chance(2) ? "n-1" : entry()) +
                     (chance(4) ? " : " + entry() : ""));
  }
  line("loop", ranges + "]");
  std::vector<Object> patterns = arrays_;
  patterns.insert(patterns.end(), templates_.begin(), templates_.end());
  line("on", quoted(mapping(one_of(patterns), indices)));
  line("time", chance(4) ? number(0, 3) : "1e-6");
  if (chance(3)) {
    line("portions", std::to_string(up_to(4)));
  }
  loop_extras(indices);
}

void RandomDescription::statement(const std::string& path, int depth) {
  text_ += "[[" + path + "]]\n";
  switch (up_to(11)) {
    case 0: {
      line("exchange", "[" + quoted(any_name()) + "]");
      if (chance(2)) {
        labels_.push_back("e" + std::to_string(up_to(2)));
        line("start", quoted(labels_.back()));
      }
      if (chance(3)) {
        line("corners", "true");
      }
      if (chance(4)) {
        line("low", number(0, 3));
      }
      break;
    }
    case 1: {
      line("copy", quoted(section(one_of(arrays_))));
      line("to", quoted(section(one_of(arrays_))));
      if (chance(3)) {
        labels_.push_back("c" + std::to_string(up_to(1)));
        line("start", quoted(labels_.back()));
      }
      break;
    }
    case 2:
      if (!labels_.empty() || chance(20)) {
        line("wait", quoted(labels_.empty() ? "none" : one_of(labels_)));
      } else {
        line("compute", number(0, 3));
      }
      break;
    case 3:
      if (!templates_.empty() && chance(2)) {
        line("redistribute", quoted(templates_.front().name));
        line("distribute", formats(templates_.front().rank));
      } else {
        const Object& moved = one_of(arrays_);
        line("redistribute", quoted(moved.name));
        line("distribute", formats(chance(5) ? 1 + up_to(2) : moved.rank));
      }
      break;
    case 4: {
      const Object moved = one_of(arrays_);
      line("realign", quoted(moved.name));
      std::vector<std::string> indices;
      std::string names = "[";
      for (int i = 0; i < moved.rank; ++i) {
        indices.push_back("y" + std::to_string(i));
        names += (i == 0 ? "" : ", ") + quoted(indices.back());
      }
      line("index", names + "]");
      line("align", quoted(mapping(one_of(arrays_), indices)));
      break;
    }
    case 5:
      line("compute", number(0, 3));
      break;
    case 6:
      line("time", number(0, 2));
      if (chance(2)) {
        line("io", quoted("read"));
        line("bytes", number(0, 100));
      } else {
        line("io", quoted(chance(2) ? "print" : "write"));
      }
      break;
    case 7:
      if (depth < 3) {
        line("interval", quoted(one_of<std::string>({"user", "sequential", "parallel"})));
        if (chance(2)) {
          line("expression", number(0, 9));
        }
        block(path + ".do", depth + 1);
        break;
      }
      [[fallthrough]];
    case 8:
      if (depth < 3 && !tasks_.empty()) {
        line("task", quoted(one_of(tasks_)));
        block(path + ".do", depth + 1);
        break;
      }
      [[fallthrough]];
    case 9:
      if (depth < 3) {
        line("repeat", std::to_string(up_to(3)));
        block(path + ".do", depth + 1);
        break;
      }
      [[fallthrough]];
    default:
      loop();
  }
}

void RandomDescription::block(const std::string& path, int depth) {
  const int count = 1 + up_to(3);
  for (int i = 0; i < count; ++i) {
    statement(path, depth);
  }
}

std::string RandomDescription::make(int odd) {
  odd_ = odd;
  text_.clear();
  if (chance(3)) {
    line("overhead", number(0, 1));
  }
  if (chance(2)) {
    line("grid", list(1 + up_to(2), 1, 4));
  }
  text_ += "[parameters]\nn = " + std::to_string(1 + up_to(19)) + "\n";
  processors();
  objects();
  block("do", 0);
  return text_;
}

}  // namespace gridcast::model::test
