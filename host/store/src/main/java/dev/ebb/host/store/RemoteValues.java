package dev.ebb.host.store;

import dev.ebb.host.store.key.ChunkKeys;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The values of the other nodes of a cluster. Keys are those of clients: also those of the metadata
 * of chunks, whose {@link ChunkKeys#mainKey} other nodes know. Thread-safe. Called by event loops,
 * so calls return without waiting. Stages complete on any thread, each of them before the stores
 * whose readers it returns are closed.
 */
public interface RemoteValues {

  RemoteValues NONE =
      new RemoteValues() {
        @Override
        public CompletionStage<List<@Nullable ValuePart>> read(
            List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String traceparent) {
          return CompletableFuture.completedStage(Collections.nCopies(keys.size(), null));
        }

        @Override
        public CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys) {
          return CompletableFuture.completedStage(Collections.nCopies(keys.size(), null));
        }

        @Override
        public CompletionStage<List<Boolean>> delete(List<byte[]> keys) {
          return CompletableFuture.completedStage(Collections.nCopies(keys.size(), false));
        }

        @Override
        public CompletionStage<Void> clear() {
          return CompletableFuture.completedStage(null);
        }
      };

  /**
   * Opens values that are missing here, or some bytes of each.
   *
   * @param keys kept, not to be changed
   * @param wanted returns the bytes wanted of a value of some length
   * @param traceparent the trace context of the request in W3C's format; null if it is not recorded
   * @return the first part of each value, to be closed by the caller; null where no node has a
   *     value
   */
  CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String traceparent);

  /** Opens values for a request that is not traced. */
  default CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted) {
    return read(keys, wanted, null);
  }

  /**
   * Returns what other nodes report about values that are missing here; null where none has one.
   */
  CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys);

  /**
   * Returns which values exist on other nodes, where {@link #find} need not know their properties.
   */
  default CompletionStage<BitSet> exist(List<byte[]> keys) {
    return find(keys).thenApply(RemoteValues::existing);
  }

  /** Returns the indexes of the values that were found. */
  static BitSet existing(List<@Nullable RemoteValue> found) {
    BitSet existing = new BitSet();
    for (int i = 0; i < found.size(); i++) {
      existing.set(i, found.get(i) != null);
    }
    return existing;
  }

  /**
   * Removes values from all other nodes; the caller removes those of this node. Completes when no
   * node returns them any more. The bytes and the metadata of a chunk are removed together.
   *
   * @param keys each of them once; kept, not to be changed
   * @return for each key whether another node had a value
   */
  CompletionStage<List<Boolean>> delete(List<byte[]> keys);

  /** Prepares {@link #clear}: the caller removes the values of this node between both. */
  default void clearing() {}

  CompletionStage<Void> clear();

  /**
   * Returns when a value that a client has just replaced cannot come back; null if it cannot now.
   * The stage fails if that is not sure.
   */
  default @Nullable CompletionStage<Void> replaced(byte[] key) {
    return null;
  }

  /** Returns whether these are values of other nodes, not of another tier of this one. */
  default boolean onOtherNodes() {
    return true;
  }

  /** Returns the state and the counters of another tier of this node, by their names in INFO. */
  default Map<String, Object> figures() {
    return Map.of();
  }

  /** Returns the error of a client whose removal failed. */
  default String notRemoved() {
    return "values may remain on other nodes, which did not answer; send the command again";
  }

  /** A connection of a client has stored a value, not the metadata of a chunk, on this node. */
  default void stored(long connection, byte[] key, long version) {}

  /**
   * Waits until other nodes have copies of all values that a connection has stored and that still
   * exist.
   *
   * @param nodes how many other nodes; without a wait for 0 or less
   * @param millis the longest time; 0 for no limit
   * @return how many have all of them at the end. The caller may complete it to end the wait
   */
  default CompletableFuture<Integer> await(long connection, long nodes, long millis) {
    return CompletableFuture.completedFuture(0);
  }

  /**
   * The bytes that a node has exchanged with the others of its cluster.
   *
   * @param readBytes fetched for reads
   * @param replicatedBytes fetched as replicas
   * @param movedBytes evicted here and stored by another node
   */
  record RemoteTraffic(long readBytes, long replicatedBytes, long movedBytes) {

    public static final RemoteTraffic NONE = new RemoteTraffic(0, 0, 0);
  }

  /** Returns the traffic with other nodes since the start. */
  default RemoteTraffic traffic() {
    return RemoteTraffic.NONE;
  }
}
