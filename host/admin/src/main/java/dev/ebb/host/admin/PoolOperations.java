package dev.ebb.host.admin;

import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What operators see of the pools' memory and do with it. */
public interface PoolOperations {

  /**
   * Returns the pools in numbers.
   *
   * @return a document for each
   */
  List<PoolDocument> pools();

  /**
   * What the pools' blocks are used for.
   *
   * @param device of one pool; null for all
   * @param cells at most so many for each pool, at least 1
   * @return a picture for each
   * @throws UserError if there is no such device
   */
  List<PoolPicture> maps(@Nullable String device, int cells);

  /**
   * Moves blocks together, so that free ones lie in long runs.
   *
   * @param device of one pool; null for all
   * @param bytes stops before more than these are moved of a pool, but not before one allocation is
   * @return what was done, for each pool
   * @throws UserError if there is no such device, or nothing here is ever moved
   */
  List<CompactionDocument> defrag(@Nullable String device, long bytes);

  /**
   * Starts to move a sequence with all it has. The copies are made beside the call.
   *
   * @param sequence its number
   * @param device where it is to go
   * @param checksum whether each copy is read back and compared
   * @return a document of the move
   * @throws UserError if that cannot be; says why
   */
  MigrationDocument migrateSequence(long sequence, String device, boolean checksum);

  /**
   * Starts to move blocks, each with the sequence or the cached prefix that it belongs to.
   *
   * @param blocks their numbers
   * @param device where they are to go
   * @param checksum whether each copy is read back and compared
   * @return a document of each move
   * @throws UserError if that cannot be; says why
   */
  List<MigrationDocument> migrateBlocks(int[] blocks, String from, String device, boolean checksum);

  /**
   * Moves between devices that operators have started, and those under way.
   *
   * @return a document of each, oldest first
   */
  List<MigrationDocument> migrations();

  /**
   * One of them.
   *
   * @param id its number
   * @return its document; empty if there is none
   */
  Optional<MigrationDocument> migration(long id);
}
