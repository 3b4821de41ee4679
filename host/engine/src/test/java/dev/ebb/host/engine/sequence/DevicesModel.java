package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.MigrationReport;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.Pools;
import dev.ebb.spi.Demand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A random history of sequences on several devices that move between them, held against token
 * lists: what matches is what was published on any device and not evicted there, every block holds
 * what its tokens say wherever it lies, and every block of every pool is accounted for.
 */
public final class DevicesModel implements AutoCloseable {

  private static final int BLOCK_TOKENS = 4;
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final int MOST_TRIES = 50;

  /** An open sequence, and what it should hold. */
  private record Open(Sequence sequence, List<Integer> tokens) {}

  /** Prefixes cached on one device, and those that left since somebody looked. */
  private static final class Cached {
    final Set<List<Integer>> prefixes = new HashSet<>();
    final Set<List<Integer>> left = new HashSet<>();
  }

  private final Random random;
  private final @Nullable Consumer<Random> prepareFailure;
  private final boolean mayFail;
  private final Engine engine = new Engine();
  private final Map<DevicePartition, Cached> cached = new HashMap<>();
  private final Map<Long, List<Integer>> names = new HashMap<>();
  private final List<Open> open = new ArrayList<>();
  private final List<SequenceMigration> migrations = new ArrayList<>();
  private int completed;
  private int cancelled;
  private int failures;

