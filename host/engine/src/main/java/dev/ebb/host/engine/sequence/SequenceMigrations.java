package dev.ebb.host.engine.sequence;

import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.errors.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Starts and ends migrations of sequences and cached prefixes between devices. */
public final class SequenceMigrations {

  private static final Namespace UNKNOWN = Namespace.of("unknown");

  private final Engine engine;
  private final Map<Long, SequenceMigration> underWay = new LinkedHashMap<>();
  private final List<SequenceBlocks> makingRoom = new ArrayList<>();
  private long lastId;

  SequenceMigrations(Engine engine) {
    this.engine = engine;
  }

  public List<SequenceMigration> underWay() {
    return engine.locked(() -> List.copyOf(underWay.values()));
  }

  /** Returns the blocks taken on the target devices. */
  Stream<SequenceBlocks> arriving() {
    return Stream.concat(
        makingRoom.stream(), underWay.values().stream().map(SequenceMigration::target));
  }

  /** Starts the migration of the open sequence with a number. */
  public SequenceMigration start(long id, String device, boolean checksum) {
    return engine.locked(() -> {
      Sequence found =
          engine.sequences.stream()
              .filter(open -> open.id == id)
              .findFirst()
              .orElseThrow(() ->
                  new UserError(
                      "there is no open sequence '%d'; the pool's report lists the open ones"
                          .formatted(id)));
      return start(found, device, checksum);
    });
  }

  public SequenceMigration start(Sequence sequence, String device, boolean checksum) {
    engine.checkOwn(sequence);
    return engine.locked(() -> {
      engine.checkOpen();
      sequence.checkOpen();
      return start(sequence, engine.devices.named(device), checksum, false);
    });
  }

  /**
   * Migrates blocks that an operator names. A block moves with its owner: a sequence, or the cached
   * prefix up to it, because a block is useless without those before it.
   */
  public List<SequenceMigration> startBlocks(
      DevicePartition source, int[] blocks, String device, boolean checksum) {
    return engine.locked(() -> {
      Set<Sequence> sequences = new LinkedHashSet<>();
      List<long[]> prefixes = new ArrayList<>();
      for (int block : blocks) {
        requireInUse(source, block);
        if (source.cached.holds(block)) {
          prefixes.add(source.cache.path(source.cached.slot(block)));
        } else {
          sequences.add(owner(source, block));
        }
      }
      List<SequenceMigration> started = new ArrayList<>();
      try {
        sequences.forEach(sequence -> started.add(start(sequence, device, checksum)));
        longest(prefixes)
            .forEach(prefix -> started.add(startCached(source, prefix, device, checksum)));
        return started;
      } catch (RuntimeException refused) {
        started.forEach(SequenceMigration::close);
        throw refused;
      }
    });
  }

  private static void requireInUse(DevicePartition source, int block) {
    if (block >= source.pool.blocks()) {
      throw new UserError(
          "block '%d' must be 0 to %d, as '%s' has %d blocks"
              .formatted(block, source.pool.blocks() - 1, source.name(), source.pool.blocks()));
    }
    if (source.pool.info(block).references() == 0) {
      throw new UserError("block '%d' of '%s' is free".formatted(block, source.name()));
    }
  }

