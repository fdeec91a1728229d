#pragma once
/// Random descriptions of programs, with values that people would write and values that they would
/// not: for tests of what `trace generate` accepts.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gridcast::model::test {

class RandomDescription {
public:
  explicit RandomDescription(std::uint32_t seed) : random_(seed) {}

  /// The text of a description. `odd`: one value in so many is an odd one.
  std::string make(int odd);

private:
  struct Object {
    std::string name;
    int rank = 1;
    std::vector<std::string> extents = {};  ///< of an array, as expressions
  };

  int up_to(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  bool chance(int in) { return up_to(in - 1) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(up_to(static_cast<int>(all.size()) - 1))];
  }

  std::string number(int least, int most);
  std::string entry();
  std::string list(int count, int least, int most);
  std::string mapping(const Object& over, const std::vector<std::string>& indices);
  std::string section(const Object& of);
  std::string formats(int rank);
  std::string any_name();

  void processors();
  void objects();
  void array(int number);
  void statement(const std::string& path, int depth);
  void block(const std::string& path, int depth);
  /// Over all elements of an array.
  void whole_loop(const Object& over);
  void loop();
  void loop_extras(const std::vector<std::string>& indices);

  void line(const std::string& key, const std::string& value) {
    text_ += key + " = " + value + "\n";
  }

  std::mt19937 random_;
  int odd_ = 0;
  std::string text_;
  std::vector<Object> arrays_, templates_;
  std::vector<std::string> systems_, tasks_, labels_;
  int indices_ = 0;
};

}  // namespace gridcast::model::test
