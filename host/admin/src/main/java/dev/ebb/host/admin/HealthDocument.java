package dev.ebb.host.admin;

import dev.ebb.host.admin.advice.Advice;
import dev.ebb.host.runtime.PolicyRuntime;
import java.util.List;

/**
 * Whether a process can be used. It names nothing of clients, because no token is needed to see it.
 *
 * @param status {@code live}, {@code ready}, {@code starting}, {@code draining} or {@code damaged}
 */
public record HealthDocument(String status, List<String> reasons, List<String> warnings) {

  static final HealthDocument LIVE = new HealthDocument("live", List.of(), List.of());

  static final HealthDocument STARTING =
      new HealthDocument("starting", List.of("Ebb has not started yet"), List.of());

  static final HealthDocument DRAINING =
      new HealthDocument("draining", List.of("Ebb stops and accepts no new clients"), List.of());

  public HealthDocument {
    reasons = List.copyOf(reasons);
    warnings = List.copyOf(warnings);
  }

  private static HealthDocument damaged(String damage) {
    return new HealthDocument(
        "damaged",
        List.of(
            "the records of the cache are damaged: %s; start the process again, without the plugin that changed them"
                .formatted(damage)),
        List.of());
  }

  boolean isReady() {
    return reasons.isEmpty();
  }

  /** Returns the health of a process that accepts clients, or does not. */
  static HealthDocument of(boolean open, PolicyRuntime runtime, List<Advice> advice) {
    String damage = runtime.damage();
    return !open
        ? DRAINING
        : damage == null
            ? new HealthDocument("ready", List.of(), advice.stream().map(Advice::text).toList())
            : damaged(damage);
  }
}
