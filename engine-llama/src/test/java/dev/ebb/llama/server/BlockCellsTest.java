package dev.ebb.llama.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Drives the cells with random requests, evictions and compactions of a naive pool and cache, over
 * a naive llama.cpp whose cells remember the token that they were computed for.
 */
class BlockCellsTest {

  private static final int BLOCK = 4;
  private static final int BLOCKS = 24;
  private static final int PARALLEL = 4;
  private static final int STEPS = 4_000;

  private static final class Cell {
    final int position;

    /** The token and all before it, which decide the value of a real cell. */
    final List<Integer> history;

    final Set<Integer> owners = new HashSet<>();

    Cell(int position, List<Integer> history, int owner) {
      this.position = position;
      this.history = history;
      owners.add(owner);
    }
  }

  private static final class NaiveCells implements BlockCells.Cells {
    final List<Cell> used = new ArrayList<>();

    /** The bytes of the pool: by block and row, what was saved. */
    final Map<Integer, List<Integer>> pool = new HashMap<>();

    int restored;
    int shared;

    void compute(int owner, List<Integer> history) {
      used.add(new Cell(history.size() - 1, history, owner));
    }

    @Override
    public void save(int owner, int[] blocks, int from, int to) {
      Map<Integer, List<Integer>> seen = seenBy(owner);
      for (int at = from; at < to; at++) {
        pool.put(blocks[at / BLOCK] * BLOCK + at % BLOCK, requireNonNull(seen.get(at)));
      }
    }

    @Override
    public void restore(int owner, int[] blocks, int from, int to) {
      restored++;
      for (int at = from; at < to; at++) {
        int row = blocks[at / BLOCK] * BLOCK + at % BLOCK;
        used.add(new Cell(at, requireNonNull(pool.get(row)), owner));
      }
    }

    @Override
    public void share(int owner, int other, int from, int to) {
      shared++;
      used.stream()
          .filter(
              cell -> cell.owners.contains(owner) && from <= cell.position && cell.position < to)
          .forEach(cell -> cell.owners.add(other));
    }

    @Override
    public void remove(int owner, int from, int to) {
      used.forEach(cell -> {
        if (from <= cell.position && cell.position < to) {
          cell.owners.remove(owner);
        }
      });
      used.removeIf(cell -> cell.owners.isEmpty());
    }

    Map<Integer, List<Integer>> seenBy(int owner) {
      Map<Integer, List<Integer>> seen = new TreeMap<>();
      for (Cell cell : used) {
        if (cell.owners.contains(owner)) {
          assertThat(seen.put(cell.position, cell.history)).isNull();
        }
      }
      return seen;
    }
  }

  private static final class Request {
    final List<Integer> tokens;
    int[] blocks;

    /** Matched or published pages. */
    int matched;

    final BlockCells.Branch branch;
    int computed;

    Request(List<Integer> tokens, int[] blocks, int matched, BlockCells.Branch branch) {
      this.tokens = tokens;
      this.blocks = blocks;
      this.matched = matched;
      this.branch = branch;
      computed = Math.min(matched * BLOCK, tokens.size() - 1);
    }
  }

  private final Random random = new Random(7);
  private final NaiveCells naive = new NaiveCells();
  private final BlockCells cells = new BlockCells(naive, BLOCKS, BLOCK);

  /** The block of each cached page, by the tokens up to its end. */
  private final Map<List<Integer>, Integer> cached = new HashMap<>();

  private int replaced;
  private final BitSet free = new BitSet();
  private final List<Request> running = new ArrayList<>();

  private void open() {
    List<Integer> tokens = new ArrayList<>();
    int length = 1 + random.nextInt(5 * BLOCK);
    for (int i = 0; i < length; i++) {
      // Few different tokens, and only at the beginning of a block, so that prefixes are common.
      tokens.add(i % BLOCK == 0 ? random.nextInt(2) : 0);
    }
    int matched = 0;
    while ((matched + 1) * BLOCK <= length && cached.containsKey(page(tokens, matched))) {
      matched++;
    }
    int pages = Math.ceilDiv(length, BLOCK);
    Set<Integer> pinned = new HashSet<>();
    int[] blocks = new int[pages];
    for (int page = 0; page < matched; page++) {
      blocks[page] = requireNonNull(cached.get(page(tokens, page)));
      pinned.add(blocks[page]);
    }
    while (free.cardinality() < pages - matched && evict(pinned)) {
      // Evicts leaves.
    }
    if (free.cardinality() < pages - matched) {
      return;
    }
    for (int page = matched; page < pages; page++) {
      blocks[page] = take();
    }
    int shared = Math.min(matched * BLOCK, length - 1);
    running.add(new Request(tokens, blocks, matched, cells.open(blocks, matched, shared)));
  }

  private int take() {
    int[] all = free.stream().toArray();
    int block = all[random.nextInt(all.length)];
    free.clear(block);
    return block;
  }

  private static List<Integer> page(List<Integer> tokens, int page) {
    return List.copyOf(tokens.subList(0, (page + 1) * BLOCK));
  }

