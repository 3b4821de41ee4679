package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.Device;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.prune.PruneResult;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.spi.Demand;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A random history of sequences that append, drop tokens, fork, move and end, held against lists of
 * positions: each lane stores the tokens that its list says, in whatever rows, and every row holds
 * what its token says; every block of every pool is accounted for.
 */
public final class PruningModel implements AutoCloseable {

  private static final int BLOCK_TOKENS = 4;
  private static final int LAYERS = 2;
  private static final int HEADS = 3;
  private static final int LANES = LAYERS * HEADS;
  private static final int DIM = 2;
  private static final Namespace MODEL = Namespace.of("tiny");

  /** An open sequence, its text, and by lane the positions stored. */
  private record Open(Sequence sequence, List<Integer> tokens, List<List<Integer>> lanes) {
    boolean pruned() {
      return lanes.stream().anyMatch(lane -> lane.size() < tokens.size());
    }
  }

  private final Random random;
  private final KvLayout layout;
  private final Engine engine = new Engine();
  private final List<Open> open = new ArrayList<>();
  private int prunes;
  private int filled;
  private int copied;
  private int refusals;
  private int moves;
  private int preemptions;

  /**
   * Pools of different sizes, one on each device.
   *
   * @param seed what decides
   * @param laneGroups lane groups of a block
   * @param devices where the pools are to be
   */
  public PruningModel(long seed, int laneGroups, List<? extends Device> devices) {
    random = new Random(seed);
    layout = new KvLayout(LAYERS, HEADS, DIM, BLOCK_TOKENS, DType.FP32, laneGroups);
    int pages = 40;
    for (Device device : devices) {
      KvPool pool = KvPool.open(layout, device, (long) pages * laneGroups * layout.blockBytes());
      BlockCache cache =
          new InlineBlockCache(pages, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
      engine.add(pool, cache, 1, 1);
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
      step();
      open.removeIf(one -> {
        boolean gone = one.sequence().state() == SequenceState.PREEMPTED;
        preemptions += gone ? 1 : 0;
        return gone;
      });
      if (!open.isEmpty()) {
        check(open.get(random.nextInt(open.size())));
      }
      engine.partitions.forEach(this::checkAccounts);
    }
  }

  /**
   * What the history did.
   *
   * @return prunes, those that filled gaps, those that copied shared blocks, refusals because there
   *     was no room, moves to other devices, preempted sequences
   */
  public List<Integer> counts() {
    return List.of(prunes, filled, copied, refusals, moves, preemptions);
  }

  private void step() {
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> openOne();
      case 3, 4, 5, 6, 7 -> pick(this::append);
      case 8, 9, 10, 11, 12 -> pick(this::prune);
      case 13 -> pick(this::prunePrefix);
      case 14 -> pick(this::fork);
      case 15, 16 -> pick(this::end);
      case 17 -> pick(this::move);
      case 18 ->
          engine.locked(() ->
              engine
                  .partitions
                  .getFirst()
                  .cache
                  .evict(random.nextInt(4), Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      default -> engine.partitions.forEach(each -> each.movement.betweenBatches(0, 1 << 12));
    }
  }

  private void pick(Consumer<Open> user) {
    if (!open.isEmpty()) {
      try {
        user.accept(open.get(random.nextInt(open.size())));
      } catch (OutOfBlocksException refused) {
        refusals++;
      }
    }
  }

  private void openOne() {
    List<Integer> tokens = new ArrayList<>();
    for (int i = random.nextInt(30); i > 0; i--) {
      tokens.add(tokens.size() % BLOCK_TOKENS == 0 ? random.nextInt(2) : 7);
    }
    try {
      Sequence sequence =
          engine.open(SequenceRequest.of(MODEL, ints(tokens)).withPriority(random.nextInt(3)));
      Open one = new Open(sequence, tokens, new ArrayList<>());
      for (int lane = 0; lane < LANES; lane++) {
        one.lanes().add(new ArrayList<>(IntStream.range(0, tokens.size()).boxed().toList()));
      }
      write(one, tokens.size() - sequence.matchedTokens());
      open.add(one);
    } catch (OutOfBlocksException refused) {
      refusals++;
    }
  }

  private void append(Open one) {
    int[] more = random.ints(random.nextInt(6), 0, 2).toArray();
    one.sequence().append(more);
    for (int token : more) {
      one.lanes().forEach(lane -> lane.add(one.tokens().size()));
      one.tokens().add(token);
    }
    write(one, more.length);
  }

  private void prune(Open one) {
    int sets = new int[] {1, LAYERS, LANES}[random.nextInt(3)];
    int least = one.lanes().stream().mapToInt(List::size).min().orElse(0);
    int few = random.nextBoolean() ? Math.max(0, least - 1) : random.nextInt(least + 1);
    int[][] kept = new int[sets][];
    int[] counts = new int[layout.laneGroups()];
    Arrays.setAll(counts, group -> Math.max(0, few - random.nextInt(3)));
    boolean ragged = random.nextBoolean() && sets >= layout.laneGroups();
    for (int set = 0; set < sets; set++) {
      int count = ragged ? counts[set * layout.laneGroups() / sets] : few;
      int length = one.lanes().get(set * LANES / sets).size();
      if (sets < one.sequence().stored.sets()) {
        length = least;
      }
      TreeSet<Integer> chosen = new TreeSet<>();
      while (chosen.size() < count) {
        chosen.add(random.nextInt(length));
      }
      kept[set] = chosen.stream().mapToInt(Integer::intValue).toArray();
    }
    long before = one.sequence().home.partition.traffic.counters().copiedBlocks();
    PruneResult result = one.sequence().keep(KeptSets.of(kept));
    assertThat(one.sequence().bytes())
        .isEqualTo((long) one.sequence().home.table.size() * layout.blockBytes());
    for (int lane = 0; lane < LANES; lane++) {
      List<Integer> stored = one.lanes().get(lane);
      int[] stays = kept[lane * sets / LANES];
      one.lanes().set(lane, new ArrayList<>(Arrays.stream(stays).mapToObj(stored::get).toList()));
    }
    prunes++;
    filled += result.movedRows() > 0 && result.movedRows() <= LANES ? 1 : 0;
    copied += one.sequence().home.partition.traffic.counters().copiedBlocks() > before ? 1 : 0;
  }

  private void prunePrefix(Open one) {
    int least = one.lanes().stream().mapToInt(List::size).min().orElse(0);
    int count = random.nextInt(least + 1);
    one.sequence().prunePrefix(count);
    one.lanes().forEach(lane -> lane.subList(0, count).clear());
  }

  private void fork(Open one) {
    open.add(
        new Open(
            one.sequence().fork(),
            new ArrayList<>(one.tokens()),
            new ArrayList<>(one.lanes().stream().map(ArrayList::new).toList())));
  }

  private void end(Open one) {
    DevicePartition partition = one.sequence().home.partition;
    long resident = partition.cache.residentBlocks();
    if (random.nextInt(4) == 0) {
      one.sequence().abort();
    } else {
      one.sequence().finish();
    }
    if (one.pruned()) {
      assertThat(partition.cache.residentBlocks()).isEqualTo(resident);
    }
    open.remove(one);
  }

  private void move(Open one) {
    DevicePartition to = engine.partitions.get(random.nextInt(engine.partitions.size()));
    if (to != one.sequence().home.partition) {
      try (SequenceMigration migration = engine.migrations.start(one.sequence(), to.name(), true)) {
        migration.run(random.nextBoolean() ? Long.MAX_VALUE : layout.blockBytes());
      }
      moves += one.sequence().home.partition == to ? 1 : 0;
    }
  }

  /** Writes K and V of the last tokens where the access says that they go. */
  private void write(Open one, int count) {
    try (KvAccess access = one.sequence().access()) {
      for (int lane = 0; lane < LANES; lane++) {
        int length = access.length(lane);
        for (int row = length - count; row < length; row++) {
          int token = one.tokens().size() - length + row;
          assertThat(access.positions(lane)[row]).isEqualTo(token);
          for (int value = 0; value < 2; value++) {
            int[] content = content(one.tokens(), token, lane, value);
            int page = row / BLOCK_TOKENS;
            SequenceBlocks home = one.sequence().home;
            home.partition
                .pool
                .memory()
                .write(
                    home.table.block(page, lane / layout.lanes()),
                    layout.rowOffset(lane % layout.lanes(), value == 1, row % BLOCK_TOKENS),
                    MemorySegment.ofArray(content));
            assertThat(access.writable(lane, page)).isTrue();
          }
        }
      }
    }
  }

  private void check(Open one) {
    assertThat(one.sequence().position()).isEqualTo(one.tokens().size());
    assertThat(one.sequence().length())
        .isEqualTo(one.lanes().stream().mapToInt(List::size).max().orElseThrow());
    try (KvAccess access = one.sequence().reading()) {
      for (int lane = 0; lane < LANES; lane++) {
        int[] positions = access.positions(lane);
        assertThat(access.length(lane)).isEqualTo(positions.length);
        assertThat(Arrays.stream(positions).sorted().boxed().toList())
            .isEqualTo(one.lanes().get(lane));
        for (int row = 0; row < positions.length; row++) {
          checkRow(one, lane, row, positions[row]);
        }
      }
    }
  }

  private void checkRow(Open one, int lane, int row, int token) {
    SequenceBlocks home = one.sequence().home;
    for (int value = 0; value < 2; value++) {
      int[] found = new int[DIM];
      home.partition
          .pool
          .memory()
          .read(
              home.table.block(row / BLOCK_TOKENS, lane / layout.lanes()),
              layout.rowOffset(lane % layout.lanes(), value == 1, row % BLOCK_TOKENS),
              MemorySegment.ofArray(found));
      assertThat(found)
          .as("sequence %s lane %d row %d token %d", one.sequence(), lane, row, token)
          .isEqualTo(content(one.tokens(), token, lane, value));
    }
  }

  private void checkAccounts(DevicePartition partition) {
    PoolReport report = engine.locked(() -> Inspection.report(engine, partition));
    PoolMap map = engine.locked(() -> Inspection.map(engine, partition));
    assertThat(map.count(BlockUse.FREE)).isEqualTo(partition.pool.freeBlocks());
    assertThat(map.count(BlockUse.RESERVED)).isEqualTo(report.reservedBlocks());
    assertThat(partition.pool.stats().pinnedBlocks()).isZero();
  }

  private static int[] content(List<Integer> tokens, int last, int lane, int value) {
    long mixed = tokens.subList(0, last + 1).hashCode() * 1_000L + lane * 10L + value;
    int[] content = new int[DIM];
    Arrays.setAll(content, dim -> (int) (((mixed + dim * 3L) * 0x9E3779B97F4A7C15L) >>> 32));
    return content;
  }

  private static int[] ints(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Ends all sequences and empties the caches: nothing may be left. */
  public void endAll() {
    while (!open.isEmpty()) {
      open.removeLast().sequence().close();
    }
    for (DevicePartition partition : engine.partitions) {
      engine.locked(
          () -> partition.cache.evict(Long.MAX_VALUE, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      assertThat(partition.pool.freeBlocks()).isEqualTo(partition.pool.blocks());
      assertThat(partition.pool.held()).isEmpty();
    }
  }

  @Override
  public void close() {
    open.forEach(one -> one.sequence().close());
    engine.close();
    engine.partitions.forEach(partition -> partition.pool.close());
  }
}
