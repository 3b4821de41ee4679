package dev.ebb.host.kvevents.tokens;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of blocks by hash, in a ring of off-heap memory. New blocks take the place of the
 * oldest; a block that is read moves to the front when it gets old. Thread-safe.
 *
 * <p>A position counts all bytes ever written; its offset in the ring is the rest of a division.
 */
public final class TokenTable implements AutoCloseable {

  /** The most tokens of a block. */
  public static final int MOST_TOKENS = 1 << 16;

  /** The most bytes of an adapter's name, a salt or the extra keys of a block. */
  public static final int MOST_BYTES = 1 << 12;

  // A record is its size, flags, the hashes of the block, its parent and the router's chain
  // before it, four lengths, the tokens, and the texts.
  private static final int FLAGS = 4;
  private static final int ID = 8;
  private static final int PARENT = 16;
  private static final int BEFORE = 24;
  private static final int LENGTHS = 32;
  private static final int HEADER = 48;

  private static final int FIRST = 1;
  private static final int CHAINED = 2;

  private static final long NOWHERE = -1;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment ring;
  private final long capacity;
  private final int routerTokens;
  private final Long2LongOpenHashMap places = new Long2LongOpenHashMap();

  /** Where the next record goes, and where the oldest is. */
  private long head;

  private long tail;

  /**
   * Allocates the ring.
   *
   * @param bytes its size
   * @param routerTokens the tokens of a router's block; 0 if they are those of the engine's
   */
  public TokenTable(long bytes, int routerTokens) {
    capacity = bytes & -Long.BYTES;
    // Behind the last record, the hash of a gap is read without a meaning.
    ring = arena.allocate(capacity + HEADER, Long.BYTES);
    this.routerTokens = routerTokens;
    places.defaultReturnValue(NOWHERE);
  }

  /** Returns the tokens of a router's block that is part of an engine's block of some tokens. */
  public int pieceTokens(int blockTokens) {
    return routerTokens > 0 && blockTokens % routerTokens == 0 ? routerTokens : blockTokens;
  }

  /** Returns how many blocks are known. */
  public synchronized int size() {
    return places.size();
  }

  /** Returns the bytes in use. */
  public synchronized long bytes() {
    return head - tail;
  }

  /** Adds a block, or replaces what is known of it. Returns whether it is small enough. */
  public synchronized boolean put(TokenBlock block) {
    TokenBlock.Placed parent = block.first() ? null : read(places.get(block.parent()));
    boolean chained = block.first() || (parent != null && parent.chained());
    long before = parent == null || !chained ? 0 : after(parent);
    // Engines state the salt with the first block only, but routers hash it with each.
    String salt = block.salt().isEmpty() && parent != null ? parent.block().salt() : block.salt();
    byte[][] texts = {
      block.adapter().getBytes(StandardCharsets.UTF_8),
      salt.getBytes(StandardCharsets.UTF_8),
      block.extraKeys()
    };
    int[] tokens = block.tokens();
    long size = HEADER + 4L * tokens.length + Arrays.stream(texts).mapToLong(t -> t.length).sum();
    boolean fits =
        tokens.length <= MOST_TOKENS
            && Arrays.stream(texts).allMatch(text -> text.length <= MOST_BYTES)
            && size <= capacity / 4;
    long known = places.get(block.id());
    if (!fits || (known != NOWHERE && isSame(known, block, chained))) {
      return fits;
    }
    long at = reserve((int) (size + 7) & -8);
    ring.set(
        ValueLayout.JAVA_INT, at + FLAGS, (block.first() ? FIRST : 0) | (chained ? CHAINED : 0));
    ring.set(ValueLayout.JAVA_LONG, at + ID, block.id());
    ring.set(ValueLayout.JAVA_LONG, at + PARENT, block.parent());
    ring.set(ValueLayout.JAVA_LONG, at + BEFORE, before);
    ring.set(ValueLayout.JAVA_INT, at + LENGTHS, tokens.length);
    MemorySegment.copy(tokens, 0, ring, ValueLayout.JAVA_INT, at + HEADER, tokens.length);
    long text = at + HEADER + 4L * tokens.length;
    for (int i = 0; i < texts.length; i++) {
      ring.set(ValueLayout.JAVA_INT, at + LENGTHS + 4L * (i + 1), texts[i].length);
      MemorySegment.copy(texts[i], 0, ring, ValueLayout.JAVA_BYTE, text, texts[i].length);
      text += texts[i].length;
    }
    places.put(block.id(), head - size(at));
    return true;
  }

