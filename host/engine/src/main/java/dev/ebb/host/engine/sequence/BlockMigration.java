package dev.ebb.host.engine.sequence;

import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Migrations of blocks that an operator names. A block moves with its owner: a sequence, or the
 * cached prefix up to it, because a block is useless without those before it. Under the engine's
 * lock.
 */
public final class BlockMigration {

  private final Engine engine;
  private final DevicePartition source;

  public BlockMigration(Engine engine, DevicePartition source) {
    this.engine = engine;
    this.source = source;
  }

  public List<SequenceMigration> start(int[] blocks, String device, boolean checksum) {
    Set<Sequence> sequences = new LinkedHashSet<>();
    List<long[]> prefixes = new ArrayList<>();
    for (int block : blocks) {
      check(block);
      if (source.cached.holds(block)) {
        prefixes.add(source.cache.path(source.cached.slot(block)));
      } else {
        sequences.add(owner(block));
      }
    }
    List<SequenceMigration> started = new ArrayList<>();
    try {
      for (Sequence sequence : sequences) {
        started.add(engine.migrations.start(sequence, device, checksum));
      }
      for (long[] prefix : longest(prefixes)) {
        started.add(engine.migrations.startCached(source, prefix, device, checksum));
      }
      return started;
    } catch (RuntimeException refused) {
      started.forEach(SequenceMigration::close);
      throw refused;
    }
  }

  private void check(int block) {
    if (block >= source.pool.blocks()) {
      throw new UserError(
          "block '%d' must be 0 to %d, as '%s' has %d blocks"
              .formatted(block, source.pool.blocks() - 1, source.name(), source.pool.blocks()));
    }
    if (source.pool.info(block).references() == 0) {
      throw new UserError("block '%d' of '%s' is free".formatted(block, source.name()));
    }
  }

  private Sequence owner(int block) {
    return engine
        .sequenceBlocks(source)
        .filter(held -> held.sequence().home == held)
        .filter(held -> has(held, block))
        .findFirst()
        .map(SequenceBlocks::sequence)
        .orElseThrow(() ->
            new UserError(
                "block '%d' of '%s' is not in use yet: it is reserved, or is arriving from another device; name its sequence"
                    .formatted(block, source.name())));
  }

  private static boolean has(SequenceBlocks held, int block) {
    return Arrays.stream(held.table.from(0)).anyMatch(each -> each == block);
  }

  /** Returns the prefixes that are not part of a longer one. */
  private static List<long[]> longest(List<long[]> prefixes) {
    List<long[]> chosen = new ArrayList<>();
    prefixes.stream()
        .sorted(Comparator.comparingInt((long[] path) -> path.length).reversed())
        .filter(path ->
            chosen.stream()
                .noneMatch(longer -> Arrays.equals(longer, 0, path.length, path, 0, path.length)))
        .forEach(chosen::add);
    return chosen;
  }
}
