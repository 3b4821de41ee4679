package dev.ebb.host.engine.sequence;

import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.engine.TokensConfig.LayerChoice;
import dev.ebb.host.config.engine.TokensConfig.PressureChoice;
import dev.ebb.host.device.Slab;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.pool.PageTable;
import dev.ebb.host.engine.prune.AvailableMemory;
import dev.ebb.host.engine.prune.PruneResult;
import dev.ebb.host.engine.prune.PruneRule;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.engine.prune.TokenEviction.Cause;
import dev.ebb.host.engine.prune.TokenMetrics.Failure;
import dev.ebb.host.engine.prune.TokenPolicies;
import dev.ebb.host.engine.stats.TokenCounters;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.pruning.KeptLanes;
import dev.ebb.host.tokens.pruning.MissingSignal;
import dev.ebb.host.tokens.pruning.TokenPolicyException;
import dev.ebb.host.tokens.pruning.TokenScorer;
import dev.ebb.host.tokens.signals.FastSignals;
import dev.ebb.host.tokens.signals.SignalKernels;
import dev.ebb.host.tokens.signals.SignalSlab;
import dev.ebb.host.tokens.signals.StoredKeys;
import dev.ebb.host.tokens.signals.TokenSignals;
import dev.ebb.spi.TokenPolicy.Trigger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prunes sequences in a generation loop. Called after each step, it decides whether to prune, lets
 * the token policy choose, and drops the tokens. With {@code ebb.tokens.policy = none} it does
 * nothing.
 *
 * <p>If a policy throws, or its scores are NaN, the sequence keeps all tokens. With {@code
 * ebb.tokens.on-missing-signal = sliding-window}, that policy chooses instead. Thread-safe; one
 * eviction is chosen at a time.
 */
public final class TokenPruner {

  private static final Logger LOG = LoggerFactory.getLogger(TokenPruner.class);

  private final Engine engine;
  private final TokensConfig config;
  private final PruneRule rule;
  private final TokenPolicies policies;
  private final KeptLanes kept;
  private final Map<DevicePartition, Context> contexts = new HashMap<>();
  private final Set<String> logged = new HashSet<>();
  private String chosen;
  private @Nullable PressureChoice pressing;

  /** The last result, which a loop repeats at every step. */
  private TokenEviction last = TokenEviction.NOTHING_TO_DO;

  /** The state of a device for pruning, made once: its available memory and its keys. */
  private static final class Context {

    final DevicePartition partition;
    final LongSupplier available;
    final BooleanSupplier pressed;
    private final StoredKeys keys;

    Context(DevicePartition partition) {
      this.partition = partition;
      available = new AvailableMemory(partition.pool.device().memory())::bytes;
      pressed = partition::pressed;
      Slab slab = partition.pool.memory().slab();
      keys = new StoredKeys(partition.layout(), slab, () -> kernels(slab));
    }

    private static SignalKernels kernels(Slab slab) {
      return slab instanceof SignalSlab card
          ? card.signals()
          : new FastSignals(slab.segment().orElseThrow());
    }

    /** Returns a sequence's keys, as long as it is in use. */
    StoredKeys keys(PageTable table) {
      keys.show(table.blocks(), table.counts());
      return keys;
    }
  }

  public TokenPruner(Engine engine, TokensConfig config, TokenPolicies policies) {
    this.engine = engine;
    this.config = config;
    rule = new PruneRule(config);
    this.policies = policies;
    chosen = config.policy().name();
    kept = new KeptLanes(engine.layout().layers(), engine.layout().kvHeads());
    policies.makeAll();
    inUse();
  }

  private void inUse() {
    engine.signals.needs(policies.needs());
    engine.tokens.offered(policies.names(), policies.replaced());
  }

  /** Returns the policy that is active while memory is not short, or {@code none}. */
  public synchronized String policy() {
    return chosen;
  }

  /**
   * Activates another token policy, from the next step on. Sequences keep their tokens; signals
   * that were not kept so far are gathered from now on.
   *
   * @param name a token policy that a plugin offers, or {@code none}
   * @throws dev.ebb.host.errors.UserError if there is no such policy, or this engine does not
   *     provide its signals; the previous one stays active
   */
  public synchronized void use(String name) {
    engine.exclusively(engine::checkOpen);
    if (!TokenPolicies.isNone(name)) {
      policies.scorer(name);
    }
    chosen = name;
    inUse();
  }

  /**
   * Prunes a sequence if there is a cause. Call it after each step, and once when the prompt has
   * been processed, with no access open.
   */
  public TokenEviction maybeEvict(Sequence sequence) {
    return maybeEvict(sequence, 0);
  }

  /** Does the same with a maximum number of tokens; 0 for the configured one. */
  public synchronized TokenEviction maybeEvict(Sequence sequence, int targetSize) {
    if (targetSize < 0) {
      throw new IllegalArgumentException(
          "target size '%d' must be at least 0 tokens".formatted(targetSize));
    }
    Context context = contexts.computeIfAbsent(partitionOf(sequence), Context::new);
    String name = active(context);
    if (TokenPolicies.isNone(name)) {
      return TokenEviction.NOTHING_TO_DO;
    }
    TokenScorer scorer = policies.scorer(name);
    int length = sequence.stored.longest();
    Trigger trigger = scorer.policy().trigger();
    Cause cause =
        rule.cause(
            sequence.pruning, trigger, length, targetSize, context.available, context.pressed);
    if (cause == Cause.NONE) {
      return TokenEviction.NOTHING_TO_DO;
    }
    KeepTarget target = rule.target(sequence.pruning, trigger, length, targetSize);
    return evict(sequence, context, scorer, cause, target, length);
  }

