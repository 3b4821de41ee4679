package dev.ebb.host.kvevents;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.kvevents.tokens.RouterHashes;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import dev.ebb.host.kvevents.tokens.TokenTable;
import dev.ebb.host.store.key.StatedTokens;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of blocks from those of values. A value whose tokens are known is one block of
 * its engine or several, of which each is one block of a router or several. Blocks that several
 * values contain are published with the first and removed with the last of them. For the
 * publisher's thread only, except {@link #resident}.
 */
final class BlockAnnouncer {

  /** The most deployments whose chunks have a stated size. */
  private static final int MOST_DEPLOYMENTS = 1 << 12;

  /** The key of values on the disk, which keeps none in memory. */
  private static final byte[] NO_KEY = {};

  private static final Tier MEMORY = new Tier(KvEvent.ONLY_GROUP, false);

  private final TokenTable table;
  private final WaitingChunks waiting;
  private final BlockHash hashes = new BlockHash();
  private final ResidentBlocks resident = new ResidentBlocks();
  private final Map<Integer, Integer> chunkTokens = new HashMap<>();

  /** The blocks of sequences in memory by their id, those of a prompt from its front. */
  private final Map<Long, Page> pages = new LinkedHashMap<>();

  private final Map<Tier, Blocks> tiers = new HashMap<>();
  private long withoutTokens;

  BlockAnnouncer(TokenTable table, WaitingChunks waiting) {
    this.table = table;
    this.waiting = waiting;
  }

  /** A block of sequences, and on how many devices it is. */
  private record Page(@Nullable Long parent, int devices) {}

  /** An object group in memory, or on the disk. */
  record Tier(int group, boolean disk) {}

  /** What is published of a tier with tokens: by the hash of the value, and how often by block. */
  private static final class Blocks {
    final Long2ObjectOpenHashMap<Published> values = new Long2ObjectOpenHashMap<>();
    final Long2IntOpenHashMap counts = new Long2IntOpenHashMap();
  }

  /** The blocks of a value. */
  private static final class Published {
    final long[] hashes;
    final long[] chain;

    /** How many values have the same hash. */
    int values = 1;

    Published(long[] hashes, long[] chain) {
      this.hashes = hashes;
      this.chain = chain;
    }
  }

  /** Returns how many blocks were published without tokens. */
  long withoutTokens() {
    return withoutTokens;
  }

  /** Returns which blocks of a prompt are resident. For any thread. */
  boolean[] resident(long[] blocks, Predicate<byte[]> usable) {
    return resident.resident(blocks, usable);
  }

  /** Returns the events of blocks that some events of values are. */
  List<BlockEvent> events(List<KvEvent> events) {
    List<BlockEvent> out = new ArrayList<>(events.size());
    for (KvEvent event : events) {
      switch (event) {
        case KvEvent.Stored(byte[] key, byte[] parent, int group, ObjectGroup.Kind kind) ->
            stored(
                new WaitingChunks.Chunk(hashes.chunk(key), key, new Tier(group, false), kind),
                parent,
                out);
        case KvEvent.Removed(byte[] key, int group) ->
            removed(hashes.of(key), key, new Tier(group, false), out);
        case KvEvent.OnDisk(ChunkId chunk, int group) ->
            stored(new WaitingChunks.Chunk(chunk, NO_KEY, new Tier(group, true), null), null, out);
        case KvEvent.OffDisk(ChunkId chunk, int group) ->
            removed(chunk.hash(), NO_KEY, new Tier(group, true), out);
        case KvEvent.PageStored page -> stored(page, out);
        case KvEvent.PageRemoved(long id) -> {
          pages.computeIfPresent(
              id, (_, page) -> page.devices == 1 ? null : new Page(page.parent, page.devices - 1));
          removed(id, NO_KEY, MEMORY, out);
        }
        case KvEvent.Stated(StatedTokens tokens) -> stated(tokens);
        case KvEvent.Known(long hash) -> waiting.take(hash).forEach(chunk -> publish(chunk, out));
        case KvEvent.Cleared _ -> cleared(out);
        case KvEvent.Lost _ -> throw new IllegalArgumentException("a gap is not an event");
      }
    }
    return out;
  }

