package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes the OpenAPI 3.1 document of operations and of the records that they return. */
final class OpenApi {

  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");
  private static final Map<String, String> PATH_PARAMETERS =
      Map.of(
          "key", "a key, percent-encoded",
          "policy", "a policy",
          "name", "a node",
          "id", "a migration");

  private final Map<String, Class<?>> named = new HashMap<>();
  private final ObjectNode schemas = object();

  private OpenApi() {}

  static ObjectNode of(List<Operation> operations) {
    OpenApi api = new OpenApi();
    ObjectNode document = object().put("openapi", "3.1.1");
    ObjectNode info = document.putObject("info").put("title", "Ebb admin API").put("version", "1");
    info.putObject("license").put("name", "Apache-2.0").put("identifier", "Apache-2.0");
    document.putArray("servers").addObject().put("url", "/");
    document.putArray("security").addObject().putArray("token");
    ObjectNode paths = document.putObject("paths");
    for (Operation operation : operations) {
      paths
          .withObjectProperty(operation.path())
          .set(operation.method().toLowerCase(Locale.ROOT), api.describe(operation));
    }
    ObjectNode components = document.putObject("components");
    components
        .putObject("securitySchemes")
        .putObject("token")
        .put("type", "http")
        .put("scheme", "bearer")
        .put("description", "ebb.admin.token; not needed if it is not set");
    api.schemas
        .putObject("Error")
        .put("type", "object")
        .set("properties", object().set("error", object().put("type", "string")))
        .putArray("required")
        .add("error");
    components.set("schemas", api.schemas);
    return document;
  }

  private ObjectNode describe(Operation operation) {
    ObjectNode node =
        object()
            .put("operationId", id(operation))
            .put("summary", operation.summary().replace("`", ""));
    if (operation.access() == Operation.Access.OPEN) {
      node.putArray("security");
    }
    PARAMETER
        .matcher(operation.path())
        .results()
        .map(part -> part.group(1))
        .forEach(name ->
            node.withArrayProperty("parameters")
                .addObject()
                .put("name", name)
                .put("in", "path")
                .put("required", true)
                .put("description", PATH_PARAMETERS.get(name))
                .set("schema", object().put("type", "string")));
    for (Field field : operation.query()) {
      ObjectNode parameter =
          node.withArrayProperty("parameters")
              .addObject()
              .put("name", field.name())
              .put("in", "query")
              .put("description", field.description().replace("`", ""));
      parameter.put("required", field.required()).set("schema", schema(field));
    }
    if (operation.body() != null) {
      node.putObject("requestBody").put("required", true).set("content", body(operation.body()));
    }
    ObjectNode responses = node.putObject("responses");
    ObjectNode success =
        responses
            .putObject(Integer.toString(operation.answer().status()))
            .put("description", "success");
    Class<?> document = operation.answer().document();
    success
        .putObject("content")
        .putObject(operation.answer().type().replaceFirst(";.*", ""))
        .set("schema", document == null ? object().put("type", "string") : schema(document));
    responses
        .putObject("default")
        .put("description", "an error")
        .putObject("content")
        .putObject("application/json")
        .set("schema", reference("Error"));
    return node;
  }

  /** Returns a name such as {@code getEntriesByKey}. */
  private static String id(Operation operation) {
    StringBuilder id = new StringBuilder(operation.method().toLowerCase(Locale.ROOT));
    String path = operation.path().equals("/") ? "dashboard" : operation.path();
    for (String part : path.replace("/api/v1", "").split("[/.]", -1)) {
      String word = part.replaceAll("[{}]", "");
      if (!word.isEmpty()) {
        id.append(part.startsWith("{") ? "By" : "")
            .append(word.substring(0, 1).toUpperCase(Locale.ROOT))
            .append(word.substring(1));
      }
    }
    return id.toString();
  }

  private static ObjectNode body(List<Field> fields) {
    ObjectNode schema = object().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    for (Field field : fields) {
      properties.set(
          field.name(), schema(field).put("description", field.description().replace("`", "")));
      if (field.required()) {
        schema.withArrayProperty("required").add(field.name());
      }
    }
    schema.put("additionalProperties", false);
    ObjectNode content = object();
    content.putObject("application/json").set("schema", schema);
    return content;
  }