  private DevicePartition partitionOf(Sequence sequence) {
    engine.checkOwn(sequence);
    engine.lock.lock();
    try {
      sequence.checkOpen();
      return sequence.home.partition;
    } finally {
      engine.lock.unlock();
    }
  }

  /** Makes the token policies of changed plugins again. */
  public synchronized void reload() {
    policies.reload();
    inUse();
  }

  /** Discards the last measurement of the available memory. */
  synchronized void lookAfresh() {
    contexts.clear();
  }

  /** The policy for the memory that is there. */
  private String active(Context context) {
    if (config.pressure().isEmpty()) {
      return chosen;
    }
    long bytes = context.available.getAsLong();
    PressureChoice before = pressing;
    PressureChoice now = null;
    for (PressureChoice rule : config.pressure()) {
      double bound = rule.below() * (rule.equals(before) ? 1 + config.hysteresis() : 1);
      if (now == null && bytes < bound) {
        now = rule;
      }
    }
    if (now != before) {
      pressing = now;
      LOG.info(
          "token policy changed available-bytes={} policy={}",
          bytes,
          now == null ? chosen : now.policy().name());
    }
    return now == null ? chosen : now.policy().name();
  }

  private TokenEviction evict(
      Sequence sequence,
      Context context,
      TokenScorer scorer,
      Cause cause,
      KeepTarget target,
      int length) {
    String detail = "";
    TokenScorer asked = scorer;
    while (true) {
      Failure reason;
      long start = System.nanoTime();
      try {
        choose(sequence, context, asked, target);
        PruneResult result = sequence.keep(kept);
        sequence.pruning.pruned(length);
        boolean evicted = result.droppedTokens() > 0 || result.movedRows() > 0;
        engine.tokens.passed(asked.name(), result, evicted, System.nanoTime() - start);
        return evicted ? evicted(cause, result, asked.name(), detail) : TokenEviction.NOTHING_TO_DO;
      } catch (MissingSignal missing) {
        reason = Failure.MISSING_SIGNAL;
        detail = String.valueOf(missing.getMessage());
      } catch (TokenPolicyException fault) {
        reason = Failure.FAULT;
        detail = String.valueOf(fault.getMessage());
        if (logged.add(asked.name())) {
          LOG.error("token policy failed, no token is lost reason=\"{}\"", detail);
        }
      } catch (OutOfBlocksException noRoom) {
        engine.tokens.failed(Failure.NO_ROOM);
        return kept(cause, length, String.valueOf(noRoom.getMessage()));
      }
      engine.tokens.failed(reason);
      TokenScorer fallback = policies.fallback();
      if (fallback == null || fallback == asked) {
        return kept(cause, length, detail);
      }
      engine.tokens.fellBack(reason);
      asked = fallback;
    }
  }

  private TokenEviction evicted(Cause cause, PruneResult result, String policy, String detail) {
    if (last.cause() != cause
        || last.removedTokens() != result.droppedTokens()
        || last.length() != result.length()
        || last.freedBytes() != result.freedBytes()
        || !last.policy().equals(policy)
        || !last.detail().equals(detail)) {
      last =
          new TokenEviction(
              true,
              cause,
              result.droppedTokens(),
              result.length(),
              result.freedBytes(),
              policy,
              detail);
    }
    return last;
  }

  private static TokenEviction kept(Cause cause, int length, String detail) {
    return new TokenEviction(false, cause, 0, length, 0, "", detail);
  }

  /** Lets the policies choose while no block of the sequence moves. */
  private void choose(Sequence sequence, Context context, TokenScorer scorer, KeepTarget target) {
    StoredKeys keys = use(sequence, context);
    try {
      TokenSignals signals = engine.signals.of(sequence);
      kept.clear();
      if (config.layers().isEmpty()) {
        scorer.select(signals, keys, 0, keys.layout().layers(), target, kept);
        return;
      }
      for (int layer = 0; layer < keys.layout().layers(); layer++) {
        of(layer, scorer).select(signals, keys, layer, 1, target, kept);
      }
    } finally {
      engine.lock.lock();
      try {
        engine.endUse(sequence);
      } finally {
        engine.lock.unlock();
      }
    }
  }

  private StoredKeys use(Sequence sequence, Context context) {
    engine.lock.lock();
    try {
      sequence.checkOpen();
      sequence.checkNotInUse("pruned");
      sequence.uses++;
      SequenceBlocks home = sequence.home;
      // It may have moved to another device meanwhile.
      Context there =
          home.partition == context.partition
              ? context
              : contexts.computeIfAbsent(home.partition, Context::new);
      return there.keys(home.table);
    } finally {
      engine.lock.unlock();
    }
  }

  private TokenScorer of(int layer, TokenScorer others) {
    for (LayerChoice choice : config.layers()) {
      if (layer >= choice.first() && layer <= choice.last() && pressing == null) {
        return policies.scorer(choice.policy().name());
      }
    }
    return others;
  }

  /** Returns whether an active token policy reads observed queries or attention. */
  public boolean observes() {
    return engine.signals.wanted();
  }

  public TokenCounters counters() {
    return engine.tokens.counters();
  }
}
