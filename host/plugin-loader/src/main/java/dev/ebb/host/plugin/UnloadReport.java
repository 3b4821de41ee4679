package dev.ebb.host.plugin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of unloading a generation's class loader. Text only. */
public final class UnloadReport {

  /** Whether the loader is still in memory. */
  public enum Outcome {
    /** It is, and it has more time. */
    WAITING,
    /** It is gone. */
    COLLECTED,
    /** It is, though it should not be: something of the plugin is still in use. */
    HELD
  }

  private final String plugin;
  private final String version;
  private final String sha256;
  private final Duration unload;
  private Outcome outcome = Outcome.WAITING;
  private @Nullable Duration took;

  UnloadReport(Generation generation, Duration unload) {
    plugin = generation.id();
    version = generation.version();
    sha256 = generation.sha256();
    this.unload = unload;
  }

  synchronized void becomes(Outcome next, Duration after) {
    outcome = next;
    took = after;
  }

  public String plugin() {
    return plugin;
  }

  public String version() {
    return version;
  }

  /** Returns the SHA-256 of the copy in hexadecimal. */
  public String sha256() {
    return sha256;
  }

  /** Returns how long stopping and closing took. */
  public Duration unload() {
    return unload;
  }

  public synchronized Outcome outcome() {
    return outcome;
  }

  /** Returns the time from unloading until the outcome was known; null while waiting. */
  public synchronized @Nullable Duration took() {
    return took;
  }
}
