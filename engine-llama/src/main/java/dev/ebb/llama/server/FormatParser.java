package dev.ebb.llama.server;

import static dev.ebb.llama.server.CompletionParser.flag;
import static dev.ebb.llama.server.CompletionParser.shown;

import dev.ebb.host.http.HttpException;
import dev.ebb.llama.grammar.JsonGrammar;
import dev.ebb.llama.tools.Tool;
import dev.ebb.llama.tools.ToolFormat;
import dev.ebb.llama.tools.ToolUse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads {@code response_format} and the functions of a request. */
final class FormatParser {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  private static final JsonNode NO_PARAMETERS =
      JsonNodeFactory.instance
          .objectNode()
          .put("type", "object")
          .put("additionalProperties", false);

  private final JsonNode body;

  FormatParser(JsonNode body) {
    this.body = body;
  }

  /**
   * Reads the format of a completion.
   *
   * @param template the model's chat template; null if there is no chat
   */
  OutputFormat read(@Nullable String template) {
    try {
      ToolUse tools = template == null ? refused() : tools(template);
      String grammar = responseGrammar();
      if (tools != null && !tools.callable().isEmpty()) {
        // Refuses a wrong schema now, and not when the model begins a call.
        tools.grammar(true);
      }
      if (tools == null || !tools.required()) {
        return new OutputFormat(grammar, tools);
      }
      if (grammar != null) {
        throw HttpException.bad(
            "response_format does not go with tool_choice '%s'; leave one of them out"
                .formatted(shown(body.get("tool_choice"))));
      }
      return new OutputFormat(tools.grammar(false), tools);
    } catch (IllegalArgumentException schema) {
      throw HttpException.bad(String.valueOf(schema.getMessage()));
    }
  }

  private @Nullable ToolUse refused() {
    if (list().isEmpty()) {
      return null;
    }
    throw HttpException.bad("tools are for chats; use /v1/chat/completions");
  }

  private @Nullable String responseGrammar() {
    if (!body.hasNonNull("response_format")) {
      return null;
    }
    JsonNode format = body.get("response_format");
    return switch (format.path("type").asString("")) {
      case "text" -> null;
      case "json_object" -> JsonGrammar.object();
      case "json_schema" -> {
        JsonNode schema = format.path("json_schema").path("schema");
        if (!schema.isObject()) {
          throw HttpException.bad(
              "response_format = '%s' needs a schema: {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"NAME\", \"schema\": {...}}}"
                  .formatted(shown(format)));
        }
        yield JsonGrammar.of(schema);
      }
      default ->
          throw HttpException.bad(
              "response_format = '%s' must have the type text, json_object or json_schema"
                  .formatted(shown(format)));
    };
  }

  private @Nullable ToolUse tools(String template) {
    List<Tool> tools = new ArrayList<>();
    list().forEach(tool -> tools.add(tool(tool)));
    JsonNode choice = body.path("tool_choice");
    if (tools.isEmpty()) {
      if (choice.isObject() || choice.asString("").equals("required")) {
        throw HttpException.bad(
            "tool_choice = '%s' needs tools; add them".formatted(shown(choice)));
      }
      return null;
    }
    ToolFormat format =
        ToolFormat.of(template)
            .orElseThrow(() ->
                HttpException.bad(
                    "tools are not supported by the model's chat template; use a model whose"
                        + " template has them as Hermes, Qwen or Llama 3"));
    return choose(format, tools, choice);
  }

  private JsonNode list() {
    JsonNode list = body.path("tools");
    if (!list.isArray() && !list.isMissingNode() && !list.isNull()) {
      throw HttpException.bad("tools = '%s' must be a list of functions".formatted(shown(list)));
    }
    return list;
  }

  private static Tool tool(JsonNode tool) {
    JsonNode function = tool.path("function");
    String name = function.path("name").asString("");
    if (!tool.path("type").asString("").equals("function") || !NAME.matcher(name).matches()) {
      throw HttpException.bad(
          "tools: '%s' must be {\"type\": \"function\", \"function\": {\"name\": ...}}, with a name of letters, digits, dots, dashes and underscores"
              .formatted(shown(tool)));
    }
    return new Tool(
        name, tool, function.hasNonNull("parameters") ? function.get("parameters") : NO_PARAMETERS);
  }

  private ToolUse choose(ToolFormat format, List<Tool> tools, JsonNode choice) {
    boolean several = flag(body, "parallel_tool_calls");
    if (choice.isObject()) {
      String name = choice.path("function").path("name").asString("");
      List<Tool> named = tools.stream().filter(tool -> tool.name().equals(name)).toList();
      if (named.isEmpty()) {
        throw HttpException.bad(
            "tool_choice: the function '%s' is not in tools; name one of %s"
                .formatted(name, tools.stream().map(Tool::name).toList()));
      }
      return new ToolUse(format, tools, named, true, false);
    }
    return switch (choice.isMissingNode() || choice.isNull() ? "auto" : choice.asString("")) {
      case "auto" -> new ToolUse(format, tools, tools, false, several);
      case "required" -> new ToolUse(format, tools, tools, true, several);
      case "none" -> new ToolUse(format, tools, List.of(), false, false);
      default ->
          throw HttpException.bad(
              "tool_choice = '%s' must be auto, required, none or a function"
                  .formatted(shown(choice)));
    };
  }
}
