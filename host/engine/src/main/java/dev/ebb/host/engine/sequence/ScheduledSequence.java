package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.tier.OffloadedSequence;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A request that a scheduler runs on sequences of an {@link Ebb}: its prompt, and the answer so
 * far. After a preemption it gets another sequence. An engine can extend it with its own data.
 */
public class ScheduledSequence {

  /**
   * What the prefix cache has done for a request.
   *
   * @param policy the policy that was active when it was admitted first; null if it never was
   * @param diskTokens cached tokens of the prompt that were read from the disk then
   * @param remoteTokens those that were read from the server that engines share
   * @param evictions cached entries that were evicted to make room for it
   */
  public record CacheUse(
      @Nullable String policy, int diskTokens, int remoteTokens, long evictions) {

    public static final CacheUse NONE = new CacheUse(null, 0, 0, 0);
  }

  private CacheUse cacheUse = CacheUse.NONE;
  private SequenceRequest prompt;
  private int[] answer = new int[16];
  private int answered;

  /** All tokens and their keys while it waits, so that they are copied and hashed once. */
  private @Nullable SequenceRequest waiting;

  private @Nullable KeyChain chain;
  private @Nullable CacheRequest shown;

  private SequenceEnd end = SequenceEnd.UNKNOWN;

  @Nullable Sequence sequence;

  /** Its K and V on a server, while it waits after a preemption. */
  @Nullable OffloadedSequence offloaded;

  /** Creates a request; the prompt's priority and tenant should be those of the submission. */
  public ScheduledSequence(SequenceRequest prompt) {
    this.prompt = requireNonNull(prompt, "prompt is null");
  }

  /** Adds a generated token, before the scheduler's next step. */
  public final void generated(int token) {
    if (answered == answer.length) {
      answer = Arrays.copyOf(answer, 2 * answered);
    }
    answer[answered++] = token;
  }

  /** Sets what the end of the request shows, at the latest when it is reported to the batch. */
  public final void ends(SequenceEnd known) {
    end = requireNonNull(known, "end is null");
  }

  /** Returns what the prefix cache has done for it; for the scheduler's thread. */
  public final CacheUse cacheUse() {
    return cacheUse;
  }

  final SequenceEnd end() {
    return end;
  }

  public final int length() {
    return prompt.length() + answered;
  }

  /** Returns the id of a token of the prompt or the answer. */
  public final int token(int position) {
    return position < prompt.length()
        ? prompt.tokens()[position]
        : answer[position - prompt.length()];
  }

  /** Returns the sequence; throws {@link IllegalStateException} if the request does not run. */
  public final Sequence sequence() {
    Sequence current = sequence;
    if (current == null) {
      throw new IllegalStateException("the request has no sequence, because it does not run");
    }
    return current;
  }

  final int[] tokensFrom(int position) {
    return Arrays.copyOfRange(answer, position - prompt.length(), answered);
  }

  /** Sets the maximum length, unless the prompt has one. */
  final void limit(long maxLength) {
    if (prompt.facts().maxSequenceLength() < 0) {
      prompt = prompt.withMaxLength(Math.clamp(maxLength, prompt.length(), Integer.MAX_VALUE));
      waiting = null;
    }
  }

  final SequenceRequest request() {
    SequenceRequest known = waiting;
    if (known == null) {
      known = prompt.continuedBy(answer, answered);
      waiting = known;
    }
    return known;
  }

  final KeyChain keys(Engine engine) {
    KeyChain known = chain;
    if (known == null) {
      known = engine.keys(prompt.namespace(), request().tokens());
      chain = known;
    }
    return known;
  }

  /** Returns what policies see of it while it waits. */
  final CacheRequest shown(Engine engine) {
    CacheRequest known = shown;
    if (known == null) {
      KeyChain keys = keys(engine);
      known = new CacheRequest();
      known.reset(request().facts(), request().length());
      for (int i = 0; i < keys.blocks(); i++) {
        known.add(keys.low(i), keys.high(i));
      }
      shown = known;
    }
    return known;
  }

  /** Reports that the sequence is open and has taken the keys. */
  final void opened(Sequence current) {
    sequence = current;
    if (cacheUse.policy == null) {
      cacheUse = new CacheUse(current.policy(), current.diskTokens(), current.remoteTokens(), 0);
    }
    waiting = null;
    chain = null;
    shown = null;
  }

  /** Reports that the sequence ends, or is preempted. */
  final void released(Sequence last) {
    cacheUse =
        new CacheUse(
            cacheUse.policy,
            cacheUse.diskTokens,
            cacheUse.remoteTokens,
            cacheUse.evictions + last.evictions());
    sequence = null;
  }
}
