package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.RunningSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The checks of the contract of a {@link PreemptionPolicy}.
 *
 * @since 1.2.0
 */
public final class PreemptionPolicyChecks {

  private static final int SEQUENCES = 40;

  private final PreemptionPolicyProvider provider;
  private final CheckSettings settings;

  private PreemptionPolicyChecks(PreemptionPolicyProvider provider, CheckSettings settings) {
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
  public static List<Check> of(PreemptionPolicyProvider provider, CheckSettings settings) {
    requireNonNull(provider, "provider() returned null, not the provider to check");
    PreemptionPolicyChecks checks = new PreemptionPolicyChecks(provider, settings);
    List<Check> all =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    all.add(settings.check("orders sequences consistently", checks::order));
    return List.copyOf(all);
  }

  private record Sequence(
      int priority,
      @Nullable String tenant,
      int promptTokens,
      int outputTokens,
      int computedTokens,
      int cachedTokens,
      long admission,
      int preemptions)
      implements RunningSequence {

    private static Sequence random(Random random, int admission) {
      int prompt = random.nextInt(4) * 100;
      int output = random.nextInt(4) * 10;
      int computed = prompt + output - (prompt + output == 0 ? 0 : random.nextInt(2));
      return new Sequence(
          random.nextInt(3),
          random.nextBoolean() ? null : "tenant" + random.nextInt(2),
          prompt,
          output,
          computed,
          computed == 0 ? 0 : random.nextInt(computed),
          admission,
          random.nextInt(3));
    }
  }

  private String order(long seed) {
    PreemptionPolicy policy = Calls.create(provider::create, settings.context(100, seed));
    Random random = new Random(seed);
    List<Sequence> all = new ArrayList<>();
    for (int i = 0; i < SEQUENCES; i++) {
      all.add(Sequence.random(random, i + 1));
    }
    for (Sequence first : all) {
      for (Sequence second : all) {
        compare(policy, first, second, all);
      }
    }
    Calls.close(policy);
    return "%d comparisons".formatted(SEQUENCES * SEQUENCES);
  }

  private static void compare(
      PreemptionPolicy policy, Sequence first, Sequence second, List<Sequence> all) {
    int there = sign(policy, first, second);
    int back = sign(policy, second, first);
    if (there != -back || (first == second && there != 0)) {
      throw new Violation(
          Rule.ORDER,
          "compare() returned %d for %s and %s, and %d the other way round"
              .formatted(there, first, second, back));
    }
    for (Sequence third : there < 0 ? all : List.<Sequence>of()) {
      if (sign(policy, second, third) < 0 && sign(policy, first, third) >= 0) {
        throw new Violation(
            Rule.ORDER,
            "%s is preempted before %s, that before %s, but this not after the first"
                .formatted(first, second, third));
      }
    }
  }

  private static int sign(PreemptionPolicy policy, Sequence first, Sequence second) {
    try {
      return Integer.signum(policy.compare(first, second));
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.NO_EXCEPTION, "compare()", thrown);
    }
  }
}
