package dev.ebb.host.config.server;

/** The two formats of vLLM's KV events. */
public enum KvEventsFormat {
  /** Events are maps, and replays name the topic: vLLM since June 2026. */
  MAP,
  /** Events are arrays, and replays do not name the topic: earlier versions. */
  ARRAY
}
