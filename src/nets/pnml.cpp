#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <map>
#include <ostream>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/nets/net.h"
#include "gridcast/report/format.h"

namespace gridcast::nets {
namespace {

using boost::property_tree::ptree;

void write_arc(std::ostream& out, std::size_t& number, const std::string& from,
               const std::string& to, std::int64_t weight) {
  out << fmt::format("   <arc id=\"a{}\" source=\"{}\" target=\"{}\">", ++number, from, to);
  if (weight != 1) {
    out << fmt::format("<inscription><text>{}</text></inscription>", weight);
  }
  out << "</arc>\n";
}

std::string place_id(std::size_t number) { return "p" + std::to_string(number + 1); }
std::string transition_id(std::size_t number) { return "t" + std::to_string(number + 1); }

/// A number in <text>, or what is meant if it is not there.
std::int64_t number_of(const ptree& node, const char* path, std::int64_t otherwise) {
  return node.get<std::int64_t>(path, otherwise);
}

class PnmlReader {
public:
  explicit PnmlReader(const std::string& file) : file_(file) {}

  Net read() {
    ptree tree;
    try {
      boost::property_tree::read_xml(file_, tree);
    } catch (const boost::property_tree::xml_parser_error& error) {
      throw InputError(file_, error.line(), "is no XML: " + error.message(), "expected PNML");
    }
    const auto net = tree.get_child_optional("pnml.net");
    if (!net) {
      throw InputError(file_, 0, "has no net", "expected PNML: <pnml><net>");
    }
    net_.name = file_;
    take_nodes(*net);
    take_arcs(*net);
    return std::move(net_);
  }

private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(file_, 0, problem, remedy);
  }

  void take_nodes(const ptree& parent) {
    for (const auto& [tag, node] : parent) {
      const std::string id = node.get("<xmlattr>.id", std::string());
      const std::string name = printable_lines(node.get("name.text", id));
      if (tag == "page") {
        take_nodes(node);
      } else if (tag == "place") {
        const std::int64_t tokens = number_of(node, "initialMarking.text", 0);
        if (tokens < 0 || tokens > most_tokens) {
          fail("the place '" + id + "' has a marking of " + std::to_string(tokens),
               fmt::format("expected 0 to {} tokens", most_tokens));
        }
        remember(id, {true, net_.add_place(name, tokens)});
      } else if (tag == "transition") {
        const double rate = node.get("toolspecific.rate", 1.0);
        if (!(rate > 0.0) || !std::isfinite(rate)) {
          fail("the transition '" + id + "' has no rate", "expected a number above 0");
        }
        remember(id, {false, net_.add_transition(name, rate)});
      }
    }
  }

  struct Node {
    bool is_place = false;
    std::size_t number = 0;
  };

  void remember(const std::string& id, const Node& node) {
    if (id.empty() || !nodes_.emplace(id, node).second) {
      fail("the id '" + id + "' is missing or there twice", "expected an id for each node");
    }
  }

  void take_arcs(const ptree& parent) {
    for (const auto& [tag, node] : parent) {
      if (tag == "page") {
        take_arcs(node);
      } else if (tag == "arc") {
        take_arc(node);
      }
    }
  }

  void take_arc(const ptree& arc) {
    const auto end = [&](const char* attribute) {
      const std::string id = arc.get(std::string("<xmlattr>.") + attribute, std::string());
      const auto found = nodes_.find(id);
      if (found == nodes_.end()) {
        fail("an arc has the " + std::string(attribute) + " '" + id + "'",
             "expected the id of a place or transition");
      }
      return found->second;
    };
    const Node from = end("source");
    const Node to = end("target");
    const std::int64_t weight = number_of(arc, "inscription.text", 1);
    if (from.is_place == to.is_place || weight < 1) {
      fail("an arc joins two nodes of one kind or weighs nothing",
           "expected a place and a transition");
    }
    if (from.is_place) {
      join(net_.transitions[to.number].takes, {from.number, weight});
    } else {
      join(net_.transitions[from.number].gives, {to.number, weight});
    }
  }

  /// Several arcs between two nodes are one.
  void join(std::vector<NetArc>& arcs, const NetArc& arc) {
    auto known = std::ranges::find(arcs, arc.place, &NetArc::place);
    if (known == arcs.end()) {
      known = arcs.insert(arcs.end(), {arc.place, 0});
    }
    if (arc.weight > most_tokens - known->weight) {
      fail("arcs between two nodes weigh more than " + std::to_string(most_tokens),
           "expected lighter ones");
    }
    known->weight += arc.weight;
  }

  std::string file_;
  Net net_;
  std::map<std::string, Node> nodes_;
};

}  // namespace

void write_pnml(std::ostream& out, const Net& net) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
         " <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n"
      << "  <name><text>" << report::escape_html(net.name) << "</text></name>\n"
      << "  <page id=\"page\">\n";
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    out << fmt::format("   <place id=\"{}\"><name><text>{}</text></name>", place_id(i),
                       report::escape_html(net.places[i].name));
    if (net.places[i].tokens != 0) {
      out << fmt::format("<initialMarking><text>{}</text></initialMarking>", net.places[i].tokens);
    }
    out << "</place>\n";
  }
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    out << fmt::format(
        "   <transition id=\"{}\"><name><text>{}</text></name>"
        "<toolspecific tool=\"gridcast\" version=\"1\"><rate>{}</rate></toolspecific>"
        "</transition>\n",
        transition_id(i), report::escape_html(net.transitions[i].name),
        exact(net.transitions[i].rate));
  }
  std::size_t arcs = 0;
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    for (const NetArc& arc : net.transitions[i].takes) {
      write_arc(out, arcs, place_id(arc.place), transition_id(i), arc.weight);
    }
    for (const NetArc& arc : net.transitions[i].gives) {
      write_arc(out, arcs, transition_id(i), place_id(arc.place), arc.weight);
    }
  }
  out << "  </page>\n </net>\n</pnml>\n";
}

Net read_pnml(const std::filesystem::path& path) { return PnmlReader(path.string()).read(); }

}  // namespace gridcast::nets
