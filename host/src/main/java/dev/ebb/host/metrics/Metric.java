package dev.ebb.host.metrics;

import java.util.List;

/** Every metric of Ebb's own. {@code docs/metrics.md} is the same list for readers. */
public enum Metric {
  /** Values asked for and there. */
  HITS(Kind.COUNTER, "ebb_hits_total", "Values asked for and there"),
  /** Values asked for and not there. */
  MISSES(Kind.COUNTER, "ebb_misses_total", "Values asked for and not there"),
  /** Values put. */
  CREATIONS(Kind.COUNTER, "ebb_creations_total", "Values put"),
  /** Entries evicted for room. */
  EVICTIONS(Kind.COUNTER, "ebb_evictions_total", "Entries evicted for room"),
  /** Keys whose time had come. */
  EXPIRATIONS(Kind.COUNTER, "ebb_expirations_total", "Keys whose time had come"),
  /** Values not kept for want of room. */
  NOT_ADMITTED(
      Kind.COUNTER,
      "ebb_not_admitted_total",
      "Values read to their end and not kept for want of room"),
  /** Keys with a value. */
  KEYS(Kind.GAUGE, "ebb_keys", "Keys with a value"),
  /** Pool memory charged. */
  USED_BYTES(Kind.GAUGE, "ebb_pool_used_bytes", "Pool memory charged to values"),
  /** Pool memory in all. */
  CAPACITY_BYTES(Kind.GAUGE, "ebb_pool_capacity_bytes", "Pool memory in all"),
  /** Share of the pool in use. */
  OCCUPANCY(Kind.GAUGE, "ebb_pool_occupancy_ratio", "Share of the pool in use, 0 to 1"),
  /** The policy in force. */
  POLICY(Kind.GAUGE, "ebb_policy_in_force", "1 for the policy in force", "policy"),
  /** Open connections. */
  CONNECTIONS(Kind.GAUGE, "ebb_connections", "Open connections of clients"),
  /** Connections ever. */
  CONNECTIONS_OPENED(Kind.COUNTER, "ebb_connections_opened_total", "Connections ever opened"),
  /** Commands run. */
  COMMANDS(Kind.COUNTER, "ebb_commands_total", "Commands of clients carried out or refused"),
  /** Whether clients are served. */
  READY(Kind.GAUGE, "ebb_ready", "1 while new clients are taken, else 0");

  /** What a value means. */
  public enum Kind {
    /** Grows from the start on. */
    COUNTER,
    /** As of now. */
    GAUGE,
    /** Counts by size since the start. */
    HISTOGRAM
  }

  private final Kind kind;
  private final String fullName;
  private final String help;

  // Made by List.of.
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<String> labels;

  Metric(Kind kind, String fullName, String help, String... labels) {
    this.kind = kind;
    this.fullName = fullName;
    this.help = help;
    this.labels = List.of(labels);
  }

  /**
   * What its values mean.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * Its name as Prometheus shows it.
   *
   * @return with prefix and unit; a counter's ends in {@code _total}
   */
  public String fullName() {
    return fullName;
  }

  /**
   * What it tells.
   *
   * @return one line
   */
  public String help() {
    return help;
  }

  /**
   * What its values are told apart by.
   *
   * @return names in order, possibly none
   */
  public List<String> labels() {
    return labels;
  }

  /** The client appends the suffix of counters and infos itself. */
  String baseName() {
    return kind == Kind.COUNTER
        ? fullName.substring(0, fullName.length() - "_total".length())
        : fullName;
  }
}