  private void cleared(List<BlockEvent> out) {
    tiers.clear();
    resident.clear();
    waiting.clear();
    out.add(new BlockEvent.Cleared());
    // Sequences use some of them, which stay.
    pages.forEach((id, page) -> {
      for (int device = 0; device < page.devices; device++) {
        stored(id, page.parent, out);
      }
    });
  }

  private void stored(KvEvent.PageStored page, List<BlockEvent> out) {
    TokenBlock block = page.block();
    if (block != null) {
      table.put(block);
    }
    pages.merge(
        page.id(),
        new Page(page.parent(), 1),
        (before, one) -> new Page(before.parent, before.devices + 1));
    stored(page.id(), page.parent(), out);
  }

  private void stored(long page, @Nullable Long parent, List<BlockEvent> out) {
    WaitingChunks.Chunk chunk = new WaitingChunks.Chunk(ChunkId.page(page), NO_KEY, MEMORY, null);
    if (!publish(chunk, out)) {
      bare(chunk, parent, out);
    }
  }

  private void stored(WaitingChunks.Chunk chunk, byte @Nullable [] parent, List<BlockEvent> out) {
    if (!publish(chunk, out)) {
      bare(chunk, parent == null ? null : published(hashes.of(parent), chunk.tier()), out);
    }
  }

  private void bare(WaitingChunks.Chunk chunk, @Nullable Long parent, List<BlockEvent> out) {
    withoutTokens++;
    Tier tier = chunk.tier();
    out.add(
        BlockEvent.Stored.bare(chunk.id().hash(), parent, tier.group(), chunk.kind(), tier.disk()));
  }

  /** Returns the hash by which routers know the end of a value. */
  private long published(long hash, Tier tier) {
    Blocks blocks = tiers.get(tier);
    Published known = blocks == null ? null : blocks.values.get(hash);
    return known == null ? hash : known.hashes[known.hashes.length - 1];
  }

  /** Publishes a value with its tokens. If they are not known it waits, and this returns false. */
  private boolean publish(WaitingChunks.Chunk chunk, List<BlockEvent> out) {
    List<TokenBlock.Placed> span = span(chunk);
    if (span == null) {
      return false;
    }
    Blocks blocks = tiers.computeIfAbsent(chunk.tier(), any -> new Blocks());
    Published known = blocks.values.get(chunk.id().hash());
    if (known != null) {
      known.values++;
      resident.add(known.chain, chunk.key());
      return true;
    }
    Pieces pieces = new Pieces(span, table);
    ObjectGroup.Kind kind = chunk.kind();
    // The objects of other groups alone do not make a prefix usable.
    // Clients of the store cannot read those of sequences.
    boolean whole =
        !chunk.id().page()
            && (kind == null ? chunk.tier().group() <= 0 : kind == ObjectGroup.Kind.FULL);
    long[] chain = pieces.chained && whole ? pieces.chain : new long[0];
    blocks.values.put(chunk.id().hash(), new Published(pieces.hashes, chain));
    resident.add(chain, chunk.key());
    // Other values may start with the same blocks.
    int shared = 0;
    while (shared < pieces.hashes.length && blocks.counts.get(pieces.hashes[shared]) > 0) {
      shared++;
    }
    for (long hash : pieces.hashes) {
      blocks.counts.addTo(hash, 1);
    }
    if (shared < pieces.hashes.length) {
      out.add(pieces.event(shared, chunk));
    }
    return true;
  }

  /** Returns the engine's blocks of a value, front to back; null if one is not known. */
  private @Nullable List<TokenBlock.Placed> span(WaitingChunks.Chunk chunk) {
    ChunkId id = chunk.id();
    waiting.await(chunk, id.hash());
    waiting.await(chunk, id.other());
    TokenBlock.Placed last = table.find(id.hash());
    if (last == null && id.other() != id.hash()) {
      last = table.find(id.other());
    }
    if (last == null) {
      return null;
    }
    int tokens = last.block().tokens().length;
    int stated = chunkTokens.getOrDefault(id.deployment(), tokens);
    int count = id.deployment() != 0 && stated % tokens == 0 ? stated / tokens : 1;
    List<TokenBlock.Placed> span = new ArrayList<>(List.of(last));
    while (span.size() < count) {
      TokenBlock block = span.getFirst().block();
      waiting.await(chunk, block.parent());
      TokenBlock.Placed before = block.first() ? null : table.find(block.parent());
      if (before == null || before.block().tokens().length != tokens) {
        return null;
      }
      span.addFirst(before);
    }
    waiting.found(chunk);
    return span;
  }

