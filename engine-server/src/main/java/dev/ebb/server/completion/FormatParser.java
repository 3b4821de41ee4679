package dev.ebb.server.completion;

import static dev.ebb.host.openai.OpenAiJson.shown;
import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.http.HttpException;
import dev.ebb.host.openai.CompletionRequest;
import dev.ebb.host.openai.CompletionRequest.Function;
import dev.ebb.host.openai.CompletionRequest.ResponseFormat;
import dev.ebb.host.openai.OpenAiJson;
import dev.ebb.server.grammar.JsonGrammar;
import dev.ebb.server.tools.Tool;
import dev.ebb.server.tools.ToolFormat;
import dev.ebb.server.tools.ToolUse;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;

/** Reads {@code response_format} and the functions of a request. */
final class FormatParser {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  private static final JsonNode NO_PARAMETERS =
      JsonNodeFactory.instance
          .objectNode()
          .put("type", "object")
          .put("additionalProperties", false);

  private final CompletionRequest request;
  private final List<JsonNode> tools;

  FormatParser(CompletionRequest request) {
    this.request = request;
    tools = requireNonNullElse(request.tools(), List.of());
  }

  /**
   * Reads the format of a completion.
   *
   * @param template the model's chat template; null if there is no chat
   * @throws IllegalArgumentException if a schema is not supported
   */
  OutputFormat read(@Nullable String template) {
    ToolUse use = template == null ? refused() : use(template);
    String grammar = responseGrammar();
    if (use != null && !use.callable().isEmpty()) {
      // Refuses a wrong schema now, and not when the model begins a call.
      use.grammar(true);
    }
    if (use == null || !use.required()) {
      return new OutputFormat(grammar, use);
    }
    if (grammar != null) {
      throw HttpException.bad(
          "response_format does not go with tool_choice '%s'; leave one of them out"
              .formatted(shown(choice())));
    }
    return new OutputFormat(use.grammar(false), use);
  }

  private JsonNode choice() {
    return requireNonNullElse(request.toolChoice(), MissingNode.getInstance());
  }

  private @Nullable ToolUse refused() {
    if (tools.isEmpty()) {
      return null;
    }
    throw HttpException.bad("tools are for chats; use /v1/chat/completions");
  }

  private @Nullable String responseGrammar() {
    JsonNode format = request.responseFormat();
    if (format == null || format.isNull()) {
      return null;
    }
    ResponseFormat read =
        format.isObject()
            ? OpenAiJson.request(format, ResponseFormat.class)
            : new ResponseFormat(null, null);
    return switch (read.type()) {
      case "text" -> null;
      case "json_object" -> JsonGrammar.object();
      case "json_schema" -> {
        JsonNode schema = read.jsonSchema() == null ? null : read.jsonSchema().schema();
        if (schema == null || !schema.isObject()) {
          throw HttpException.bad(
              "response_format = '%s' needs a schema: {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"NAME\", \"schema\": {...}}}"
                  .formatted(shown(format)));
        }
        yield JsonGrammar.of(schema);
      }
      case null, default ->
          throw HttpException.bad(
              "response_format = '%s' must have the type text, json_object or json_schema"
                  .formatted(shown(format)));
    };
  }

  private @Nullable ToolUse use(String template) {
    JsonNode choice = choice();
    if (tools.isEmpty()) {
      if (choice.isObject() || choice.asString("").equals("required")) {
        throw HttpException.bad(
            "tool_choice = '%s' needs tools; add them".formatted(shown(choice)));
      }
      return null;
    }
    List<Tool> described = tools.stream().map(FormatParser::tool).toList();
    ToolFormat format =
        ToolFormat.of(template)
            .orElseThrow(() ->
                HttpException.bad(
                    "tools are not supported by the model's chat template; use a model whose"
                        + " template has them as Hermes, Qwen or Llama 3"));
    return choose(format, described, choice);
  }

  private static Tool tool(JsonNode definition) {
    Function tool = definition.isObject() ? OpenAiJson.request(definition, Function.class) : null;
    if (tool == null || !"function".equals(tool.type()) || !NAME.matcher(tool.name()).matches()) {
      throw HttpException.bad(
          "tools: '%s' must be {\"type\": \"function\", \"function\": {\"name\": ...}}, with a name of letters, digits, dots, dashes and underscores"
              .formatted(shown(definition)));
    }
    JsonNode parameters = tool.parameters();
    return new Tool(tool.name(), definition, parameters.isNull() ? NO_PARAMETERS : parameters);
  }

  private ToolUse choose(ToolFormat format, List<Tool> tools, JsonNode choice) {
    boolean several = Boolean.TRUE.equals(request.parallelToolCalls());
    if (choice.isObject()) {
      String name = OpenAiJson.request(choice, Function.class).name();
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
