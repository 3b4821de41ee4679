package dev.ebb.host.text;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** URLs of HTTP servers, as users write them. */
public final class HttpUrl {

  /** What {@link #server} allows, for messages. */
  public static final String SERVER =
      "must be the URL of a server without a path, such as http://10.0.0.1:8000";

  private static final int LAST_PORT = 65_535;

  private HttpUrl() {}

  /** Returns a URL with http or https, a host, and no user; empty for other texts. */
  public static Optional<URI> parse(String text) {
    try {
      URI url = new URI(text);
      String scheme = url.getScheme();
      return ("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
              && url.getHost() != null
              && url.getPort() <= LAST_PORT
              && url.getRawUserInfo() == null
              && url.getRawFragment() == null
          ? Optional.of(url)
          : Optional.empty();
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  /** Returns the URL of a server, without the {@code /v1} of its API; empty for other texts. */
  public static Optional<URI> server(String text) {
    return parse(text.replaceFirst("/(v1/?)?$", ""))
        .filter(url -> url.getRawPath().isEmpty() && url.getRawQuery() == null);
  }
}
