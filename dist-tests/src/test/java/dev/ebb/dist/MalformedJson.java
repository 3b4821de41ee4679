package dev.ebb.dist;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Valid HTTP requests with malformed JSON, or with malformed HOCON in valid JSON. */
final class MalformedJson {

  private static final String[][] BODIES = {
    {"PUT", "/api/v1/policy", "{\"policy\": \"lfu(ageing=dynamic)\"}"},
    {
      "PATCH",
      "/api/v1/config",
      "{\"dryRun\": true, \"changes\": {\"ebb.eviction.ttl\": \"10 m\", \"ebb.eviction.threshold\":"
          + " 0.9}}"
    },
    {
      "PATCH",
      "/api/v1/config",
      "{\"dryRun\": true, \"changes\": {\"ebb.eviction.rules\": [{\"name\": \"a\", \"when\":"
          + " \"occupancy\", \"above\": \"96 %\", \"policy\": \"lru\"}]}}"
    },
    {"POST", "/api/v1/shadows", "{\"policies\": [\"no-such(a=1)\"]}"},
    {"POST", "/api/v1/pins", "{\"key\": \"k\", \"owner\": \"o\", \"seconds\": 3}"},
    {"POST", "/api/v1/evict", "{\"entries\": 1}"},
    {"POST", "/api/v1/evict", "{\"key\": \"k\"}"},
    {"POST", "/api/v1/route", "{\"keys\": [\"a\", \"b\"]}"},
    {"POST", "/api/v1/pool/defrag", "{\"device\": \"host\", \"bytes\": 100}"},
    {"POST", "/api/v1/pool/migrate", "{\"sequence\": 1, \"device\": \"host\"}"},
    {"POST", "/api/v1/policy/rules/resume", "{}"},
  };

  private static final String[] PIECES = {
    "lru",
    "lfu",
    "none",
    "auto",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "=",
    ":",
    ",",
    ".",
    "+=",
    "ageing",
    "dynamic",
    "${",
    "${?PATH}",
    "include",
    "file(",
    "url(\\\"http://x\\\")",
    "#",
    "//",
    "\\\"",
    "\\\"\\\"\\\"",
    "\\n",
    "\\u0000",
    "\\ud800",
    " ",
    "1e999999999",
    "-0",
    "99999999999999999999",
    "10 m",
    "1 GiB",
    "-5 %",
    "true",
    "null",
    "\u00e9",
    "a.b.c",
    "..",
    "plugin",
    "\\\\",
    "'",
    "`",
    "(((((((((",
    "[[[[[[[[["
  };

  private static final String[] BOMBS = {
    "[".repeat(30_000),
    "{\"a\":".repeat(9_000),
    "\"" + "a".repeat(60_000) + "\"",
    "1".repeat(60_000),
    "{\"policy\": 1e2147483647}",
    "{\"policy\": \"lru\", \"policy\": \"lfu\"}",
    "\u00ef\u00bb\u00bf{}",
    "{} {}",
    "{\"policy\": {\"a\": {\"b\": [[[[]]]]}}}",
    "null",
    "true",
    "\"\"",
    "[]",
    "{\"\\ud800\": 1}",
    "{\"x\": \"\u00ff\u00fe\"}",
    "{\"key\": \"%\"}",
    "{\"key\": \"%zz\"}",
    "{\"to\": NaN}",
    "{\"to\": -1e308}",
    "{\"entries\": -5}",
    "{\"seconds\": 1e400, \"key\": \"k\"}",
    "{\"bytes\": 9223372036854775808}",
    ",",
    "{,}",
    "{\"a\"}",
    "/* x */ {}"
  };

  private MalformedJson() {}

  static MalformedInput next(Random random) {
    String[] valid = BODIES[random.nextInt(BODIES.length)];
    return switch (random.nextInt(4)) {
      case 0 -> input("JSON, odd document", valid, bytes(BOMBS[random.nextInt(BOMBS.length)]));
      case 1 ->
          input(
              "HOCON, policy with settings",
              BODIES[0],
              bytes("{\"policy\": \"" + hocon(random) + "\"}"));
      case 2 ->
          input(
              "HOCON, configuration values",
              BODIES[1],
              bytes(
                  "{\"dryRun\": true, \"changes\": {\"ebb.eviction."
                      + key(random)
                      + "\": \""
                      + hocon(random)
                      + "\"}}"));
      default -> {
        Mutation mutation = Mutation.any(random);
        yield input("JSON, " + mutation, valid, mutation.apply(bytes(valid[2]), random));
      }
    };
  }

  private static String key(Random random) {
    String[] keys = {
      "policy",
      "ttl",
      "rules",
      "policies.lfu",
      "policies.lfu.ageing",
      "policies.x.y",
      "threshold",
      "deadline",
      "pin-budget",
      "no-such",
      "..",
      ""
    };
    return keys[random.nextInt(keys.length)];
  }

  private static String hocon(Random random) {
    StringBuilder text = new StringBuilder(random.nextBoolean() ? "lfu(" : "");
    for (int i = random.nextInt(12); i >= 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return random.nextInt(100) == 0 ? text.toString().repeat(200) : text.toString();
  }

  private static MalformedInput input(String kind, String[] call, byte[] body) {
    byte[] head =
        bytes(
            "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(call[0], call[1], body.length));
    byte[] all = java.util.Arrays.copyOf(head, head.length + body.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return new MalformedInput(kind, true, all);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
