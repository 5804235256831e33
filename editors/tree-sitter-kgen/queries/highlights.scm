; Where several patterns match a node, the last one counts. Words are those of the language: a test compares them with
; package ir. numbers and escapes have two names, since editors differ.

(identifier) @variable

(parameter name: (identifier) @variable.parameter)
(parameter domain: (identifier) @label)
(parameter present: (identifier) @variable.parameter)
(type (identifier) @type)
((type (identifier) @type.builtin)
  (#any-of? @type.builtin
    "bool" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "f32" "f64" "date" "timestamp" "text" "char8" "decimal"))

(pipeline name: (identifier) @function)
(call_expression function: (identifier) @function)
((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "least" "greatest" "abs" "sqrt" "year" "month" "day" "weekday" "hour" "minute" "second" "popcount"
    "leadingzeros" "trailingzeros" "floor" "ceil" "trunc" "round" "unscaled" "truncate" "select" "index" "len" "prev" "next"
    "scan" "exscan" "runs" "starts" "groups" "bins" "repeat" "order" "find" "join" "align" "startswith" "sum"
    "count" "min" "max" "avg" "first" "last" "product" "any" "all" "argmin" "argmax" "desc"))
((call_expression function: (identifier) @type.builtin)
  (#any-of? @type.builtin
    "bool" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "f32" "f64" "date" "timestamp" "text" "char8" "decimal"))

; What scan and exscan compute.
((call_expression
  function: (identifier) @function.builtin
  arguments: (arguments . (argument !label value: (identifier) @constant.builtin)))
  (#any-of? @function.builtin "scan" "exscan")
  (#any-of? @constant.builtin
    "add" "mul" "min" "max" "and" "or" "xor"))

(field_expression field: (identifier) @property)
(result label: (identifier) @property)
(argument label: (identifier) @label)
((argument label: (identifier) @variable.parameter)
  (#any-of? @variable.parameter
    "by" "limit" "in" "to" "else"))

["pipeline" "return"] @keyword
["like" "missing" "present" "reproducible" "unordered"] @keyword

["||" "&&" "==" "!=" "<" "<=" ">" ">=" "+" "-" "|" "^" "*" "/" "%" "<<" ">>" "&" "&^" "!" "="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter

(boolean) @constant.builtin
(number) @constant.numeric @number
(string) @string
(escape_sequence) @constant.character.escape @string.escape
[(comment) (multiline_comment)] @comment
