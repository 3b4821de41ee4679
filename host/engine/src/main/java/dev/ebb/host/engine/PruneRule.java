package dev.ebb.host.engine;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.TokensConfig;
import dev.ebb.host.config.TokensTrigger;
import dev.ebb.host.engine.TokenEviction.Cause;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.spi.TokenPolicy.Trigger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a sequence is to be pruned now, and how many of its tokens should stay, as {@code
 * ebb.tokens} has it: the same for sequences in Ebb's pool and for those in memory of the engine's
 * own.
 */
public final class PruneRule {

  private final TokensConfig config;

  /** The size asked for last, which a loop asks for again at every step. */
  private @Nullable KeepTarget last;

  /**
   * The rule of a configuration.
   *
   * @param config what is configured
   */
  public PruneRule(TokensConfig config) {
    this.config = requireNonNull(config, "config is null");
  }

  /**
   * Why a sequence is to be pruned.
   *
   * @param sequence what was done before
   * @param trigger when its policy wants to run
   * @param length its tokens
   * @param size the most tokens it may have, 0 for what is configured
   * @param available bytes of memory, asked if it matters
   * @param full whether there is hardly room for more, asked if it matters
   * @return the reason, or {@link Cause#NONE}
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
   * How many tokens should stay: a size before a window before a ratio before the ratio for all.
   *
   * @param sequence what was done before
   * @param trigger when its policy wants to run
   * @param length its tokens
   * @param size the most tokens it may have, 0 for what is configured
   * @return the target
   */
  public KeepTarget target(PruneHistory sequence, Trigger trigger, int length, int size) {
    if (size > 0) {
      return ofSize(size);
    }
    if (config.window() > 0) {
      return ofSize(config.window());
    }
    if (config.trigger() == TokensTrigger.POLICY && trigger == Trigger.EVERY_STEP) {
      // A share at every step would soon leave nothing: it is taken once, and that size is kept.
      return ofSize(sequence.steady(share(length)));
    }
    return KeepTarget.ofShare(ratio());
  }

  /**
   * How many tokens stay at most, if it is told as a number: for an engine that has to make room.
   *
   * @param length tokens now
   * @return at least 1
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
