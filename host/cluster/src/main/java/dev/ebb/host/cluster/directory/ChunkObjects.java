package dev.ebb.host.cluster.directory;

import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CompletionException;

/**
 * Finds the objects of chunks, as the directory lists them: a chunk is useless without some of
 * them, and an operator names one.
 */
public record ChunkObjects(Directory directory, ObjectStore store) {

  /** Groups that are looked up together. If a chunk has none of them, it has no higher ones. */
  private static final int GROUPS = 8;

  /**
   * Returns the main keys of all objects of some chunks, in the order in which copies of them are
   * worth most.
   *
   * @param keys keys of objects of the chunks, and others
   * @throws CompletionException if the directory does not answer
   */
  public List<byte[]> of(List<byte[]> keys) throws InterruptedException {
    SequencedMap<ByteBuffer, Set<ByteBuffer>> chunks = new LinkedHashMap<>();
    for (byte[] key : keys) {
      byte[] main = ChunkKeys.mainKey(key);
      chunks
          .computeIfAbsent(ByteBuffer.wrap(ChunkKeys.chunkKey(main)), _ -> new LinkedHashSet<>())
          .add(ByteBuffer.wrap(main));
    }
    for (Set<ByteBuffer> objects : chunks.values()) {
      addOthers(objects.iterator().next().array(), objects);
    }
    return ordered(chunks.values().stream().flatMap(Set::stream).map(ByteBuffer::array).toList());
  }

  private void addOthers(byte[] key, Set<ByteBuffer> objects) throws InterruptedException {
    boolean found = ChunkKeys.objectKey(key, 0, 0) != null;
    for (int first = 0; found; first += GROUPS) {
      Map<ValueId, byte[]> candidates = new LinkedHashMap<>();
      for (int group = first; group < first + GROUPS; group++) {
        for (int rank = 0; rank < ChunkKeys.ranks(key); rank++) {
          byte[] object = ChunkKeys.objectKey(key, group, rank);
          if (object != null) {
            candidates.put(ValueId.of(object), object);
          }
        }
      }
      Map<ValueId, DirectoryEntry> entries =
          DirectoryAnswers.await(directory.get(List.copyOf(candidates.keySet())));
      found = !entries.isEmpty();
      entries.forEach((id, entry) -> {
        byte[] object = candidates.get(id);
        if (object != null && !entry.deleted()) {
          objects.add(ByteBuffer.wrap(object));
        }
      });
    }
  }

  private List<byte[]> ordered(List<byte[]> keys) {
    Map<ByteBuffer, Integer> places = new HashMap<>();
    for (byte[] key : store.mainKeysByUse()) {
      places.put(ByteBuffer.wrap(key), places.size());
    }
    List<byte[]> ordered = new ArrayList<>(keys);
    ordered.sort(
        Comparator.comparingInt(
            key -> places.getOrDefault(ByteBuffer.wrap(key), Integer.MAX_VALUE)));
    return ordered;
  }
}
