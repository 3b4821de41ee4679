package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.Demand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random histories of sequences, held against token lists: what must match is what was published
 * and has not been evicted, and every byte of it is what the tokens say.
 */
class EngineModelTest {

  private static final int STEPS = Histories.times(1_500);

  /** An open sequence, and what it should hold. */
  private record Open(Sequence sequence, String salt, List<Integer> tokens) {}

  private final List<Open> open = new ArrayList<>();

  /** Cached prefixes: salt and tokens as text. */
  private final Set<String> cached = new TreeSet<>();

  private final Set<String> removed = new HashSet<>();
  private final Map<Long, String> names = new HashMap<>();
  private int refusals;
  private int preemptions;

  @ParameterizedTest(name = "seed {0}, {1} lane groups, eviction above {2}")
  @CsvSource({"1,1,1.0", "2,1,0.8", "3,2,1.0", "4,4,0.9", "5,1,1.0", "6,2,0.7"})
  void anyHistoryKeepsTokensAndBytesTogether(long seed, int groups, double threshold) {
    Random random = new Random(seed);
    try (TestEngine test = new TestEngine(48 * groups, groups, threshold, threshold - 0.1)) {
      test.cache.watch(this::follow);
      for (int step = 0; step < STEPS; step++) {
        step(test, random);
        dropPreempted();
        check(test, random);
      }
      assertThat(refusals).isPositive();
      assertThat(preemptions).isPositive();
      assertThat(test.report().reclaim().preemptions()).isEqualTo(preemptions);
      assertThat(test.report().traffic().matchedTokens()).isPositive();
      assertThat(test.report().traffic().copiedBlocks()).isPositive();
      while (!open.isEmpty()) {
        open.removeLast().sequence().close();
      }
      test.engine.locked(
          () -> test.cache.evict(Long.MAX_VALUE, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      assertThat(test.pool.freeBlocks()).isEqualTo(test.pool.blocks());
      assertThat(test.pool.held()).isEmpty();
      assertThat(test.pool.stats().pinnedBlocks()).isZero();
    }
  }

  private void step(TestEngine test, Random random) {
    switch (random.nextInt(18)) {
      case 0, 1, 2 -> open(test, random);
      case 3, 4, 5, 6, 7 -> append(test, random);
      case 8 -> fork(random);
      case 9, 10 -> finish(test, random);
      case 11 -> {
        if (!open.isEmpty()) {
          open.remove(random.nextInt(open.size())).sequence().abort();
        }
      }
      case 12 ->
          test.engine.locked(() ->
              test.cache.evict(random.nextInt(4), Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      case 13 -> test.partition.movement.betweenBatches(0, 10L * test.pool.layout().blockBytes());
      case 15, 16 -> publish(test, random);
      case 14 -> test.partition.movement.inBackground(0, 10L * test.pool.layout().blockBytes());
      default -> test.partition.movement.makeRun(1 + random.nextInt(12));
    }
  }

  private void open(TestEngine test, Random random) {
    String salt = random.nextInt(4) == 0 ? "other" : "";
    List<Integer> tokens = new ArrayList<>();
    for (int i = random.nextInt(24); i > 0; i--) {
      // Few different prompts, so that they share beginnings.
      tokens.add(tokens.size() % TestEngine.BLOCK_TOKENS == 0 ? random.nextInt(3) : 7);
    }
    Namespace namespace = salt.isEmpty() ? TestEngine.MODEL : TestEngine.MODEL.withSalt(salt);
    SequenceRequest request =
        SequenceRequest.of(namespace, ints(tokens)).withPriority(random.nextInt(3));
    if (random.nextInt(6) == 0) {
      request =
          request
              .withMaxLength(tokens.size() + random.nextInt(20))
              .reserving(random.nextBoolean() ? Placement.SCATTERED : Placement.CONTIGUOUS);
    }
    int full = tokens.size() / TestEngine.BLOCK_TOKENS;
    int expected = 0;
    while (expected < full && cached.contains(name(salt, tokens, expected + 1))) {
      expected++;
    }
    try {
      Sequence sequence = test.engine.open(request);
      Open opened = new Open(sequence, salt, tokens);
      open.add(opened);
      assertThat(sequence.matchedTokens()).isEqualTo(expected * TestEngine.BLOCK_TOKENS);
      assertThat(sequence.length()).isEqualTo(tokens.size());
      KvBytes.check(
          test.pool.layout(), sequence, salt, tokens.subList(0, sequence.matchedTokens()));
      KvBytes.write(test.pool.layout(), sequence, salt, tokens, sequence.matchedTokens());
    } catch (OutOfBlocksException refused) {
      refusals++;
    }
  }

  private void append(TestEngine test, Random random) {
    if (open.isEmpty()) {
      return;
    }
    Open one = open.get(random.nextInt(open.size()));
    List<Integer> more = new ArrayList<>();
    for (int i = random.nextInt(7); i > 0; i--) {
      more.add(random.nextInt(2));
    }
    int before = one.tokens().size();
    try {
      one.sequence().append(ints(more));
    } catch (OutOfBlocksException refused) {
      refusals++;
      assertThat(one.sequence().length()).isEqualTo(before);
      return;
    }
    one.tokens().addAll(more);
    KvBytes.write(test.pool.layout(), one.sequence(), one.salt(), one.tokens(), before);
  }

  private void fork(Random random) {
    if (!open.isEmpty()) {
      Open one = open.get(random.nextInt(open.size()));
      open.add(new Open(one.sequence().fork(), one.salt(), new ArrayList<>(one.tokens())));
    }
  }

  /** Publishes while the sequence goes on, sometimes while its bytes are in use. */
  private void publish(TestEngine test, Random random) {
    if (open.isEmpty()) {
      return;
    }
    Open one = open.get(random.nextInt(open.size()));
    int written = random.nextInt(one.tokens().size() + 1);
    int full = written / TestEngine.BLOCK_TOKENS;
    cached.addAll(names(one, full));
    if (random.nextBoolean()) {
      try (KvAccess access = one.sequence().access()) {
        assertThat(one.sequence().publish(written)).isLessThanOrEqualTo(access.length(0));
        KvBytes.check(test.pool.layout(), one.sequence(), one.salt(), one.tokens());
      }
    } else {
      assertThat(one.sequence().publish(written))
          .isGreaterThanOrEqualTo(full * TestEngine.BLOCK_TOKENS);
    }
  }

  /** Returns the names of the first pages, which are remembered by their keys. */
  private Set<String> names(Open one, int pages) {
    KeyChain chain =
        new KeyChain(
            one.salt().isEmpty() ? TestEngine.MODEL : TestEngine.MODEL.withSalt(one.salt()),
            TestEngine.BLOCK_TOKENS);
    chain.add(ints(one.tokens()));
    Set<String> all = new HashSet<>();
    for (int page = 0; page < pages; page++) {
      String name = name(one.salt(), one.tokens(), page + 1);
      names.put(chain.low(page), name);
      all.add(name);
    }
    return all;
  }

  private void finish(TestEngine test, Random random) {
    if (open.isEmpty()) {
      return;
    }
    Open one = open.remove(random.nextInt(open.size()));
    int written =
        random.nextInt(3) == 0 ? random.nextInt(one.tokens().size() + 1) : one.tokens().size();
    int full = written / TestEngine.BLOCK_TOKENS;
    Set<String> published = names(one, full);
    removed.clear();
    one.sequence().finish(written);
    cached.addAll(published);
    cached.removeAll(removed);
    assertThat(one.sequence().state()).isEqualTo(SequenceState.FINISHED);
    assertThatThrownBy(() -> one.sequence().append(1))
        .isInstanceOf(SequenceStateException.class)
        .hasMessageContaining("FINISHED");
    assertThat(test.cache.residentBlocks()).isEqualTo(cached.size());
  }

  private void dropPreempted() {
    for (Open one : List.copyOf(open)) {
      if (one.sequence().state() == SequenceState.PREEMPTED) {
        preemptions++;
        open.remove(one);
        assertThatThrownBy(one.sequence()::access)
            .isInstanceOf(SequenceStateException.class)
            .hasMessageContaining("was preempted by sequence");
      }
    }
  }

  private void follow(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        String name = names.get(batch.entry(i).fingerprint());
        removed.add(name);
        cached.remove(name);
      }
    }
  }

  private void check(TestEngine test, Random random) {
    PoolReport report = test.report();
    PoolMap map = test.map();
    KvLayout layout = test.pool.layout();
    assertThat(report.cachedBlocks()).isEqualTo(cached.size() * layout.laneGroups());
    assertThat(map.count(BlockUse.FREE)).isEqualTo(test.pool.freeBlocks());
    // What is allocated and in no table and no cache is reserved, or lost.
    assertThat(map.count(BlockUse.RESERVED)).isEqualTo(report.reservedBlocks());
    assertThat(report.sequences()).hasSize(open.size());
    if (!open.isEmpty()) {
      Open one = open.get(random.nextInt(open.size()));
      KvBytes.check(layout, one.sequence(), one.salt(), one.tokens());
    }
  }

  private static String name(String salt, List<Integer> tokens, int pages) {
    return salt + tokens.subList(0, pages * TestEngine.BLOCK_TOKENS);
  }

  private static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }
}
