package dev.ebb.host.admin.pool;

import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.EngineView;
import dev.ebb.host.engine.PoolView;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pool of clients' values, and the memory of sequences of engines in other processes. Clients
 * map both, so nothing moves.
 */
public final class CombinedPools implements PoolOperations {

  private final PoolOperations values;
  private final Supplier<@Nullable EngineView> sequences;

  /**
   * Creates the operations.
   *
   * @param sequences returns null before an engine has stated its model
   */
  public CombinedPools(PoolOperations values, Supplier<@Nullable EngineView> sequences) {
    this.values = values;
    this.sequences = sequences;
  }

  private Stream<PoolView> further() {
    return Stream.ofNullable(sequences.get()).flatMap(engine -> engine.pools().stream());
  }

  @Override
  public List<PoolDocument> pools() {
    return Stream.concat(
            values.pools().stream(),
            further().map(pool -> PoolDocument.of(pool.report(), ServerConfig.SEQUENCES_PART)))
        .toList();
  }

  @Override
  public List<PoolPicture> maps(@Nullable String device, int cells) {
    return Stream.concat(
            values.maps(device, cells).stream(),
            further().map(pool -> EnginePools.picture(pool, cells, ServerConfig.SEQUENCES_PART)))
        .toList();
  }

  @Override
  public List<CompactionDocument> defrag(@Nullable String device, long bytes) {
    return values.defrag(device, bytes);
  }

  @Override
  public MigrationDocument migrateSequence(long sequence, String device, boolean checksum) {
    return values.migrateSequence(sequence, device, checksum);
  }

  @Override
  public List<MigrationDocument> migrateBlocks(
      int[] blocks, String from, String device, boolean checksum) {
    return values.migrateBlocks(blocks, from, device, checksum);
  }

  @Override
  public List<MigrationDocument> migrations() {
    return values.migrations();
  }

  @Override
  public Optional<MigrationDocument> migration(long id) {
    return values.migration(id);
  }
}
