package dev.ebb.server.grammar;

import java.util.LinkedHashMap;
import java.util.Map;

/** Collects the rules of a grammar, and those of JSON that they use. */
final class Gbnf {

  /** llama.cpp keeps each rule in memory for each answer, and tries alternatives in turn. */
  private static final int LARGEST = 64 << 10;

  private static final int SIZE_OF_ALTERNATIVE = 64;

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
  private int size;

  /** Reserves the name of a rule, so that it can occur in its own text. */
  String reserve() {
    String name = "r" + rules.size();
    rules.put(name, "");
    return name;
  }

  /** Sets the text of a reserved rule. */
  void set(String name, String text) {
    charge(text.length());
    rules.put(name, text);
  }

  /** Counts the alternatives of a rule beyond the first, each of which llama.cpp tries. */
  void chargeAlternatives(int more) {
    charge(Math.multiplyExact(more, SIZE_OF_ALTERNATIVE));
  }

  /** Counts repetitions, each of which llama.cpp writes as a rule. */
  void charge(int characters) {
    size = Math.addExact(size, characters);
    if (size > LARGEST) {
      throw new IllegalArgumentException(
          "the schema is too large: characters, repetitions, and '%d' for each alternative add up to more than '%d'; use fewer properties, alternatives or repetitions"
              .formatted(SIZE_OF_ALTERNATIVE, LARGEST));
    }
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