  private void removed(long hash, byte[] key, Tier tier, List<BlockEvent> out) {
    waiting.remove(hash, tier);
    Blocks blocks = tiers.get(tier);
    Published known = blocks == null ? null : blocks.values.get(hash);
    if (blocks == null || known == null) {
      out.add(new BlockEvent.Removed(new long[] {hash}, tier.group(), tier.disk()));
      return;
    }
    resident.remove(known.chain, key);
    known.values--;
    if (known.values > 0) {
      return;
    }
    blocks.values.remove(hash);
    long[] gone =
        Arrays.stream(known.hashes).filter(each -> blocks.counts.addTo(each, -1) == 1).toArray();
    for (long each : gone) {
      blocks.counts.remove(each);
    }
    if (gone.length > 0) {
      out.add(new BlockEvent.Removed(gone, tier.group(), tier.disk()));
    }
  }

  /** Learns the tokens of a request: each chunk is one block. */
  private void stated(StatedTokens prompt) {
    int size = prompt.chunkTokens();
    int chunks = Math.min(prompt.keys().size(), prompt.tokens().length / size);
    ChunkId parent = null;
    for (int i = 0; i < prompt.keys().size() && i <= chunks; i++) {
      ChunkId id = hashes.chunk(prompt.keys().get(i));
      if (id.deployment() != 0
          && (chunkTokens.size() < MOST_DEPLOYMENTS || chunkTokens.containsKey(id.deployment()))) {
        chunkTokens.put(id.deployment(), size);
      }
      if (i < chunks) {
        table.put(
            new TokenBlock(
                id.hash(),
                i == 0,
                parent == null ? 0 : parent.hash(),
                Arrays.copyOfRange(prompt.tokens(), i * size, (i + 1) * size),
                prompt.adapter(),
                prompt.salt(),
                i == 0 && !prompt.salt().isEmpty()
                    ? ExtraKeys.of(List.of(prompt.salt()))
                    : ExtraKeys.NONE));
      }
      parent = id;
    }
  }

  /** The router's blocks of a value. */
  private static final class Pieces {
    final long[] hashes;
    final long[] chain;
    final boolean chained;
    private final int size;
    private final int[] tokens;
    private final byte[][] extraKeys;
    private final List<TokenBlock.Placed> span;

    Pieces(List<TokenBlock.Placed> span, TokenTable table) {
      this.span = span;
      TokenBlock.Placed first = span.getFirst();
      int blockTokens = first.block().tokens().length;
      size = table.pieceTokens(blockTokens);
      int pieces = blockTokens / size;
      tokens = new int[span.size() * blockTokens];
      hashes = new long[span.size() * pieces];
      chain = new long[hashes.length];
      extraKeys = new byte[hashes.length][];
      chained = first.chained();
      long seed = first.seed();
      long hash = first.block().first() ? 0 : first.block().parent();
      long before = first.before();
      for (int at = 0; at < hashes.length; at++) {
        TokenBlock block = span.get(at / pieces).block();
        int piece = at % pieces;
        System.arraycopy(block.tokens(), piece * size, tokens, at * size, size);
        long own = RouterHashes.block(tokens, at * size, size, seed);
        before = at == 0 && block.first() ? own : RouterHashes.next(before, own);
        // Routers know the end of an engine's block by the engine's hash.
        hash = piece + 1 == pieces ? block.id() : RouterHashes.next(hash, own);
        hashes[at] = hash;
        chain[at] = before;
        extraKeys[at] = block.extraKeys();
      }
    }

    BlockEvent.Stored event(int from, WaitingChunks.Chunk chunk) {
      TokenBlock first = span.getFirst().block();
      Long parent = first.first() ? null : first.parent();
      return new BlockEvent.Stored(
          Arrays.copyOfRange(hashes, from, hashes.length),
          from == 0 ? parent : Long.valueOf(hashes[from - 1]),
          Arrays.copyOfRange(tokens, from * size, tokens.length),
          size,
          first.adapter(),
          first.salt(),
          Arrays.copyOfRange(extraKeys, from, extraKeys.length),
          chunk.tier().group(),
          chunk.kind(),
          chunk.tier().disk());
    }
  }
}
