package dev.ebb.host.hint;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An envelope as vLLM and SGLang forward it: {@code {protocol_version, message_id, actions: [{
 * action_id, action_type, action_version, payload}]}}. Its actions are independent of each other.
 *
 * @param actions not checked yet
 */
public record HintEnvelope(String protocolVersion, String messageId, List<JsonNode> actions) {

  /** The most actions of an envelope, as in SGLang. */
  static final int MOST_ACTIONS = 64;

  /** The most characters of an id, as in SGLang. */
  static final int LONGEST_ID = 512;

  private static final int DEEPEST = 32;
  private static final int SHOWN = 80;

  /** What the parser says about itself. */
  private static final Pattern INTERNALS =
      Pattern.compile(" ?\\([^()]*\\[Source.*|, from `[^`]*`|\\s+at \\[Source.*", Pattern.DOTALL);

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  public HintEnvelope {
    actions = List.copyOf(actions);
  }

  /**
   * Reads an envelope.
   *
   * @throws UserError if it is not one; its actions may be wrong nevertheless
   */
  public static HintEnvelope parse(String json) {
    JsonNode read = tree(json);
    if (read == null || !read.isObject()) {
      throw new UserError(
          "the hints '%s' must be a JSON object with protocol_version, message_id and actions"
              .formatted(shown(json)));
    }
    JsonNode actions = read.path("actions");
    if (!actions.isArray() || actions.size() > MOST_ACTIONS) {
      throw new UserError(
          "actions '%s' must be a list of at most %d actions"
              .formatted(shown(actions.toString()), MOST_ACTIONS));
    }
    return new HintEnvelope(
        id(read, "protocol_version"), id(read, "message_id"), List.copyOf(actions.values()));
  }

  private static @Nullable JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JacksonException wrong) {
      throw new UserError(
          "the hints '%s' are not JSON: %s"
              .formatted(
                  shown(json), INTERNALS.matcher(wrong.getOriginalMessage()).replaceAll("")));
    }
  }

  /** Returns a text that identifies something. */
  static String id(JsonNode of, String field) {
    JsonNode value = of.path(field);
    if (!value.isString()
        || value.stringValue().isEmpty()
        || value.stringValue().length() > LONGEST_ID) {
      throw new UserError(
          "%s '%s' must be a text of 1 to %d characters"
              .formatted(field, shown(value), LONGEST_ID));
    }
    return value.stringValue();
  }

  /** Returns the beginning of a value, for messages. */
  static String shown(JsonNode value) {
    return shown(value.isString() ? value.stringValue() : value.toString());
  }

  private static String shown(String text) {
    return UntrustedText.line(text.substring(0, Math.min(SHOWN, text.length())));
  }
}
