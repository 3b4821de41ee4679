package dev.ebb.host.cache;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of a request. Immutable, and shared by all entries the request used last, so that
 * an entry pays one reference for it.
 *
 * @param sequenceId the conversation or agent run, -1 if unknown
 * @param turn 1 for its first turn, -1 if unknown
 * @param sequenceLength tokens of the sequence so far, -1 if unknown
 * @param maxSequenceLength tokens it may grow to, -1 if unknown
 * @param priority larger is more important; 1 is normal
 * @param tenant the tenant's name, or null
 * @param workload the kind of work, or null
 * @param hint the caller's opaque hint, 0 if none
 */
public record RequestFacts(
    long sequenceId,
    int turn,
    long sequenceLength,
    long maxSequenceLength,
    int priority,
    @Nullable String tenant,
    @Nullable String workload,
    int hint) {

  /** Unknown attributes. */
  public static final RequestFacts UNKNOWN = new RequestFacts(-1, -1, -1, -1, 1, null, null, 0);

  /** Returns these attributes, with the tenant and workload of others where they are unknown. */
  public RequestFacts withDefaults(RequestFacts others) {
    return new RequestFacts(
        sequenceId,
        turn,
        sequenceLength,
        maxSequenceLength,
        priority,
        tenant == null ? others.tenant : tenant,
        workload == null ? others.workload : workload,
        hint);
  }
}
