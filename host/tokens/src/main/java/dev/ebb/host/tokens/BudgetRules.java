package dev.ebb.host.tokens;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy.Granularity;
import java.util.List;
import java.util.Optional;

/** The token budgets of Ebb itself. */
public final class BudgetRules {

  /** Their names, as in {@code tokens.budget}. */
  public static final List<String> NAMES = List.of("uniform", "pyramid", "ada");

  /** The default slope of the pyramid: the paper's. */
  private static final double DEFAULT_BETA = 20;

  /** The default guaranteed share of a head's tokens: the paper's. */
  private static final double DEFAULT_ALPHA = 0.2;

  private BudgetRules() {}

  /** Returns the budget of a name, with its paper's parameters. */
  public static Optional<TokenBudget> of(String name) {
    return switch (name) {
      case "uniform" -> Optional.of(new Uniform());
      case "pyramid" -> Optional.of(new Pyramid(DEFAULT_BETA));
      case "ada" -> Optional.of(new Ada(DEFAULT_ALPHA));
      default -> Optional.empty();
    };
  }

  /** Returns whether a budget can be used with a policy's kept sets. */
  public static boolean fits(TokenBudget budget, Granularity granularity) {
    return granularity.compareTo(budget.granularity()) >= 0;
  }

  /** Refuses a policy whose kept sets are too coarse for a budget, with {@link UserError}. */
  public static void requireFits(
      String name, TokenBudget budget, String policy, Granularity granularity) {
    if (!fits(budget, granularity)) {
      throw new UserError(
          "the budget '%s' needs a policy with one kept set per %s, but '%s' keeps one per %s; use 'uniform'"
              .formatted(name, noun(budget.granularity()), policy, noun(granularity)));
    }
  }

  private static String noun(Granularity granularity) {
    return switch (granularity) {
      case SEQUENCE -> "sequence";
      case LAYER -> "layer";
      case KV_HEAD -> "KV head";
    };
  }

  /** The same number everywhere. */
  public record Uniform() implements TokenBudget {

    @Override
    public Granularity granularity() {
      return Granularity.SEQUENCE;
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
      return (int) tokens;
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
  public record Pyramid(double beta) implements TokenBudget {

    public Pyramid {
      if (!(beta >= 1)) {
        throw new UserError("beta '%s' must be at least 1".formatted(beta));
      }
    }

    @Override
    public Granularity granularity() {
      return Granularity.LAYER;
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
      int layers = preferences.length;
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
  }

  /**
   * More tokens for heads whose tokens score higher, of Feng, Lv, Cao, Xie and Zhou, <a
   * href="https://arxiv.org/abs/2407.11550">Ada-KV: Optimizing KV Cache Eviction by Adaptive Budget
   * Allocation</a> (2024), section 3: a layer's heads compete for its tokens, above a floor.
   *
   * @param alpha the share of the average that every head keeps; 0 to 1; at 1 all keep the same
   *     number
   */
  public record Ada(double alpha) implements TokenBudget {

    public Ada {
      if (!(alpha >= 0 && alpha <= 1)) {
        throw new UserError("alpha '%s' must be from 0 to 1".formatted(alpha));
      }
    }

    @Override
    public Granularity granularity() {
      return Granularity.KV_HEAD;
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
      return (int) tokens;
    }

    @Override
    public int floor(int keep) {
      return (int) (keep * alpha);
    }
  }
}
