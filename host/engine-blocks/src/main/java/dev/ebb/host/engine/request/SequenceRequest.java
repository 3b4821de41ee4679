package dev.ebb.host.engine.request;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.pool.Placement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to open a sequence. Only the tokens and the namespace decide which blocks it shares;
 * the rest is for the eviction policy and for reclaiming memory. {@link #of} makes one.
 *
 * @param maxWait the longest wait of one call for room
 * @param waiting asked several times a second, under a lock, whether it still waits
 * @param reservation that of all blocks up to the maximum length; null for none
 * @param device its device; null for that with most of the prompt or most room
 */
@SuppressWarnings("ArrayRecordComponent")
public record SequenceRequest(
    int[] tokens,
    Namespace namespace,
    RequestFacts facts,
    Duration maxWait,
    BooleanSupplier waiting,
    @Nullable Placement reservation,
    @Nullable String device) {

  /** Returns a request without tenant, with normal priority, that does not wait for room. */
  public static SequenceRequest of(Namespace namespace, int... tokens) {
    requireNonNull(namespace, "namespace is null");
    RequestFacts facts = RequestFacts.UNKNOWN.withLengths(tokens.length, -1);
    return new SequenceRequest(
        tokens.clone(), namespace, facts, Duration.ZERO, () -> true, null, null);
  }

  public SequenceRequest withTenant(String name) {
    return with(facts.withTenant(name));
  }

  /** Sets the kind of work, for example {@code chat}. */
  public SequenceRequest withWorkload(String label) {
    return with(facts.withWorkload(label));
  }

  /**
   * Sets the priority. When memory is short, sequences of lower priority are preempted.
   *
   * @param priority larger is more important; 1 is normal
   */
  public SequenceRequest withPriority(int priority) {
    return with(facts.withPriority(priority));
  }

  /** Passes a hint, whose meaning is the eviction policy's; 0 for none. */
  public SequenceRequest withHint(int hint) {
    return with(facts.withHint(hint));
  }

  /** Sets how long the blocks of the request will be useful after it. */
  public SequenceRequest withLifetime(Duration lifetime) {
    if (lifetime.isNegative()) {
      throw new IllegalArgumentException(
          "lifetime '%s' must be at least 0 seconds".formatted(lifetime));
    }
    return with(facts.withReuse(TimeUnit.NANOSECONDS.convert(lifetime), Double.NaN));
  }

  /** Sets the milliseconds of prefill to compute one block of the request again, 0 or more. */
  public SequenceRequest withRecomputeCost(double millis) {
    if (!(millis >= 0 && millis < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "recompute cost '%s' must be a number of milliseconds, at least 0".formatted(millis));
    }
    return with(facts.withReuse(-1, millis));
  }

  /** Sets the conversation and its turn, 1 for the first. */
  public SequenceRequest withConversation(long conversation, int turn) {
    return with(facts.ofSequence(conversation, turn));
  }

  /** Sets the maximum length of prompt and answer, in tokens. */
  public SequenceRequest withMaxLength(int maxTokens) {
    if (maxTokens < tokens.length) {
      throw new IllegalArgumentException(
          "max length '%d' must be at least the prompt's '%d' tokens"
              .formatted(maxTokens, tokens.length));
    }
    return with(facts.withLengths(facts.sequenceLength(), maxTokens));
  }

  /**
   * Allocates all blocks up to the maximum length when the sequence is opened, so that no append up
   * to there can fail.
   *
   * @param placement that of the blocks that the sequence does not share
   * @throws IllegalStateException if no maximum length was set
   */
  public SequenceRequest reserving(Placement placement) {
    requireNonNull(placement, "placement is null");
    if (facts.maxSequenceLength() < 0) {
      throw new IllegalStateException(
          "nothing to reserve: the max length is unknown; call withMaxLength first");
    }
    return new SequenceRequest(tokens, namespace, facts, maxWait, waiting, placement, device);
  }

  /** Waits for room within a limit for each call, instead of failing immediately. */
  public SequenceRequest withMaxWait(Duration limit) {
    return withMaxWait(limit, () -> true);
  }

  /**
   * Does the same while a condition holds, such as that the asker is still there.
   *
   * @param limit the longest wait of one call
   * @param condition asked several times a second, under a lock; must return at once
   */
  public SequenceRequest withMaxWait(Duration limit, BooleanSupplier condition) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException(
          "max wait '%s' must be at least 0 seconds".formatted(limit));
    }
    return new SequenceRequest(tokens, namespace, facts, limit, condition, reservation, device);
  }

  /**
   * Sets the device. The default is the one that has most of the prompt cached, or otherwise the
   * one with most room.
   */
  public SequenceRequest withDevice(String name) {
    requireNonNull(name, "name is null");
    return new SequenceRequest(tokens, namespace, facts, maxWait, waiting, reservation, name);
  }

  public int length() {
    return tokens.length;
  }

  /** Returns the request for the prompt and the answer so far, which does not wait for room. */
  public SequenceRequest continuedBy(int[] answer, int count) {
    int[] all = Arrays.copyOf(tokens, tokens.length + count);
    System.arraycopy(answer, 0, all, tokens.length, count);
    RequestFacts grown = facts.withLengths(all.length, facts.maxSequenceLength());
    return new SequenceRequest(
        all, namespace, grown, Duration.ZERO, () -> true, reservation, device);
  }

  /** Returns whether it still waits for room within its limit. */
  public boolean waits() {
    return waiting.getAsBoolean();
  }

  /** Returns how many tokens need room when it is opened. */
  public long most() {
    return reservation == null ? tokens.length : facts.maxSequenceLength();
  }

  private SequenceRequest with(RequestFacts changed) {
    return new SequenceRequest(tokens, namespace, changed, maxWait, waiting, reservation, device);
  }
}
