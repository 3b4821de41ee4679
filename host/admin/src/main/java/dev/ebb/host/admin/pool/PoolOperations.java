package dev.ebb.host.admin.pool;

import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

public interface PoolOperations {

  List<PoolDocument> pools();

  /** Returns a map with at most so many cells of each pool, or of that of a device. */
  List<PoolPicture> maps(@Nullable String device, int cells);

  /**
   * Compacts pools, so that free blocks form long runs.
   *
   * @param device device of one pool; null for all
   * @param bytes the most bytes to move for each pool; at least one allocation is moved
   * @throws UserError if there is no such device, or the pools cannot be compacted
   */
  List<CompactionDocument> defrag(@Nullable String device, long bytes);

  /**
   * Starts the migration of a sequence. The blocks are copied in the background.
   *
   * @param checksum whether each copy is read back and compared
   */
  MigrationDocument migrateSequence(long sequence, String device, boolean checksum);

  /** Starts the migration of blocks, each with its sequence or cached prefix. */
  List<MigrationDocument> migrateBlocks(int[] blocks, String from, String device, boolean checksum);

  /** Returns the migrations of operators and those in progress, oldest first. */
  List<MigrationDocument> migrations();

  Optional<MigrationDocument> migration(long id);
}
