package dev.ebb.host.tokens;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.TokenPolicy.Granularity;
import java.util.List;

/** A rule that divides the kept tokens among the layers, and the KV heads of each. */
public sealed interface TokenBudget {

  /** The rules' names, as in {@code tokens.budget}. */
  List<String> NAMES = List.of("uniform", "pyramid", "ada");

  /** The default slope of the pyramid: the paper's. */
  double DEFAULT_BETA = 20;

  /** The default guaranteed share of a head's tokens: the paper's. */
  double DEFAULT_ALPHA = 0.2;

  /**
   * Returns a rule with the paper's parameters.
   *
   * @param name one of {@link #NAMES}
   * @throws UserError if there is no such rule
   */
  static TokenBudget of(String name) {
    return switch (name) {
      case "uniform" -> new Uniform();
      case "pyramid" -> new Pyramid(DEFAULT_BETA);
      case "ada" -> new Ada(DEFAULT_ALPHA);
      default ->
          throw new UserError("unknown budget rule '%s'; use one of: %s".formatted(name, NAMES));
    };
  }

  /**
   * Returns the rule's name.
   *
   * @return one of {@link #NAMES}
   */
  String name();

  /**
   * Returns the rule's share of one layer, before the target's bounds.
   *
   * @param tokens how many to keep on average
   * @param length tokens now
   * @param guarded how many of them are protected
   * @param layer 0 to {@code layers - 1}
   * @param layers at least 1
   * @return tokens of each head, on average over the layer's heads
   */
  int share(double tokens, int length, int guarded, int layer, int layers);

  /**
   * Returns the number of kept tokens in each set of a layer.
   *
   * @param target how many to keep on average
   * @param length tokens now
   * @param guarded how many of them are protected
   * @param layer 0 to {@code layers - 1}
   * @param layers at least 1
   * @return 0 to the length, on average over the layer's sets
   */
  default int keep(KeepTarget target, int length, int guarded, int layer, int layers) {
    int share = share(target.tokens(length), length, guarded, layer, layers);
    return target.within(share, length, guarded);
  }

  /**
   * Returns how many tokens every head of a layer keeps at least, for {@link TokenSelection}.
   *
   * @param keep what heads keep on average
   * @return 0 to keep; keep if all keep the same number
   */
  default int floor(int keep) {
    return keep;
  }

  /**
   * Returns whether the rule can be used with a policy's kept sets.
   *
   * @return false if the rule needs a finer granularity
   */
  boolean fits(Granularity granularity);

  /**
   * Refuses a policy whose kept sets are too coarse for the rule.
   *
   * @param policy its name, for the message
   * @param granularity that of its kept sets
   * @throws UserError if the rule needs a finer one
   */
  default void requireFits(String policy, Granularity granularity) {
    if (!fits(granularity)) {
      throw new UserError(
          "the budget '%s' needs a policy with one kept set per %s, but '%s' keeps one per %s; use 'uniform'"
              .formatted(
                  name(),
                  this instanceof Ada ? "KV head" : "layer",
                  policy,
                  granularity == Granularity.SEQUENCE ? "sequence" : "layer"));
    }
  }

  /** The same number everywhere. */
  record Uniform() implements TokenBudget {

    @Override
    public String name() {
      return "uniform";
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, int layers) {
      return (int) tokens;
    }

    @Override
    public boolean fits(Granularity granularity) {
      return true;
    }
  }

  /**
   * Fewer tokens from layer to layer, of Cai et al., <a
   * href="https://arxiv.org/abs/2406.02069">PyramidKV: Dynamic KV Cache Compression based on
   * Pyramidal Information Funneling</a> (2024), section 3.2: lower layers spread their attention,
   * upper ones concentrate it on few tokens. All layers keep the same number if the top of the
   * pyramid would not fit.
   *
   * @param beta how steep; at least 1, which is flat
   */
  record Pyramid(double beta) implements TokenBudget {

    public Pyramid {
      if (!(beta >= 1)) {
        throw new UserError("beta '%s' must be at least 1".formatted(beta));
      }
    }

    @Override
    public String name() {
      return "pyramid";
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, int layers) {
      double lowest = tokens / beta;
      double highest = 2 * tokens - lowest;
      if (highest >= length - guarded) {
        highest = length - guarded;
        lowest = 2 * tokens - highest;
      }
      if (layers == 1 || !(length >= highest && highest >= lowest && lowest >= guarded)) {
        return (int) Math.rint(tokens);
      }
      double step = (highest - lowest) / (layers - 1);
      return (int) Math.rint(highest - layer * step);
    }

    @Override
    public boolean fits(Granularity granularity) {
      return granularity != Granularity.SEQUENCE;
    }
  }

  /**
   * More tokens for heads whose tokens score higher, of Feng, Lv, Cao, Xie and Zhou, <a
   * href="https://arxiv.org/abs/2407.11550">Ada-KV: Optimizing KV Cache Eviction by Adaptive Budget
   * Allocation</a> (2024), section 3: a layer's heads compete for its tokens, above a floor.
   *
   * @param alpha the share of the average that every head keeps; 0 to 1; at 1 all keep the same
   *     number
   */
  record Ada(double alpha) implements TokenBudget {

    public Ada {
      if (!(alpha >= 0 && alpha <= 1)) {
        throw new UserError("alpha '%s' must be from 0 to 1".formatted(alpha));
      }
    }

    @Override
    public String name() {
      return "ada";
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, int layers) {
      return (int) tokens;
    }

    @Override
    public int floor(int keep) {
      return (int) (keep * alpha);
    }

    @Override
    public boolean fits(Granularity granularity) {
      return granularity == Granularity.KV_HEAD;
    }
  }
}
