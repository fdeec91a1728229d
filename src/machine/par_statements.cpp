#include "par_statements.h"

#include <utility>

#include "gridcast/base/error.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

class Parser {
public:
  Parser(std::string_view text, const std::string& file)
      : file_(file), tokens_(tokens(text, file)) {}

  std::vector<Statement> run() {
    std::vector<Statement> result;
    while (true) {
      while (current().is(';')) {
        ++at_;
      }
      if (current().kind == TokenKind::end) {
        return result;
      }
      result.push_back(statement());
    }
  }

private:
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }

  Statement statement() {
    Statement result;
    result.line = current().line;
    result.key = word("a statement like NAME = VALUE;");
    while (current().kind == TokenKind::word) {
      result.key += " " + word("a keyword");
    }
    if (current().is('.')) {
      ++at_;
      result.attribute = word("CommType, TStart or another attribute after the point");
      while (current().is('.')) {
        ++at_;
        result.attribute += "." + word("what belongs to " + in_quotes(result.subject()));
      }
    }
    symbol('=', "after " + in_quotes(result.subject()));
    result.value_line = current().line;
    result.value = value();
    symbol(';', "after the value of " + in_quotes(result.subject()));
    return result;
  }

  Value value() {
    if (current().kind == TokenKind::number) {
      return number("a number");
    }
    if (current().is('{')) {
      return list();
    }
    std::string first = word("a number, a name or {...}");
    if (current().is('.')) {
      ++at_;
      return Reference{std::move(first), word("CommType after the point")};
    }
    if (current().is('(')) {
      ++at_;
      Call call{std::move(first), number("the number of channels")};
      symbol(')', "after the number of channels");
      return call;
    }
    return Word{std::move(first)};
  }

  List list() {
    List result;
    ++at_;
    result.entries.push_back(entry());
    while (current().is(',')) {
      ++at_;
      result.entries.push_back(entry());
    }
    symbol('}', "at the end of the list");
    return result;
  }

  // [INT x] NAME, where the x may stick to the number, to the name or to both.
  ListEntry entry() {
    ListEntry result;
    result.line = current().line;
    if (current().kind != TokenKind::number) {
      result.name = word("a name or COUNT x NAME");
      return result;
    }
    result.number = number("a count");
    if (current().is('(')) {
      ++at_;
      result.arguments.push_back(number("a number"));
      while (current().is(',')) {
        ++at_;
        result.arguments.push_back(number("a number"));
      }
      symbol(')', "after the numbers in parentheses");
      return result;
    }
    if (current().kind == TokenKind::number) {
      result.arguments.push_back(number("a number"));
      result.name = word("a name behind two numbers");
      return result;
    }
    if (current().kind != TokenKind::word) {
      return result;
    }
    const std::string separator = word("x");
    if (lowered(separator.substr(0, 1)) != "x") {
      fail(tokens_[at_ - 1], "x between the count and the name");
    }
    result.name = separator.size() > 1 ? separator.substr(1) : word("a name after x");
    return result;
  }

  Number number(const std::string& expected) {
    if (current().kind != TokenKind::number) {
      fail(current(), expected);
    }
    const Token& token = tokens_[at_++];
    return {token.value, token.text};
  }

  std::string word(const std::string& expected) {
    if (current().kind != TokenKind::word) {
      fail(current(), expected);
    }
    return tokens_[at_++].text;
  }

  void symbol(char wanted, const std::string& where) {
    if (current().is(wanted)) {
      ++at_;
      return;
    }
    // What is missing belongs to the line of the token before it.
    fail(current(), "'" + std::string(1, wanted) + "' " + where, tokens_[at_ - 1].line);
  }

  [[noreturn]] void fail(const Token& found, const std::string& expected,
                         std::size_t line = 0) const {
    const std::string what = found.kind == TokenKind::end ? "unexpected end of file"
                                                          : "unexpected " + in_quotes(found.text);
    throw InputError(file_, line == 0 ? found.line : line, what, "expected " + expected);
  }

  const std::string& file_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Statement::subject() const { return attribute.empty() ? key : key + "." + attribute; }

std::vector<Statement> statements(std::string_view text, const std::string& file) {
  return Parser(text, file).run();
}

}  // namespace gridcast::machine::par
