package dev.ebb.llama.server;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.server.completion.CompletionMemory;

/** The memory of the scheduler: an {@link Ebb} decides, and {@link SequenceCells} follow. */
final class CellMemory extends CompletionMemory<LlamaCompletion> {

  private final SequenceCells cells;
  private final int blockTokens;

  CellMemory(Ebb ebb, SequenceCells cells) {
    super(ebb);
    this.cells = cells;
    blockTokens = ebb.pool().layout().blockTokens();
  }

  @Override
  public int admit(ScheduledRequest<LlamaCompletion> request) {
    int matched = super.admit(request);
    if (matched >= 0) {
      LlamaCompletion completion = request.payload();
      int[] blocks = completion.sequence().blockTable();
      int pages = matched / blockTokens;
      // The last token is computed again if all match, because its output is needed.
      int shared = Math.min(matched, request.tokens() - 1);
      completion.admitted(cells.open(blocks, pages, shared), pages);
      cells.admitted(completion);
    }
    return matched;
  }

  @Override
  public void computed(ScheduledRequest<LlamaCompletion> request) {
    LlamaCompletion completion = request.payload();
    int full = request.computedTokens() / blockTokens;
    if (caches() && full > completion.matchedPages) {
      Sequence sequence = completion.sequence();
      cells.save(completion.branch(), sequence.blockTable(), completion.matchedPages, full);
      int pages = sequence.publish(request.computedTokens()) / blockTokens;
      cells.publish(completion.branch(), sequence.blockTable(), completion.matchedPages, pages);
      completion.matchedPages = pages;
    }
  }

  @Override
  public void release(ScheduledRequest<LlamaCompletion> request) {
    LlamaCompletion completion = request.payload();
    boolean keeps = keeps(request);
    int computed = keeps ? request.computedTokens() : 0;
    if (keeps) {
      cells.ending(completion);
    }
    cells.close(
        completion.branch(), completion.sequence().blockTable(), completion.matchedPages, computed);
    completion.released();
    super.release(request);
  }
}
