package dev.ebb.host.pool;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What two threads may do at the same time to one small pool. Blocks 0, 1, 2, 4 and 6 are taken, 1
 * twice, 2 is pinned; 3, 5 and 7 are free.
 */
final class PoolCalls {

  /** One call, and what it answered: in words, so that answers can be compared. */
  interface Call {
    Object on(PoolCalls state);
  }

  private static final BlockOwner OWNER = new BlockOwner("owner");
  private static final BlockOwner OTHER = new BlockOwner("other");
  private static final ArrayDevice HERE = new ArrayDevice("here");

  private final KvPool pool;

  private PoolCalls(KvPool pool) {
    this.pool = pool;
  }

  /** What a thread keeps from one of its calls to the next. */
  private static final class Kept {
    @Nullable Reservation reservation;
  }

  static PoolCalls fresh() {
    KvPool pool = Pools.of(HERE, 8);
    pool.allocate(OWNER, 8, Placement.SCATTERED);
    pool.free(3, 5, 7);
    pool.share(1);
    pool.pin(2);
    return new PoolCalls(pool);
  }

  /** Sequences of calls by name, created for each thread. */
  static Map<String, List<Call>> programs() {
    Map<String, List<Call>> all = new LinkedHashMap<>();
    twice(all, "share", state -> done(() -> state.pool.share(0)));
    twice(all, "free", state -> done(() -> state.pool.free(1)));
    twice(all, "free two", state -> done(() -> state.pool.free(0, 4)));
    twice(all, "pin", state -> done(() -> state.pool.pin(0)));
    twice(all, "unpin", state -> done(() -> state.pool.unpin(2)));
    twice(all, "allocate", state -> allocate(state, 1, Placement.SCATTERED));
    twice(all, "allocate two", state -> allocate(state, 2, Placement.SCATTERED));
    twice(all, "allocate run", state -> allocate(state, 2, Placement.CONTIGUOUS));
    twice(all, "writable", state -> state.pool.writable(1, OTHER));
    twice(all, "assign", state -> done(() -> state.pool.assign(0, OTHER)));
    twice(all, "info", state -> state.pool.info(0));
    twice(all, "info of shared", state -> state.pool.info(1));
    twice(all, "stats", state -> state.pool.stats());
    twice(all, "free blocks", state -> state.pool.freeBlocks());
    twice(all, "held", state -> state.pool.held());
    twice(all, "compact", state -> moved(state.pool.movement().compact(0, 1_000)));
    twice(all, "make run", state -> moved(state.pool.movement().makeRun(3)));
    twice(all, "write ones", state -> write(state, 1));
    twice(all, "write twos", state -> write(state, 2));
    twice(all, "read", PoolCalls::read);
    twice(all, "atomically", PoolCalls::shareAndFree);
    Kept reserving = new Kept();
    all.put(
        "reserve and give back",
        List.of(
            state -> {
              reserving.reservation = null;
              reserving.reservation = state.pool.reserve(OTHER, 2, Placement.SCATTERED);
              return Arrays.toString(new int[] {reserving.reservation.left()});
            },
            state -> done(() -> Objects.requireNonNull(reserving.reservation).close())));
    return all;
  }

  private static void twice(Map<String, List<Call>> all, String name, Call call) {
    all.put(name, List.of(call, call));
  }

  private static String done(Runnable call) {
    call.run();
    return "done";
  }

  private static String allocate(PoolCalls state, int count, Placement placement) {
    return Arrays.toString(state.pool.allocate(OTHER, count, placement));
  }

  private static List<Integer> moved(CompactionReport report) {
    return List.of(report.blocksMoved(), report.largestFreeRun());
  }

  private static String write(PoolCalls state, int value) {
    byte[] bytes = new byte[Pools.LAYOUT.blockBytes()];
    Arrays.fill(bytes, (byte) value);
    state.pool.memory().write(2, 0, MemorySegment.ofArray(bytes));
    return "written";
  }

  private static String read(PoolCalls state) {
    byte[] bytes = new byte[Pools.LAYOUT.blockBytes()];
    state.pool.memory().read(2, 0, MemorySegment.ofArray(bytes));
    return Arrays.toString(bytes);
  }

  private static List<Integer> shareAndFree(PoolCalls state) {
    return state.pool.atomically(() -> {
      state.pool.share(1);
      int references = state.pool.info(1).references();
      state.pool.free(1);
      return List.of(references, state.pool.info(1).references());
    });
  }

  /** Makes a call; a refusal is an answer like any other. */
  Object make(Call call) {
    try {
      return call.on(this);
    } catch (RuntimeException refused) {
      return refused.getClass().getSimpleName() + ": " + refused.getMessage();
    }
  }

  /** All that can be known of the pool. */
  List<Object> state() {
    List<Object> state = new ArrayList<>();
    for (int block = 0; block < pool.blocks(); block++) {
      state.add(pool.info(block));
    }
    state.add(pool.stats());
    state.add(pool.held());
    return state;
  }
}
