package dev.ebb.llama.server;

import dev.ebb.host.http.Reply;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error in the format of the OpenAI API.
 *
 * @param message one line
 * @param type the kind of error
 * @param param the wrong property; null if unknown
 * @param code the machine-readable reason; null if there is none
 */
record OpenAiError(String message, String type, @Nullable String param, @Nullable String code) {

  static OpenAiError of(int status, String message, @Nullable String code) {
    return new OpenAiError(message, type(status), null, code);
  }

  private static String type(int status) {
    return switch (status) {
      case 401, 403 -> "authentication_error";
      case 429 -> "rate_limit_error";
      default -> status < 500 ? "invalid_request_error" : "server_error";
    };
  }

  /** Returns the document that contains the error. */
  Map<String, OpenAiError> document() {
    return Map.of("error", this);
  }

  static Reply reply(int status, String message, String code) {
    return Reply.json(status, of(status, message, code).document());
  }
}
