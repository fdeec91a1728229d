#pragma once
/// Internal: the second bound of programs with tasks: stretches of a program between moments at
/// which all processors meet and no message is under way (docs/search.md, "Stretches").

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bound_certain.h"
#include "bound_lists.h"

namespace gridcast::model {

class BoundStretches {
public:
  /// `lists` must outlive this object, as must the others.
  BoundStretches(const Script& script, const ModelOptions& options, BoundMachine& machine,
                 BoundLists& lists);

  /// The sum of the times of all stretches on the grid that the lists are about, if each is certain
  /// for a program that takes at most `most` seconds; nothing if not, or if so few stretches are
  /// alike that it would cost much of a prediction.
  std::optional<double> total(double most);

private:
  struct Stretch {
    std::size_t begin = 0, end = 0;  // operations; the last moment is that of operation `end`
    double count = 1.0;              // so many are alike
  };
  struct Share {
    bool any = false;
    std::vector<double> part;  // per processor of the view
  };
  struct Pending {
    bool started = false;
    std::uint32_t view = 0;
    double start = 0.0;
    std::vector<double> ends;
  };

  void find_stretches(const ModelOptions& options);
  [[nodiscard]] bool alike(const Stretch& a, const Stretch& b) const;
  double time(const Stretch& stretch);
  void step(const Op& op);
  void enter(std::uint32_t view);
  void work(double time);
  void share(const Op& op);
  const Share& share_of(std::uint32_t placement, std::uint32_t portion);
  [[nodiscard]] double latest() const;
  double synchronize();
  void launch(std::uint32_t communication, double start, std::span<double> ends);
  void wait(const Pending& pending);
  void transfer(const Op& op, double start);
  void broadcast(double bytes);
  void copied(const Op& op);

  const Script* script_;
  BoundMachine* machine_;
  std::vector<Stretch> stretches_;  // one of each kind; empty if they do not pay

  // On the current grid.
  BoundLists* lists_;
  std::optional<CertainNetworks> networks_;
  std::size_t known_processors_ = 0;
  std::uint32_t view_ = 0;
  std::span<const std::uint32_t> members_;
  std::vector<double> clock_;
  std::vector<double> ends_;
  std::vector<Pending> pending_;
  std::map<std::array<std::uint32_t, 3>, Share> shares_;  // by view, placement, portion
  Transfers transfers_;
  WrittenShares written_;
};

}  // namespace gridcast::model
