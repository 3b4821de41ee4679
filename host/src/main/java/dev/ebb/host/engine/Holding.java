package dev.ebb.host.engine;

import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.Reservation;
import org.jspecify.annotations.Nullable;

/**
 * What a sequence has on one device: cached pages that it keeps from leaving, pages of its own
 * behind them, and blocks reserved for more. Under the engine's lock.
 */
final class Holding {

  final Partition partition;
  final PageTable table;
  private final Sequence sequence;
  private final CacheRequest request = new CacheRequest();
  @Nullable Reservation reservation;

  /** Pages from the front that belong to the cache. */
  int matchedPages;

  /** Pages from the front that others use too; they are not to be written. */
  int sharedPages;

  /** Whether a migration reads or writes it just now. */
  boolean copying;

  /** Matches and keeps what is cached of the first pages. */
  Holding(Sequence sequence, Partition partition, int pages) {
    this.sequence = sequence;
    this.partition = partition;
    int groups = partition.layout().laneGroups();
    table = new PageTable(groups);
    request.reset(sequence.asked.facts(), sequence.asked.length());
    for (int i = 0; i < pages; i++) {
      request.add(sequence.chain.low(i), sequence.chain.high(i));
    }
    matchedPages = partition.cache.begin(request);
    sharedPages = matchedPages;
    for (int page = 0; page < matchedPages; page++) {
      int slot = request.entry(page).slot();
      for (int group = 0; group < groups; group++) {
        table.add(partition.cached.block(slot, group));
      }
    }
  }

  Sequence sequence() {
    return sequence;
  }

  /** Whether its blocks must stay where they are. */
  boolean inUse() {
    return sequence.uses > 0 || copying;
  }

  /** Tokens of the matched pages. */
  int matchedTokens() {
    return matchedPages * partition.layout().blockTokens();
  }

  /** Blocks taken from the pool, those of cached pages not among them. */
  long ownBlocks() {
    return table.size() - (long) matchedPages * groups() + reservedBlocks();
  }

  /** The same with the cached pages, which could leave if this were given up. */
  long blocks() {
    return table.size() + (long) reservedBlocks();
  }

  int reservedBlocks() {
    return reservation == null ? 0 : reservation.left();
  }

  /** Takes blocks for further pages ahead of their use. */
  void reserve(int pages, Placement placement) {
    if (pages > 0) {
      int blocks = Math.multiplyExact(pages, groups());
      reservation =
          partition.shortage.obtain(
              sequence,
              blocks,
              placement,
              () -> partition.pool.reserve(sequence.owner, blocks, placement));
    }
  }

  /** Adds pages: reserved ones first. All or none. */
  void grow(int pages) {
    if (pages <= 0) {
      return;
    }
    int blocks = Math.multiplyExact(pages, groups());
    Reservation reserve = reservation;
    int reserved = reserve == null ? 0 : Math.min(blocks, reserve.left());
    int[] further = new int[0];
    int missing = blocks - reserved;
    if (missing > 0) {
      further =
          partition.shortage.obtain(
              sequence,
              missing,
              Placement.SCATTERED,
              () -> partition.pool.allocate(sequence.owner, missing, Placement.SCATTERED).blocks());
    }
    for (int i = 0; i < reserved && reserve != null; i++) {
      int block = reserve.take();
      partition.pool.unpin(block);
      table.add(block);
    }
    for (int block : further) {
      table.add(block);
    }
  }

  /** Makes the last page writable, which others share: copies what they still use. */
  void separateLastPage() {
    for (int i = table.size() - groups(); i < table.size(); i++) {
      int index = i;
      boolean alone = partition.pool.info(table.at(index)).references() == 1;
      // The block may have moved while the sequence waited, so its number is read again.
      int own =
          alone
              ? table.at(index)
              : partition.shortage.obtain(
                  sequence,
                  1,
                  Placement.SCATTERED,
                  () -> partition.pool.writable(table.at(index), sequence.owner));
      if (own != table.at(index)) {
        partition.traffic.copied++;
        table.set(index, own);
      }
    }
    sharedPages--;
  }

  /** Shares all pages behind the matched ones with another holding on this device. */
  void shareWith(Holding child) {
    for (int block : table.from(matchedPages)) {
      partition.pool.share(block);
      child.table.add(block);
    }
    child.sharedPages = child.table.pages();
    sharedPages = table.pages();
  }

  /** Hands the first pages to the cache. */
  void publish(int pages) {
    KeyChain chain = sequence.chain;
    for (int page = request.blocks(); page < pages; page++) {
      partition.cache.extend(request, chain.low(page), chain.high(page));
    }
    request.answered(sequence.length - sequence.asked.length());
    partition.cache.admit(request, pages);
    int held = request.matched() + request.admitted();
    for (int page = matchedPages; page < held; page++) {
      // Where another has published the same block meanwhile, our own is freed with the sequence.
      if (!request.published(page)) {
        for (int group = 0; group < groups(); group++) {
          int block = table.block(page, group);
          partition.pool.share(block);
          partition.cached.put(request.entry(page).slot(), group, block);
        }
      }
    }
  }

  /** Gives up all of it. */
  void release() {
    partition.cache.finish(request);
    partition.pool.free(table.from(matchedPages));
    if (reservation != null) {
      reservation.close();
      reservation = null;
    }
    table.clear();
    partition.tellFault();
  }

  private int groups() {
    return partition.layout().laneGroups();
  }
}
