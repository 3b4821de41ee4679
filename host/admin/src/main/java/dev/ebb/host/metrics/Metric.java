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
  /** Bytes of values handed out. */
  READ_BYTES(Kind.COUNTER, "ebb_read_bytes_total", "Bytes of values handed out"),
  /** Bytes of values put. */
  WRITTEN_BYTES(Kind.COUNTER, "ebb_written_bytes_total", "Bytes of values put"),
  /** From the first byte of a value to its being visible. */
  STORAGE_SECONDS(
      Kind.HISTOGRAM, "ebb_storage_seconds", "From the first byte of a value to its being visible"),
  /** From asking for a value to its last byte being handed to the connection. */
  READ_SECONDS(
      Kind.HISTOGRAM,
      "ebb_read_seconds",
      "From asking for a value to its last byte being handed to the connection"),
  /** Time to take pool memory, evictions and waits included. */
  ALLOCATION_SECONDS(
      Kind.HISTOGRAM,
      "ebb_allocation_seconds",
      "Time to take pool memory, evictions and waits included"),
  /** Values being read now. */
  READING(Kind.GAUGE, "ebb_reading", "Values being read now"),
  /** From the time an entry is put to the time it leaves. */
  LIFETIME_SECONDS(
      Kind.HISTOGRAM,
      "ebb_lifetime_seconds",
      "From the time an entry is put to the time it leaves"),
  /** Entries evicted for room. */
  EVICTIONS(Kind.COUNTER, "ebb_evictions_total", "Entries evicted for room", "policy", "by"),
  /** Pool memory of entries evicted for room. */
  EVICTED_BYTES(
      Kind.COUNTER,
      "ebb_evicted_bytes_total",
      "Pool memory of entries evicted for room",
      "policy",
      "by"),
  /** Entries that left. */
  REMOVALS(Kind.COUNTER, "ebb_removals_total", "Entries that left", "cause"),
  /** Pool memory of entries that left. */
  REMOVED_BYTES(
      Kind.COUNTER, "ebb_removed_bytes_total", "Pool memory of entries that left", "cause"),
  /** Runs of evictions. */
  EVICTION_PASSES(Kind.COUNTER, "ebb_eviction_passes_total", "Runs of evictions"),
  /** Victims that a policy offered and that could not leave. */
  EVICTION_REFUSALS(
      Kind.COUNTER,
      "ebb_eviction_refusals_total",
      "Victims that a policy offered and that could not leave"),
  /** Time of a run of evictions. */
  EVICTION_SECONDS(Kind.HISTOGRAM, "ebb_eviction_seconds", "Time of a run of evictions"),
  /** Time of a policy to name who leaves next. */
  VICTIM_SECONDS(Kind.HISTOGRAM, "ebb_victim_seconds", "Time of a policy to name who leaves next"),
  /** Times that somebody waited for room. */
  ROOM_WAITS(Kind.COUNTER, "ebb_room_waits_total", "Times that somebody waited for room"),
  /** Values read to their end and not kept for want of room. */
  NOT_ADMITTED(
      Kind.COUNTER,
      "ebb_not_admitted_total",
      "Values read to their end and not kept for want of room"),
  /** Evicted entries that were requested again shortly afterwards. */
  PREMATURE_EVICTIONS(
      Kind.COUNTER,
      "ebb_premature_evictions_total",
      "Evicted entries that were requested again shortly afterwards"),
  /** Pool memory of prematurely evicted entries. */
  PREMATURE_EVICTION_BYTES(
      Kind.COUNTER,
      "ebb_premature_eviction_bytes_total",
      "Pool memory of prematurely evicted entries"),
  /** Sum of the seconds from eviction to next request, over premature evictions. */
  PREMATURE_EVICTION_GAP_SECONDS(
      Kind.COUNTER,
      "ebb_premature_eviction_gap_seconds_total",
      "Sum of the seconds from eviction to next request, over premature evictions"),
  /** Fraction of evicted entries that were requested again, 0 to 1. */
  RE_PREFILL(
      Kind.GAUGE,
      "ebb_re_prefill_ratio",
      "Fraction of evicted entries that were requested again, 0 to 1"),
  /** Evicted entries that Ebb remembers to detect premature evictions. */
  PREMATURE_EVICTION_WINDOW(
      Kind.GAUGE,
      "ebb_premature_eviction_window",
      "Evicted entries that Ebb remembers to detect premature evictions"),
  /** Jain's index over tenants' hit ratios; none while no tenant is known. */
  FAIRNESS(
      Kind.GAUGE,
      "ebb_fairness_ratio",
      "Jain's index over tenants' hit ratios; none while no tenant is known"),
  /** Keys with a value. */
  KEYS(Kind.GAUGE, "ebb_keys", "Keys with a value"),
  /** Entries in each state; of ends of a life, how many ever came there. */
  ENTRIES(
      Kind.GAUGE,
      "ebb_entries",
      "Entries in each state; of ends of a life, how many ever came there",
      "state"),
  /** Pool memory charged to values. */
  USED_BYTES(Kind.GAUGE, "ebb_pool_used_bytes", "Pool memory charged to values", "partition"),
  /** Pool memory in all. */
  CAPACITY_BYTES(Kind.GAUGE, "ebb_pool_capacity_bytes", "Pool memory in all", "partition"),
  /** Pool memory that could be freed now. */
  EVICTABLE_BYTES(
      Kind.GAUGE, "ebb_pool_evictable_bytes", "Pool memory that could be freed now", "partition"),
  /** Share of the pool in use, 0 to 1. */
  OCCUPANCY(Kind.GAUGE, "ebb_pool_occupancy_ratio", "Share of the pool in use, 0 to 1"),
  /** Entries that operators have pinned. */
  PINNED(Kind.GAUGE, "ebb_pinned_entries", "Entries that operators have pinned"),
  /** Pool memory that those take. */
  PINNED_BYTES(Kind.GAUGE, "ebb_pinned_bytes", "Pool memory that those take"),
  /** Values of a tenant asked for and there. */
  TENANT_HITS(
      Kind.COUNTER, "ebb_tenant_hits_total", "Values of a tenant asked for and there", "tenant"),
  /** Values of a tenant asked for and not there. */
  TENANT_MISSES(
      Kind.COUNTER,
      "ebb_tenant_misses_total",
      "Values of a tenant asked for and not there",
      "tenant"),
  /** Pool memory that a tenant takes. */
  TENANT_USED_BYTES(
      Kind.GAUGE, "ebb_tenant_used_bytes", "Pool memory that a tenant takes", "tenant"),
  /** Entries of a tenant evicted for room. */
  TENANT_EVICTIONS(
      Kind.COUNTER, "ebb_tenant_evictions_total", "Entries of a tenant evicted for room", "tenant"),
  /** Pool memory of those. */
  TENANT_EVICTED_BYTES(
      Kind.COUNTER, "ebb_tenant_evicted_bytes_total", "Pool memory of those", "tenant"),
  /** Entries of a tenant that left. */
  TENANT_REMOVALS(
      Kind.COUNTER,
      "ebb_tenant_removals_total",
      "Entries of a tenant that left",
      "tenant",
      "cause"),
  /** Exchanges of the policy, and attempts at one. */
  POLICY_SWAPS(
      Kind.COUNTER, "ebb_policy_swaps_total", "Exchanges of the policy, and attempts at one"),
  /** 1 for the rule that has activated its policy, 0 for the others. */
  POLICY_RULE(
      Kind.GAUGE,
      "ebb_policy_rule_active",
      "1 for the rule that has activated its policy, 0 for the others",
      "rule"),
  /** Times that a rule has activated its policy. */
  POLICY_RULE_SWITCHES(
      Kind.COUNTER,
      "ebb_policy_rule_switches_total",
      "Times that a rule has activated its policy",
      "rule"),
  /** 1 while rules are paused, else 0. */
  POLICY_RULES_PAUSED(Kind.GAUGE, "ebb_policy_rules_paused", "1 while rules are paused, else 0"),
  /** Policies in quarantine, because they broke their contract. */
  POLICY_QUARANTINE(
      Kind.GAUGE,
      "ebb_policy_quarantine",
      "Policies in quarantine, because they broke their contract"),
  /** Class loaders of plugins unloaded and still in memory. */
  PLUGIN_LOADERS(
      Kind.GAUGE,
      "ebb_plugin_loaders_uncollected",
      "Class loaders of plugins unloaded and still in memory"),
  /** 1 for the active policy. */
  POLICY(Kind.GAUGE, "ebb_policy_active", "1 for the active policy", "policy"),
  /** A policy's inner state, by its own names. */
  POLICY_GAUGE(
      Kind.GAUGE,
      "ebb_policy_gauge",
      "A policy's inner state, by its own names",
      "partition",
      "gauge"),
  /** Times that a policy broke its contract. */
  POLICY_FAULTS(
      Kind.COUNTER, "ebb_policy_faults_total", "Times that a policy broke its contract", "kind"),
  /** Events that the policy has not been told of. */
  POLICY_QUEUE(
      Kind.GAUGE,
      "ebb_policy_queue_events",
      "Events that the policy has not been told of",
      "partition"),
  /** Events that the policy was told of. */
  POLICY_EVENTS(Kind.COUNTER, "ebb_policy_events_total", "Events that the policy was told of"),
  /** Time spent in the policy's code. */
  POLICY_BUSY(Kind.COUNTER, "ebb_policy_busy_seconds_total", "Time spent in the policy's code"),
  /** Threads given up because their policy did not come back. */
  POLICY_ABANDONED(
      Kind.COUNTER,
      "ebb_policy_abandoned_threads_total",
      "Threads given up because their policy did not come back"),
  /** Share of keys that is sampled for candidates; 0 without candidates. */
  SHADOW_SAMPLE(
      Kind.GAUGE,
      "ebb_shadow_sample_ratio",
      "Share of keys that is sampled for candidates; 0 without candidates"),
  /** 1 for the state that a candidate is in, 0 for the others. */
  SHADOW_STATE(
      Kind.GAUGE,
      "ebb_shadow_state",
      "1 for the state that a candidate is in, 0 for the others",
      "policy",
      "state"),
  /** Hit ratio that a candidate would have, estimated, 0 to 1. */
  SHADOW_HIT_RATIO(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio",
      "Hit ratio that a candidate would have, estimated, 0 to 1",
      "policy"),
  /** Lower end of the band in which it lies 19 times in 20. */
  SHADOW_HIT_RATIO_LOW(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio_low",
      "Lower end of the band in which it lies 19 times in 20",
      "policy"),
  /** Upper end of that band. */
  SHADOW_HIT_RATIO_HIGH(
      Kind.GAUGE, "ebb_shadow_hit_ratio_high", "Upper end of that band", "policy"),
  /** That hit ratio less what the cache has hit meanwhile, counted. */
  SHADOW_DIFFERENCE(
      Kind.GAUGE,
      "ebb_shadow_difference_ratio",
      "That hit ratio less what the cache has hit meanwhile, counted",
      "policy"),
  /** Time of a candidate for a sampled access. */
  SHADOW_ACCESS_SECONDS(
      Kind.GAUGE,
      "ebb_shadow_access_seconds",
      "Time of a candidate for a sampled access",
      "policy"),
  /** Sampled accesses that a candidate did not keep up with. */
  SHADOW_DROPPED(
      Kind.COUNTER,
      "ebb_shadow_dropped_accesses_total",
      "Sampled accesses that a candidate did not keep up with",
      "policy"),
  /** Open connections of clients. */
  CONNECTIONS(Kind.GAUGE, "ebb_connections", "Open connections of clients"),
  /** Connections ever opened. */
  CONNECTIONS_OPENED(Kind.COUNTER, "ebb_connections_opened_total", "Connections ever opened"),
  /** Commands of clients carried out or refused. */
  COMMANDS(Kind.COUNTER, "ebb_commands_total", "Commands of clients carried out or refused"),
  /** Tokens of prompts. */
  PROMPT_TOKENS(Kind.COUNTER, "ebb_prompt_tokens_total", "Tokens of prompts"),
  /** Tokens of prompts whose K and V were there. */
  PREFIX_HIT_TOKENS(
      Kind.COUNTER, "ebb_prefix_hit_tokens_total", "Tokens of prompts whose K and V were there"),
  /** Tokens of cached blocks evicted for room. */
  EVICTED_TOKENS(
      Kind.COUNTER, "ebb_evicted_tokens_total", "Tokens of cached blocks evicted for room"),
  /** Times that a token policy chose which tokens of a sequence stay. */
  TOKEN_PASSES(
      Kind.COUNTER,
      "ebb_token_passes_total",
      "Times that a token policy chose which tokens of a sequence stay",
      "policy"),
  /** Tokens that stayed in those sequences. */
  TOKENS_KEPT(
      Kind.COUNTER, "ebb_token_kept_total", "Tokens that stayed in those sequences", "policy"),
  /** Tokens that left those sequences. */
  TOKENS_DROPPED(
      Kind.COUNTER, "ebb_token_dropped_total", "Tokens that left those sequences", "policy"),
  /** Pool memory that went back then. */
  TOKEN_FREED_BYTES(
      Kind.COUNTER, "ebb_token_freed_bytes_total", "Pool memory that went back then", "policy"),
  /** Times that tokens should have left and a policy's choice could not be had or made true. */
  TOKEN_FAILURES(
      Kind.COUNTER,
      "ebb_token_failures_total",
      "Times that tokens should have left and a policy's choice could not be had or made true",
      "reason"),
  /** Times that sliding-window took another token policy's place. */
  TOKEN_FALLBACKS(
      Kind.COUNTER,
      "ebb_token_fallbacks_total",
      "Times that sliding-window took another token policy's place",
      "reason"),
  /** Time to choose which tokens of a sequence stay, and to move them together. */
  TOKEN_PASS_SECONDS(
      Kind.HISTOGRAM,
      "ebb_token_pass_seconds",
      "Time to choose which tokens of a sequence stay, and to move them together"),
  /** Open sequences. */
  SEQUENCES(Kind.GAUGE, "ebb_sequences", "Open sequences", "device"),
  /** Sequences that ended. */
  SEQUENCES_ENDED(Kind.COUNTER, "ebb_sequences_ended_total", "Sequences that ended", "end"),
  /** Blocks whose bytes were copied elsewhere. */
  MOVED_BLOCKS(
      Kind.COUNTER, "ebb_moved_blocks_total", "Blocks whose bytes were copied elsewhere", "kind"),
  /** Free blocks that lie in short runs, of all free ones, 0 to 1. */
  FRAGMENTATION(
      Kind.GAUGE,
      "ebb_pool_fragmentation_ratio",
      "Free blocks that lie in short runs, of all free ones, 0 to 1",
      "device"),
  /** 1 while new work is taken, else 0. */
  READY(Kind.GAUGE, "ebb_ready", "1 while new work is taken, else 0");

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
