package dev.ebb.server.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Turns a JSON schema into rules. Properties come in the order of the schema. Ranges of numbers,
 * patterns and formats are not enforced. An object with properties has no others, unless {@code
 * additionalProperties} says so.
 */
final class JsonSchema {

  private static final int MOST_REPETITIONS = 1_000;

  /** Parts that a grammar would have to enforce, but that it cannot express here. */
  private static final List<String> UNSUPPORTED =
      List.of("not", "if", "patternProperties", "dependentSchemas", "unevaluatedProperties");

  private final JsonNode root;
  private final Gbnf gbnf;

  /** The rules of referenced parts, by their reference. */
  private final Map<String, String> references = new HashMap<>();

  /** The references that have not yet consumed a character. */
  private final Set<String> open = new HashSet<>();

  JsonSchema(JsonNode root, Gbnf gbnf) {
    this.root = root;
    this.gbnf = gbnf;
  }

  /** Returns the rule of the whole schema. */
  String rule() {
    return rule(root);
  }

  static String text(String value) {
    return JsonNodeFactory.instance.stringNode(value).toString();
  }

  private String rule(JsonNode schema) {
    if (schema.isBoolean() && schema.booleanValue()) {
      return "value";
    }
    if (!schema.isObject()) {
      throw wrong("'%s' is not a schema; use an object", schema);
    }
    for (String name : UNSUPPORTED) {
      if (schema.has(name)) {
        throw wrong("'%s' is not supported; leave it out", name);
      }
    }
    if (schema.has("$ref")) {
      return reference(schema.get("$ref").asString(""));
    } else if (schema.has("const")) {
      return gbnf.add(Gbnf.literal(schema.get("const").toString()));
    } else if (schema.has("enum")) {
      return alternatives(schema.get("enum"), value -> Gbnf.literal(value.toString()));
    } else if (schema.has("anyOf")) {
      return alternatives(schema.get("anyOf"), this::rule);
    } else if (schema.has("oneOf")) {
      return alternatives(schema.get("oneOf"), this::rule);
    } else if (schema.has("allOf")) {
      return only(schema.get("allOf"));
    }
    JsonNode type = schema.get("type");
    return type != null && type.isArray()
        ? alternatives(type, each -> typed(each.asString(""), schema))
        : typed(type == null ? implied(schema) : type.asString(""), schema);
  }

  private String only(JsonNode all) {
    if (all.size() != 1) {
      throw wrong("'allOf' is supported with one schema only, but has '%s'", all.size());
    }
    return rule(all.get(0));
  }

  private static String implied(JsonNode schema) {
    return schema.has("properties") ? "object" : schema.has("items") ? "array" : "value";
  }

  private String typed(String type, JsonNode schema) {
    return switch (type) {
      case "object" -> object(schema);
      case "array" -> array(schema);
      case "string" -> string(schema);
      case "value", "integer", "number", "boolean", "null" -> type;
      default ->
          throw wrong(
              "type '%s' must be object, array, string, number, integer, boolean or null", type);
    };
  }

  private interface Alternative {
    String of(JsonNode node);
  }

  private String alternatives(JsonNode list, Alternative each) {
    List<String> texts = new ArrayList<>();
    list.forEach(node -> texts.add(each.of(node)));
    if (texts.isEmpty()) {
      throw wrong("'%s' must list at least one alternative", list);
    }
    gbnf.chargeAlternatives(texts.size() - 1);
    return gbnf.add(String.join(" | ", texts));
  }

  private String reference(String reference) {
    String known = references.get(reference);
    if (known != null) {
      if (open.contains(reference)) {
        throw wrong("$ref '%s' refers only to itself", reference);
      }
      return known;
    }
    JsonNode target =
        reference.equals("#") ? root : reference.startsWith("#/") ? at(reference) : null;
    if (target == null) {
      throw wrong("$ref '%s' must name a part of the schema, such as #/$defs/item", reference);
    }
    String name = gbnf.reserve();
    references.put(reference, name);
    open.add(reference);
    gbnf.set(name, rule(target));
    open.remove(reference);
    return name;
  }

