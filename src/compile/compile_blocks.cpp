/// Statements over blocks (docs/model.md §11).

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using trace::BlockStatement;

namespace {

Operation operation_of(const BlockStatement& statement) {
  if (statement.kind != BlockStatement::Kind::collective) {
    return Operation::shadow;
  }
  using Collective = trace::Collective;
  switch (statement.collective) {
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::alltoallv:
      return Operation::redistribution;
    default:
      return Operation::reduction;
  }
}

TargetSpec::Cut cut_of(trace::DomainRule rule) {
  switch (rule) {
    case trace::DomainRule::ceil:
      return TargetSpec::Cut::ceil;
    case trace::DomainRule::balanced:
      return TargetSpec::Cut::balanced;
    case trace::DomainRule::first:
      return TargetSpec::Cut::first;
    case trace::DomainRule::last:
      return TargetSpec::Cut::last;
    default:
      return TargetSpec::Cut::domain;
  }
}

}  // namespace

/// Domains are there from the beginning to the end.
void Compiler::make_domains() {
  for (const trace::Domain& domain : program_.blocks.domains) {
    const std::size_t rank = domain.extents.size();
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> periodic;
    std::vector<std::int64_t> cuts;
    std::vector<mapping::AxisRule> rules;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      rules.push_back({.kind = mapping::AxisRule::Kind::linear,
                       .dim = static_cast<std::int32_t>(dim),
                       .coefficient = 1});
      cuts.push_back(domain.cuts[dim] - 1);
      if (domain.cuts[dim] > 0) {
        const auto at = static_cast<std::size_t>(domain.cuts[dim]);
        axes.resize(std::max(axes.size(), at), -1);
        periodic.resize(axes.size(), 0);
        axes[at - 1] = static_cast<std::int64_t>(dim);
        periodic[at - 1] = domain.periodic[dim] ? 1 : 0;
      }
    }
    const Slice extents = build_.ints(domain.extents);
    const Slice ghost = build_.ints(domain.ghost);
    const TargetId target =
        build_.target({.cut = cut_of(domain.rule), .extents = extents, .axes = build_.ints(axes)});
    const PlacementId placement = build_.placement(
        {.target = target, .view = root_view, .rules = build_.rules(rules), .extents = extents});
    domains_.push_back(build_.domain({.extents = extents,
                                      .cuts = build_.ints(cuts),
                                      .periodic = build_.ints(periodic),
                                      .ghost = ghost,
                                      .placement = placement}));
    if (domain.element_size > 0) {
      domain_holdings_.push_back(
          build_.holding({.placement = placement,
                          .low = ghost,
                          .high = ghost,
                          .bytes = static_cast<double>(domain.element_size)}));
    }
  }
  if (!domain_holdings_.empty()) {
    note_memory();
  }
}

StatementId Compiler::statement_of(const BlockStatement& statement) {
  StatementSpec spec;
  if (statement.domain != BlockStatement::no_domain) {
    spec.domain = domains_[statement.domain];
  }
  spec.formula = build_.formulas(statement.formula);
  spec.table = build_.reals(statement.table);
  std::vector<std::uint32_t> messages;
  for (const trace::NeighbourMessage& message : statement.messages) {
    messages.push_back(build_.message({.offset = build_.ints(message.offset),
                                       .bytes = build_.formulas(message.bytes),
                                       .count = build_.formulas(message.count)}));
  }
  spec.messages = build_.part_ids(messages);
  const auto tag = std::find(tags_.begin(), tags_.end(), statement.tag);
  spec.tag = static_cast<std::uint32_t>(tag - tags_.begin());
  if (tag == tags_.end()) {
    tags_.push_back(statement.tag);
  }
  spec.collective = statement.collective;
  spec.algorithm = statement.algorithm;
  std::vector<std::int64_t> across = statement.across;
  for (std::int64_t& dim : across) {
    --dim;
  }
  spec.across = build_.ints(across);
  spec.root = build_.ints(statement.root);
  spec.file = build_.chars(program_.trace_file);
  spec.line = statement.line;
  return build_.statement(spec);
}

void Compiler::on(const trace::RunStatement& call) {
  if (call.number >= program_.blocks.statements.size()) {
    throw error("a statement over blocks in a trace", "expected the description of the program");
  }
  const BlockStatement& statement = program_.blocks.statements[call.number];
  if (current_view() != root_view) {
    throw InputError(program_.trace_file, statement.line, "a statement over blocks in a task",
                     "expected it outside of tasks");
  }
  work(record().call_time, 0.0);
  using Kind = BlockStatement::Kind;
  switch (statement.kind) {
    case Kind::compute:
      push({.kind = Op::Kind::block_work, .a = statement_of(statement)});
      break;
    case Kind::repeat:
      push({.kind = Op::Kind::repeat, .a = statement_of(statement)});
      break;
    case Kind::end_repeat:
      push({.kind = Op::Kind::end_repeat});
      break;
    case Kind::wait:
      wait(Pending::messages, statement.operation);
      break;
    default:
      run_messages(statement, statement_of(statement));
      break;
  }
  work(0.0, record().ret_time);
}

void Compiler::run_messages(const BlockStatement& statement, StatementId id) {
  using Kind = BlockStatement::Kind;
  using Sent = CommunicationSpec::Kind;
  const Sent kind = statement.kind == Kind::turns        ? Sent::turns
                    : statement.kind == Kind::send       ? Sent::send
                    : statement.kind == Kind::receive    ? Sent::receive
                    : statement.kind == Kind::collective ? Sent::collective
                                                         : Sent::phase;
  const CommunicationId communication =
      build_.communication({.kind = kind, .view = root_view, .statement = id});
  const Operation operation = operation_of(statement);
  count(operation);
  if (statement.kind == Kind::start) {
    start(Pending::messages, statement.operation, communication);
    return;
  }
  push({.kind = Op::Kind::transfer, .operation = operation, .a = communication});
}

}  // namespace gridcast::model
