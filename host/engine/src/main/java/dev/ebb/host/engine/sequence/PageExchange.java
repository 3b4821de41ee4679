package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.engine.tier.PoolPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Copies pages of cached prefixes out of an engine and into it, so that another engine need not
 * compute them. Pages are read on any thread, also during a step: cached ones do not change, and a
 * sequence keeps those that are read in place. They are written between two steps.
 */
public final class PageExchange implements AutoCloseable {

  private final Engine engine;
  private final DevicePartition partition;
  private final PageBytes bytes;

  /** Shared by those that read; {@link #close} waits for them. */
  private final ReadWriteLock reading = new ReentrantReadWriteLock();

  private boolean closed;

  private PageExchange(Engine engine, DevicePartition partition, PageBytes bytes) {
    this.engine = engine;
    this.partition = partition;
    this.bytes = bytes;
  }

  /**
   * Returns the exchange of an engine.
   *
   * @param own copies pages of an engine whose pool has no bytes; null for those of the pool
   * @return null if pages of this engine cannot be copied: it has recurrent states, windows,
   *     several devices, or a pool without bytes
   */
  public static @Nullable PageExchange of(Engine engine, @Nullable PageBytes own) {
    DevicePartition partition = engine.partitions.getFirst();
    if (engine.partitions.size() > 1
        || partition.states != null
        || !partition.windows.areFull()
        || (own == null && partition.pool.memory().slab().segment().isEmpty())) {
      return null;
    }
    return new PageExchange(engine, partition, own == null ? new PoolPages(partition.pool) : own);
  }

  /** Returns the model and the order of bytes; engines exchange pages if theirs are equal. */
  public String format() {
    return bytes.format();
  }

  public int pageBytes() {
    return bytes.size();
  }

  public int pageTokens() {
    return engine.layout().blockTokens();
  }

  /** Returns how many leading pages of a prompt are cached; from any thread. */
  public int cachedPages(Namespace namespace, int... tokens) {
    KeyChain chain = engine.keys(namespace, tokens);
    return engine.locked(() -> caches() ? partition.cachedPages(chain) : 0);
  }

  /** Returns whether blocks stay cached: nothing could evict them without a policy. */
  public boolean caches() {
    return engine.locked(() -> !partition.cache.policyName().equals(NoEviction.NAME));
  }

  /**
   * Copies cached pages of a prompt out; on any thread.
   *
   * @return the pages that are cached, from the first one on
   */
  public List<byte[]> read(Namespace namespace, int[] tokens, int first, int most) {
    reading.readLock().lock();
    try {
      return closed ? List.of() : copies(namespace, tokens, first, most);
    } finally {
      reading.readLock().unlock();
    }
  }

  private List<byte[]> copies(Namespace namespace, int[] tokens, int first, int most) {
    int end = Math.min(tokens.length / pageTokens(), first + most);
    List<byte[]> pages = new ArrayList<>();
    Sequence reader = first < end && caches() ? open(namespace, tokens, end) : null;
    if (reader != null) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(bytes.size(), Long.BYTES);
        int cached = reader.home.matchedPages;
        for (int page = first;
            page < cached && bytes.read(page, block(reader, page), copy);
            page++) {
          pages.add(copy.toArray(ValueLayout.JAVA_BYTE));
        }
      } finally {
        close(reader, SequenceState.ABORTED);
      }
    }
    return pages;
  }

  /**
   * Caches pages of a prompt, evicting others if needed. Pages that are cached already stay.
   *
   * @param first the first page; those before it must be cached
   * @param pages each of {@link #pageBytes}
   * @return how many leading pages of the prompt are cached now, up to the last one given
   */
  public int write(Namespace namespace, int[] tokens, int first, List<byte[]> pages) {
    int end = Math.min(tokens.length / pageTokens(), first + pages.size());
    if (!caches()) {
      return 0;
    }
    Sequence writer = open(namespace, tokens, end);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes.size(), Long.BYTES);
      int cached = writer.home.matchedPages;
      if (cached < first || cached == end || !grow(writer)) {
        return cached;
      }
      int written = cached;
      while (written < end
          && bytes.write(
              written,
              block(writer, written),
              copy.copyFrom(MemorySegment.ofArray(pages.get(written - first))))) {
        written++;
      }
      return publish(writer, written);
    } finally {
      close(writer, SequenceState.FINISHED);
    }
  }

  /** Waits until no thread reads pages; later ones get none. */
  @Override
  public void close() {
    reading.writeLock().lock();
    try {
      closed = true;
    } finally {
      reading.writeLock().unlock();
    }
  }

  private int publish(Sequence writer, int pages) {
    return engine.locked(() -> {
      // Not computed here: a server that engines share gets it from the one that has.
      writer.matchedTokens = pages * pageTokens();
      writer.writtenTokens = writer.matchedTokens;
      writer.home.publish(pages);
      partition.evictAhead(writer.asked.facts());
      return writer.home.matchedPages;
    });
  }

  /** Returns a sequence that pins the cached pages, counts as no request, and preempts nobody. */
  private Sequence open(Namespace namespace, int[] tokens, int pages) {
    SequenceRequest asked =
        SequenceRequest.of(namespace, Arrays.copyOf(tokens, pages * pageTokens()))
            .withPriority(Integer.MIN_VALUE);
    KeyChain chain = engine.keys(namespace, asked.tokens());
    return engine.locked(() -> {
      engine.checkOpen();
      Sequence opened = engine.add(asked, chain, partition, pages);
      opened.uses++;
      return opened;
    });
  }

  private boolean grow(Sequence writer) {
    return engine.locked(() -> {
      try {
        writer.home.growFor(writer.stored, writer.asked.length());
        writer.stored.append(writer.asked.length());
        return true;
      } catch (OutOfBlocksException noRoom) {
        return false;
      }
    });
  }

  private void close(Sequence sequence, SequenceState state) {
    engine.exclusively(() -> {
      engine.endUse(sequence);
      engine.letGo(sequence, state);
    });
  }

  private int[] block(Sequence sequence, int page) {
    return engine.locked(() -> sequence.home.table.page(page));
  }
}
