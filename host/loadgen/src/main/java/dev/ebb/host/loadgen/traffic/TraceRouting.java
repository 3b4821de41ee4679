package dev.ebb.host.loadgen.traffic;

import java.util.Locale;

/** The choice of a server for each request of a trace. */
public enum TraceRouting {
  /** One server after the other. */
  ROUND_ROBIN,
  /** By a hash of the first chunk: the same start of a prompt, the same server. */
  HASH,
  /** The node that Ebb ranks first for the chunks of the request. */
  AFFINITY;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
