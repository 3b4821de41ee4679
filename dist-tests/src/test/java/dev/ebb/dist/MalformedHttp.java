package dev.ebb.dist;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Malformed requests for the HTTP API. */
final class MalformedHttp {

  private static final String[] METHODS = {
    "GET",
    "GET",
    "GET",
    "PUT",
    "POST",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "get",
    "G\0T",
    "",
    "X".repeat(2_000)
  };

  private static final String[] PATHS = {
    "/",
    "/health/live",
    "/health/ready",
    "/metrics",
    "/api/v1/stats",
    "/api/v1/history",
    "/api/v1/policies",
    "/api/v1/policy",
    "/api/v1/plugins",
    "/api/v1/config",
    "/api/v1/policy/rollback",
    "/api/v1/quarantine/lru",
    "/api/v1/plugins/history?tail=5",
    "/api/v1/policy/rules",
    "/api/v1/shadows",
    "/api/v1/shadows/lfu",
    "/api/v1/entries?limit=5",
    "/api/v1/entries/k",
    "/api/v1/explain/k",
    "/api/v1/pins",
    "/api/v1/pins/k?owner=o",
    "/api/v1/evict",
    "/api/v1/cluster/nodes/x",
    "/api/v1/route",
    "/api/v1/pool",
    "/api/v1/pool/map?cells=10",
    "/api/v1/pool/defrag",
    "/api/v1/pool/migrate",
    "/api/v1/evictions?tail=3",
    "/api/v1/openapi.json"
  };

  private static final String[] ODD_PATHS = {
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/api/v1/entries/%zz",
    "/api/v1/entries/%",
    "/api/v1/entries/%00",
    "/api/v1/entries/%ff%fe",
    "//////",
    "http://example.org/api/v1/stats",
    "*",
    "",
    "?",
    "/?&&&==",
    "/api/v1/entries?limit=-1",
    "/api/v1/entries?limit=99999999999999999999",
    "/api/v1/entries?cursor=%f0%9f%98",
    "/api/v1/evictions?since=x&since=y",
    "/api/v1/pool/map?cells=0",
    "/api/v1/pool/map?cells=99999999",
    "/api/v1/plugins/history?tail=-5",
    "/api/v1/\u00e9"
  };

  private static final String[] ODD_HEADERS = {
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: x",
    "Content-Length: 1000000000",
    "Transfer-Encoding: chunked\r\nContent-Length: 3",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: xchunked",
    "Host: example.org",
    "Host: 127.0.0.1:x",
    "Host:",
    "Host: a\r\nHost: b",
    "Origin: null",
    "Origin: http://example.org",
    "Sec-Fetch-Site: cross-site",
    "Content-Type: text/plain",
    "Content-Type: application/json; charset=utf-32",
    "Authorization: Bearer x",
    "Authorization: Basic !!!",
    "Expect: 100-continue",
    "Expect: x",
    "Upgrade: h2c\r\nConnection: Upgrade",
    "Connection: close",
    ": no name",
    "no colon",
    " folded: x",
    "X: \0",
    "Accept-Encoding: " + "gzip, ".repeat(300),
    "X-Long: " + "x".repeat(40_000),
    "X: y\r\n".repeat(100) + "Z: z"
  };

  private static final String[] CHUNKS = {
    "5\r\nhello\r\n0\r\n\r\n",
    "ffffffff\r\nx\r\n",
    "-1\r\n",
    "x\r\n",
    "5;ext=" + "y".repeat(9_000) + "\r\nhello\r\n",
    "2\r\nhello\r\n0\r\n\r\n",
    "0\r\nTrailer: x\r\n\r\n",
    "7fffffffffffffff\r\n{}",
    "",
    "5\r\nhel",
    "00000000000000005\r\nhello"
  };

  private MalformedHttp() {}

  static MalformedInput next(Random random) {
    return switch (random.nextInt(6)) {
      case 0 ->
          input("odd path", request(random, ODD_PATHS[random.nextInt(ODD_PATHS.length)], "", ""));
      case 1 ->
          input(
              "odd header",
              request(
                  random,
                  path(random),
                  ODD_HEADERS[random.nextInt(ODD_HEADERS.length)] + "\r\n",
                  "{}"));
      case 2 ->
          input(
              "odd chunks",
              request(
                  random,
                  path(random),
                  "Transfer-Encoding: chunked\r\n",
                  CHUNKS[random.nextInt(CHUNKS.length)]));
      case 3 -> input("odd request line", ascii(line(random) + "Host: 127.0.0.1\r\n\r\n"));
      default -> {
        Mutation mutation = Mutation.any(random);
        byte[] valid = request(random, path(random), "Content-Length: 2\r\n", "{}");
        yield input(mutation.toString(), mutation.apply(valid, random));
      }
    };
  }

  private static MalformedInput input(String kind, byte[] bytes) {
    return new MalformedInput("HTTP, " + kind, true, bytes);
  }

  private static String path(Random random) {
    return PATHS[random.nextInt(PATHS.length)];
  }

  private static String line(Random random) {
    String[] versions = {
      "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9.9", "HTTP/1.1.1", "", "http/1.1"
    };
    String[] spaces = {" ", "  ", "\t", "", "\0"};
    return METHODS[random.nextInt(METHODS.length)]
        + spaces[random.nextInt(spaces.length)]
        + path(random)
        + spaces[random.nextInt(spaces.length)]
        + versions[random.nextInt(versions.length)]
        + "\r\n";
  }

  private static byte[] request(Random random, String path, String headers, String body) {
    String method = METHODS[random.nextInt(METHODS.length)];
    return ascii(
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n%s\r\n%s"
            .formatted(method, path, headers, body));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
