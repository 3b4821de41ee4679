package dev.ebb.host.admin;

/** Sends a few of all client commands, so that no metric is zero. */
final class Storm {

  private Storm() {}

  static void of(AdminProcess process) {
    for (int i = 0; i < 60; i++) {
      process.put(key(i), 60_000);
      process.jedis().get(key(i));
      process.jedis().get(key(i - 40));
    }
  }

  private static String key(int i) {
    return "model@1@0@%04x@ann".formatted(i & 0xFFFF);
  }
}
