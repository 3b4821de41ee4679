package dev.ebb.host.engine;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.pool.Reservation;
import dev.ebb.spi.Demand;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bookkeeping: sequences over a pool and its prefix cache, behind one lock. A block belongs to
 * the sequences that made or forked it, by the pool's references, until one of them finishes and
 * its reference goes over to the cache's entry.
 */
final class Engine {

  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  final ReentrantLock lock = new ReentrantLock();

  /** Signalled whenever memory may have become free. */
  final Condition freed = lock.newCondition();

  final KvPool pool;
  final BlockCache cache;
  final CachedPages cached;
  final Set<Sequence> sequences = new LinkedHashSet<>();
  final Traffic traffic = new Traffic();
  final Shortage shortage;
  final Movement movement;
  private final double threshold;
  private final double target;
  private long lastId;
  private boolean closed;
  private @Nullable PolicyFault toldFault;

  /**
   * An engine over an empty pool and an empty cache of the pool's capacity.
   *
   * @param threshold the share of the pool above which eviction starts ahead of demand, 0 to 1
   * @param target the share at which that stops
   */
  Engine(KvPool pool, BlockCache cache, double threshold, double target) {
    this.pool = pool;
    this.cache = cache;
    this.threshold = threshold;
    this.target = target;
    cached = new CachedPages(pool);
    cache.watch(cached);
    shortage = new Shortage(this);
    movement = new Movement(this);
  }

  KvLayout layout() {
    return pool.layout();
  }

  <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  Sequence open(SequenceRequest asked) {
    KeyChain chain = new KeyChain(asked.namespace(), layout().blockTokens());
    chain.add(asked.tokens());
    return locked(() -> {
      checkOpen();
      Sequence sequence = new Sequence(this, ++lastId, asked, chain);
      begin(sequence, chain.blocks());
      traffic.opened(sequence);
      startUse(sequence);
      try {
        int pages = pages(asked.length()) - sequence.matchedPages;
        if (asked.reservation() != null) {
          reserve(sequence, asked.reservation());
        }
        grow(sequence, pages);
        sequence.length = asked.length();
      } catch (RuntimeException refused) {
        endUse(sequence);
        release(sequence, SequenceState.ABORTED);
        throw refused;
      }
      endUse(sequence);
      return sequence;
    });
  }

  /** Matches and pins what is resident of the first blocks. */
  private void begin(Sequence sequence, int blocks) {
    CacheRequest request = sequence.request;
    request.reset(sequence.asked.facts(), sequence.asked.length());
    for (int i = 0; i < blocks; i++) {
      request.add(sequence.chain.low(i), sequence.chain.high(i));
    }
    int matched = cache.begin(request);
    for (int page = 0; page < matched; page++) {
      int slot = request.entry(page).slot();
      for (int group = 0; group < layout().laneGroups(); group++) {
        sequence.table.add(cached.block(slot, group));
      }
    }
    sequence.matchedPages = matched;
    sequence.sharedPages = matched;
    sequences.add(sequence);
  }

  private void reserve(Sequence sequence, Placement placement) {
    int pages = pages(sequence.asked.facts().maxSequenceLength()) - sequence.matchedPages;
    if (pages > 0) {
      int blocks = Math.multiplyExact(pages, layout().laneGroups());
      Reservation reserved =
          shortage.obtain(
              sequence, blocks, placement, () -> pool.reserve(sequence.owner, blocks, placement));
      sequence.reservation = reserved;
    }
  }

  /** Adds pages: reserved ones first. All or none. */
  private void grow(Sequence sequence, int pages) {
    if (pages <= 0) {
      return;
    }
    int blocks = Math.multiplyExact(pages, layout().laneGroups());
    Reservation reservation = sequence.reservation;
    int reserved = reservation == null ? 0 : Math.min(blocks, reservation.left());
    int[] further = new int[0];
    int missing = blocks - reserved;
    if (missing > 0) {
      further =
          shortage.obtain(
              sequence,
              missing,
              Placement.SCATTERED,
              () -> pool.allocate(sequence.owner, missing, Placement.SCATTERED).blocks());
    }
    for (int i = 0; i < reserved && reservation != null; i++) {
      int block = reservation.take();
      pool.unpin(block);
      sequence.table.add(block);
    }
    for (int block : further) {
      sequence.table.add(block);
    }
  }

  void append(Sequence sequence, int tokens) {
    locked(() -> {
      sequence.checkOpen();
      int length = Math.addExact(sequence.length, tokens);
      PageTable table = sequence.table;
      boolean full = sequence.length % layout().blockTokens() == 0;
      if (tokens > 0 && !full && sequence.sharedPages == table.pages()) {
        separateLastPage(sequence);
      }
      grow(sequence, pages(length) - table.pages());
      sequence.length = length;
      return length;
    });
  }