  /**
   * Pools of different sizes, one on each device.
   *
   * @param seed what decides
   * @param laneGroups lane groups of a block
   * @param devices where the pools are to be
   * @param prepareFailure may make a call of a device fail, before each step; null if none is to
   */
  public DevicesModel(
      long seed,
      int laneGroups,
      List<? extends Device> devices,
      @Nullable Consumer<Random> prepareFailure) {
    random = new Random(seed);
    mayFail = prepareFailure != null;
    this.prepareFailure = prepareFailure;
    KvLayout layout = new KvLayout(2, 2, 4, BLOCK_TOKENS, DType.FP32, laneGroups);
    int pages = 24;
    for (Device device : devices) {
      KvPool pool = KvPool.open(layout, device, (long) pages * laneGroups * layout.blockBytes());
      BlockCache cache =
          new InlineBlockCache(pages, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
      DevicePartition partition = engine.add(pool, cache, 0.9, 0.8);
      Cached here = new Cached();
      cached.put(partition, here);
      cache.watch(batch -> follow(batch, here));
      pages += 10;
    }
  }

  /**
   * Goes on.
   *
   * @param steps how many
   */
  public void run(int steps) {
    for (int step = 0; step < steps; step++) {
      if (prepareFailure != null) {
        prepareFailure.accept(random);
      }
      step();
      open.removeIf(one -> one.sequence().state() == SequenceState.PREEMPTED);
      check();
    }
  }

  /**
   * What the history did.
   *
   * @return migrations that completed, that were cancelled, blocks copied over, failed calls
   */
  public List<Long> counts() {
    long copied =
        engine.partitions.stream()
            .mapToLong(each -> each.traffic.counters().copiedOverBlocks())
            .sum();
    return List.of((long) completed, (long) cancelled, copied, (long) failures);
  }

  private void step() {
    switch (random.nextInt(22)) {
      case 0, 1, 2 -> open();
      case 3, 4, 5, 6 -> append();
      case 7 -> fork();
      case 8, 9 -> finish();
      case 10 -> {
        if (!open.isEmpty()) {
          open.remove(random.nextInt(open.size())).sequence().abort();
        }
      }
      case 11 -> evict(random.nextInt(4));
      case 12 -> compact();
      case 13, 14 -> migrate();
      case 15 -> migratePrefix();
      case 16 -> {
        if (!migrations.isEmpty()) {
          migrations.get(random.nextInt(migrations.size())).close();
        }
      }
      case 17, 18 -> publish();
      default -> runOn();
    }
  }

  private List<Integer> prompt() {
    List<Integer> tokens = new ArrayList<>();
    for (int i = random.nextInt(26); i > 0; i--) {
      // Few different prompts, so that they share beginnings.
      tokens.add(tokens.size() % BLOCK_TOKENS == 0 ? random.nextInt(2) : 7);
    }
    return tokens;
  }

  private void open() {
    List<Integer> tokens = prompt();
    SequenceRequest request =
        SequenceRequest.of(MODEL, ints(tokens)).withPriority(random.nextInt(3));
    if (random.nextInt(6) == 0) {
      request =
          request
              .withMaxLength(tokens.size() + random.nextInt(20))
              .reserving(random.nextBoolean() ? Placement.SCATTERED : Placement.CONTIGUOUS);
    }
    String device = random.nextBoolean() ? anyDevice() : null;
    if (device != null) {
      request = request.withDevice(device);
    }
    SequenceRequest asked = request;
    int[] most = {0};
    try {
      Sequence sequence =
          insist(() -> {
            most[0] = longestMatch(each -> true, tokens);
            return engine.open(asked);
          });
      open.add(new Open(sequence, tokens));
      if (device != null) {
        assertThat(sequence.device()).isEqualTo(device);
      }
      int matched = sequence.matchedTokens() / BLOCK_TOKENS;
      if (matched < most[0]) {
        // What could not be copied over is computed again.
        assertThat(mayFail).isTrue();
        assertThat(matched).isEqualTo(sequence.home.matchedPages);
        failures++;
      } else {
        assertThat(matched).isEqualTo(most[0]);
      }
      verify(sequence, tokens, matched);
      fill(sequence, tokens, matched);
    } catch (OutOfBlocksException refused) {
      assertThat(refused.report().sequences()).isNotNull();
    }
  }

  private void append() {
    if (open.isEmpty()) {
      return;
    }
    Open one = any();
    List<Integer> more = new ArrayList<>();
    for (int i = random.nextInt(7); i > 0; i--) {
      more.add(random.nextInt(2));
    }
    int first = one.tokens().size() / BLOCK_TOKENS;
    try {
      insist(() -> {
        one.sequence().append(ints(more));
        return true;
      });
    } catch (OutOfBlocksException refused) {
      return;
    }
    one.tokens().addAll(more);
    if (!more.isEmpty()) {
      assertThat(one.sequence().state()).isEqualTo(SequenceState.OPEN);
      fill(one.sequence(), one.tokens(), first);
    }
  }

  private void fork() {
    if (!open.isEmpty()) {
      Open one = any();
      open.add(new Open(one.sequence().fork(), new ArrayList<>(one.tokens())));
    }
  }

  private void finish() {
    if (open.isEmpty()) {
      return;
    }
    Open one = open.remove(random.nextInt(open.size()));
    int written =
        random.nextInt(3) == 0 ? random.nextInt(one.tokens().size() + 1) : one.tokens().size();
    DevicePartition home = one.sequence().home.partition;
    cached.values().forEach(here -> here.left.clear());
    nameAll(one.tokens());
    one.sequence().finish(written);
    published(home, one.tokens(), written / BLOCK_TOKENS);
  }

  private void publish() {
    if (!open.isEmpty()) {
      Open one = any();
      int written = random.nextInt(one.tokens().size() + 1);
      cached.values().forEach(here -> here.left.clear());
      nameAll(one.tokens());
      one.sequence().publish(written);
      published(one.sequence().home.partition, one.tokens(), written / BLOCK_TOKENS);
    }
  }

  private void published(DevicePartition where, List<Integer> tokens, int pages) {
    for (int page = 0; page < pages; page++) {
      List<Integer> name = prefix(tokens, page);
      if (!here(where).left.contains(name)) {
        here(where).prefixes.add(name);
      }
    }
  }

  private void nameAll(List<Integer> tokens) {
    KeyChain chain = new KeyChain(MODEL, BLOCK_TOKENS);
    chain.add(ints(tokens));
    for (int page = 0; page < chain.blocks(); page++) {
      names.put(chain.low(page), prefix(tokens, page));
    }
  }

  private static List<Integer> prefix(List<Integer> tokens, int page) {
    return List.copyOf(tokens.subList(0, (page + 1) * BLOCK_TOKENS));
  }

  private void evict(int entries) {
    DevicePartition partition = engine.partitions.get(random.nextInt(engine.partitions.size()));
    engine.locked(() -> partition.cache.evict(entries, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
  }

  private void compact() {
    DevicePartition partition = engine.partitions.get(random.nextInt(engine.partitions.size()));
    long bytes = 10L * engine.layout().blockBytes();
    insist(() ->
        switch (random.nextInt(3)) {
          case 0 -> partition.movement.betweenBatches(0, bytes);
          case 1 -> partition.movement.inBackground(0, bytes);
          default -> partition.movement.makeRun(1 + random.nextInt(8));
        });
  }

  private void migrate() {
    if (open.isEmpty()) {
      return;
    }
    Sequence sequence = any().sequence();
    String device = anyDevice();
    boolean here = sequence.device().equals(device);
    boolean moving = sequence.state() == SequenceState.MIGRATING;
    boolean checksum = random.nextBoolean();
    try {
      migrations.add(insist(() -> engine.migrations.start(sequence, device, checksum)));
      assertThat(here || moving).isFalse();
      assertThat(sequence.state()).isEqualTo(SequenceState.MIGRATING);
    } catch (OutOfBlocksException refused) {
      assertThat(sequence.state()).isEqualTo(SequenceState.OPEN);
    } catch (UserError there) {
      assertThat(here).isTrue();
    } catch (IllegalStateException already) {
      assertThat(already).hasMessageContaining("already; run that migration");
      assertThat(moving).isTrue();
    }
  }

  private void migratePrefix() {
    List<Integer> tokens = prompt();
    String device = anyDevice();
    int elsewhere = longestMatch(each -> !each.name().equals(device), tokens);
    boolean checksum = random.nextBoolean();
    try {
      migrations.add(
          insist(() -> engine.migrations.startPrefix(MODEL, ints(tokens), device, checksum)));
      assertThat(elsewhere).isPositive();
    } catch (UserError nothing) {
      assertThat(elsewhere).isZero();
    } catch (OutOfBlocksException refused) {
      assertThat(elsewhere).isPositive();
    }
  }

  private void runOn() {
    if (migrations.isEmpty()) {
      return;
    }
    int index = random.nextInt(migrations.size());
    SequenceMigration migration = migrations.get(index);
    Sequence moving =
        engine.sequences.stream()
            .filter(sequence -> sequence.id == migration.sequence())
            .findFirst()
            .orElse(null);
    boolean underWay = moving != null && moving.migration == migration;
    int pages = moving == null ? 0 : moving.home.table.pages();
    List<Integer> tokens = new ArrayList<>();
    for (Open one : open) {
      if (one.sequence() == moving && underWay && random.nextInt(4) == 0) {
        try (KvAccess reading = moving.reading()) {
          assertThat(reading.device()).isEqualTo(migration.from());
          insist(() -> migration.run(Long.MAX_VALUE));
          assertThat(migration.report().state()).isEqualTo(MigrationReport.State.COPYING);
        }
      }
    }
    if (underWay && moving != null) {
      KeyChain chain = moving.chain;
      for (int page = 0; page < pages && page < chain.blocks(); page++) {
        tokens = names.getOrDefault(chain.low(page), tokens);
      }
    }
    cached.values().forEach(here -> here.left.clear());
    long bytes = random.nextInt(4) * (long) engine.layout().blockBytes();
    MigrationReport report = insist(() -> migration.run(bytes));
    if (report.state() == MigrationReport.State.COPYING) {
      assertThat(underWay).isTrue();
      assertThat(report.blocksCopied()).isLessThanOrEqualTo(report.blocks());
      return;
    }
    migrations.remove(index);
    if (report.state() == MigrationReport.State.CANCELLED) {
      cancelled++;
      assertThat(migration.reason()).isNotNull();
      return;
    }
    completed++;
    assertThat(report.bytesCopied())
        .isEqualTo((long) report.blocks() * engine.layout().blockBytes());
    assertThat(moving).isNotNull();
    Sequence moved = moving;
    assertThat(moved.device()).isEqualTo(migration.to());
    if (open.stream().noneMatch(one -> one.sequence() == moved)) {
      assertThat(moved.state()).isEqualTo(SequenceState.FINISHED);
      published(moved.home.partition, tokens, pages);
    }
  }

  private void follow(EventBatch batch, Cached here) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        List<Integer> name = names.getOrDefault(batch.entry(i).fingerprint(), List.of());
        here.prefixes.remove(name);
        here.left.add(name);
      }
    }
  }

