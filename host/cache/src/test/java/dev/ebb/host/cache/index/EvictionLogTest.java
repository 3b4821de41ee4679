package dev.ebb.host.cache.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.ThreadedBlockCache;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.cache.stats.EvictionReason;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EvictionLogTest {

  private final ReentrantLock lock = new ReentrantLock();
  private final EvictionLog log = new EvictionLog(8);
  private long now;

  @ParameterizedTest(name = "on its own thread: {0}")
  @ValueSource(booleans = {false, true})
  void aRecordSaysWhatLeftAndWhatThePolicyThoughtOfIt(boolean threaded) {
    lock.lock();
    try {
      BlockCache cache = cache(threaded);
      cache.log(log, 1, entry -> ("key" + entry.fingerprint()).getBytes(UTF_8));
      cache.install("ranked", ranked());
      now = 1_000;
      RequestFacts facts = RequestFacts.of("acme", null);
      assertThat(cache.reserve(3, facts)).isTrue();
      CacheEntry entry = cache.insert(7, 7, 3, facts);
      now = 5_000;
      cache.access(entry, facts);
      now = 6_500;
      cache.evict(1, Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
      assertThat(cache.policySize()).isZero();

      EvictionRecord record = log.since(log.written() - 5).getFirst();
      assertThat(record.name()).isEqualTo("key7");
      assertThat(record)
          .isEqualTo(
              new EvictionRecord(
                  0,
                  record.wallMillis(),
                  record.key(),
                  7,
                  "ranked",
                  RemovalCause.EVICTED,
                  EvictedBy.DEMAND,
                  EvictionReason.CHOSEN,
                  EvictionRecord.NO_GROUP,
                  3,
                  5_500,
                  1_500,
                  2,
                  2.0,
                  "acme"));
      EvictionPass pass = log.passes(1).getFirst();
      assertThat(pass.policy()).isEqualTo("ranked");
      assertThat(pass.askedBytes()).isEqualTo(1);
      assertThat(pass.freedBytes()).isEqualTo(3);
      assertThat(pass.entries()).isEqualTo(1);
      assertThat(pass.before()).isEqualTo(3);
      assertThat(pass.after()).isZero();
      assertThat(cache.stats().lifetimes().max()).isEqualTo(5_500);
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  private static long add(EvictionLog log, CacheEntry entry) {
    return log.add(
        entry,
        null,
        RemovalCause.EXPIRED,
        null,
        EvictionReason.CHOSEN,
        EvictionRecord.NO_GROUP,
        entry.blocks,
        "x",
        0);
  }

  @Test
  void whatExpiresIsWrittenDownAndWhatAClientDeletesIsNot() {
    BlockCache cache = cache(false);
    cache.log(log, 1, entry -> ("key" + entry.fingerprint()).getBytes(UTF_8));
    cache.install("ranked", ranked());
    for (long key = 0; key < 3; key++) {
      cache.reserve(1, RequestFacts.UNKNOWN);
      cache.insert(key, key, 1, RequestFacts.UNKNOWN);
    }
    cache.remove(requireNonNull(cache.find(0, 0)), RemovalCause.DELETED);
    cache.remove(requireNonNull(cache.find(1, 1)), RemovalCause.EXPIRED);
    cache.remove(requireNonNull(cache.find(2, 2)), RemovalCause.REPLACED);

    assertThat(log.since(log.written() - 10))
        .extracting(EvictionRecord::cause)
        .containsExactly(RemovalCause.EXPIRED);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2})
  void theLastRecordsAreKept(long seed) {
    Random random = new Random(seed);
    List<Long> all = new ArrayList<>();
    CacheEntry entry = new CacheEntry();
    for (int step = 0; step < 500; step++) {
      entry.keyLow = random.nextInt(1_000);
      assertThat(add(log, entry)).isEqualTo(all.size());
      all.add(entry.keyLow);
      List<Long> kept = all.subList(Math.max(0, all.size() - 8), all.size());
      int most = random.nextInt(12);
      assertThat(log.since(log.written() - most))
          .extracting(EvictionRecord::fingerprint)
          .isEqualTo(kept.subList(Math.max(0, kept.size() - most), kept.size()));
      long from = Math.max(0, all.size() - random.nextInt(20));
      assertThat(log.since(from))
          .extracting(EvictionRecord::sequence)
          .isEqualTo(
              LongStream.range(Math.max(from, all.size() - 8L), all.size()).boxed().toList());
    }
  }

  @Test
  void aReaderDoesNotSeeHalfARecord() throws InterruptedException {
    EvictionLog wide = new EvictionLog(1_000);
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              CacheEntry entry = new CacheEntry();
              for (int i = 0; i < 300_000; i++) {
                entry.keyLow = i;
                entry.accesses = i;
                entry.createdNanos = -i;
                add(wide, entry);
              }
            });
    long next = 0;
    while (writer.isAlive()) {
      for (EvictionRecord record : wide.since(next)) {
        assertThat(record.sequence()).isGreaterThanOrEqualTo(next);
        assertThat(record.fingerprint()).isEqualTo(record.sequence());
        assertThat(record.accesses()).isEqualTo((int) record.sequence());
        assertThat(record.ageNanos()).isEqualTo(record.sequence());
        next = record.sequence() + 1;
      }
    }
    writer.join();
    assertThat(wide.since(wide.written() - 1_000)).hasSize(1_000);
  }

  private BlockCache cache(boolean threaded) {
    return threaded
        ? new ThreadedBlockCache(
            100,
            () -> now,
            new GhostWindow(8),
            new EvictionLimits(1, 1, Duration.ofSeconds(20)),
            lock)
        : new InlineBlockCache(100, () -> now, new GhostWindow(8), OnFault.FAIL);
  }

  private static RankedBlockPolicy ranked() {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.accesses();
      }
    };
  }
}
