package dev.ebb.llama.server;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.Sequence;
import dev.ebb.host.engine.SequenceMemory;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.MemoryPressure;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerObserver;
import java.util.List;
import java.util.function.IntFunction;

/** The memory of the scheduler: an {@link Ebb} decides, and {@link SequenceCells} follow. */
final class CellMemory implements SchedulerMemory<Completion> {

  private final Ebb ebb;
  private final SequenceMemory<Completion> sequences;
  private final SequenceCells cells;
  private final int blockTokens;

  CellMemory(Ebb ebb, SequenceCells cells) {
    this.ebb = ebb;
    sequences = new SequenceMemory<>(ebb);
    this.cells = cells;
    blockTokens = ebb.pool().layout().blockTokens();
  }

  @Override
  public long capacityTokens() {
    return sequences.capacityTokens();
  }

  @Override
  public int admit(ScheduledRequest<Completion> request) {
    if (!caches()) {
      sequences.dropCached();
    }
    int matched = sequences.admit(request);
    if (matched >= 0) {
      Completion completion = request.payload();
      int[] blocks = completion.sequence().blockTable();
      int pages = matched / blockTokens;
      // The last token is computed again if all match, because its output is needed.
      int shared = Math.min(matched, request.tokens() - 1);
      completion.admitted(cells.open(blocks, pages, shared), pages, blocks.length);
      cells.admitted(completion);
    }
    return matched;
  }

  /** Returns whether blocks stay cached: nothing could evict them without a policy. */
  private boolean caches() {
    return !ebb.policies().policy().equals(NoEviction.NAME);
  }

  @Override
  public boolean grow(ScheduledRequest<Completion> request) {
    if (!sequences.grow(request)) {
      return false;
    }
    Completion completion = request.payload();
    if (request.tokens() > completion.pages * blockTokens) {
      int[] blocks = completion.sequence().blockTable();
      cells.grown(blocks, completion.pages);
      completion.pages = blocks.length;
    }
    return true;
  }

  @Override
  public void computed(ScheduledRequest<Completion> request) {
    Completion completion = request.payload();
    if (caches() && request.computedTokens() / blockTokens > completion.matchedPages) {
      Sequence sequence = completion.sequence();
      int pages = sequence.publish(request.computedTokens()) / blockTokens;
      cells.publish(completion.branch(), sequence.blockTable(), completion.matchedPages, pages);
      completion.matchedPages = pages;
    }
  }

  @Override
  public void release(ScheduledRequest<Completion> request) {
    Completion completion = request.payload();
    boolean keeps = request.endReason() != EndReason.FAILED && caches();
    int computed = keeps ? request.computedTokens() : 0;
    if (keeps) {
      cells.ending(completion);
    }
    cells.close(
        completion.branch(), completion.sequence().blockTable(), completion.matchedPages, computed);
    completion.released();
    if (!keeps) {
      completion.sequence().close();
    }
    sequences.release(request);
  }

  @Override
  public long shortage(ScheduledRequest<Completion> request) {
    return sequences.shortage(request);
  }

  @Override
  public MemoryPressure pressure() {
    return sequences.pressure();
  }

  @Override
  public SchedulerObserver observer() {
    return sequences.observer();
  }

  @Override
  public void queue(IntFunction<List<ScheduledRequest<Completion>>> first) {
    sequences.queue(first);
  }

  @Override
  public long held(ScheduledRequest<Completion> request) {
    return sequences.held(request);
  }
}
