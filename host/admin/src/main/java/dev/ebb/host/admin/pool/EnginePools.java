package dev.ebb.host.admin.pool;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.EngineView;
import dev.ebb.host.engine.PoolView;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.CompactionReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

public final class EnginePools implements PoolOperations {

  private final EngineView view;
  private final OperatorMigrations operators;
  private final long sliceBytes;

  /** Creates the operations, which block the engine for at most {@code sliceBytes} at a time. */
  public EnginePools(EngineView view, OperatorMigrations operators, long sliceBytes) {
    this.view = view;
    this.operators = operators;
    this.sliceBytes = sliceBytes;
  }

  @Override
  public List<PoolDocument> pools() {
    return view.pools().stream().map(pool -> PoolDocument.of(pool, null)).toList();
  }

  private List<PoolView> chosen(@Nullable String device) {
    return device == null ? view.pools() : List.of(view.pool(device));
  }

  @Override
  public List<PoolPicture> maps(@Nullable String device, int cells) {
    return chosen(device).stream().map(pool -> picture(pool, cells, pool.device().name())).toList();
  }

  static PoolPicture picture(PoolView pool, int cells, String name) {
    return PoolPicture.of(name, pool.map(), cells, BlockUse::symbol);
  }

  @Override
  public List<CompactionDocument> defrag(@Nullable String device, long bytes) {
    return chosen(device).stream().map(pool -> defrag(pool, bytes)).toList();
  }

  /**
   * Compacts a pool in slices, so that sequences can run in between. Each block moves at most once.
   */
  private CompactionDocument defrag(PoolView pool, long bytes) {
    long left = Math.min(bytes, (long) pool.report().pool().blocks() * pool.layout().blockBytes());
    CompactionReport slice = pool.defrag(Math.min(sliceBytes, left));
    double before = slice.fragmentationBefore();
    long blocks = slice.blocksMoved();
    long moved = slice.bytesMoved();
    long nanos = slice.nanos();
    while (slice.blocksMoved() > 0 && moved < left) {
      slice = pool.defrag(Math.min(sliceBytes, left - moved));
      blocks += slice.blocksMoved();
      moved += slice.bytesMoved();
      nanos += slice.nanos();
    }
    return new CompactionDocument(
        pool.device().name(),
        blocks,
        moved,
        nanos / 1e9,
        before,
        slice.fragmentationAfter(),
        slice.largestFreeRun());
  }

  @Override
  public MigrationDocument migrateSequence(long sequence, String device, boolean checksum) {
    return started(orUserError(() -> List.of(view.migrate(sequence, device, checksum)))).getFirst();
  }

  @Override
  public List<MigrationDocument> migrateBlocks(
      int[] blocks, String from, String device, boolean checksum) {
    return started(orUserError(() -> view.migrateBlocks(blocks, from, device, checksum)));
  }

  private List<MigrationDocument> started(List<SequenceMigration> migrations) {
    migrations.forEach(operators::add);
    return migrations.stream().map(MigrationDocument::of).toList();
  }

  /** Reports every failure to start a migration to the operator. */
  private static <T> T orUserError(Supplier<T> start) {
    try {
      return start.get();
    } catch (OutOfBlocksException | DeviceException | IllegalStateException refused) {
      throw new UserError(String.valueOf(refused.getMessage()));
    }
  }

  @Override
  public List<MigrationDocument> migrations() {
    return all().stream().map(MigrationDocument::of).toList();
  }

  /** Returns the migrations of operators and of the engine. */
  private List<SequenceMigration> all() {
    List<SequenceMigration> all = new ArrayList<>(operators.all());
    view.migrations().stream().filter(each -> !all.contains(each)).forEach(all::add);
    return all;
  }

  @Override
  public Optional<MigrationDocument> migration(long id) {
    Stream<SequenceMigration> found = all().stream().filter(each -> each.id() == id);
    return found.findFirst().map(MigrationDocument::of);
  }
}
