package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.BlockMoves;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What holders know of their blocks, as a block table does: number and content of each, and nothing
 * else.
 */
final class ModelReferences {

  /** One reference to a block. */
  static final class Reference {
    final KvPool pool;
    int block;
    long pattern;
    int pins;

    /** Whether it is not a part of the run any more with which it was allocated. */
    boolean alone;

    Reference(KvPool pool, int block, long pattern) {
      this.pool = pool;
      this.block = block;
      this.pattern = pattern;
    }
  }

  private record Place(KvPool pool, int block) {}

  /** Blocks of one run, the second directly behind the first. */
  private record Neighbours(Reference first, Reference second) {
    boolean apart() {
      return first.alone || second.alone;
    }
  }

  private final List<Reference> held = new ArrayList<>();
  private final List<Neighbours> neighbours = new ArrayList<>();

  boolean isEmpty() {
    return held.isEmpty();
  }

  void add(Reference reference) {
    held.add(reference);
  }

  /** Adds blocks that were allocated as one run: they stay together until one is freed. */
  void addRun(List<Reference> run) {
    run.forEach(this::add);
    for (int i = 1; i < run.size(); i++) {
      neighbours.add(new Neighbours(run.get(i - 1), run.get(i)));
    }
  }

  Reference any(Random random) {
    return held.get(random.nextInt(held.size()));
  }

  void remove(Reference reference) {
    held.set(held.indexOf(reference), held.getLast());
    held.removeLast();
    reference.alone = true;
  }

  Stream<Reference> of(KvPool pool) {
    return held.stream().filter(reference -> reference.pool == pool);
  }

  /** Notes new numbers. */
  void follow(KvPool pool, BlockMoves moves) {
    Map<Integer, Integer> numbers = new HashMap<>();
    for (int i = 0; i < moves.count(); i++) {
      numbers.put(moves.from(i), moves.to(i));
    }
    for (Reference moved :
        of(pool).filter(reference -> numbers.containsKey(reference.block)).toList()) {
      assertThat(moved.pins).isZero();
      moved.block = numbers.getOrDefault(moved.block, -1);
    }
  }

  /** Compares with what the pools know, and the content where it can be read. */
  void check(List<KvPool> pools, Predicate<KvPool> readable, Consumer<Reference> verify) {
    Map<Place, Integer> references = new HashMap<>();
    Map<Place, Integer> pins = new HashMap<>();
    for (Reference reference : held) {
      Place place = new Place(reference.pool, reference.block);
      references.merge(place, 1, Integer::sum);
      pins.merge(place, reference.pins, Integer::sum);
      if (readable.test(reference.pool)) {
        verify.accept(reference);
      }
    }
    neighbours.removeIf(Neighbours::apart);
    for (Neighbours each : neighbours) {
      assertThat(each.second.block).as("behind its neighbour").isEqualTo(each.first.block + 1);
    }
    for (KvPool pool : pools) {
      int free = 0;
      for (int block = 0; block < pool.blocks(); block++) {
        Place place = new Place(pool, block);
        BlockInfo info = pool.info(block);
        if (info.references() != references.getOrDefault(place, 0)
            || info.pins() != pins.getOrDefault(place, 0)) {
          throw new AssertionError(info.toString());
        }
        free += info.references() == 0 ? 1 : 0;
      }
      assertThat(pool.freeBlocks()).isEqualTo(free);
    }
  }

  /** Gives all up. */
  void freeAll() {
    for (Reference reference : held) {
      for (; reference.pins > 0; reference.pins--) {
        reference.pool.unpin(reference.block);
      }
      reference.pool.free(reference.block);
    }
    held.clear();
    neighbours.clear();
  }
}
