package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.state.SavedStates;
import dev.ebb.host.engine.tier.DevicePages;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.Reservation;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.spi.RunningSequence;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sequence's blocks on one device: cached pages that it pins, own pages behind them, and reserved
 * blocks. Under the engine's lock.
 */
public final class SequenceBlocks implements RunningSequence {

  final DevicePartition partition;
  final PageTable table;
  private final Sequence sequence;
  private final CacheRequest request = new CacheRequest();

  /** Saves and reads the recurrent states of its prompt. */
  final SequenceStates states;

  @Nullable Reservation reservation;

  /** Blocks just taken from the pool, and the requested number; reused. */
  private int[] further = new int[1];

  private int wanted;
  private final Supplier<int[]> taking = this::take;

  /** The number of leading pages that belong to the cache: matched, or published by this. */
  int matchedPages;

  /** The pages of the prompt, if it is not a fork. */
  private final int promptPages;

  /**
   * The leading pages that had matched when it began: of lane groups with a window, the cache has
   * only their blocks. Later ones are the sequence's own, although the cache may have them too.
   */
  private int begunPages;

  private boolean claiming = true;

  /** When the engine could begin to compute. */
  long begunNanos = System.nanoTime();

  private boolean timed;

  /** Whether a migration is reading or writing it. */
  boolean copying;

  /**
   * Matches and pins the cached part of the first pages.
   *
   * @param waiting the requests that wait behind it, next first
   */
  SequenceBlocks(
      Sequence sequence, DevicePartition partition, int pages, List<CacheRequest> waiting) {
    this.sequence = sequence;
    this.partition = partition;
    promptPages = pages;
    int groups = partition.layout().laneGroups();
    table = new PageTable(groups);
    request.reset(sequence.asked.facts(), sequence.asked.length());
    for (int i = 0; i < pages; i++) {
      request.add(sequence.chain.low(i), sequence.chain.high(i));
    }
    request.waiting(waiting);
    if (partition.states == null) {
      request.groups(partition.groups);
    } else {
      request.groups(SavedStates.GROUPS);
      request.objects(partition.states.sized());
    }
    request.promptEnd(pages);
    matchedPages = partition.cache.begin(request);
    begunPages = matchedPages;
    states = new SequenceStates(this, request, pages, matchedPages + request.unusable());
    for (int page = 0; page < matchedPages; page++) {
      int slot = request.entry(page).slot();
      for (int group = 0; group < groups; group++) {
        boolean left = page < partition.windows.first(group, matchedPages);
        table.add(group, left ? PageTable.NONE : partition.cached.block(slot, group));
      }
    }
    table.shareAll();
  }

  /** Reports the prompt to the access listener. */
  void reportPrompt() {
    partition.listeners.began(request);
  }

  Sequence sequence() {
    return sequence;
  }

  public Stream<CacheEntry> cachedEntries() {
    return IntStream.range(0, matchedPages).mapToObj(request::entry);
  }

  /** Returns whether its blocks must stay in place. */
  boolean inUse() {
    return sequence.uses > 0 || copying;
  }

  @Override
  public int priority() {
    return sequence.asked.facts().priority();
  }

  @Override
  public @Nullable String tenant() {
    return sequence.asked.facts().tenant();
  }

  @Override
  public long freedTokens() {
    return partition.tokens(releasableBlocks());
  }

  @Override
  public int promptTokens() {
    return sequence.asked.length();
  }

  @Override
  public int outputTokens() {
    return Math.max(0, computedTokens() - promptTokens());
  }

  @Override
  public int computedTokens() {
    return sequence.stored.position();
  }

  @Override
  public int cachedTokens() {
    return sequence.matchedTokens;
  }

  @Override
  public long admission() {
    return sequence.id;
  }

  int matchedTokens() {
    return matchedPages * partition.layout().blockTokens();
  }

  /** Returns the number of blocks taken from the pool, without cached pages. */
  long ownBlocks() {
    return table.size() - cachedBlocks() + reservedBlocks();
  }

  /** Returns the number of blocks in its table that only the cache refers to. */
  long cachedBlocks() {
    long cached = 0;
    for (int group = 0; group < groups(); group++) {
      cached += cachedPages(group) - partition.windows.first(group, cachedPages(group));
    }
    return cached;
  }

  private int cachedPages(int group) {
    return partition.windows.isFull(group) ? matchedPages : begunPages;
  }

  /** Returns the same with the cached pages, which would be evictable if this were released. */
  long blocks() {
    return table.size() + (long) reservedBlocks();
  }

