package dev.ebb.host.cache.index;

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
 * @param hint the caller's opaque hint, 0 if none
 * @param lifetimeNanos how long after its last use an entry will be useful, -1 if unknown
 * @param recomputeCost milliseconds to compute one of its entries again, NaN if unknown
 */
public record RequestFacts(
    long sequenceId,
    int turn,
    long sequenceLength,
    long maxSequenceLength,
    int priority,
    @Nullable String tenant,
    @Nullable String workload,
    int hint,
    long lifetimeNanos,
    double recomputeCost,
    RequestEnd end) {

  public static final RequestFacts UNKNOWN = of(null, null);

  /** Returns attributes of which only the tenant and the workload are known. */
  public static RequestFacts of(@Nullable String tenant, @Nullable String workload) {
    return new RequestFacts(
        -1, -1, -1, -1, 1, tenant, workload, 0, -1, Double.NaN, RequestEnd.UNKNOWN);
  }

  public RequestFacts withTenant(@Nullable String name) {
    return with(priority, name, workload, hint, lifetimeNanos, recomputeCost, end);
  }

  public RequestFacts withWorkload(@Nullable String label) {
    return with(priority, tenant, label, hint, lifetimeNanos, recomputeCost, end);
  }

  public RequestFacts withPriority(int newPriority) {
    return with(newPriority, tenant, workload, hint, lifetimeNanos, recomputeCost, end);
  }

  public RequestFacts withHint(int newHint) {
    return with(priority, tenant, workload, newHint, lifetimeNanos, recomputeCost, end);
  }

  /** Returns these attributes, with the tenant and workload of others where they are unknown. */
  public RequestFacts withDefaults(RequestFacts others) {
    return with(
        priority,
        tenant == null ? others.tenant : tenant,
        workload == null ? others.workload : workload,
        hint,
        lifetimeNanos,
        recomputeCost,
        end);
  }

  public RequestFacts withLengths(long newLength, long newMaxLength) {
    return ofSequence(sequenceId, turn, newLength, newMaxLength);
  }

  public RequestFacts ofSequence(long id) {
    return ofSequence(id, turn);
  }

  public RequestFacts ofSequence(long id, int newTurn) {
    return ofSequence(id, newTurn, sequenceLength, maxSequenceLength);
  }

  private RequestFacts ofSequence(long id, int newTurn, long newLength, long newMaxLength) {
    return new RequestFacts(
        id,
        newTurn,
        newLength,
        newMaxLength,
        priority,
        tenant,
        workload,
        hint,
        lifetimeNanos,
        recomputeCost,
        end);
  }

  /** Returns these attributes, with what the request retains counting from a time on. */
  public RequestFacts retainedFrom(long nanos) {
    Retention stated = end.retention();
    return stated == null
        ? this
        : ended(0, new RequestEnd(null, null, -1, stated.startingAt(nanos)));
  }

  /** Returns these attributes with another lifetime and recompute cost, where they are known. */
  public RequestFacts withReuse(long newLifetimeNanos, double newRecomputeCost) {
    return with(
        priority,
        tenant,
        workload,
        hint,
        newLifetimeNanos < 0 ? lifetimeNanos : newLifetimeNanos,
        Double.isNaN(newRecomputeCost) ? recomputeCost : newRecomputeCost,
        end);
  }

  /** Returns these attributes with another hint, if it is not 0, and what the end has shown. */
  public RequestFacts ended(int newHint, RequestEnd shown) {
    if (newHint == 0 && shown.equals(RequestEnd.UNKNOWN)) {
      return this;
    }
    return with(
        priority,
        tenant,
        workload,
        newHint == 0 ? hint : newHint,
        lifetimeNanos,
        recomputeCost,
        shown.withDefaults(end));
  }

  private RequestFacts with(
      int newPriority,
      @Nullable String newTenant,
      @Nullable String newWorkload,
      int newHint,
      long newLifetimeNanos,
      double newRecomputeCost,
      RequestEnd newEnd) {
    return new RequestFacts(
        sequenceId,
        turn,
        sequenceLength,
        maxSequenceLength,
        newPriority,
        newTenant,
        newWorkload,
        newHint,
        newLifetimeNanos,
        newRecomputeCost,
        newEnd);
  }
}