  private void separateLastPage(Sequence sequence) {
    PageTable table = sequence.table;
    for (int i = table.size() - layout().laneGroups(); i < table.size(); i++) {
      int index = i;
      boolean alone = pool.info(table.at(index)).references() == 1;
      // The block may have moved while the sequence waited, so its number is read again.
      int own =
          alone
              ? table.at(index)
              : shortage.obtain(
                  sequence,
                  1,
                  Placement.SCATTERED,
                  () -> pool.writable(table.at(index), sequence.owner));
      if (own != table.at(index)) {
        traffic.copied++;
        table.set(index, own);
      }
    }
    sequence.sharedPages--;
  }

  Sequence fork(Sequence parent) {
    return locked(() -> {
      parent.checkOpen();
      Sequence child = new Sequence(this, ++lastId, parent.asked, parent.chain.copy());
      begin(child, parent.matchedPages);
      for (int block : parent.table.from(parent.matchedPages)) {
        pool.share(block);
        child.table.add(block);
      }
      child.length = parent.length;
      child.sharedPages = child.table.pages();
      parent.sharedPages = parent.table.pages();
      traffic.forked++;
      return child;
    });
  }

  KvAccess access(Sequence sequence) {
    return locked(() -> {
      sequence.checkOpen();
      sequence.uses++;
      return new KvAccess(this, sequence, pool);
    });
  }

  void closeAccess(Sequence sequence, KvAccess access) {
    locked(() -> {
      if (access.closing()) {
        endUse(sequence);
      }
      return sequence;
    });
  }

  private static void startUse(Sequence sequence) {
    sequence.uses++;
  }

  private void endUse(Sequence sequence) {
    if (--sequence.uses == 0) {
      freed.signalAll();
    }
  }

  void finish(Sequence sequence, int writtenTokens) {
    locked(() -> {
      sequence.checkOpen();
      sequence.checkNotInUse("finished");
      publish(sequence, Math.min(sequence.length, writtenTokens) / layout().blockTokens());
      release(sequence, SequenceState.FINISHED);
      evictAhead();
      return sequence;
    });
  }

  private void publish(Sequence sequence, int pages) {
    CacheRequest request = sequence.request;
    KeyChain chain = sequence.chain;
    for (int page = request.blocks(); page < pages; page++) {
      cache.extend(request, chain.low(page), chain.high(page));
    }
    request.answered(sequence.length - sequence.asked.length());
    cache.admit(request, pages);
    int groups = layout().laneGroups();
    int held = request.matched() + request.admitted();
    for (int page = sequence.matchedPages; page < held; page++) {
      // Where another has published the same block meanwhile, our own is freed with the sequence.
      if (!request.published(page)) {
        for (int group = 0; group < groups; group++) {
          int block = sequence.table.block(page, group);
          pool.share(block);
          cached.put(request.entry(page).slot(), group, block);
        }
      }
    }
  }

  void abort(Sequence sequence) {
    locked(() -> {
      sequence.checkOpen();
      sequence.checkNotInUse("aborted");
      release(sequence, SequenceState.ABORTED);
      return sequence;
    });
  }

  void close(Sequence sequence) {
    locked(() -> {
      if (sequence.state == SequenceState.OPEN) {
        abort(sequence);
      }
      return sequence;
    });
  }

  /** Gives up a sequence's references and pins. */
  void release(Sequence sequence, SequenceState state) {
    cache.finish(sequence.request);
    pool.free(sequence.table.from(sequence.matchedPages));
    if (sequence.reservation != null) {
      sequence.reservation.close();
      sequence.reservation = null;
    }
    sequence.table.clear();
    sequence.state = state;
    sequences.remove(sequence);
    traffic.ended(state);
    freed.signalAll();
    tellFault();
  }

  private void evictAhead() {
    int blocks = pool.blocks();
    int used = blocks - pool.freeBlocks();
    if (used > threshold * blocks) {
      long surplus = used - (long) (target * blocks);
      cache.evict(
          Math.ceilDiv(surplus, layout().laneGroups()),
          Demand.Reason.BACKGROUND,
          RequestFacts.UNKNOWN);
    }
  }

  private void tellFault() {
    PolicyFault fault = cache.lastFault();
    if (fault != null && fault != toldFault) {
      toldFault = fault;
      LOG.error("policy failed now={} reason=\"{}\"", cache.policyName(), fault.getMessage());
    }
  }

  int pages(long tokens) {
    return Math.toIntExact(Math.ceilDiv(tokens, layout().blockTokens()));
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this Ebb is closed; start another one");
    }
  }

  /** Ends all sequences. False if it was closed before. */
  boolean close() {
    return locked(() -> {
      if (closed) {
        return false;
      }
      sequences.forEach(sequence -> sequence.checkNotInUse("closed"));
      closed = true;
      Set.copyOf(sequences).forEach(sequence -> release(sequence, SequenceState.ABORTED));
      return true;
    });
  }
}