  /** Returns how many blocks would be free or evictable if this were released. */
  long releasableBlocks() {
    int cached = matchedPages == 0 ? 0 : request.entry(matchedPages - 1).pinnedByOne();
    return ownBlocks() + (long) cached * partition.windows.unit();
  }

  int reservedBlocks() {
    return reservation == null ? 0 : reservation.left();
  }

  /** Reserves blocks for later use. */
  void reserve(int blocks, Placement placement) {
    if (blocks > 0) {
      reservation =
          partition.reclaimer.obtain(
              sequence,
              blocks,
              placement,
              () -> partition.pool.reserve(sequence.owner, blocks, placement));
    }
  }

  /**
   * Adds pages until there is room for the stored tokens and more: reserved ones first. All or
   * none.
   */
  void growFor(StoredTokens stored, int tokens) {
    int blocks = missingFor(stored, tokens);
    if (blocks == 0) {
      return;
    }
    Reservation reserve = reservation;
    int reserved = reserve == null ? 0 : Math.min(blocks, reserve.left());
    wanted = blocks - reserved;
    int[] obtained =
        wanted == 0
            ? further
            : partition.reclaimer.obtain(sequence, wanted, Placement.SCATTERED, taking);
    int taken = 0;
    for (int page = 0; taken < blocks; page++) {
      for (int group = 0; group < groups(); group++) {
        if (page == table.pages(group) && page < pagesFor(stored, group, tokens)) {
          table.add(
              group,
              taken < reserved && reserve != null ? taken(reserve) : obtained[taken - reserved]);
          taken++;
        }
      }
    }
  }

  private int[] take() {
    if (further.length < wanted) {
      further = new int[wanted];
    }
    partition.pool.allocate(sequence.owner, further, wanted);
    return further;
  }

  private int taken(Reservation reserve) {
    int block = reserve.take();
    partition.pool.unpin(block);
    return block;
  }

  /** Returns the number of blocks to add for the stored tokens and more. */
  int missingFor(StoredTokens stored, int tokens) {
    int blocks = 0;
    for (int group = 0; group < groups(); group++) {
      blocks =
          Math.addExact(blocks, Math.max(0, pagesFor(stored, group, tokens) - table.pages(group)));
    }
    return blocks;
  }

  int pagesFor(StoredTokens stored, int group, int tokens) {
    return Math.ceilDiv(
        Math.addExact(rows(stored, group), tokens), partition.layout().blockTokens());
  }

  int rows(StoredTokens stored, int group) {
    return stored.length(stored.setOf(group * partition.layout().lanes()));
  }

  /** Makes the page of the next row writable, if it is shared. */
  void separateLastPage(StoredTokens stored) {
    for (int group = 0; group < groups(); group++) {
      int rows = rows(stored, group);
      int page = rows / partition.layout().blockTokens();
      if (rows % partition.layout().blockTokens() != 0 && page < table.shared(group)) {
        separate(page, group);
        table.share(group, page);
      }
    }
  }

  boolean shares(int page, int group) {
    return page < cachedPages(group)
        || (page < table.shared(group) && partition.pool.references(table.block(page, group)) > 1);
  }

  private void separate(int page, int group) {
    if (shares(page, group)) {
      // The block may have moved while the sequence waited, so its number is read again.
      int own =
          partition.reclaimer.obtain(
              sequence,
              1,
              Placement.SCATTERED,
              () -> partition.pool.writable(table.block(page, group), sequence.owner));
      if (own != table.block(page, group)) {
        partition.traffic.copied++;
        table.set(page, group, own);
      }
    }
  }

  /** Takes over the matched pages as shared ones; the cache may remove them from now on. */
  void detach() {
    for (int page = 0; page < matchedPages; page++) {
      for (int group = 0; group < groups(); group++) {
        partition.pool.share(table.block(page, group));
      }
    }
    matchedPages = 0;
    begunPages = 0;
    endReservation();
  }

  private void endReservation() {
    if (claiming) {
      claiming = false;
      partition.cache.finish(request);
    }
  }

  /** Shares all pages behind the matched ones with another sequence on this device. */
  void shareWith(SequenceBlocks child) {
    for (int group = 0; group < groups(); group++) {
      for (int page = matchedPages; page < table.pages(group); page++) {
        partition.pool.share(table.block(page, group));
        child.table.add(group, table.block(page, group));
      }
    }
    child.table.shareAll();
    table.shareAll();
  }

