package dev.ebb.host.plugin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a generation's class loader after it was unloaded. Text only. */
public final class Unloading {

  /** Whether the loader is still in memory. */
  public enum Outcome {
    /** It is, and its time has not come. */
    WAITING,
    /** It is gone. */
    COLLECTED,
    /** It is, though it should not be: something of the plugin is still used. */
    HELD
  }

  private final String plugin;
  private final String version;
  private final String sha256;
  private final Duration unload;
  private Outcome outcome = Outcome.WAITING;
  private @Nullable Duration took;

  Unloading(Generation generation, Duration unload) {
    plugin = generation.id();
    version = generation.version();
    sha256 = generation.sha256();
    this.unload = unload;
  }

  synchronized void becomes(Outcome next, Duration after) {
    outcome = next;
    took = after;
  }

  /**
   * The plugin.
   *
   * @return its id
   */
  public String plugin() {
    return plugin;
  }

  /**
   * Its version.
   *
   * @return of the copy that was unloaded
   */
  public String version() {
    return version;
  }

  /**
   * Which copy it was.
   *
   * @return SHA-256 in hexadecimal
   */
  public String sha256() {
    return sha256;
  }

  /**
   * How long stopping and closing took.
   *
   * @return a time
   */
  public Duration unload() {
    return unload;
  }

  /**
   * Whether the loader is still in memory.
   *
   * @return as far as is known
   */
  public synchronized Outcome outcome() {
    return outcome;
  }

  /**
   * How long after the unloading the outcome was known.
   *
   * @return a time; null while waiting
   */
  public synchronized @Nullable Duration took() {
    return took;
  }
}