  private @Nullable JsonNode at(String reference) {
    JsonNode found = root.at(reference.substring(1));
    return found.isMissingNode() ? null : found;
  }

  /** Parts of objects and arrays follow a bracket, so that references in them can be recursive. */
  private String inside(JsonNode schema) {
    Set<String> outside = Set.copyOf(open);
    open.clear();
    String rule = rule(schema);
    open.addAll(outside);
    return rule;
  }

  private String string(JsonNode schema) {
    if (!schema.has("minLength") && !schema.has("maxLength")) {
      return "string";
    }
    return gbnf.add(
        "\"\\\"\" char%s \"\\\"\"".formatted(repetition(schema, "minLength", "maxLength", 0)));
  }

  private String array(JsonNode schema) {
    String item = schema.has("items") ? inside(schema.get("items")) : "value";
    int least = count(schema, "minItems", 0);
    if (schema.has("maxItems") && count(schema, "maxItems", 0) == 0) {
      return gbnf.add("\"[\" ws \"]\"");
    }
    String items =
        "%s (\",\" ws %s)%s".formatted(item, item, repetition(schema, "minItems", "maxItems", 1));
    return gbnf.add("\"[\" ws " + (least == 0 ? "(" + items + ")?" : items) + " ws \"]\"");
  }

  /** Returns {@code {least,most}}, both less some that are counted elsewhere. */
  private String repetition(JsonNode schema, String least, String most, int less) {
    int from = Math.max(0, count(schema, least, 0) - less);
    if (!schema.has(most)) {
      gbnf.charge(from);
      return "{" + from + ",}";
    }
    int to = count(schema, most, 0) - less;
    gbnf.charge(Math.max(0, to));
    if (to < from) {
      throw wrong("'%s' is below '%s'".formatted(most, least), "");
    }
    return "{" + from + "," + to + "}";
  }

  private static int count(JsonNode schema, String name, int otherwise) {
    JsonNode value = schema.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < 0
        || value.intValue() > MOST_REPETITIONS) {
      throw wrong(name + " = '%s' must be a whole number from 0 to " + MOST_REPETITIONS, value);
    }
    return value.intValue();
  }

  private String object(JsonNode schema) {
    JsonNode properties = schema.get("properties");
    if (properties == null || properties.isEmpty()) {
      JsonNode more = schema.get("additionalProperties");
      if (more != null && more.isBoolean() && !more.booleanValue()) {
        return gbnf.add("\"{\" ws \"}\"");
      }
      return more == null || more.isBoolean()
          ? "object"
          : gbnf.add("\"{\" ws (" + member(more) + " (\",\" ws " + member(more) + ")*)? ws \"}\"");
    }
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(name -> required.add(name.asString("")));
    JsonNode more = schema.get("additionalProperties");
    boolean open = more != null && (more.isObject() || more.booleanValue(false));
    String next = open ? gbnf.add("(\",\" ws " + member(more) + ")*") : gbnf.add("\"\"");
    String first =
        open
            ? gbnf.add("(" + member(more) + " (\",\" ws " + member(more) + ")*)?")
            : gbnf.add("\"\"");
    // From the last property to the first: what can follow another property, and what can begin.
    for (String name : List.copyOf(properties.propertyNames()).reversed()) {
      String member =
          gbnf.add(Gbnf.literal(text(name) + ":") + " ws " + inside(properties.get(name)));
      boolean needed = required.contains(name);
      first = gbnf.add(member + " " + next + (needed ? "" : " | " + first));
      next = gbnf.add("\",\" ws " + member + " " + next + (needed ? "" : " | " + next));
    }
    return gbnf.add("\"{\" ws " + first + " ws \"}\"");
  }

  private String member(JsonNode value) {
    return value.isBoolean() ? "member" : gbnf.add("string \":\" ws " + inside(value));
  }

  private static IllegalArgumentException wrong(String message, Object value) {
    String shown = value.toString();
    return new IllegalArgumentException(
        "the schema cannot be used: "
            + message.formatted(shown.substring(0, Math.min(80, shown.length()))));
  }
}
