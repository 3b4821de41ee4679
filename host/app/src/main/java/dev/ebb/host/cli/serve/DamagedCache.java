package dev.ebb.host.cli.serve;

import java.util.concurrent.TimeUnit;

/** Ends a serving process whose cache is damaged, so that its supervisor starts another. */
final class DamagedCache {

  static final int EXIT_CODE = 4;

  /** Load balancers see that the process is not ready. */
  private static final long NOTICE_SECONDS = 2;

  private DamagedCache() {}

  /**
   * Ends the process.
   *
   * @param policy the active one, which may be the cause
   */
  static void end(String policy, String damage) {
    try {
      TimeUnit.SECONDS.sleep(NOTICE_SECONDS);
      System.err.println(
          "ebb: the records of the cache are damaged: %s; the process ends with status %d so that it is started again. A plugin has changed them by reflection, perhaps that of policy '%s': if it happens again, remove the plugin"
              .formatted(damage, EXIT_CODE, policy));
      System.err.flush();
    } catch (InterruptedException byAPlugin) {
      // Then the process ends earlier.
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
