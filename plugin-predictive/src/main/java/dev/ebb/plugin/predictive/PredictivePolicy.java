package dev.ebb.plugin.predictive;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the blocks with the highest expected hits per block-second, by a {@link SurvivalModel} that
 * learns from every request which blocks come back, and when. Untrained it orders by last use.
 *
 * <p>A use costs a few additions, since blocks of one class are learned from together. A victim
 * costs a draw and a heap operation over a sample of the leaves.
 */
final class PredictivePolicy implements BlockPolicy<CachedBlock> {

  /** The number of requests after which old evidence fades and indices are computed again. */
  private static final int EPOCH = 100;

  /**
   * A block is not admitted if its index is below this share of the victim's. To admit wrongly
   * costs one block, to reject wrongly also all blocks after it.
   */
  static final double REJECTED_BELOW = 0.7;

  /**
   * If one in so many blocks is not plain, or fewer, one in so many victims is chosen from a
   * sample.
   */
  private static final int FEW = 32;

  /** The format of the saved state: the cells of the model, and the misses of plain objects. */
  private static final int STATE_FORMAT = 4;

  private final PolicyClock clock;
  private final PredictiveSettings settings;
  private final SurvivalModel model;
  private final IndexCache indices;
  private final Cohorts cohorts;
  private final Ghosts ghosts;
  private final Leaves leaves;
  private final Selection selection;
  private final BlockLinks links;
  private final SupersededPrompt superseded;
  private final ReuseLearner reuse;
  private final ClassOfRequest classes;
  private final PlainObjects plain;
  private final LruGuard guard;
  private final WaitingBlocks waiting;
  private final RunningRequest current = new RunningRequest();

  /** When this instance was created. Residents handed over were listed later. */
  private final long created;

  /** The blocks that the host has refused to evict so far. */
  private final Set<CachedBlock> refused = new LinkedHashSet<>();

  /** The next block of a request in an unknown order that has been evicted in part. */
  private @Nullable CachedBlock unfinished;

  private long requests;
  private long rejected;

  /** Victims since the last one that was chosen from a sample although few blocks are not plain. */
  private int unsampled;

  private long size;

  PredictivePolicy(PolicyContext context, PredictiveSettings settings) {
    this.clock = context.clock();
    created = clock.nanos();
    this.settings = settings;
    model = new SurvivalModel(settings.factors(), settings.prior());
    indices = new IndexCache(model);
    cohorts = new Cohorts(model);
    ghosts = new Ghosts(cohorts, settings.ghostLimit(context.capacityBlocks()));
    leaves = new Leaves(context.random());
    waiting = new WaitingBlocks(context.capacityBlocks());
    selection = new Selection(leaves, cohorts, indices, waiting, settings.samples());
    links = new BlockLinks(leaves, selection);
    superseded = new SupersededPrompt(cohorts);
    reuse = new ReuseLearner(cohorts, ghosts, superseded);
    classes = new ClassOfRequest(settings, cohorts);
    plain = new PlainObjects(indices, settings.samples());
    guard = new LruGuard(indices, settings, context.capacityBlocks());
  }

  @Override
  public void began(Request request) {
    if (current.running()) {
      finish(-1);
    }
    if (++requests % EPOCH == 0) {
      model.decay(settings.decayPer(EPOCH));
      indices.clear();
    }
    long now = clock.nanos();
    cohorts.advance(now);
    selection.renew(now);
    current.start(request);
    superseded.clear();
    reuse.recall(current);
    selection.byLastUse(guard.followsLru());
    if (request.waiting() > 0 || !waiting.isEmpty()) {
      waiting.began(request);
      selection.waitingChanged();
    }
  }

  @Override
  public void ended(Request request) {
    if (current.running()) {
      current.end(request);
      finish(request.outputTokens());
    }
  }

  @Override
  public CachedBlock inserted(Entry entry) {
    size++;
    int index = current.index(entry);
    if (index >= 0) {
      CachedBlock block = new CachedBlock(entry, current.ghostUses(index) + 1);
      current.touch(index, block);
      return block;
    }
    CachedBlock block = new CachedBlock(entry, usesBefore(entry) + 1);
    enterAlone(block, birth(entry));
    return block;
  }