  private static ObjectNode schema(Field field) {
    ObjectNode schema =
        switch (field.type()) {
          case TEXT -> object().put("type", "string");
          case INTEGER -> object().put("type", "integer").put("format", "int64");
          case NUMBER -> object().put("type", "number");
          case FLAG -> object().put("type", "boolean");
          case TEXTS -> array(object().put("type", "string"));
          case INTEGERS -> array(object().put("type", "integer").put("format", "int32"));
          case LONGS -> array(object().put("type", "integer"));
          case OBJECT -> object().put("type", "object");
        };
    bound(schema, "minimum", field.min());
    bound(schema, "maximum", field.max());
    bound(schema, "default", field.otherwise());
    return schema;
  }

  private static void bound(ObjectNode schema, String name, @Nullable Number bound) {
    if (bound instanceof Long number) {
      schema.put(name, number);
    } else if (bound != null) {
      schema.put(name, bound.doubleValue());
    }
  }

  private JsonNode schema(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      boolean list = Collection.class.isAssignableFrom((Class<?>) generic.getRawType());
      return list
          ? array(schema(arguments[0]))
          : object().put("type", "object").set("additionalProperties", schema(arguments[1]));
    }
    Class<?> plain = (Class<?>) type;
    if (plain.isRecord()) {
      return record(plain);
    }
    if (plain.isSealed()) {
      ObjectNode either = object();
      for (Class<?> permitted : plain.getPermittedSubclasses()) {
        either.withArrayProperty("oneOf").add(schema(permitted));
      }
      return either;
    }
    if (plain.isArray()) {
      return array(schema(plain.getComponentType()));
    }
    return simple(plain);
  }

  private static ObjectNode simple(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "String" -> object().put("type", "string");
      case "boolean", "Boolean" -> object().put("type", "boolean");
      case "int", "Integer" -> object().put("type", "integer").put("format", "int32");
      case "long", "Long" -> object().put("type", "integer").put("format", "int64");
      case "double", "Double" -> object().put("type", "number").put("format", "double");
      case "ObjectNode" -> object().put("type", "object");
      case "Object" -> object();
      default -> throw new IllegalArgumentException("no schema for " + type);
    };
  }

  private JsonNode record(Class<?> type) {
    String name = name(type);
    Class<?> other = named.putIfAbsent(name, type);
    assertThat(other).as("the class of the schema '%s'", name).isIn(null, type);
    if (other == null) {
      ObjectNode schema = schemas.putObject(name).put("type", "object");
      ObjectNode properties = schema.putObject("properties");
      for (RecordComponent component : type.getRecordComponents()) {
        AnnotatedType annotated = component.getAnnotatedType();
        JsonNode value = schema(component.getGenericType());
        properties.set(
            component.getName(),
            annotated.isAnnotationPresent(Nullable.class) ? orNull(value) : value);
        schema.withArrayProperty("required").add(component.getName());
      }
    }
    return reference(name);
  }

  private static JsonNode orNull(JsonNode schema) {
    if (schema.has("type")) {
      String type = schema.get("type").stringValue();
      ((ObjectNode) schema).putArray("type").add(type).add("null");
      return schema;
    }
    ObjectNode either = object();
    either.putArray("oneOf").add(schema).add(object().put("type", "null"));
    return either;
  }

  /** Returns a name such as {@code EntryPage} for {@code EntryDocument.Page}. */
  private static String name(Class<?> type) {
    String own = type.getSimpleName().replaceFirst("Document$", "");
    Class<?> outer = type.getEnclosingClass();
    String prefix = outer == null ? "" : name(outer).replaceFirst(".*Routes$", "");
    return own.startsWith(prefix) ? own : prefix + own;
  }

  private static ObjectNode reference(String name) {
    return object().put("$ref", "#/components/schemas/" + name);
  }

  private static ObjectNode array(JsonNode items) {
    return object().put("type", "array").set("items", items);
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
