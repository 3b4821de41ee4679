package dev.ebb.host.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import org.jspecify.annotations.Nullable;

/** The body of a response with an error. */
public record ApiError(Detail error) {

  /**
   * An error.
   *
   * @param message one line
   * @param type the kind of error
   * @param param the wrong property; null if unknown
   * @param code the machine-readable reason; null if there is none
   */
  @JsonInclude(Include.ALWAYS)
  public record Detail(
      String message, String type, @Nullable String param, @Nullable String code) {}

  /** Returns an error whose type follows from the HTTP status. */
  public static ApiError of(int status, String message, @Nullable String code) {
    String type =
        switch (status) {
          case 401 -> "authentication_error";
          case 403 -> "permission_error";
          case 429 -> "rate_limit_error";
          default -> status < 500 ? "invalid_request_error" : "server_error";
        };
    return new ApiError(new Detail(message, type, null, code));
  }
}