  private boolean evict(Set<Integer> pinned) {
    Set<Integer> used = new HashSet<>(pinned);
    running.forEach(request -> Arrays.stream(request.blocks).forEach(used::add));
    List<List<Integer>> leaves =
        cached.keySet().stream()
            .filter(key -> !used.contains(cached.get(key)))
            .filter(key ->
                cached.keySet().stream()
                    .noneMatch(other ->
                        other.size() == key.size() + BLOCK
                            && other.subList(0, key.size()).equals(key)))
            .toList();
    if (leaves.isEmpty()) {
      return false;
    }
    free.set(requireNonNull(cached.remove(leaves.get(random.nextInt(leaves.size())))));
    return true;
  }

  private void step(Request request) {
    int wanted = 1 + random.nextInt(6);
    for (int i = 0; i < wanted && request.computed < request.tokens.size(); i++) {
      request.computed++;
      naive.compute(request.branch.id(), List.copyOf(request.tokens.subList(0, request.computed)));
    }
    if (request.computed == request.tokens.size() && request.tokens.size() < 7 * BLOCK) {
      grow(request);
    }
  }

  private void grow(Request request) {
    if (request.tokens.size() == request.blocks.length * BLOCK) {
      if (free.isEmpty() && !evict(Set.of())) {
        return;
      }
      int old = request.blocks.length;
      request.blocks = Arrays.copyOf(request.blocks, old + 1);
      request.blocks[old] = take();
    }
    request.tokens.add(random.nextInt(2));
  }

  /** Ends a request; a failed one keeps nothing. */
  private void close(Request request, boolean failed) {
    running.remove(request);
    int computed = failed ? 0 : request.computed;
    cells.close(request.branch, request.blocks, request.matched, computed);
    for (int page = request.matched; page < request.blocks.length; page++) {
      boolean kept =
          page < computed / BLOCK
              && cached.putIfAbsent(page(request.tokens, page), request.blocks[page]) == null;
      if (!kept) {
        free.set(request.blocks[page]);
      }
    }
  }

  /** Publishes full pages, and uses the block of a request that has published the same page. */
  private void publish(Request request) {
    int from = request.matched;
    int to = Math.max(from, request.computed / BLOCK);
    cells.save(request.branch, request.blocks, from, to);
    for (int page = from; page < to; page++) {
      Integer other = cached.putIfAbsent(page(request.tokens, page), request.blocks[page]);
      if (other != null) {
        free.set(request.blocks[page]);
        request.blocks[page] = other;
        replaced++;
      }
    }
    cells.publish(request.branch, request.blocks, from, to);
    request.matched = to;
  }

  private void compact() {
    Set<Integer> used = new HashSet<>();
    running.forEach(request -> Arrays.stream(request.blocks).forEach(used::add));
    List<List<Integer>> movable =
        cached.keySet().stream().filter(key -> !used.contains(cached.get(key))).toList();
    if (!movable.isEmpty() && !free.isEmpty()) {
      List<Integer> key = movable.get(random.nextInt(movable.size()));
      int to = take();
      int from = requireNonNull(cached.put(key, to));
      for (int row = 0; row < BLOCK; row++) {
        naive.pool.put(to * BLOCK + row, requireNonNull(naive.pool.get(from * BLOCK + row)));
      }
      free.set(from);
    }
  }

  private void check() {
    for (Request request : running) {
      Map<Integer, List<Integer>> expected = new TreeMap<>();
      for (int position = 0; position < request.computed; position++) {
        expected.put(position, List.copyOf(request.tokens.subList(0, position + 1)));
      }
      assertThat(naive.seenBy(request.branch.id())).isEqualTo(expected);
    }
    long blocks =
        running.stream().flatMapToInt(request -> Arrays.stream(request.blocks)).distinct().count();
    assertThat(naive.used.size()).isLessThanOrEqualTo(((int) blocks + running.size()) * BLOCK);
    assertThat(cells.branches()).isEqualTo(running.size());
    assertThat(running).allMatch(request -> request.branch.id() < PARALLEL);
    assertThat(running.stream().map(request -> request.branch.id()).distinct())
        .hasSameSizeAs(running);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void runningRequestsSeeExactlyTheirTokens(long seed) {
    random.setSeed(seed);
    free.set(0, BLOCKS);
    for (int i = 0; i < STEPS; i++) {
      int choice = random.nextInt(20);
      if (choice < 4 && running.size() < PARALLEL) {
        open();
      } else if (choice < 5) {
        evict(Set.of());
      } else if (choice < 6) {
        compact();
      } else if (!running.isEmpty()) {
        Request request = running.get(random.nextInt(running.size()));
        if (choice < 9) {
          close(request, choice == 8 && random.nextInt(4) == 0);
        } else {
          step(request);
          if (random.nextBoolean()) {
            publish(request);
          }
        }
      }
      check();
    }
    assertThat(replaced).isPositive();
    List.copyOf(running).forEach(request -> close(request, false));
    assertThat(naive.used).isEmpty();
    assertThat(naive.restored).isPositive();
    assertThat(naive.shared).isPositive();
    assertThat(cells.branches()).isZero();
  }
}