  @Override
  public void accessed(CachedBlock block) {
    if (block.cohort == Cohorts.NONE) {
      return;
    }
    int index = current.index(block.entry);
    if (index >= 0 && index == current.known() - 1) {
      superseded.uses(block.cohort);
    }
    reuse.used(block.cohort);
    block.cohort = Cohorts.NONE;
    plain.touch(block);
    block.uses(block.uses() + 1);
    if (index >= 0) {
      current.touch(index, block);
    } else {
      enterAlone(block, block.entry.lastAccessNanos());
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    CachedBlock next = unfinished;
    unfinished = null;
    if (next != null && next.place != Leaves.ABSENT && !waiting.needs(next)) {
      return next.entry;
    }
    boolean byLastUse = plain.byLastUse();
    CachedBlock block = byLastUse && onlyPlain() ? plain.coldest(waiting) : selection.next();
    if (block == null) {
      block = select();
    }
    if (block == null && !refused.isEmpty()) {
      // The host has corrected an assumed order: these have children there, and their parents here
      // may have none.
      refused.forEach(links::unlink);
      block = select();
    }
    CachedBlock coldest = block != null && block.plain && byLastUse ? plain.coldest(waiting) : null;
    return coldest != null ? coldest.entry : block == null ? null : block.entry;
  }

  /** Returns whether a sample would choose a plain block, as it nearly always does among these. */
  private boolean onlyPlain() {
    long others = size - plain.size();
    return others == 0 || (others <= size / FEW && ++unsampled % FEW != 0);
  }

  @Override
  public boolean admits(Request request, int index, CachedBlock victim) {
    long fingerprint = request.fingerprint(index);
    if (!settings.admission()) {
      return true;
    }
    if (waiting.needs(victim)) {
      return waiting.place(fingerprint) <= waiting.place(victim.entry.fingerprint())
          || keeps(victim);
    }
    // Where the request has only one block, nothing shows what it is worth.
    if (guard.followsLru()
        || victim.cohort == Cohorts.NONE
        || request.blocks() == 1
        || waiting.place(fingerprint) != WaitingBlocks.NOT_NEEDED) {
      return true;
    }
    int blockClass =
        current.awaits(index, fingerprint)
            ? classes.expected(request, current.known(), index, current.ghostUses(index) + 1)
            : classes.expected(
                request, reuse.known(request), index, reuse.ghostUses(fingerprint) + 1);
    if (indices.index(blockClass, 0, 0) >= REJECTED_BELOW * score(victim)) {
      return true;
    }
    return keeps(victim);
  }

  /** Keeps the victim in place of a block, which is not admitted. */
  private boolean keeps(CachedBlock victim) {
    if (victim.place != Leaves.ABSENT) {
      selection.join(victim);
    }
    rejected++;
    return false;
  }

  private @Nullable CachedBlock select() {
    long now = clock.nanos();
    cohorts.advance(now);
    CachedBlock block;
    int drawable;
    do {
      // If waiting requests need all of a sample, the next one has others.
      drawable = leaves.drawable();
      selection.begin(now, true);
      block = selection.next();
    } while (block == null && leaves.drawable() < drawable);
    if (block == null && leaves.drawable() < leaves.size()) {
      selection.begin(now, false);
      block = selection.next();
    }
    return block;
  }

  @Override
  public void removed(CachedBlock block, RemovalCause cause) {
    size--;
    if (block.setAside) {
      refused.remove(block);
    }
    leaves.remove(block);
    plain.remove(block, cause.forCapacity());
    guard.removed(block.entry.fingerprint(), cause.forCapacity());
    current.untouch(block);
    int cohort = block.cohort;
    block.cohort = Cohorts.GONE;
    if (cohort != Cohorts.NONE) {
      if (cause.forCapacity()) {
        ghosts.add(block.entry.fingerprint(), cohort, block.uses());
      } else {
        cohorts.left(cohort, 1);
      }
    }
    // Where the order is not known, one missing block makes most of the others useless.
    CachedBlock parent = block.parent;
    boolean finish = block.unordered && cause.forCapacity() && parent != null && parent.unordered;
    links.unlink(block);
    unfinished = finish ? parent : null;
  }

  @Override
  public void refused(CachedBlock block) {
    block.setAside = true;
    refused.add(block);
    leaves.remove(block);
    plain.refused(block);
  }

  @Override
  public void released(CachedBlock block) {
    block.setAside = false;
    refused.remove(block);
    plain.released(block);
    links.considerLeaf(block);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int stateFormat() {
    return STATE_FORMAT;
  }

  @Override
  public void saveState(OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(new BufferedOutputStream(out));
    model.write(data);
    plain.write(data);
    data.flush();
  }

  @Override
  public void loadState(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(new BufferedInputStream(in));
    model.read(data);
    plain.read(data);
    indices.clear();
  }

  @Override
  public void resized(long capacityBlocks) {
    ghosts.limit(settings.ghostLimit(capacityBlocks));
    guard.capacity(capacityBlocks);
    waiting.capacity(capacityBlocks);
  }

  /**
   * Returns the expected hits per block-second; NaN for a block of the request that is being
   * served.
   */
  @Override
  public double score(CachedBlock block) {
    int cohort = block.cohort;
    if (cohort == Cohorts.NONE) {
      return Double.NaN;
    }
    long age = clock.nanos() - cohorts.born(cohort);
    return indices.index(cohorts.blockClass(cohort), cohorts.bin(cohort), age);
  }

  @Override
  public String explain(CachedBlock block) {
    int cohort = block.cohort;
    if (cohort == Cohorts.NONE) {
      return "in use by the request that is being served";
    }
    long age = clock.nanos() - cohorts.born(cohort);
    String explanation =
        SurvivalExplanation.of(
            model,
            cohorts.blockClass(cohort),
            cohorts.bin(cohort),
            Ages.seconds(age),
            score(block));
    if (waiting.needs(block)) {
      return explanation + "; needed by a waiting request, so others are evicted first";
    }
    return block.plain && plain.byLastUse()
        ? explanation + "; evicted in the order of last use, as all blocks used alone"
        : explanation;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "leaves", (double) leaves.size(),
        "awaited", (double) waiting.size(),
        "cohorts", (double) cohorts.size(),
        "ghosts", (double) ghosts.size(),
        "ghost-hits", (double) reuse.ghostHits(),
        "rejections", (double) rejected,
        "behind-lru", guard.behind(),
        "follows-lru", guard.followsLru() ? 1.0 : 0.0);
  }

  private int usesBefore(Entry entry) {
    return entry.origin() == Origin.HANDED_OVER
        ? entry.accesses() - 1
        : reuse.usesBefore(entry.fingerprint());
  }

  /**
   * Returns when a new entry was last touched. If a resident was touched after the residents were
   * listed, its access is reported later. Until then it is as old as the entry before it in the
   * list, and the first of the list has the greatest age.
   */
  private long birth(Entry entry) {
    long touched = entry.lastAccessNanos();
    if (entry.origin() != Origin.HANDED_OVER || touched <= created) {
      return touched;
    }
    return cohorts.size() > 0 ? cohorts.newest() : entry.createdNanos();
  }

  private void enterAlone(CachedBlock block, long birth) {
    reuse.flush();
    Entry entry = block.entry;
    block.unordered = false;
    int fromEnd = entry.lastOfRequest() ? 0 : Integer.MAX_VALUE;
    int blockClass = BlockClass.of(BlockClass.NO_REQUEST, fromEnd, block.uses(), entry.depth());
    long now = clock.nanos();
    cohorts.advance(now);
    block.cohort = cohorts.joinAlone(blockClass, birth);
    guard.used(entry.fingerprint(), blockClass, now);
    links.considerLeaf(block);
    considerPlain(block);
  }

  // All touched blocks get their class now, when everything about the request is known.
  private void finish(long outputTokens) {
    reuse.flush();
    superseded.mark(current.known());
    long now = clock.nanos();
    classes.start(current, outputTokens, now);
    boolean single = plain.isSingle(current.blocks());
    guard.ending(current);
    CachedBlock child = null;
    for (int index = current.blocks() - 1; index >= 0; index--) {
      CachedBlock touched = current.take(index);
      CachedBlock block = touched == null || touched.gone() ? null : touched;
      if (block == null && child != null) {
        links.leaveCycle(child);
      }
      if (block != null || index >= current.matched()) {
        int uses = block == null ? current.ghostUses(index) + 1 : block.uses();
        guard.add(
            current.fingerprint(index),
            classes.of(index, uses),
            index < current.known(),
            index < current.matched());
      }
      if (block != null) {
        block.cohort = classes.cohort(index, block.uses());
        block.unordered = index >= current.ordered();
        if (child != null) {
          links.link(child, block);
        }
        links.considerLeaf(block);
        if (!single) {
          plain.remove(block, false);
        }
      } else if (index >= current.matched()) {
        int uses = current.ghostUses(index) + 1;
        ghosts.add(current.fingerprint(index), classes.cohort(index, uses), uses);
      }
      child = block;
    }
    if (child != null) {
      links.unlink(child);
      if (single) {
        considerPlain(child);
      }
    }
    current.stop();
    guard.ended(size, now);
  }

  private void considerPlain(CachedBlock block) {
    if (block.parent == null && block.children == 0) {
      plain.used(block, cohorts.blockClass(block.cohort), cohorts.born(block.cohort));
    } else {
      plain.remove(block, false);
    }
  }
}