  /** Publishes the first pages at the end of the sequence. */
  void publish(int pages, SequenceEnd end) {
    extend(pages);
    RequestFacts begun = request.facts();
    RequestFacts grown = begun.withLengths(sequence.stored.position(), begun.maxSequenceLength());
    partition.cache.ended(request, end.of(grown));
    request.answered(sequence.stored.position() - sequence.asked.length());
    fill(pages);
    KeyChain chain = sequence.chain;
    int held = request.matched() + request.admitted();
    for (int page = promptPages; page < held; page++) {
      partition.listeners.appended(chain.low(page), request.facts());
    }
  }

  /** Publishes the first pages while the sequence goes on. */
  void publish(int pages) {
    extend(pages);
    fill(pages);
    takeOverPublished();
  }

  private void extend(int pages) {
    KeyChain chain = sequence.chain;
    for (int page = request.blocks(); page < pages; page++) {
      partition.cache.extend(request, chain.low(page), chain.high(page));
    }
  }

  /** Gives the blocks that no other sequence has published to the cache. */
  private void fill(int pages) {
    partition.cache.admit(request, pages);
    int held = request.matched() + request.admitted();
    List<CacheEntry> computed = computed(held);
    for (int group = 0; group < groups(); group++) {
      for (int page = cachedPages(group); page < held; page++) {
        CacheEntry entry = request.entry(page);
        ChunkParts parts = entry.parts();
        boolean expected = parts == null ? !request.filled(page) : parts.has(group);
        if (expected && !partition.cached.has(entry.slot(), group)) {
          fill(entry, page, group);
        }
      }
    }
    partition.cache.filled(request);
    for (int page = matchedPages; page < held; page++) {
      int slot = request.entry(page).slot();
      partition.cached.report(slot, sequence.chain, page, sequence.asked.namespace());
    }
    DevicePages tiers = partition.pages;
    if (tiers != null && !computed.isEmpty()) {
      tiers.published(computed, sequence.asked.namespace().model());
      if (!timed) {
        timed = true;
        tiers.computed(computed.size(), System.nanoTime() - begunNanos);
      }
    }
  }

  /** Returns pages to be published that the sequence has computed, if others can share them. */
  private List<CacheEntry> computed(int held) {
    DevicePages tiers = partition.pages;
    int first = Math.max(cachedPages(0), sequence.matchedTokens / partition.layout().blockTokens());
    return tiers == null || !tiers.shares()
        ? List.of()
        : IntStream.range(first, held)
            .mapToObj(request::entry)
            .filter(entry -> !partition.cached.has(entry.slot(), 0))
            .toList();
  }

  private void fill(CacheEntry entry, int page, int group) {
    if (table.has(page, group)) {
      int block = table.block(page, group);
      partition.pool.share(block);
      partition.cached.put(entry.slot(), group, block, sequence.asked.namespace());
    } else {
      // It was evicted alone, and has left this sequence's window.
      partition.cache.weighPart(entry, group, -1);
      partition.cache.reweigh(entry, -1);
      partition.cache.unreserve(1);
    }
  }

  /**
   * Uses published pages from the cache, and releases the sequence's own reference to their blocks.
   * If another sequence has published the same page, the sequence's own block becomes free, but not
   * while its bytes are in use.
   */
  private void takeOverPublished() {
    int held = request.matched() + request.admitted();
    while (matchedPages < held && takesOver(matchedPages)) {
      matchedPages++;
    }
    for (int group = 0; group < groups(); group++) {
      table.share(group, Math.max(table.shared(group), matchedPages));
      if (!inUse()) {
        leaveWindow(group);
      }
    }
  }

  private boolean takesOver(int page) {
    int slot = request.entry(page).slot();
    for (int group = 0; group < groups(); group++) {
      if (inUse()
          && partition.windows.isFull(group)
          && table.block(page, group) != partition.cached.block(slot, group)) {
        return false;
      }
    }
    for (int group = 0; group < groups(); group++) {
      if (partition.windows.isFull(group)) {
        partition.pool.free(table.block(page, group));
        table.set(page, group, partition.cached.block(slot, group));
      }
    }
    return true;
  }

  /** Releases the blocks of a lane group that its next token does not attend to. */
  private void leaveWindow(int group) {
    int page = partition.windows.first(group, matchedPages) - 1;
    while (page >= begunPages && table.has(page, group)) {
      partition.pool.free(table.block(page, group));
      table.leave(page, group);
      page--;
    }
  }

  void release() {
    endReservation();
    for (int group = 0; group < groups(); group++) {
      for (int page = cachedPages(group); page < table.pages(group); page++) {
        if (table.has(page, group)) {
          partition.pool.free(table.block(page, group));
        }
      }
    }
    if (reservation != null) {
      reservation.close();
      reservation = null;
    }
    table.clear();
    partition.logFault();
  }

  private int groups() {
    return partition.layout().laneGroups();
  }
}