  private void check() {
    for (DevicePartition partition : engine.partitions) {
      PoolReport report = engine.locked(() -> Inspection.report(engine, partition));
      PoolMap map = engine.locked(() -> Inspection.map(engine, partition));
      assertThat(report.cachedBlocks())
          .isEqualTo(here(partition).prefixes.size() * engine.layout().laneGroups());
      assertThat(map.count(BlockUse.FREE)).isEqualTo(partition.pool.freeBlocks());
      // What is allocated and in no table and no cache is reserved, or lost.
      assertThat(map.count(BlockUse.RESERVED)).isEqualTo(report.reservedBlocks());
    }
    if (!open.isEmpty()) {
      Open one = any();
      verify(one.sequence(), one.tokens(), engine.pages(one.tokens().size()));
    }
  }

  /** Ends everything, and requires that nothing is left. */
  public void endAll() {
    while (!open.isEmpty()) {
      open.removeLast().sequence().close();
    }
    migrations.forEach(SequenceMigration::close);
    assertThat(engine.migrations.underWay()).isEmpty();
    assertThat(engine.sequences).isEmpty();
    for (DevicePartition partition : engine.partitions) {
      engine.locked(
          () -> partition.cache.evict(Long.MAX_VALUE, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      assertThat(partition.pool.held()).isEmpty();
      assertThat(partition.pool.freeBlocks()).isEqualTo(partition.pool.blocks());
      assertThat(partition.pool.stats().pinnedBlocks()).isZero();
    }
  }

  private int longestMatch(Predicate<DevicePartition> where, List<Integer> tokens) {
    return cached.keySet().stream()
        .filter(where)
        .mapToInt(partition -> matching(partition, tokens))
        .max()
        .orElse(0);
  }

  private int matching(DevicePartition partition, List<Integer> tokens) {
    int pages = 0;
    while ((pages + 1) * BLOCK_TOKENS <= tokens.size()
        && here(partition).prefixes.contains(tokens.subList(0, (pages + 1) * BLOCK_TOKENS))) {
      pages++;
    }
    return pages;
  }

  private Cached here(DevicePartition partition) {
    return Objects.requireNonNull(cached.get(partition));
  }

  private void fill(Sequence sequence, List<Integer> tokens, int firstPage) {
    int groups = engine.layout().laneGroups();
    try (KvAccess access = sequence.access()) {
      for (int page = firstPage; page < access.pages(); page++) {
        assertThat(access.writable(page)).isTrue();
        for (int group = 0; group < groups; group++) {
          int block = sequence.blockTable(group)[page];
          long pattern = pattern(tokens, page, group);
          KvPool pool = sequence.home.partition.pool;
          insist(() -> {
            Pools.fill(pool, block, pattern);
            return true;
          });
        }
      }
    }
  }

  private void verify(Sequence sequence, List<Integer> tokens, int pages) {
    int groups = engine.layout().laneGroups();
    try (KvAccess access = sequence.reading()) {
      assertThat(access.device()).isEqualTo(sequence.device());
      for (int page = 0; page < pages; page++) {
        for (int group = 0; group < groups; group++) {
          int block = sequence.blockTable(group)[page];
          long pattern = pattern(tokens, page, group);
          KvPool pool = sequence.home.partition.pool;
          insist(() -> {
            Pools.verify(pool, block, pattern);
            return true;
          });
        }
      }
    }
  }

  private static long pattern(List<Integer> tokens, int page, int group) {
    int end = Math.min(tokens.size(), (page + 1) * BLOCK_TOKENS);
    return tokens.subList(0, end).hashCode() * 8L + group;
  }

  /** Makes a call until the device does it. */
  private <T> T insist(Supplier<T> call) {
    for (int tries = 1; ; tries++) {
      try {
        return call.get();
      } catch (DeviceException failed) {
        if (failed.deviceLost() || tries == MOST_TRIES) {
          throw failed;
        }
        failures++;
      }
    }
  }

  private Open any() {
    return open.get(random.nextInt(open.size()));
  }

  private String anyDevice() {
    return engine.partitions.get(random.nextInt(engine.partitions.size())).name();
  }

  private static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  @Override
  public void close() {
    engine.close();
    engine.partitions.forEach(partition -> partition.pool.close());
  }
}
