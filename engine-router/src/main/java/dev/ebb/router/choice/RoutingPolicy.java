package dev.ebb.router.choice;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ebb.host.http.Json;

/** How an engine is chosen for a request. */
public enum RoutingPolicy {
  /** The lowest cost: see {@link EngineSelector}. */
  PREFIX,
  /** One after the other. */
  ROUND_ROBIN,
  /** The fewest requests. */
  LEAST_LOADED;

  /** Returns the name in options. */
  @Override
  @JsonValue
  public String toString() {
    return Json.word(this);
  }
}
