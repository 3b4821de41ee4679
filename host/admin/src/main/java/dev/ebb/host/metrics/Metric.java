package dev.ebb.host.metrics;

import java.util.List;

/** All metrics that Ebb defines. {@code docs/metrics.md} documents the same list. */
public enum Metric {
  HITS(Kind.COUNTER, "ebb_hits_total", "Requested values that were resident"),
  MISSES(Kind.COUNTER, "ebb_misses_total", "Requested values that were not resident"),
  CREATIONS(Kind.COUNTER, "ebb_creations_total", "Stored values"),
  READ_BYTES(Kind.COUNTER, "ebb_read_bytes_total", "Bytes of values read"),
  WRITTEN_BYTES(Kind.COUNTER, "ebb_written_bytes_total", "Bytes of values stored"),
  STORAGE_SECONDS(
      Kind.HISTOGRAM,
      "ebb_storage_seconds",
      "Time from the first byte of a value until it is visible"),
  READ_SECONDS(
      Kind.HISTOGRAM,
      "ebb_read_seconds",
      "Time from a request until the last byte of its value is handed to the connection"),
  ALLOCATION_SECONDS(
      Kind.HISTOGRAM,
      "ebb_allocation_seconds",
      "Time to allocate pool memory, including evictions and waits"),
  READING(Kind.GAUGE, "ebb_reading", "Values being read"),
  LIFETIME_SECONDS(
      Kind.HISTOGRAM, "ebb_lifetime_seconds", "Time from storing an entry to its removal"),
  EVICTIONS(
      Kind.COUNTER,
      "ebb_evictions_total",
      "Evicted entries, by policy and trigger",
      "policy",
      "by"),
  EVICTED_BYTES(
      Kind.COUNTER, "ebb_evicted_bytes_total", "Pool memory of evicted entries", "policy", "by"),
  REMOVALS(Kind.COUNTER, "ebb_removals_total", "Removed entries, by cause", "cause"),
  REMOVED_BYTES(
      Kind.COUNTER, "ebb_removed_bytes_total", "Pool memory of removed entries, by cause", "cause"),
  EVICTION_PASSES(Kind.COUNTER, "ebb_eviction_passes_total", "Runs of eviction"),
  EVICTION_REFUSALS(
      Kind.COUNTER,
      "ebb_eviction_refusals_total",
      "Victims chosen by the policy that could not be evicted"),
  REJECTED(Kind.COUNTER, "ebb_rejected_blocks_total", "New blocks that the policy rejected"),
  PROTECTED_REFUSALS(
      Kind.COUNTER,
      "ebb_protected_refusals_total",
      "Victims chosen by the policy that Ebb refused because their priority was higher than the request's"),
  PROTECTED_EVICTIONS(
      Kind.COUNTER,
      "ebb_protected_evictions_total",
      "Entries evicted for a request of lower priority because no others were evictable"),
  EVICTION_SECONDS(Kind.HISTOGRAM, "ebb_eviction_seconds", "Duration of an eviction pass"),
  VICTIM_SECONDS(
      Kind.HISTOGRAM, "ebb_victim_seconds", "Time that the policy takes to choose a victim"),
  MEMORY_WAITS(Kind.COUNTER, "ebb_memory_waits_total", "Times that a client waited for memory"),
  NOT_ADMITTED(
      Kind.COUNTER,
      "ebb_not_admitted_total",
      "Values that were not stored: they did not fit, or the policy rejected them"),
  PREMATURE_EVICTIONS(
      Kind.COUNTER,
      "ebb_premature_evictions_total",
      "Evicted entries that were requested again shortly afterwards"),
  PREMATURE_EVICTION_BYTES(
      Kind.COUNTER,
      "ebb_premature_eviction_bytes_total",
      "Pool memory of prematurely evicted entries"),
  PREMATURE_EVICTION_GAP_SECONDS(
      Kind.COUNTER,
      "ebb_premature_eviction_gap_seconds_total",
      "Sum of the seconds from eviction to next request, over premature evictions"),
  RE_PREFILL(
      Kind.GAUGE,
      "ebb_re_prefill_ratio",
      "Share of evicted entries that were requested again, 0 to 1"),
  PREMATURE_EVICTION_WINDOW(
      Kind.GAUGE,
      "ebb_premature_eviction_window",
      "Evicted entries that Ebb remembers to detect premature evictions"),
  FAIRNESS(
      Kind.GAUGE,
      "ebb_fairness_ratio",
      "Jain's index over tenants' hit ratios; absent without tenants"),
  KEYS(Kind.GAUGE, "ebb_keys", "Resident keys"),
  ENTRIES(
      Kind.GAUGE,
      "ebb_entries",
      "Entries by state; for evicted, expired and removed the total since the start",
      "state"),
  USED_BYTES(Kind.GAUGE, "ebb_pool_used_bytes", "Used pool memory", "partition"),
  CAPACITY_BYTES(Kind.GAUGE, "ebb_pool_capacity_bytes", "Total pool memory", "partition"),
  EVICTABLE_BYTES(
      Kind.GAUGE, "ebb_pool_evictable_bytes", "Pool memory of evictable entries", "partition"),
  OCCUPANCY(Kind.GAUGE, "ebb_pool_occupancy_ratio", "Used share of the pool, 0 to 1"),
  PINNED(Kind.GAUGE, "ebb_pinned_entries", "Entries pinned by operators"),
  PINNED_BYTES(Kind.GAUGE, "ebb_pinned_bytes", "Pool memory of pinned entries"),
  LEASES(Kind.GAUGE, "ebb_lookup_leases", "Entries that a lookup lease protects from eviction"),
  LEASE_BYTES(Kind.GAUGE, "ebb_lookup_lease_bytes", "Pool memory held by lookup leases"),
  LEASES_ENDED(
      Kind.COUNTER,
      "ebb_lookup_leases_ended_total",
      "Lookup leases that ended, by reason",
      "reason"),
  LEASES_REFUSED(
      Kind.COUNTER,
      "ebb_lookup_leases_refused_total",
      "Lookups that got no lease because leases held their whole share of the pool"),
  PREFIX_REQUESTS(
      Kind.COUNTER,
      "ebb_prefix_requests_total",
      "Engine requests, stated by clients or inferred from their lookups and stores"),
  PREFIX_LOOKUPS(Kind.COUNTER, "ebb_prefix_lookups_total", "Chunks looked up by engine requests"),
  PREFIX_HITS(
      Kind.COUNTER,
      "ebb_prefix_hits_total",
      "Chunks of engine requests that were resident together with their whole prefix"),
  CHAINED(Kind.GAUGE, "ebb_chained_entries", "Entries whose predecessor in a prompt is resident"),
  UNREACHABLE(
      Kind.GAUGE,
      "ebb_unreachable_entries",
      "Entries that no request can use, because a chunk before them is missing"),
  UNKNOWN_CHAINS(
      Kind.GAUGE,
      "ebb_unknown_chain_entries",
      "Chunks whose predecessor in a prompt is unknown, estimated from a sample"),
  CHAIN_KEYS(
      Kind.GAUGE, "ebb_chain_keys", "Resident and evicted keys whose predecessor was observed"),
  CHAIN_CORRECTIONS(
      Kind.COUNTER,
      "ebb_chain_corrections_total",
      "Learned predecessors of chunks that Ebb replaced after later requests showed others"),
  KV_EVENTS(Kind.COUNTER, "ebb_kv_events_total", "Published KV events; absent if disabled"),
  KV_EVENTS_DROPPED(
      Kind.COUNTER,
      "ebb_kv_events_dropped_total",
      "KV events that were not published because their queue was full"),
  KV_EVENTS_QUEUED(Kind.GAUGE, "ebb_kv_events_queued", "KV events that wait to be published"),
  KV_EVENT_BATCHES(Kind.COUNTER, "ebb_kv_event_batches_total", "Published batches of KV events"),
  KV_EVENT_REPLAYS(
      Kind.COUNTER, "ebb_kv_event_replays_total", "Answered requests for missed KV events"),
  CLUSTER_NODES(
      Kind.GAUGE, "ebb_cluster_nodes", "Live nodes of the cluster; absent without one", "state"),
  CLUSTER_VALUES(
      Kind.GAUGE,
      "ebb_cluster_values",
      "Approximate number of values in the directory of the cluster"),
  CLUSTER_VALUE_STATES(
      Kind.GAUGE,
      "ebb_cluster_value_states",
      "Values in the directory entries that this node owns, by state",
      "state"),
  CLUSTER_REMOVED_ENTRIES(
      Kind.COUNTER,
      "ebb_cluster_removed_entries_total",
      "Directory entries that were removed because all nodes with a copy have left"),
  CLUSTER_REPLICATION_LAG(
      Kind.GAUGE,
      "ebb_cluster_replication_lag_seconds",
      "Age of the oldest value that waits for a replica for which a node has space"),
  CLUSTER_PENDING(
      Kind.GAUGE,
      "ebb_cluster_pending_replications",
      "Replicas that other nodes have not confirmed yet"),
  CLUSTER_ANNOUNCEMENTS(
      Kind.GAUGE,
      "ebb_cluster_pending_announcements",
      "Changes of values that the cluster directory has not confirmed yet"),
  CLUSTER_UNDER_REPLICATED(
      Kind.GAUGE,
      "ebb_cluster_under_replicated_values",
      "Primary values of this node with fewer copies than configured"),
  CLUSTER_RACK_UNSAFE(
      Kind.GAUGE,
      "ebb_cluster_rack_unsafe_values",
      "Primary values of this node whose copies are all on one rack"),
  CLUSTER_REPLICATED(
      Kind.COUNTER,
      "ebb_cluster_replicated_values_total",
      "Values that this node has received as replicas"),
  CLUSTER_REPLICATED_BYTES(
      Kind.COUNTER,
      "ebb_cluster_replicated_bytes_total",
      "Bytes of values that this node has received as replicas"),
  CLUSTER_FAILED_REPLICATIONS(
      Kind.COUNTER,
      "ebb_cluster_failed_replications_total",
      "Failed attempts to replicate a value to another node"),
  CLUSTER_PROMOTIONS(
      Kind.COUNTER,
      "ebb_cluster_promotions_total",
      "Values whose primary copy moved to this node because their node was lost"),
  CLUSTER_MOVED(
      Kind.COUNTER,
      "ebb_cluster_moved_values_total",
      "Values that this node evicted and another node stored"),
  CLUSTER_MOVED_BYTES(
      Kind.COUNTER,
      "ebb_cluster_moved_bytes_total",
      "Bytes of values that this node evicted and another node stored"),
  CLUSTER_NOT_MOVED(
      Kind.COUNTER,
      "ebb_cluster_not_moved_values_total",
      "Values that this node evicted and no other node could store"),
  CLUSTER_REMOTE_HITS(
      Kind.COUNTER,
      "ebb_cluster_remote_hits_total",
      "Reads that another node, a replica or the read cache answered"),
  CLUSTER_REMOTE_MISSES(
      Kind.COUNTER, "ebb_cluster_remote_misses_total", "Reads that no node could answer"),
  CLUSTER_UNANSWERED(
      Kind.COUNTER,
      "ebb_cluster_unanswered_commands_total",
      "Commands that the other nodes did not answer"),
  CLUSTER_FETCHES(
      Kind.COUNTER, "ebb_cluster_fetches_total", "Values fetched from other nodes for reads"),
  CLUSTER_SHARED_FETCHES(
      Kind.COUNTER,
      "ebb_cluster_shared_fetches_total",
      "Reads that waited for the fetch of another read"),
  CLUSTER_FAILED_FETCHES(
      Kind.COUNTER,
      "ebb_cluster_failed_fetches_total",
      "Failed fetches of a value from another node"),
  CLUSTER_FETCHED_BYTES(
      Kind.COUNTER,
      "ebb_cluster_fetched_bytes_total",
      "Bytes of values fetched from other nodes for reads"),
  CLUSTER_FETCH_SECONDS(
      Kind.COUNTER,
      "ebb_cluster_fetch_seconds_total",
      "Time spent on fetching values from other nodes for reads"),
  CLUSTER_READ_CACHE_USED(
      Kind.GAUGE,
      "ebb_cluster_read_cache_used_bytes",
      "Used memory of the cache for values of other cluster nodes"),
  CLUSTER_READ_CACHE_CAPACITY(
      Kind.GAUGE,
      "ebb_cluster_read_cache_capacity_bytes",
      "Total memory of the cache for values of other cluster nodes"),
  CLUSTER_MIGRATIONS(
      Kind.GAUGE,
      "ebb_cluster_migrations",
      "Latest migrations between nodes that this node started, at most 100, by state",
      "state"),
  REQUESTS_RUNNING(Kind.GAUGE, "ebb_num_requests_running", "Requests that the engine is computing"),
  REQUESTS_WAITING(
      Kind.GAUGE, "ebb_num_requests_waiting", "Requests that wait to run in the engine"),
  REQUESTS_LIMIT(
      Kind.GAUGE,
      "ebb_num_requests_limit",
      "Limit on the requests that run in the engine at a time"),
  REQUESTS_LIMIT_CHANGES(
      Kind.COUNTER,
      "ebb_num_requests_limit_changes_total",
      "Changes of the limit on requests that run in the engine at a time"),
  REQUESTS_FINISHED(
      Kind.COUNTER,
      "ebb_request_success_total",
      "Requests of the engine that ended without being refused, by reason",
      "finished_reason"),
  REQUESTS_REFUSED(
      Kind.COUNTER,
      "ebb_request_refused_total",
      "Requests that the engine refused, by reason",
      "reason"),
  REQUEST_QUEUE_SECONDS(
      Kind.HISTOGRAM,
      "ebb_request_queue_time_seconds",
      "Time from the arrival of a request until it runs"),
  TIME_TO_FIRST_TOKEN(
      Kind.HISTOGRAM,
      "ebb_time_to_first_token_seconds",
      "Time from the arrival of a request until its first output token"),
  INTER_TOKEN_LATENCY(
      Kind.HISTOGRAM,
      "ebb_inter_token_latency_seconds",
      "Time between two output tokens of a request"),
  REQUEST_LATENCY(
      Kind.HISTOGRAM,
      "ebb_e2e_request_latency_seconds",
      "Time from the arrival of a request until its last output token, for complete answers"),
  COMPUTED_TOKENS(
      Kind.COUNTER,
      "ebb_computed_tokens_total",
      "Tokens that the engine computed, including those computed again after a preemption",
      "part"),
  GENERATION_TOKENS(Kind.COUNTER, "ebb_generation_tokens_total", "Output tokens of the engine"),
  PREEMPTIONS(
      Kind.COUNTER, "ebb_num_preemptions_total", "Times that the engine preempted a request"),
  CELL_COMPACTIONS(
      Kind.COUNTER,
      "ebb_cell_compactions_total",
      "Times that Ebb compacted the KV cells of llama.cpp"),
  TENANT_HITS(
      Kind.COUNTER,
      "ebb_tenant_hits_total",
      "Requested values of a tenant that were resident",
      "tenant"),
  TENANT_MISSES(
      Kind.COUNTER,
      "ebb_tenant_misses_total",
      "Requested values of a tenant that were not resident",
      "tenant"),
  TENANT_USED_BYTES(Kind.GAUGE, "ebb_tenant_used_bytes", "Pool memory of a tenant", "tenant"),
  TENANT_EVICTIONS(
      Kind.COUNTER, "ebb_tenant_evictions_total", "Evicted entries of a tenant", "tenant"),
  TENANT_EVICTED_BYTES(
      Kind.COUNTER,
      "ebb_tenant_evicted_bytes_total",
      "Pool memory of evicted entries of a tenant",
      "tenant"),
  TENANT_REMOVALS(
      Kind.COUNTER, "ebb_tenant_removals_total", "Removed entries of a tenant", "tenant", "cause"),
  POLICY_SWITCHES(
      Kind.COUNTER, "ebb_policy_switches_total", "Policy switches, including failed ones"),
  POLICY_RULE(
      Kind.GAUGE,
      "ebb_policy_rule_active",
      "1 for the rule whose policy is active, 0 for the others",
      "rule"),
  POLICY_RULE_SWITCHES(
      Kind.COUNTER,
      "ebb_policy_rule_switches_total",
      "Times that a rule switched to its policy",
      "rule"),
  POLICY_RULES_PAUSED(
      Kind.GAUGE,
      "ebb_policy_rules_paused",
      "1 while the rules that switch policies are paused, else 0"),
  POLICY_QUARANTINE(
      Kind.GAUGE, "ebb_policy_quarantine", "Policies that are quarantined after a failure"),
  PLUGIN_LOADERS(
      Kind.GAUGE,
      "ebb_plugin_loaders_uncollected",
      "Unloaded class loaders of plugins that are still in memory"),
  POLICY(Kind.GAUGE, "ebb_policy_active", "1 for the active policy", "policy"),
  POLICY_GAUGE(
      Kind.GAUGE,
      "ebb_policy_gauge",
      "Internal state of the policy, under names that the policy chooses",
      "partition",
      "gauge"),
  POLICY_FAULTS(Kind.COUNTER, "ebb_policy_faults_total", "Contract violations of policies", "kind"),
  POLICY_QUEUE(
      Kind.GAUGE,
      "ebb_policy_queue_events",
      "Events that wait to be processed by the policy",
      "partition"),
  POLICY_EVENTS(Kind.COUNTER, "ebb_policy_events_total", "Events that the policy has processed"),
  POLICY_BUSY(Kind.COUNTER, "ebb_policy_busy_seconds_total", "Time spent in the policy's code"),
  POLICY_ABANDONED(
      Kind.COUNTER,
      "ebb_policy_abandoned_threads_total",
      "Threads abandoned because their policy did not return"),
  SHADOW_SAMPLE(
      Kind.GAUGE,
      "ebb_shadow_sample_ratio",
      "Share of keys that shadow policies sample; 0 without shadow policies"),
  SHADOW_STATE(
      Kind.GAUGE,
      "ebb_shadow_state",
      "1 for the current state of a shadow policy, 0 for its other states",
      "policy",
      "state"),
  SHADOW_HIT_RATIO(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio",
      "Estimated hit ratio of a shadow policy, 0 to 1",
      "policy"),
  SHADOW_HIT_RATIO_LOW(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio_low",
      "Lower end of the 95 % confidence interval of a shadow policy's hit ratio",
      "policy"),
  SHADOW_HIT_RATIO_HIGH(
      Kind.GAUGE,
      "ebb_shadow_hit_ratio_high",
      "Upper end of the 95 % confidence interval of a shadow policy's hit ratio",
      "policy"),
  SHADOW_PREFIX_HIT_RATIO(
      Kind.GAUGE,
      "ebb_shadow_prefix_hit_ratio",
      "Estimated prefix-hit ratio of a shadow policy, 0 to 1",
      "policy"),
  SHADOW_DIFFERENCE(
      Kind.GAUGE,
      "ebb_shadow_difference_ratio",
      "Estimated hit ratio of a shadow policy minus the counted hit ratio of the cache",
      "policy"),
  SHADOW_ACCESS_SECONDS(
      Kind.GAUGE,
      "ebb_shadow_access_seconds",
      "Time that a shadow policy takes for a sampled access",
      "policy"),
  SHADOW_DROPPED(
      Kind.COUNTER,
      "ebb_shadow_dropped_accesses_total",
      "Sampled accesses that a shadow policy was too slow to process",
      "policy"),
  CONNECTIONS(Kind.GAUGE, "ebb_connections", "Open client connections"),
  CONNECTIONS_OPENED(
      Kind.COUNTER, "ebb_connections_opened_total", "Client connections since the start"),
  CONNECTIONS_CLOSED(
      Kind.COUNTER,
      "ebb_connections_closed_total",
      "Clients refused or disconnected because of a limit, by limit",
      "limit"),
  CONNECTION_BYTES(
      Kind.GAUGE,
      "ebb_connection_bytes",
      "Heap used for incomplete commands, replies, open requests and HTTP bodies of all clients"),
  FAILED_LOGINS(
      Kind.COUNTER, "ebb_failed_logins_total", "Logins of RESP clients with a wrong password"),
  COMMANDS(Kind.COUNTER, "ebb_commands_total", "Client commands, including refused ones"),
  PROMPT_TOKENS(Kind.COUNTER, "ebb_prompt_tokens_total", "Tokens of prompts"),
  PREFIX_HIT_TOKENS(
      Kind.COUNTER, "ebb_prefix_hit_tokens_total", "Tokens of prompts whose K and V were resident"),
  EVICTED_TOKENS(Kind.COUNTER, "ebb_evicted_tokens_total", "Tokens of evicted blocks"),
  TOKEN_PASSES(
      Kind.COUNTER,
      "ebb_token_passes_total",
      "Times that a token policy pruned a sequence",
      "policy"),
  TOKENS_KEPT(
      Kind.COUNTER,
      "ebb_token_kept_total",
      "Tokens that token policies kept when they pruned sequences",
      "policy"),
  TOKENS_DROPPED(
      Kind.COUNTER,
      "ebb_token_dropped_total",
      "Tokens that token policies dropped from sequences",
      "policy"),
  TOKEN_FREED_BYTES(
      Kind.COUNTER,
      "ebb_token_freed_bytes_total",
      "Pool memory that token policies freed",
      "policy"),
  TOKEN_FAILURES(
      Kind.COUNTER,
      "ebb_token_failures_total",
      "Failed attempts of token policies to prune a sequence, by reason",
      "reason"),
  TOKEN_FALLBACKS(
      Kind.COUNTER,
      "ebb_token_fallbacks_total",
      "Times that sliding-window was used in place of the configured token policy, by reason",
      "reason"),
  TOKEN_PASS_SECONDS(
      Kind.HISTOGRAM,
      "ebb_token_pass_seconds",
      "Time to prune a sequence: to choose tokens and to move them"),
  SEQUENCES(Kind.GAUGE, "ebb_sequences", "Open sequences of the engine", "device"),
  SEQUENCES_ENDED(
      Kind.COUNTER,
      "ebb_sequences_ended_total",
      "Ended sequences of the engine, by how they ended",
      "end"),
  SEQUENCES_OFFLOADED(
      Kind.COUNTER,
      "ebb_sequences_offloaded_total",
      "Preempted sequences stored on a server or loaded from it, and failed attempts, by result",
      "result"),
  OFFLOADED_BYTES(
      Kind.COUNTER,
      "ebb_sequences_offloaded_bytes_total",
      "Bytes of preempted sequences stored on a server or loaded from it, by result",
      "result"),
  MOVED_BLOCKS(
      Kind.COUNTER,
      "ebb_moved_blocks_total",
      "Blocks copied within the pool or to another device, by kind",
      "kind"),
  MIGRATIONS(
      Kind.COUNTER,
      "ebb_migrations_total",
      "Ended migrations of sequences and cached prefixes between devices, by state",
      "state"),
  MIGRATED_BYTES(
      Kind.COUNTER,
      "ebb_migrated_bytes_total",
      "Bytes copied by completed migrations between devices"),
  MIGRATION_SECONDS(
      Kind.HISTOGRAM, "ebb_migration_seconds", "Duration of a migration between devices"),
  FRAGMENTATION(
      Kind.GAUGE,
      "ebb_pool_fragmentation_ratio",
      "Share of free blocks in short runs, 0 to 1",
      "device"),
  READY(Kind.GAUGE, "ebb_ready", "1 while Ebb accepts new work, else 0");

  /** The kind of a metric. */
  public enum Kind {
    /** A count that grows from the start. */
    COUNTER,
    /** A current value. */
    GAUGE,
    /** A distribution of values since the start. */
    HISTOGRAM
  }

  private final Kind kind;
  private final String fullName;
  private final String help;

  // List.of returns an immutable list.
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<String> labels;

  Metric(Kind kind, String fullName, String help, String... labels) {
    this.kind = kind;
    this.fullName = fullName;
    this.help = help;
    this.labels = List.of(labels);
  }

  /** Returns the kind of the metric. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns the name of the metric in Prometheus.
   *
   * @return with prefix and unit; a counter's ends in {@code _total}
   */
  public String fullName() {
    return fullName;
  }

  /** Returns the help text. */
  public String help() {
    return help;
  }

  /**
   * Returns the label names.
   *
   * @return the names in order, possibly none
   */
  public List<String> labels() {
    return labels;
  }

  /** Returns the name without the suffix that the Prometheus client adds to counters and infos. */
  String baseName() {
    return kind == Kind.COUNTER
        ? fullName.substring(0, fullName.length() - "_total".length())
        : fullName;
  }
}
