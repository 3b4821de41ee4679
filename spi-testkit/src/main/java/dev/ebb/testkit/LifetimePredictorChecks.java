package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.LifetimePredictorProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * The checks of the contract of a {@link dev.ebb.spi.LifetimePredictor}.
 *
 * @since 1.0.0
 */
public final class LifetimePredictorChecks {

  private final LifetimePredictorProvider provider;
  private final CheckSettings settings;

  private LifetimePredictorChecks(LifetimePredictorProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  /**
   * Returns the checks for one provider. Each makes its own instances, so they may be run in any
   * order, and alone.
   *
   * @param provider the provider to check
   * @param settings the extent of the checks and the strategy's settings
   * @return checks that have not run yet
   */
  public static List<Check> of(LifetimePredictorProvider provider, CheckSettings settings) {
    requireNonNull(provider, "provider() returned null, not the provider to check");
    LifetimePredictorChecks checks = new LifetimePredictorChecks(provider, settings);
    List<Check> all =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    all.add(settings.check("answers before it has learned", checks::unlearned));
    all.add(settings.check("answers while it learns", checks::learning));
    all.add(settings.check("gives the same answers again", checks::deterministic));
    all.add(settings.check("shares nothing with other instances", checks::independent));
    return List.copyOf(all);
  }

  private String unlearned(long seed) {
    PredictorRun run = new PredictorRun(provider, settings, seed);
    run.predictForAnyKind();
    run.close();
    return "";
  }

  private String learning(long seed) {
    PredictorRun run = played(seed);
    run.predictForAnyKind();
    run.close();
    return "%d predictions".formatted(run.answers().size());
  }

  private String deterministic(long seed) {
    compare(Rule.DETERMINISTIC, played(seed), played(seed));
    return "";
  }

  private String independent(long seed) {
    PredictorRun alone = played(seed);
    if (alone.answers().equals(played(seed).answers())) {
      PredictorRun together = new PredictorRun(provider, settings, seed);
      PredictorRun other = new PredictorRun(provider, settings, ~seed);
      for (int i = 0; i < settings.requests(); i++) {
        together.step();
        other.step();
      }
      compare(Rule.INDEPENDENT, alone, together);
    }
    return "";
  }

  private PredictorRun played(long seed) {
    PredictorRun run = new PredictorRun(provider, settings, seed);
    for (int i = 0; i < settings.requests(); i++) {
      run.step();
    }
    return run;
  }

  private static void compare(Rule rule, PredictorRun first, PredictorRun second) {
    for (int i = 0; i < first.answers().size(); i++) {
      if (!first.answers().get(i).equals(second.answers().get(i))) {
        throw new Violation(
            rule,
            "answer %d of predict() was %s and then %s"
                .formatted(i + 1, first.answers().get(i), second.answers().get(i)));
      }
    }
  }
}
