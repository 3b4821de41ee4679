package dev.ebb.server.grammar;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Makes grammars of JSON answers. */
public final class JsonGrammar {

  private JsonGrammar() {}

  /** Returns the grammar of any JSON object. */
  public static String object() {
    return new Gbnf().text("object");
  }

  /**
   * Returns the grammar of JSON that fits a schema.
   *
   * @throws IllegalArgumentException if the schema has a part that is not supported
   */
  public static String of(JsonNode schema) {
    Gbnf gbnf = new Gbnf();
    return gbnf.text(new JsonSchema(schema, gbnf).rule());
  }

  /**
   * Returns the grammar of calls of functions.
   *
   * @param arguments the name of the property with the arguments
   * @param functions the schemas of the arguments by the name of the function
   * @param begun whether the text before the first call is not part of the answer
   * @throws IllegalArgumentException if a schema has a part that is not supported
   */
  public static String calls(
      String begin,
      String arguments,
      String end,
      Map<String, JsonNode> functions,
      boolean several,
      boolean begun) {
    Gbnf gbnf = new Gbnf();
    List<String> names =
        functions.entrySet().stream()
            .map(function -> call(gbnf, function.getKey(), arguments, function.getValue()))
            .toList();
    String call = gbnf.add("ws (" + String.join(" | ", names) + ") ws " + Gbnf.literal(end));
    String whole = Gbnf.literal(begin) + " " + call;
    String first = begun ? call : whole;
    return gbnf.text(several ? first + " (\"\\n\" " + whole + ")*" : first);
  }

  private static String call(Gbnf gbnf, String name, String arguments, JsonNode schema) {
    String begin = "{\"name\": %s, \"%s\": ".formatted(JsonSchema.text(name), arguments);
    return gbnf.add(
        Gbnf.literal(begin)
            + " "
            + new JsonSchema(schema, gbnf).rule()
            + " ws "
            + Gbnf.literal("}"));
  }
}
