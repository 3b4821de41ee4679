package dev.ebb.llama.grammar;

import java.util.LinkedHashMap;
import java.util.Map;

/** Collects the rules of a grammar, and those of JSON that they use. */
final class Gbnf {

  /** llama.cpp keeps each rule in memory for each running answer. */
  private static final int MOST_CHARACTERS = 64 << 10;

  private static final String JSON =
      """
      ws ::= "" | " " | "\\n" [ \\t]{0,20}
      char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\bfnrt/] | "u" [0-9a-fA-F]{4})
      string ::= "\\"" char* "\\""
      integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
      number ::= integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?
      boolean ::= "true" | "false"
      null ::= "null"
      value ::= object | array | string | number | boolean | null
      member ::= string ":" ws value
      object ::= "{" ws (member ("," ws member)*)? ws "}"
      array ::= "[" ws (value ("," ws value)*)? ws "]"
      """;

  private final Map<String, String> rules = new LinkedHashMap<>();
  private int characters;

  /** Reserves the name of a rule, so that it can occur in its own text. */
  String reserve() {
    String name = "r" + rules.size();
    rules.put(name, "");
    return name;
  }

  /** Sets the text of a reserved rule. */
  void set(String name, String text) {
    characters += text.length();
    if (characters > MOST_CHARACTERS) {
      throw new IllegalArgumentException(
          "the schema is too large: its grammar has more than '%d' characters; use a smaller one"
              .formatted(MOST_CHARACTERS));
    }
    rules.put(name, text);
  }

  /** Adds a rule and returns its name. */
  String add(String text) {
    String name = reserve();
    set(name, text);
    return name;
  }

  /** Returns the grammar whose answers are those of one rule. */
  String text(String root) {
    StringBuilder text = new StringBuilder("root ::= ").append(root).append('\n');
    rules.forEach((name, rule) -> text.append(name).append(" ::= ").append(rule).append('\n'));
    return text.append(JSON).toString();
  }

  /** Returns a text in quotes. */
  static String literal(String text) {
    return '"'
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r")
        + '"';
  }
}
