package dev.ebb.host.metrics;

import java.util.List;

/** Every metric of Ebb's own. {@code docs/metrics.md} is the same list for readers. */
public enum Metric {
  /** Requested values that were resident. */
  HITS(Kind.COUNTER, "ebb_hits_total", "Requested values that were resident"),
  /** Requested values that were not resident. */
  MISSES(Kind.COUNTER, "ebb_misses_total", "Requested values that were not resident"),
  /** Stored values. */
  CREATIONS(Kind.COUNTER, "ebb_creations_total", "Stored values"),
  /** Bytes of values read. */
  READ_BYTES(Kind.COUNTER, "ebb_read_bytes_total", "Bytes of values read"),
  /** Bytes of values stored. */
  WRITTEN_BYTES(Kind.COUNTER, "ebb_written_bytes_total", "Bytes of values stored"),
  /** Time from the first byte of a value until it is visible. */
  STORAGE_SECONDS(
      Kind.HISTOGRAM,
      "ebb_storage_seconds",
      "Time from the first byte of a value until it is visible"),
  /** Time from a request until the last byte of its value is handed to the connection. */
  READ_SECONDS(
      Kind.HISTOGRAM,
      "ebb_read_seconds",
      "Time from a request until the last byte of its value is handed to the connection"),
  /** Time to allocate pool memory, including evictions and waits. */
  ALLOCATION_SECONDS(
      Kind.HISTOGRAM,
      "ebb_allocation_seconds",
      "Time to allocate pool memory, including evictions and waits"),
  /** Values being read. */
  READING(Kind.GAUGE, "ebb_reading", "Values being read"),
  /** Time from storing an entry to its removal. */
  LIFETIME_SECONDS(
      Kind.HISTOGRAM, "ebb_lifetime_seconds", "Time from storing an entry to its removal"),
  /** Evicted entries. */
  EVICTIONS(Kind.COUNTER, "ebb_evictions_total", "Evicted entries", "policy", "by"),
  /** Pool memory of evicted entries. */
  EVICTED_BYTES(
      Kind.COUNTER, "ebb_evicted_bytes_total", "Pool memory of evicted entries", "policy", "by"),
  /** Removed entries. */
  REMOVALS(Kind.COUNTER, "ebb_removals_total", "Removed entries", "cause"),
  /** Pool memory of removed entries. */
  REMOVED_BYTES(Kind.COUNTER, "ebb_removed_bytes_total", "Pool memory of removed entries", "cause"),
  /** Eviction passes. */
  EVICTION_PASSES(Kind.COUNTER, "ebb_eviction_passes_total", "Eviction passes"),
  /** Victims of a policy that could not be evicted. */
  EVICTION_REFUSALS(
      Kind.COUNTER, "ebb_eviction_refusals_total", "Victims of a policy that could not be evicted"),
  /** Duration of an eviction pass. */
  EVICTION_SECONDS(Kind.HISTOGRAM, "ebb_eviction_seconds", "Duration of an eviction pass"),
  /** Time that a policy takes to choose a victim. */
  VICTIM_SECONDS(
      Kind.HISTOGRAM, "ebb_victim_seconds", "Time that a policy takes to choose a victim"),
  /** Times that a client waited for memory. */
  ROOM_WAITS(Kind.COUNTER, "ebb_room_waits_total", "Times that a client waited for memory"),
  /** Values that were not stored because they did not fit. */
  NOT_ADMITTED(
      Kind.COUNTER,
      "ebb_not_admitted_total",
      "Values that were not stored because they did not fit"),
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
  /** Jain's index over tenants' hit ratios; absent without tenants. */
  FAIRNESS(
      Kind.GAUGE,
      "ebb_fairness_ratio",
      "Jain's index over tenants' hit ratios; absent without tenants"),
  /** Resident keys. */
  KEYS(Kind.GAUGE, "ebb_keys", "Resident keys"),
  /** Entries in each state; totals for evicted, expired and removed. */
  ENTRIES(
      Kind.GAUGE,
      "ebb_entries",
      "Entries in each state; totals for evicted, expired and removed",
      "state"),
  /** Used pool memory. */
  USED_BYTES(Kind.GAUGE, "ebb_pool_used_bytes", "Used pool memory", "partition"),
  /** Total pool memory. */
  CAPACITY_BYTES(Kind.GAUGE, "ebb_pool_capacity_bytes", "Total pool memory", "partition"),
  /** Pool memory of evictable entries. */
  EVICTABLE_BYTES(
      Kind.GAUGE, "ebb_pool_evictable_bytes", "Pool memory of evictable entries", "partition"),
  /** Used share of the pool, 0 to 1. */
  OCCUPANCY(Kind.GAUGE, "ebb_pool_occupancy_ratio", "Used share of the pool, 0 to 1"),
  /** Entries pinned by operators. */
  PINNED(Kind.GAUGE, "ebb_pinned_entries", "Entries pinned by operators"),
  /** Pool memory of pinned entries. */
  PINNED_BYTES(Kind.GAUGE, "ebb_pinned_bytes", "Pool memory of pinned entries"),
  /** Requested values of a tenant that were resident. */
  TENANT_HITS(
      Kind.COUNTER,
      "ebb_tenant_hits_total",
      "Requested values of a tenant that were resident",
      "tenant"),
  /** Requested values of a tenant that were not resident. */
  TENANT_MISSES(
      Kind.COUNTER,
      "ebb_tenant_misses_total",
      "Requested values of a tenant that were not resident",
      "tenant"),
  /** Pool memory of a tenant. */
  TENANT_USED_BYTES(Kind.GAUGE, "ebb_tenant_used_bytes", "Pool memory of a tenant", "tenant"),
  /** Evicted entries of a tenant. */
  TENANT_EVICTIONS(
      Kind.COUNTER, "ebb_tenant_evictions_total", "Evicted entries of a tenant", "tenant"),
  /** Pool memory of evicted entries of a tenant. */
  TENANT_EVICTED_BYTES(
      Kind.COUNTER,
      "ebb_tenant_evicted_bytes_total",
      "Pool memory of evicted entries of a tenant",
      "tenant"),
  /** Removed entries of a tenant. */
  TENANT_REMOVALS(
      Kind.COUNTER, "ebb_tenant_removals_total", "Removed entries of a tenant", "tenant", "cause"),
  /** Policy switches and attempts. */
  POLICY_SWAPS(Kind.COUNTER, "ebb_policy_swaps_total", "Policy switches and attempts"),
  /** 1 for the active rule, 0 for the others. */
  POLICY_RULE(
      Kind.GAUGE, "ebb_policy_rule_active", "1 for the active rule, 0 for the others", "rule"),
  /** Times that a rule activated its policy. */
  POLICY_RULE_SWITCHES(
      Kind.COUNTER,
      "ebb_policy_rule_switches_total",
      "Times that a rule activated its policy",
      "rule"),
  /** 1 while rules are paused, else 0. */
  POLICY_RULES_PAUSED(Kind.GAUGE, "ebb_policy_rules_paused", "1 while rules are paused, else 0"),
  /** Policies in quarantine. */
  POLICY_QUARANTINE(Kind.GAUGE, "ebb_policy_quarantine", "Policies in quarantine"),
  /** Unloaded class loaders of plugins that are still in memory. */
  PLUGIN_LOADERS(
      Kind.GAUGE,
      "ebb_plugin_loaders_uncollected",
      "Unloaded class loaders of plugins that are still in memory"),
  /** 1 for the active policy. */
  POLICY(Kind.GAUGE, "ebb_policy_active", "1 for the active policy", "policy"),
  /** Internal state of the policy, under names of its own. */
  POLICY_GAUGE(
      Kind.GAUGE,
      "ebb_policy_gauge",
      "Internal state of the policy, under names of its own",
      "partition",
      "gauge"),
  /** Contract violations of policies. */
  POLICY_FAULTS(Kind.COUNTER, "ebb_policy_faults_total", "Contract violations of policies", "kind"),
  /** Events that the policy has not processed yet. */
  POLICY_QUEUE(
      Kind.GAUGE,
      "ebb_policy_queue_events",
      "Events that the policy has not processed yet",
      "partition"),
  /** Events that the policy has processed. */
  POLICY_EVENTS(Kind.COUNTER, "ebb_policy_events_total", "Events that the policy has processed"),
  /** Time spent in the policy's code. */
  POLICY_BUSY(Kind.COUNTER, "ebb_policy_busy_seconds_total", "Time spent in the policy's code"),
  /** Threads abandoned because their policy did not return. */
  POLICY_ABANDONED(
      Kind.COUNTER,
      "ebb_policy_abandoned_threads_total",
      "Threads abandoned because their policy did not return"),
  /** Sampled share of keys; 0 without candidates. */
  SHADOW_SAMPLE(
      Kind.GAUGE, "ebb_shadow_sample_ratio", "Sampled share of keys; 0 without candidates"),
  /** 1 for the state of a candidate, 0 for the others. */
  SHADOW_STATE(
      Kind.GAUGE,
      "ebb_shadow_state",
      "1 for the state of a candidate, 0 for the others",
      "policy",
      "state"),
  /** Estimated hit ratio of a candidate, 0 to 1. */
  SHADOW_HIT_RATIO(
      Kind.GAUGE, "ebb_shadow_hit_ratio", "Estimated hit ratio of a candidate, 0 to 1", "policy"),
  /** Lower end of its 95 % confidence interval. */
  SHADOW_HIT_RATIO_LOW(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio_low",
      "Lower end of its 95 % confidence interval",
      "policy"),
  /** Upper end of its 95 % confidence interval. */
  SHADOW_HIT_RATIO_HIGH(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio_high",
      "Upper end of its 95 % confidence interval",
      "policy"),
  /** Estimated hit ratio of a candidate minus the counted one of the cache. */
  SHADOW_DIFFERENCE(
      Kind.GAUGE,
      "ebb_shadow_difference_ratio",
      "Estimated hit ratio of a candidate minus the counted one of the cache",
      "policy"),
  /** Time of a candidate for a sampled access. */
  SHADOW_ACCESS_SECONDS(
      Kind.GAUGE,
      "ebb_shadow_access_seconds",
      "Time of a candidate for a sampled access",
      "policy"),
  /** Sampled accesses that a candidate was too slow to process. */
  SHADOW_DROPPED(
      Kind.COUNTER,
      "ebb_shadow_dropped_accesses_total",
      "Sampled accesses that a candidate was too slow to process",
      "policy"),
  /** Open client connections. */
  CONNECTIONS(Kind.GAUGE, "ebb_connections", "Open client connections"),
  /** Client connections since the start. */
  CONNECTIONS_OPENED(
      Kind.COUNTER, "ebb_connections_opened_total", "Client connections since the start"),
  /** Client commands, including refused ones. */
  COMMANDS(Kind.COUNTER, "ebb_commands_total", "Client commands, including refused ones"),
  /** Tokens of prompts. */
  PROMPT_TOKENS(Kind.COUNTER, "ebb_prompt_tokens_total", "Tokens of prompts"),
  /** Tokens of prompts whose K and V were resident. */
  PREFIX_HIT_TOKENS(
      Kind.COUNTER, "ebb_prefix_hit_tokens_total", "Tokens of prompts whose K and V were resident"),
  /** Tokens of evicted blocks. */
  EVICTED_TOKENS(Kind.COUNTER, "ebb_evicted_tokens_total", "Tokens of evicted blocks"),
  /** Prunings of a sequence by a token policy. */
  TOKEN_PASSES(
      Kind.COUNTER, "ebb_token_passes_total", "Prunings of a sequence by a token policy", "policy"),
  /** Tokens that these prunings kept. */
  TOKENS_KEPT(Kind.COUNTER, "ebb_token_kept_total", "Tokens that these prunings kept", "policy"),
  /** Tokens that these prunings dropped. */
  TOKENS_DROPPED(
      Kind.COUNTER, "ebb_token_dropped_total", "Tokens that these prunings dropped", "policy"),
  /** Pool memory that these prunings freed. */
  TOKEN_FREED_BYTES(
      Kind.COUNTER,
      "ebb_token_freed_bytes_total",
      "Pool memory that these prunings freed",
      "policy"),
  /** Prunings that failed. */
  TOKEN_FAILURES(Kind.COUNTER, "ebb_token_failures_total", "Prunings that failed", "reason"),
  /** Times that sliding-window replaced another token policy. */
  TOKEN_FALLBACKS(
      Kind.COUNTER,
      "ebb_token_fallbacks_total",
      "Times that sliding-window replaced another token policy",
      "reason"),
  /** Duration of a pruning: choosing tokens and moving them. */
  TOKEN_PASS_SECONDS(
      Kind.HISTOGRAM,
      "ebb_token_pass_seconds",
      "Duration of a pruning: choosing tokens and moving them"),
  /** Open sequences. */
  SEQUENCES(Kind.GAUGE, "ebb_sequences", "Open sequences", "device"),
  /** Ended sequences. */
  SEQUENCES_ENDED(Kind.COUNTER, "ebb_sequences_ended_total", "Ended sequences", "end"),
  /** Blocks copied to another place. */
  MOVED_BLOCKS(Kind.COUNTER, "ebb_moved_blocks_total", "Blocks copied to another place", "kind"),
  /** Share of free blocks in short runs, 0 to 1. */
  FRAGMENTATION(
      Kind.GAUGE,
      "ebb_pool_fragmentation_ratio",
      "Share of free blocks in short runs, 0 to 1",
      "device"),
  /** 1 while Ebb accepts new work, else 0. */
  READY(Kind.GAUGE, "ebb_ready", "1 while Ebb accepts new work, else 0");

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
