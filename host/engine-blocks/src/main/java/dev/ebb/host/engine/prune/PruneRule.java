package dev.ebb.host.engine.prune;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.engine.TokensConfig.TokensTrigger;
import dev.ebb.host.engine.prune.TokenEviction.Cause;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.spi.TokenPolicy.Trigger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a sequence is to be pruned now, and how many tokens to keep, by {@code
 * ebb.tokens}. It serves sequences in Ebb's pool and in an engine's own memory.
 */
public final class PruneRule {

  private final TokensConfig config;

  /** The last target, which a loop uses again at every step. */
  private @Nullable KeepTarget last;

  public PruneRule(TokensConfig config) {
    this.config = requireNonNull(config, "config is null");
  }

  /**
   * Returns the cause of pruning a sequence.
   *
   * @param size the maximum number of tokens, 0 for the configured one
   * @param available bytes of memory, called if it matters
   * @param full whether there is hardly room for more, called if it matters
   */
  public Cause cause(
      PruneHistory sequence,
      Trigger trigger,
      int length,
      int size,
      LongSupplier available,
      BooleanSupplier full) {
    if (size > 0) {
      return length > size ? Cause.SIZE : Cause.NONE;
    }
    if (config.window() > 0 && length > config.window()) {
      return Cause.LENGTH;
    }
    if (config.trigger() == TokensTrigger.POLICY) {
      if (trigger == Trigger.EVERY_STEP) {
        return Cause.STEP;
      }
      if (trigger == Trigger.AFTER_PREFILL && !sequence.prefilled()) {
        return Cause.PREFILL;
      }
    }
    if (length < sequence.next()) {
      return Cause.NONE;
    }
    if (available.getAsLong() < config.memoryThreshold()) {
      return Cause.MEMORY;
    }
    return full.getAsBoolean() ? Cause.POOL : Cause.NONE;
  }

  /**
   * Returns how many tokens to keep: a size takes precedence over a window, that over a ratio, and
   * that over the global ratio.
   *
   * @param size the maximum number of tokens, 0 for the configured one
   */
  public KeepTarget target(PruneHistory sequence, Trigger trigger, int length, int size) {
    if (size > 0) {
      return ofSize(size);
    }
    if (config.window() > 0) {
      return ofSize(config.window());
    }
    if (config.trigger() == TokensTrigger.POLICY && trigger == Trigger.EVERY_STEP) {
      // A share at every step would soon leave nothing: it is applied once, and that size is
      // kept.
      return ofSize(sequence.steady(share(length)));
    }
    return KeepTarget.ofShare(ratio());
  }

  /**
   * Returns the maximum number of tokens to keep, if it is configured as a number: for an engine
   * that has to make room.
   */
  public int size(int length) {
    return config.window() > 0 ? Math.min(config.window(), Math.max(1, length)) : share(length);
  }

  private KeepTarget ofSize(int size) {
    KeepTarget target = last;
    if (target == null || !target.isSize(size)) {
      target = KeepTarget.ofSize(size);
      last = target;
    }
    return target;
  }

  private int share(int length) {
    return Math.max(1, (int) (length * ratio()));
  }

  private double ratio() {
    return config.keepRatio() > 0 ? config.keepRatio() : config.targetRatio();
  }
}
