package dev.ebb.llama.generate;

import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.engine.prune.AvailableMemory;
import dev.ebb.host.engine.prune.PruneHistory;
import dev.ebb.host.engine.prune.PruneRule;
import dev.ebb.host.engine.prune.TokenEviction.Cause;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.pruning.OneSetScorer;
import dev.ebb.host.tokens.rows.TokenRuns;
import dev.ebb.llama.binding.KvCells;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.llama.signals.CellSignals;
import dev.ebb.llama.signals.CellView;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Trigger;
import org.jspecify.annotations.Nullable;

/**
 * Drops tokens of a context's sequence 0 when the host's rule requires it: those with the lowest
 * scores of a token policy. A cell belongs to all layers and heads together, so there is one kept
 * set.
 */
final class CellPruner implements Pruner {

  private final LlamaContext context;
  private final TokensConfig config;
  private final PruneRule rule;
  private final OneSetScorer scorer;
  private final CellView view;
  private final Trigger trigger;
  private final @Nullable CellSignals signals;
  private final AvailableMemory memory;
  private final int cells;
  private final PruneHistory history = new PruneHistory();
  private final KvCells now = new KvCells();
  private final KeptTokens kept = new KeptTokens();
  private int position;
  private long evictions;
  private long evicted;

  /**
   * Creates a pruner for a context in which nothing has been computed.
   *
   * @param config when to prune, and to how many tokens
   * @param signals its signals; null if it needs nothing
   */
  CellPruner(
      LlamaContext context,
      ModelShape shape,
      TokensConfig config,
      String name,
      TokenPolicy policy,
      @Nullable CellSignals signals,
      MemoryMonitor memory) {
    this.context = context;
    this.config = config;
    this.signals = signals;
    this.rule = new PruneRule(config);
    this.scorer = new OneSetScorer(name, policy);
    this.view = new CellView(shape, signals, policy.signals());
    this.trigger = policy.trigger();
    this.memory = new AvailableMemory(memory);
    this.cells = context.cells().count();
  }

  @Override
  public boolean shortensPrompts() {
    return trigger != Trigger.AFTER_PREFILL;
  }

  @Override
  public void computed(int first, int tokens) {
    position = first + tokens;
    if (signals != null && signals.wantsKeys()) {
      context.look(now);
      signals.stored(now, first, tokens);
    }
  }

  @Override
  public int makeRoom(int length) {
    return prune(length, Math.max(1, Math.min(rule.size(length), cells - 1)));
  }

  /** A share of the prompt is known only after all of it. */
  @Override
  public int afterPart(int length) {
    return shortensPrompts() && config.window() > 0 ? prune(length, config.window()) : 0;
  }

  @Override
  public int afterStep(int length) {
    return prune(length, 0);
  }

  private int prune(int length, int size) {
    Cause cause = rule.cause(history, trigger, length, size, memory::bytes, () -> length >= cells);
    if (cause == Cause.NONE) {
      return 0;
    }
    context.look(now);
    view.show(now, position);
    scorer.select(view, rule.target(history, trigger, length, size), kept);
    view.saveState();
    history.pruned(length);
    int dropped = drop();
    evicted += dropped;
    evictions += dropped > 0 ? 1 : 0;
    return dropped;
  }

  /**
   * Positions between two neighbours of the view are empty, so a range of them can be removed
   * together.
   */
  private int drop() {
    TokenRuns stay = kept.kept(0);
    int next = 0;
    for (int run = 0; run <= stay.count(); run++) {
      int stays = run < stay.count() ? stay.start(run) : view.length();
      if (next < stays) {
        context.remove(0, now.position(view.cell(next)), now.position(view.cell(stays - 1)) + 1);
        for (int token = next; token < stays && signals != null; token++) {
          signals.forget(view.cell(token));
        }
      }
      next = run < stay.count() ? stay.end(run) : stays;
    }
    return view.length() - stay.tokens();
  }

  @Override
  public long evictions() {
    return evictions;
  }

  @Override
  public long evicted() {
    return evicted;
  }
}
