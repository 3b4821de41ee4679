package dev.ebb.host.enginebench;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.HttpUrl;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.units.TimeSpan;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The server under load.
 *
 * @param base its address, without a slash and without {@code /v1} at the end
 * @param model the model; null for the first that the server lists
 * @param timeout how long to wait for each part of an answer
 * @param tls the trusted certificates; null for those of the JDK
 */
public record EngineTarget(
    URI base,
    Api api,
    @Nullable String model,
    @Nullable String apiKey,
    Duration timeout,
    @Nullable SSLContext tls) {

  public EngineTarget {
    if (!timeout.isPositive()) {
      throw new IllegalArgumentException("timeout '%s' must be above zero".formatted(timeout));
    }
    if (apiKey != null && !KeyText.isVisibleAscii(apiKey)) {
      throw new UserError(
          "the API key is empty, or has a space or a character beyond ASCII; check the file or"
              + " variable of --api-key");
    }
  }

  /**
   * Parses the address of a server.
   *
   * @param url for example {@code http://127.0.0.1:8000} or {@code http://127.0.0.1:8000/v1}
   * @throws UserError if it is not the address of an HTTP server
   */
  public static URI address(String url) {
    return HttpUrl.parse(url.strip().replaceFirst("/+$", "").replaceFirst("/v1$", ""))
        .filter(base -> base.getRawQuery() == null)
        .orElseThrow(() ->
            new UserError(
                "--url: '%s' is not the address of a server; write it as http://127.0.0.1:8000"
                    .formatted(url)));
  }

  String shownTimeout() {
    return TimeSpan.format(timeout.toNanos() / 1e9);
  }

  /** Returns the address; never the API key. */
  @Override
  public String toString() {
    return base.toString();
  }

  /** The API that requests use. */
  public enum Api {
    /** A prompt is one text. */
    COMPLETIONS("/v1/completions"),
    /** A prompt is the messages of a conversation, with the answers of the server. */
    CHAT("/v1/chat/completions");

    private final String path;

    Api(String path) {
      this.path = path;
    }

    String path() {
      return path;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
