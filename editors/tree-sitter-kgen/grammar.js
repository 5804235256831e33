/// <reference types="tree-sitter-cli/dsl" />
// The grammar of docs/language.md, section 13, as tree-sitter reads it.

const hex = "[0-9a-fA-F]";
const digits = "[0-9](_?[0-9])*";
const hexes = `${hex}(_?${hex})*`;
const exponent = `[eE][+-]?${digits}`;
const codePoint = `([0-9a-cA-CeEfF]${hex}{3}|[dD][0-7]${hex}{2})`; // of four digits, but for surrogates

const numbers = [
  `0|[1-9](_?${digits})?`,
  "0[bB]_?[01](_?[01])*",
  "0[oO]_?[0-7](_?[0-7])*",
  `0[xX]_?${hexes}`,
  `${digits}\\.(${digits})?(${exponent})?`,
  `${digits}${exponent}`,
  `\\.${digits}(${exponent})?`,
  `0[xX](_?${hexes}(\\.(${hexes})?)?|\\.${hexes})[pP][+-]?${digits}`,
];

// Operators from the loosest to the tightest; those of a row associate to the left.
const operators = [
  ["||"],
  ["&&"],
  ["==", "!=", "<", "<=", ">", ">="],
  ["+", "-", "|", "^"],
  ["*", "/", "%", "<<", ">>", "&", "&^"],
];
const unary = ["+", "-", "!", "^"];
const reserved = ["pipeline", "return", "true", "false"];

const list = (rule) => seq(rule, repeat(seq(",", rule)));
const argumentsOf = (rule) => seq("(", optional(seq(list(rule), optional(","))), ")");

// Line breaks are extras like spaces, but where a rule asks for one.
const lineEnd = ($) => choice("\n", $.multiline_comment);

module.exports = grammar({
  name: "kgen",

  word: ($) => $.identifier,
  extras: ($) => [/[ \t\r\n]/, $.comment, $.multiline_comment],
  conflicts: ($) => [[$.return_statement, $._name]],

  rules: {
    source_file: ($) => repeat($.pipeline),

    pipeline: ($) =>
      seq(
        "pipeline",
        field("name", $._name),
        refuse($, lineEnd($)),
        field("parameters", $.parameters),
        refuse($, lineEnd($)),
        field("body", $.block),
      ),

    parameters: ($) => argumentsOf($.parameter),

    parameter: ($) =>
      seq(
        field("name", $._name),
        ":",
        choice(
          seq(
            "[",
            field("domain", $._name),
            "]",
            field("type", $.type),
            optional(
              choice(
                seq("like", field("like", $.string), optional(missing($))),
                missing($),
                seq("present", field("present", $._name)),
              ),
            ),
          ),
          seq(field("type", $.type), optional(seq("=", field("default", $._expression)))),
        ),
      ),

    // The number is the scale of a decimal.
    type: ($) => seq($._name, optional(seq("(", field("scale", $.number), optional(","), ")"))),

    block: ($) => seq("{", repeat(seq($.statement, lineEnd($))), $.return_statement, optional(lineEnd($)), "}"),

    statement: ($) => seq(field("name", $._name), refuse($, lineEnd($)), "=", field("value", $._expression)),

    // Behind return, a modifier is a name where an operator or a bracket follows in its line, and before the brace.
    return_statement: ($) =>
      choice(
        seq("return", list($.result)),
        modified($, "unordered"),
        modified($, "reproducible"),
        modified($, "unordered", "reproducible"),
      ),

    result: ($) => seq(optional($._label), field("value", $._expression)),

    argument: ($) => seq(optional($._label), field("value", choice($._expression, $.tuple))),

    _label: ($) => seq(field("label", $._name), ":"),

    tuple: ($) => seq("(", $._expression, ",", list($._expression), optional(","), ")"),

    _expression: ($) =>
      choice(
        $._name,
        $.number,
        $.string,
        $.boolean,
        $.call_expression,
        $.index_expression,
        $.field_expression,
        $.unary_expression,
        $.binary_expression,
        $.parenthesized_expression,
      ),

    call_expression: ($) => seq(field("function", $._name), field("arguments", $.arguments)),

    arguments: ($) => argumentsOf($.argument),

    index_expression: ($) =>
      prec(7, seq(field("operand", $._expression), "[", field("index", $._expression), "]")),

    field_expression: ($) => prec(7, seq(field("operand", $._expression), ".", field("field", $._name))),

    unary_expression: ($) => prec(6, seq(field("operator", choice(...unary)), field("operand", $._expression))),

    binary_expression: ($) =>
      choice(
        ...operators.map((row, level) =>
          prec.left(
            level + 1,
            seq(field("left", $._expression), field("operator", choice(...row)), field("right", $._expression)),
          ),
        ),
      ),

    parenthesized_expression: ($) => seq("(", $._expression, ")"),

    _name: ($) =>
      choice(
        $.identifier,
        prec(1, alias("unordered", $.identifier)),
        prec(1, alias("reproducible", $.identifier)),
        ...reserved.map((word) => seq(alias(word, $.identifier), $.correction)),
      ),

    identifier: () => /[a-zA-Z][a-zA-Z0-9_]*|_[a-zA-Z0-9_]+/,

    boolean: () => choice("true", "false"),

    number: () => token(choice(...numbers.map((n) => new RegExp(n)))),

    string: ($) =>
      seq('"', repeat(choice(token.immediate(prec(1, /[^"\\\n]+/)), $.escape_sequence)), token.immediate('"')),

    escape_sequence: () =>
      token.immediate(
        choice(
          /\\[abfnrtv\\"]/,
          /\\[0-3][0-7][0-7]/,
          new RegExp(`\\\\x${hex}{2}`),
          new RegExp(`\\\\u${codePoint}`),
          new RegExp(`\\\\U(0000${codePoint}|000[1-9a-fA-F]${hex}{4}|0010${hex}{4})`),
        ),
      ),

    comment: () => token(choice(/\/\/[^\n]*/, /\/\*([^*\n]|\*+[^*\/\n])*\*+\//)),

    multiline_comment: () => token(prec(-1, /\/\*([^*]|\*+[^*\/])*\*+\//)),

    correction: () => "\uffff",
  },
});

// refuse takes a rule and marks it as an error: behind it a token is missing that no text has. Without it, tree-sitter
// would skip the line break, or read the keyword as a name.
function refuse($, rule) {
  return optional(seq(rule, $.correction));
}

// modified is a return statement with modifiers, each of which may end a line.
function modified($, first, ...others) {
  const rest = others.length > 0 ? others[0] : undefined;
  const results = list($.result);
  const after = (start) =>
    rest === undefined ? [seq(...start, results)] : [seq(...start, rest, results), prec(1, seq(...start, rest, lineEnd($), results))];
  return choice(...after(["return", first]), prec(1, choice(...after(["return", first, lineEnd($)]))));
}

function missing($) {
  return seq("missing", field("missing", $._expression));
}
