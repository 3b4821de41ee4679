package dev.ebb.host.kvevents;

import dev.ebb.host.kvevents.tokens.RouterHashes;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The resident blocks whose tokens are known, by the router's hash of the tokens up to their end,
 * with the keys of the values that contain them. Thread-safe.
 */
final class ResidentBlocks {

  /** The key of each value, or a list of keys. */
  private final Long2ObjectOpenHashMap<Object> keys = new Long2ObjectOpenHashMap<>();

  synchronized void add(long[] chain, byte[] key) {
    for (long each : chain) {
      Object before = keys.putIfAbsent(each, key);
      if (before instanceof List<?> list) {
        cast(list).add(key);
      } else if (before != null) {
        keys.put(each, new ArrayList<>(List.of((byte[]) before, key)));
      }
    }
  }

  synchronized void remove(long[] chain, byte[] key) {
    for (long each : chain) {
      Object present = keys.get(each);
      if (present instanceof List<?> list) {
        removeOne(cast(list), key);
        if (list.isEmpty()) {
          keys.remove(each);
        }
      } else if (present != null && Arrays.equals((byte[]) present, key)) {
        keys.remove(each);
      }
    }
  }

  synchronized void clear() {
    keys.clear();
  }

  /** Returns which blocks of a prompt are resident in a value whose key the caller may use. */
  synchronized boolean[] resident(long[] blocks, Predicate<byte[]> usable) {
    boolean[] found = new boolean[blocks.length];
    long chain = 0;
    for (int i = 0; i < blocks.length; i++) {
      chain = i == 0 ? blocks[0] : RouterHashes.next(chain, blocks[i]);
      found[i] = isUsable(keys.get(chain), usable);
    }
    return found;
  }

  private static boolean isUsable(@Nullable Object present, Predicate<byte[]> usable) {
    return present instanceof List<?> list
        ? cast(list).stream().anyMatch(usable)
        : present != null && usable.test((byte[]) present);
  }

  private static void removeOne(List<byte[]> list, byte[] key) {
    for (int i = 0; i < list.size(); i++) {
      if (Arrays.equals(list.get(i), key)) {
        list.remove(i);
        return;
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static List<byte[]> cast(List<?> list) {
    return (List<byte[]>) list;
  }
}