  /** Returns a block; null if it is not known. */
  public synchronized TokenBlock.@Nullable Placed find(long id) {
    long position = places.get(id);
    if (position != NOWHERE && head - position > capacity / 2) {
      byte[] record = bytes(position % capacity, size(position % capacity));
      long at = reserve(record.length);
      MemorySegment.copy(record, 0, ring, ValueLayout.JAVA_BYTE, at, record.length);
      position = head - record.length;
      places.put(id, position);
    }
    return read(position);
  }

  /** Frees the memory. */
  @Override
  public synchronized void close() {
    places.clear();
    arena.close();
  }

  private TokenBlock.@Nullable Placed read(long position) {
    if (position == NOWHERE) {
      return null;
    }
    long at = position % capacity;
    int flags = ring.get(ValueLayout.JAVA_INT, at + FLAGS);
    int[] tokens = tokens(at);
    long text = at + HEADER + 4L * tokens.length;
    int adapter = length(at, 1);
    int salt = length(at, 2);
    TokenBlock block =
        new TokenBlock(
            ring.get(ValueLayout.JAVA_LONG, at + ID),
            (flags & FIRST) != 0,
            ring.get(ValueLayout.JAVA_LONG, at + PARENT),
            tokens,
            new String(bytes(text, adapter), StandardCharsets.UTF_8),
            new String(bytes(text + adapter, salt), StandardCharsets.UTF_8),
            bytes(text + adapter + salt, length(at, 3)));
    return new TokenBlock.Placed(
        block, (flags & CHAINED) != 0, ring.get(ValueLayout.JAVA_LONG, at + BEFORE));
  }

  /** Returns the router's hash of the chain up to the end of a block. */
  private long after(TokenBlock.Placed placed) {
    int[] tokens = placed.block().tokens();
    int piece = pieceTokens(tokens.length);
    long seed = placed.seed();
    long chain = placed.before();
    for (int from = 0; from < tokens.length; from += piece) {
      long hash = RouterHashes.block(tokens, from, piece, seed);
      chain = from == 0 && placed.block().first() ? hash : RouterHashes.next(chain, hash);
    }
    return chain;
  }

  /** Returns whether there is nothing new in a block. Its predecessors may have become known. */
  private boolean isSame(long position, TokenBlock block, boolean chained) {
    long at = position % capacity;
    int flags = ring.get(ValueLayout.JAVA_INT, at + FLAGS);
    return (flags & FIRST) != 0 == block.first()
        && ((flags & CHAINED) != 0 || !chained)
        && ring.get(ValueLayout.JAVA_LONG, at + PARENT) == block.parent()
        && Arrays.equals(tokens(at), block.tokens());
  }

  private int[] tokens(long at) {
    int[] tokens = new int[length(at, 0)];
    MemorySegment.copy(ring, ValueLayout.JAVA_INT, at + HEADER, tokens, 0, tokens.length);
    return tokens;
  }

  private int length(long at, int which) {
    return ring.get(ValueLayout.JAVA_INT, at + LENGTHS + 4L * which);
  }

  private int size(long at) {
    return ring.get(ValueLayout.JAVA_INT, at);
  }

  private byte[] bytes(long at, int length) {
    return ring.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Makes space for a record, and returns its offset. */
  private long reserve(int size) {
    long left = capacity - head % capacity;
    if (left < size) {
      append((int) left);
    }
    return append(size);
  }

  private long append(int size) {
    while (head + size - tail > capacity) {
      long oldest = tail % capacity;
      places.remove(ring.get(ValueLayout.JAVA_LONG, oldest + ID), tail);
      tail += size(oldest);
    }
    long at = head % capacity;
    ring.set(ValueLayout.JAVA_INT, at, size);
    head += size;
    return at;
  }
}
