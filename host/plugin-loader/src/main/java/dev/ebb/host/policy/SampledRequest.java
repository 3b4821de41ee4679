package dev.ebb.host.policy;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The sampled blocks of a request, the use of an object, or its removal.
 *
 * @param keys the fingerprints, front to back; at least one
 * @param counted how many of the first ones an earlier report of the request has counted
 * @param used how many of the first ones an earlier report of the request has used
 * @param ordered how many of the first ones are in a known order
 * @param ofObjects the blocks are objects, whose chains may be wrong or unknown
 * @param groups the object groups of its model, if that is hybrid: it has all its blocks then
 * @param identity identifies the prompt if its model is hybrid
 * @param removal why the object was removed; null for a use
 */
@SuppressWarnings("ArrayRecordComponent")
record SampledRequest(
    long[] keys,
    int counted,
    int used,
    int ordered,
    boolean ofObjects,
    RequestFacts facts,
    long inputTokens,
    long outputTokens,
    long nanos,
    @Nullable SizedGroups groups,
    long identity,
    @Nullable RemovalCause removal) {

  /**
   * Returns the sampled blocks of a request; null if there is none. Of a hybrid model it is all or
   * none.
   *
   * @param starts identifies prompts of hybrid models
   */
  static @Nullable SampledRequest of(
      Request request, long nanos, LongPredicate sampled, PromptStarts starts) {
    CacheRequest part = request instanceof CacheRequest known ? known : null;
    int countedBefore = part == null ? 0 : part.counted();
    int usedBefore = part == null ? 0 : part.used();
    int inOrder = part == null ? request.blocks() : part.ordered();
    SizedGroups groups = part == null || part.blocks() == 0 ? null : part.objects();
    long identity = 0;
    LongPredicate in = sampled;
    if (groups != null) {
      if (countedBefore == 0) {
        starts.saw(request);
      }
      identity = starts.identity(request);
      boolean whole = sampled.test(identity);
      in = any -> whole;
    }
    long[] keys = new long[request.blocks()];
    int size = 0;
    int counted = 0;
    int used = 0;
    int ordered = 0;
    for (int i = 0; i < keys.length; i++) {
      long key = request.fingerprint(i);
      if (in.test(key)) {
        keys[size++] = key;
        counted += i < countedBefore ? 1 : 0;
        used += i < usedBefore ? 1 : 0;
        ordered += i < inOrder ? 1 : 0;
      }
    }
    return size == 0
        ? null
        : new SampledRequest(
            Arrays.copyOf(keys, size),
            counted,
            used,
            ordered,
            part != null && part.serial() != 0,
            facts(request, part),
            request.inputTokens(),
            request.outputTokens(),
            nanos,
            groups,
            identity,
            null);
  }

  private static RequestFacts facts(Request request, @Nullable CacheRequest part) {
    return new RequestFacts(
        request.sequenceId(),
        request.turn(),
        request.inputTokens(),
        -1,
        request.priority(),
        request.tenant(),
        request.workload(),
        request.hint(),
        request.lifetimeHintNanos(),
        request.recomputeCost(),
        new RequestEnd(
            request.finishReason(),
            request.model(),
            request.returnAfterNanos(),
            part == null ? null : part.facts().end().retention()));
  }

  /** Returns the use of an object that belongs to no request. */
  static SampledRequest of(Entry object, long nanos) {
    RequestFacts facts =
        new RequestFacts(
            object.sequenceId(),
            object.turn(),
            object.sequenceLength(),
            object.maxSequenceLength(),
            object.priority(),
            object.tenant(),
            object.workload(),
            object.hint(),
            object.lifetimeHintNanos(),
            object.recomputeCost(),
            RequestEnd.UNKNOWN);
    long[] keys = {object.fingerprint()};
    return new SampledRequest(keys, 0, 0, 1, true, facts, -1, -1, nanos, null, 0, null);
  }

  /** Returns the removal of an entry that no client can use any more. */
  static SampledRequest removal(long key, RemovalCause cause) {
    return new SampledRequest(
        new long[] {key},
        1,
        0,
        1,
        true,
        RequestFacts.UNKNOWN,
        -1,
        -1,
        Long.MIN_VALUE,
        null,
        0,
        cause);
  }

  /** Returns the part that is in a smaller sample; null if nothing is. */
  @Nullable SampledRequest within(LongPredicate sampled) {
    if (groups != null) {
      return sampled.test(identity) ? this : null;
    }
    int size = 0;
    for (long key : keys) {
      size += sampled.test(key) ? 1 : 0;
    }
    if (size == keys.length || size == 0) {
      return size == 0 ? null : this;
    }
    long[] rest = new long[size];
    int to = 0;
    int countedToo = 0;
    int usedToo = 0;
    int orderedToo = 0;
    for (int i = 0; i < keys.length; i++) {
      if (sampled.test(keys[i])) {
        rest[to++] = keys[i];
        countedToo += i < counted ? 1 : 0;
        usedToo += i < used ? 1 : 0;
        orderedToo += i < ordered ? 1 : 0;
      }
    }
    return new SampledRequest(
        rest,
        countedToo,
        usedToo,
        orderedToo,
        ofObjects,
        facts,
        inputTokens,
        outputTokens,
        nanos,
        null,
        0,
        removal);
  }
}
