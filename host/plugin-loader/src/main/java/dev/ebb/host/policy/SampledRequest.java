package dev.ebb.host.policy;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The sampled blocks of a request, the use of an object, or its removal. */
final class SampledRequest {

  /** The fingerprints, front to back; at least one. */
  final long[] keys;

  /** How many of the first ones an earlier report of the request has counted. */
  final int counted;

  /** How many of the first ones an earlier report of the request has used. */
  final int used;

  final RequestFacts facts;
  final long inputTokens;
  final long outputTokens;
  final long nanos;

  /** Why the object was removed; null for a use. */
  final @Nullable RemovalCause removal;

  private SampledRequest(
      long[] keys,
      int counted,
      int used,
      RequestFacts facts,
      long inputTokens,
      long outputTokens,
      long nanos,
      @Nullable RemovalCause removal) {
    this.keys = keys;
    this.counted = counted;
    this.used = used;
    this.facts = facts;
    this.inputTokens = inputTokens;
    this.outputTokens = outputTokens;
    this.nanos = nanos;
    this.removal = removal;
  }

  /** Returns the sampled blocks of a request; null if there is none. */
  static @Nullable SampledRequest of(Request request, long nanos, LongPredicate sampled) {
    int countedBefore = request instanceof CacheRequest part ? part.counted() : 0;
    int usedBefore = request instanceof CacheRequest part ? part.used() : 0;
    long[] keys = new long[request.blocks()];
    int size = 0;
    int counted = 0;
    int used = 0;
    for (int i = 0; i < keys.length; i++) {
      long key = request.fingerprint(i);
      if (sampled.test(key)) {
        keys[size++] = key;
        counted += i < countedBefore ? 1 : 0;
        used += i < usedBefore ? 1 : 0;
      }
    }
    return size == 0
        ? null
        : new SampledRequest(
            Arrays.copyOf(keys, size),
            counted,
            used,
            facts(request),
            request.inputTokens(),
            request.outputTokens(),
            nanos,
            null);
  }

  private static RequestFacts facts(Request request) {
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
        new RequestEnd(request.finishReason(), request.model(), request.returnAfterNanos()));
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
            object.recomputeCost());
    return new SampledRequest(new long[] {object.fingerprint()}, 0, 0, facts, -1, -1, nanos, null);
  }

  /** Returns the removal of an entry that no client can use any more. */
  static SampledRequest removal(long key, RemovalCause cause) {
    return new SampledRequest(
        new long[] {key}, 1, 0, RequestFacts.UNKNOWN, -1, -1, Long.MIN_VALUE, cause);
  }

  /** Returns the part that is in a smaller sample; null if nothing is. */
  @Nullable SampledRequest within(LongPredicate sampled) {
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
    for (int i = 0; i < keys.length; i++) {
      if (sampled.test(keys[i])) {
        rest[to++] = keys[i];
        countedToo += i < counted ? 1 : 0;
        usedToo += i < used ? 1 : 0;
      }
    }
    return new SampledRequest(
        rest, countedToo, usedToo, facts, inputTokens, outputTokens, nanos, removal);
  }
}
