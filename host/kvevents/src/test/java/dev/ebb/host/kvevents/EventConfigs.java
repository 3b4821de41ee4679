package dev.ebb.host.kvevents;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsConfig.TokenSources;
import dev.ebb.host.config.server.KvEventsFormat;
import org.jspecify.annotations.Nullable;

/** Configurations of publishers on this machine. */
public final class EventConfigs {

  /** Any free port. */
  public static final String ANY = "tcp://127.0.0.1:*";

  private EventConfigs() {}

  /** Returns a publisher with replays, which takes tokens from requests. */
  static KvEventsConfig of(String topic, KvEventsFormat format, int bufferSteps) {
    return of(ANY, ANY, topic, format, bufferSteps, TokenSources.requests(0, 1 << 20));
  }

  /**
   * Returns a publisher.
   *
   * @param replay the endpoint of replays; null for none
   */
  public static KvEventsConfig of(
      String endpoint,
      @Nullable String replay,
      String topic,
      KvEventsFormat format,
      int bufferSteps,
      TokenSources sources) {
    return new KvEventsConfig(
        true, endpoint, false, replay, topic, "CPU", format, bufferSteps, sources);
  }
}
