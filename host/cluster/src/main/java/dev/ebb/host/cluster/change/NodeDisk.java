package dev.ebb.host.cluster.change;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ChangeListener;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.EvictionListener;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The values on the disk of this node, which the directory does not list. They are valid because
 * each node hears of all changes, and asks for those that it has missed before it uses its disk.
 */
public final class NodeDisk implements DiskValues.Validity {

  private static final int MOST_CHANGES = 1 << 16;
  private static final long MOST_CHANGED_BYTES = 8 << 20;

  /** The answer about a value that is not on the disk. */
  public static final long ABSENT = -1;

  /** The bytes of the answer about a value: its length, or {@link #ABSENT}, and its expiry. */
  public static final int ANSWER_BYTES = 2 * Long.BYTES;

  /** The version of items whose length is wanted, not only whether they exist. */
  public static final long DESCRIBED = 1;

  private final @Nullable DiskValues values;
  final ChangeJournal journal = new ChangeJournal(MOST_CHANGES, MOST_CHANGED_BYTES);
  private volatile boolean ready;
  private volatile long trustedFrom;

  public NodeDisk(@Nullable DiskValues values) {
    this.values = values;
    if (values != null) {
      values.validity(this);
    }
  }

  public boolean isOn() {
    return values != null;
  }

  public DiskValues values() {
    return requireNonNull(values, "there is no disk");
  }

  /** Returns what writes values that the main store evicts. */
  public EvictionListener evictions() {
    return values == null ? EvictionListener.NONE : values.evictions();
  }

  /** Returns what removes values that clients of this node replace or remove. */
  public ChangeListener changes() {
    return values == null ? ChangeListener.NONE : values.changes();
  }

  public boolean has(byte[] key) {
    return values != null && ready && values.has(key);
  }

  /** The changes that this node had missed are known. */
  void ready() {
    ready = true;
  }

  /** Values of other nodes may have replaced older ones than a version without being noticed. */
  void distrustBefore(long version) {
    trustedFrom = Math.max(trustedFrom, version);
  }

  long trustedFrom() {
    return trustedFrom;
  }

  @Override
  public boolean isValid(byte[] mainKey, long version) {
    return journal.isValid(mainKey, version)
        && (ChunkKeys.isContentAddressed(mainKey)
            || (version >= trustedFrom && !ChunkKeys.hasMetadata(mainKey)));
  }

  /** A client of this node has replaced a value; its disk has removed the older one. */
  public void replacedHere(byte[] key, long version) {
    journal.add(key, version);
  }

  /**
   * A client of another node has replaced a value.
   *
   * @param key empty if the other node could not tell which values
   */
  public void replaced(byte[] key, long version) {
    if (values == null) {
      return;
    }
    if (key.length == 0) {
      distrustBefore(version);
    } else if (journal.add(key, version) && values.has(key)) {
      var _ = values.delete(List.of(key));
    }
  }

  /** Clients have removed values; returns which of them were on the disk, when that is final. */
  public CompletableFuture<List<Boolean>> deleted(List<Item> items) {
    if (values == null) {
      return CompletableFuture.completedFuture(Collections.nCopies(items.size(), false));
    }
    items.forEach(item -> journal.add(item.key(), item.version() + 1));
    return values.delete(items.stream().map(Item::key).toList()).toCompletableFuture();
  }

  public void cleared(long version) {
    journal.clear(version);
  }

  /** Opens a value for another node, together with its metadata; null if it is not on the disk. */
  public @Nullable Opened open(byte[] key) {
    if (!has(key)) {
      return null;
    }
    ValuePart value = read(key);
    return value == null ? null : new Opened(value.reader(), this, key);
  }

  private @Nullable ValuePart read(byte[] key) {
    return values().read(List.of(key), ByteRange::whole).toCompletableFuture().join().getFirst();
  }

  /** A value that was read from the disk into memory, where it may not stay. */
  public record Opened(
      ValueReader reader, NodeDisk disk, @SuppressWarnings("ArrayRecordComponent") byte[] key) {

    /** Returns the metadata, which another reader has. */
    public byte[] metadata() {
      ValuePart metadata =
          ChunkKeys.hasMetadata(key) ? disk.read(ChunkKeys.metadataKey(key)) : null;
      if (metadata == null) {
        return new byte[0];
      }
      try (metadata) {
        byte[] bytes = new byte[(int) metadata.reader().length()];
        ByteBuffer target = ByteBuffer.wrap(bytes);
        while (target.hasRemaining()) {
          target.put(metadata.reader().piece(target.position(), target.remaining()));
        }
        return bytes;
      }
    }
  }

  /** Answers another node which values are on this disk, {@link #ANSWER_BYTES} for each. */
  public byte[] answer(List<Item> items) {
    List<byte[]> keys = items.stream().map(Item::key).toList();
    ByteBuffer answer = ByteBuffer.allocate(items.size() * ANSWER_BYTES);
    boolean described = !items.isEmpty() && items.getFirst().version() == DESCRIBED;
    if (values == null || !ready) {
      keys.forEach(key -> answer.putLong(ABSENT).putLong(0));
    } else if (described) {
      for (RemoteValue value : values.find(keys).toCompletableFuture().join()) {
        answer
            .putLong(value == null ? ABSENT : value.bytes())
            .putLong(value == null ? 0 : value.expiresAt());
      }
    } else {
      BitSet existing = values.exist(keys).toCompletableFuture().join();
      for (int i = 0; i < keys.size(); i++) {
        answer.putLong(existing.get(i) ? 0 : ABSENT).putLong(0);
      }
    }
    return answer.array();
  }

  /** Answers another node which values have changed since a version. */
  public byte[] changesSince(long version) {
    return journal.since(version).encode();
  }
}
