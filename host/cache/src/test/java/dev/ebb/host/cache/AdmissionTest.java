package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.UndecidedBlocks;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy that does not admit every block, on its caller's thread and on its own. */
class AdmissionTest {

  private static final int CAPACITY = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final KeepsSmall policy = new KeepsSmall();
  private BlockCache cache = cache(false);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestIsAdmittedAsFarAsThePolicyWants(boolean threaded) {
    locked(threaded, this::aRequestIsAdmittedAsFarAsThePolicyWants);
  }

  private void aRequestIsAdmittedAsFarAsThePolicyWants() {
    assertThat(request(1, 2, 3)).isEqualTo(3);

    assertThat(request(11, 12, 103, 14)).as("one was free, one evicted").isEqualTo(2);

    assertThat(policy.questions()).containsExactly("12 in place of 3", "103 in place of 2");
    assertThat(cache.residentBlocks()).isEqualTo(CAPACITY);
    assertThat(cache.find(2, 2)).as("what the policy keeps").isNotNull();
    assertThat(cache.find(103, 103)).isNull();
    assertThat(cache.find(14, 14)).as("a block behind one that was rejected").isNull();
    assertThat(cache.rejected()).isEqualTo(2);
    assertThat(cache.stats().rejected()).isEqualTo(2);
    assertThat(cache.notAdmitted()).isZero();
    assertThat(cache.policySize()).isEqualTo(CAPACITY);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anObjectIsAdmittedOrRejectedAsAWhole(boolean threaded) {
    locked(threaded, this::anObjectIsAdmittedOrRejectedAsAWhole);
  }

  private void anObjectIsAdmittedOrRejectedAsAWhole() {
    for (long key = 1; key <= CAPACITY; key++) {
      insert(key, 1);
    }

    assertThat(cache.reserve(2, RequestFacts.UNKNOWN, 100, 100)).isEqualTo(Admission.REJECTED);
    assertThat(cache.rejected()).isEqualTo(2);
    assertThat(cache.residentBlocks()).isEqualTo(CAPACITY);
    assertThat(cache.reserve(CAPACITY + 1, RequestFacts.UNKNOWN, 5, 5))
        .isEqualTo(Admission.NO_SPACE);

    insert(9, 2);
    assertThat(cache.find(1, 1)).isNull();
    assertThat(cache.find(2, 2)).isNull();
    assertThat(cache.evict(1, Demand.Reason.MANUAL, RequestFacts.UNKNOWN))
        .as("operators are not asked")
        .isEqualTo(1);
  }

  @Test
  void whatIsCachedAheadOfTheDecisionIsAskedAboutFrontToBack() {
    lock.lock();
    try {
      EvictionLimits ahead = new EvictionLimits(0.5, 0.5, Duration.ofSeconds(20));
      ThreadedBlockCache threaded =
          new ThreadedBlockCache(8, () -> 0, new GhostWindow(16), ahead, lock);
      cache = threaded;
      cache.install("keeps-small", policy);
      for (long key = 1; key <= 4; key++) {
        insert(key, 1);
      }
      settle();
      assertThat(policy.questions()).as("all fit").isEmpty();

      List<Integer> rejectedAt = new ArrayList<>();
      List<CacheEntry> stored = new ArrayList<>();
      UndecidedBlocks undecided =
          new UndecidedBlocks(
              () ->
                  CacheRequest.report(
                      RequestFacts.UNKNOWN,
                      new long[] {11, 11, 103, 103, 14, 14},
                      new int[] {1, 1, 1},
                      0),
              index -> {
                rejectedAt.add(index);
                return stored.reversed().stream().limit(3 - index).filter(cache::discard).count();
              });
      for (long key : new long[] {11, 103, 14}) {
        assertThat(cache.reserveFree(1)).isTrue();
        CacheEntry entry = cache.insertUnpublished(key, key, 1, RequestFacts.UNKNOWN);
        cache.decideOn(entry, undecided, stored.size());
        stored.add(entry);
      }
      settle();

      assertThat(policy.questions()).containsExactly("11 in place of 1", "103 in place of 2");
      assertThat(rejectedAt).containsExactly(1);
      assertThat(undecided.isRejected(0)).isFalse();
      assertThat(undecided.isRejected(1)).isTrue();
      assertThat(cache.find(1, 1)).as("evicted for what was admitted").isNull();
      assertThat(cache.find(103, 103)).as("rejected").isNull();
      assertThat(cache.find(14, 14)).as("a block behind one that was rejected").isNull();
      assertThat(cache.policySize()).as("of what it was given").isEqualTo(3);
      cache.publish(stored.getFirst());

      insert(200, 1);
      settle();
      assertThat(cache.find(200, 200)).as("an object is removed again").isNull();
      assertThat(cache.stats().removals().get(RemovalCause.NOT_ADMITTED))
          .isEqualTo(new CacheStats.Amount(3, 3));
      assertThat(cache.rejected()).isEqualTo(3);
      assertThat(cache.admission()).isEqualTo(new AdmissionUse(3, 1, 3));
      cache.missed(77, true);
      cache.missed(78, false);
      settle();
      assertThat(policy.missed).containsExactly(77L);
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  @Test
  @Timeout(60)
  void whatARunningRequestHasStoredIsRejectedIfNothingCanBeEvictedForIt() {
    lock.lock();
    try {
      EvictionLimits ahead = new EvictionLimits(0.5, 0.5, Duration.ofSeconds(20));
      cache = new ThreadedBlockCache(8, () -> 0, new GhostWindow(16), ahead, lock);
      cache.install("keeps-small", policy);
      for (long key = 1; key <= 4; key++) {
        insert(key, 1);
        cache.pin(requireNonNull(cache.find(key, key)));
      }
      List<Integer> rejectedAt = new ArrayList<>();
      UndecidedBlocks undecided =
          new UndecidedBlocks(
              () ->
                  CacheRequest.report(
                      RequestFacts.UNKNOWN, new long[] {11, 11, 12, 12}, new int[] {1, 1}, 0),
              index -> {
                rejectedAt.add(index);
                return 0;
              });
      for (int i = 0; i < 2; i++) {
        assertThat(cache.reserveFree(1)).isTrue();
        CacheEntry entry = cache.insertUnpublished(11 + i, 11 + i, 1, RequestFacts.UNKNOWN);
        cache.pin(entry);
        cache.decideOn(entry, undecided, i);
      }
      settle();

      assertThat(rejectedAt).containsExactly(0);
      assertThat(undecided.isRejected(0)).isTrue();
      assertThat(policy.questions()).isEmpty();
      assertThat(cache.evictions()).isZero();
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the policy was asked all that there is to ask: once for each answer. */
  private void settle() {
    for (int i = 0; i < 8; i++) {
      cache.policySize();
    }
  }

  private void insert(long key, int blocks) {
    assertThat(cache.reserve(blocks, RequestFacts.UNKNOWN, key, key)).isEqualTo(Admission.ADMITTED);
    cache.insert(key, key, blocks, RequestFacts.UNKNOWN);
  }

  /** Runs a test on one thread, which holds the lock of the cache. */
  private void locked(boolean threaded, Runnable test) {
    lock.lock();
    try {
      cache = cache(threaded);
      cache.install("keeps-small", policy);
      test.run();
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  private BlockCache cache(boolean threaded) {
    GhostWindow ghosts = new GhostWindow(16);
    EvictionLimits onDemand = new EvictionLimits(1, 1, Duration.ofSeconds(20));
    return threaded
        ? new ThreadedBlockCache(CAPACITY, () -> 0, ghosts, onDemand, lock)
        : new InlineBlockCache(CAPACITY, () -> 0, ghosts, OnFault.FAIL);
  }

  /** Returns how many blocks of a prompt were admitted. */
  private int request(long... keys) {
    CacheRequest request = new CacheRequest();
    request.reset(RequestFacts.UNKNOWN, -1);
    for (long key : keys) {
      request.add(key, key);
    }
    cache.begin(request);
    int admitted = cache.admit(request);
    cache.finish(request);
    return admitted;
  }

  /** First in, first out, but nothing is evicted for fingerprints of 100 and more. */
  private static final class KeepsSmall extends QueuedBlockPolicy<KeepsSmall.Node> {

    private final EntryQueue<Node> queue = new EntryQueue<>("queue");
    private final List<String> questions = new ArrayList<>();
    private final List<Long> missed = new CopyOnWriteArrayList<>();

    KeepsSmall() {
      super(CAPACITY, Node::new);
    }

    static final class Node extends EntryQueue.Node<Node> {}

    synchronized List<String> questions() {
      return List.copyOf(questions);
    }

    @Override
    public synchronized boolean admits(Request request, int index, Node victim) {
      long fingerprint = request.fingerprint(index);
      questions.add("%d in place of %d".formatted(fingerprint, victim.entry().fingerprint()));
      return fingerprint < 100;
    }

    @Override
    public void lookupMissed(long fingerprint) {
      missed.add(fingerprint);
    }

    @Override
    protected void insert(Node node) {
      queue.moveToHot(node);
    }

    @Override
    public void accessed(Node node) {}

    @Override
    protected @Nullable Node choose(Demand demand) {
      return queue.coldest();
    }
  }
}