  private Sequence owner(DevicePartition source, int block) {
    return engine
        .sequenceBlocks(source)
        .filter(held -> held.sequence().home == held)
        .filter(held -> Arrays.stream(held.table.from(0)).anyMatch(each -> each == block))
        .findFirst()
        .map(SequenceBlocks::sequence)
        .orElseThrow(() ->
            new UserError(
                "block '%d' of '%s' is not in use yet: it is reserved, or is arriving from another device; name its sequence"
                    .formatted(block, source.name())));
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

  /** Migrates a cached prefix as a sequence that is never appended to. */
  public SequenceMigration startPrefix(
      Namespace namespace, int[] tokens, String device, boolean checksum) {
    SequenceRequest asked = SequenceRequest.of(namespace, tokens);
    KeyChain chain = engine.keys(namespace, tokens);
    return engine.locked(() -> {
      engine.checkOpen();
      DevicePartition target = engine.devices.named(device);
      DevicePartition source = engine.devices.mostOf(chain, target, 0);
      if (source == null) {
        throw new UserError(
            "none of these '%d' tokens is cached on a device other than '%s'"
                .formatted(tokens.length, device));
      }
      return startPrefix(asked, chain, source, target, checksum);
    });
  }

  /** Migrates a cached prefix of which only the keys are known. */
  private SequenceMigration startCached(
      DevicePartition source, long[] keys, String device, boolean checksum) {
    KeyChain chain = KeyChain.ofKeys(keys);
    int tokens = Math.multiplyExact(chain.blocks(), engine.layout().blockTokens());
    SequenceRequest asked = SequenceRequest.of(UNKNOWN, new int[tokens]);
    engine.checkOpen();
    return startPrefix(asked, chain, source, engine.devices.named(device), checksum);
  }

  private SequenceMigration startPrefix(
      SequenceRequest asked,
      KeyChain chain,
      DevicePartition source,
      DevicePartition target,
      boolean checksum) {
    Sequence carrier = engine.add(asked, chain, source, source.cachedPages(chain));
    carrier.stored.append(carrier.matchedTokens);
    try {
      return start(carrier, target, checksum, true);
    } catch (RuntimeException refused) {
      engine.letGo(carrier, SequenceState.ABORTED);
      throw refused;
    }
  }

  private SequenceMigration start(
      Sequence sequence, DevicePartition target, boolean checksum, boolean prefix) {
    SequenceMigration running = sequence.migration;
    if (running != null) {
      throw new IllegalStateException(
          "sequence '%d' is being migrated to '%s' already; run that migration to its end, or close it"
              .formatted(sequence.id, running.to()));
    }
    sequence.checkNotInUse("migrated");
    if (sequence.appending) {
      throw new IllegalStateException(
          "sequence '%d' cannot be migrated while it waits for room; try again"
              .formatted(sequence.id));
    }
    SequenceBlocks home = sequence.home;
    if (home.partition == target) {
      throw new UserError(
          "%s is on '%s' already; name another device"
              .formatted(
                  prefix ? "the prefix" : "sequence '%d'".formatted(sequence.id), target.name()));
    }
    // Behind the matched tokens the sequence may be writing, but cached pages are not writable.
    int matched =
        sequence.stored.pruned() ? 0 : sequence.matchedTokens / engine.layout().blockTokens();
    SequenceBlocks arriving = new SequenceBlocks(sequence, target, matched, List.of());
    makingRoom.add(arriving);
    sequence.uses++;
    try {
      if (home.reservation != null && sequence.asked.reservation() != null) {
        int blocks = arriving.missingFor(sequence.stored, 0) + home.reservedBlocks();
        arriving.reserve(blocks, sequence.asked.reservation());
      }
      arriving.growFor(sequence.stored, 0);
    } catch (RuntimeException refused) {
      arriving.release();
      throw refused;
    } finally {
      makingRoom.remove(arriving);
      engine.endUse(sequence);
    }
    SequenceMigration migration =
        new SequenceMigration(engine, ++lastId, sequence, arriving, checksum, prefix);
    sequence.migration = migration;
    underWay.put(lastId, migration);
    return migration;
  }

  /** Ends a sequence's migration, if there is one, in its current state. */
  void end(Sequence sequence, String reason) {
    SequenceMigration migration = sequence.migration;
    if (migration != null) {
      migration.cancel(reason);
    }
  }

  void ended(SequenceMigration migration) {
    underWay.remove(migration.id());
  }

  /** Waits for the pieces that are being copied, each of bounded size. */
  void awaitCopies() {
    while (!underWay.isEmpty()) {
      engine.freed.awaitUninterruptibly();
    }
  }
}
