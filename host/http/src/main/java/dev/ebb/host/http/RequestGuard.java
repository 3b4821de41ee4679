package dev.ebb.host.http;

import com.sun.net.httpserver.Headers;
import dev.ebb.host.login.FailedLogins;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a request is allowed. With a token, only requests that carry it are allowed.
 * Without a token, the server listens on loopback, where a web page in an operator's browser can
 * reach it. The Host header must then name this machine, which prevents DNS rebinding. The Origin
 * header must not name another site. A request that changes something must send JSON, or bytes
 * where the operation takes them, which HTML forms cannot do.
 */
final class RequestGuard {

  private static final Set<String> CHANGING = Set.of("POST", "PUT", "PATCH");

  /** The page is of this server, or there is none: an address that was typed. */
  private static final Set<String> SAME_SITES = Set.of("same-origin", "none");

  private final AccessTokens tokens;
  private final String tokenName;
  private final FailedLogins logins = new FailedLogins("admin");

  RequestGuard(AccessTokens tokens, String tokenName) {
    this.tokens = tokens;
    this.tokenName = tokenName;
  }

  /**
   * Refuses a request that is not allowed.
   *
   * @return the owner of the request's token; empty if there is none
   */
  String check(String address, String method, Headers headers, Operation operation) {
    boolean open = operation.access() == Operation.Access.OPEN;
    if (tokens.isEmpty()) {
      checkHost(headers.getFirst("Host"));
    }
    checkOrigin(headers);
    if (!open) {
      checkSite(headers.getFirst("Sec-Fetch-Site"));
    }
    String owner =
        open || tokens.isEmpty() ? "" : checkToken(address, headers.get("Authorization"));
    if (CHANGING.contains(method)) {
      checkType(
          headers.getFirst("Content-Type"),
          operation.body() == null ? "application/octet-stream" : "application/json");
    }
    return owner;
  }

  private String checkToken(String address, @Nullable List<String> authorizations) {
    byte[] given = given(authorizations);
    String owner = tokens.owner(given);
    FailedLogins.Result result =
        authorizations == null
            ? FailedLogins.Result.WRONG
            : logins.check(address, owner != null, given);
    switch (result) {
      case ACCEPTED -> {}
      case WRONG ->
          throw new HttpException(
              401,
              (given.length == 0
                      ? "a token is needed: send 'Authorization: Bearer TOKEN' with that of %s"
                      : "the token is not one of %s; send one of these")
                  .formatted(tokenName));
      case LIMITED -> throw new HttpException(429, FailedLogins.TOO_MANY);
    }
    return owner == null ? "" : owner;
  }

  private void checkHost(@Nullable String host) {
    String name = host == null ? null : hostName(host);
    if (name == null || !isLoopback(name)) {
      throw new HttpException(
          403,
          "the host '%s' is not this machine's; use localhost or 127.0.0.1, or set %s"
              .formatted(host == null ? "" : host, tokenName));
    }
  }

  private static boolean isLoopback(String name) {
    return name.equals("localhost")
        || name.equals("[::1]")
        || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  private static @Nullable String hostName(String host) {
    try {
      URI uri = new URI("http://" + host);
      String name = uri.getHost();
      // Anything else around the name, such as a user, is not a host.
      boolean alone = uri.getRawUserInfo() == null && host.equals(uri.getRawAuthority());
      return name == null || !alone ? null : name.toLowerCase(Locale.ROOT);
    } catch (URISyntaxException malformed) {
      return null;
    }
  }

  private static void checkOrigin(Headers headers) {
    String origin = headers.getFirst("Origin");
    String host = headers.getFirst("Host");
    if (origin != null
        && !origin.equalsIgnoreCase("http://" + host)
        && !origin.equalsIgnoreCase("https://" + host)) {
      throw new HttpException(403, "pages of '%s' may not call this".formatted(origin));
    }
  }

  /**
   * Refuses requests of other sites' pages that have no Origin header, such as that of an image.
   * They could start a recording.
   */
  private static void checkSite(@Nullable String site) {
    if (site != null && !SAME_SITES.contains(site)) {
      throw new HttpException(
          403, "pages of other sites may not call this (Sec-Fetch-Site: '%s')".formatted(site));
    }
  }

  /** Returns the token of a request; empty if it has none. */
  private static byte[] given(@Nullable List<String> authorizations) {
    String given =
        authorizations == null || authorizations.size() != 1 ? "" : authorizations.getFirst();
    boolean bearer = given.regionMatches(true, 0, "Bearer ", 0, 7);
    return (bearer ? given.substring(7).strip() : "").getBytes(StandardCharsets.UTF_8);
  }

  private static void checkType(@Nullable String type, String needed) {
    String media = type == null ? "" : type.split(";", 2)[0].strip();
    if (!media.equalsIgnoreCase(needed)) {
      throw new HttpException(
          415, "the content type '%s' must be %s".formatted(type == null ? "" : type, needed));
    }
  }
}
