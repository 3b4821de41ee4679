package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicyProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The checks of the contract of a {@link dev.ebb.spi.BlockPolicy}.
 *
 * @since 1.0.0
 */
public final class BlockPolicyChecks {

  private BlockPolicyChecks() {}

  /**
   * Returns the checks for one provider, from simple to thorough. Each makes its own instances, so
   * they may be run in any order, and alone.
   *
   * @param provider the provider to check
   * @param settings the extent of the checks and the strategy's settings
   * @return checks that have not run yet
   */
  public static List<Check> of(BlockPolicyProvider provider, CheckSettings settings) {
    requireNonNull(provider, "provider() returned null, not the provider to check");
    LifeChecks life = new LifeChecks(provider, settings);
    MemoryCheck memory = new MemoryCheck(provider, settings);
    ModelChecks model = new ModelChecks(provider, settings);
    List<Check> checks =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    checks.add(settings.check("copes with being empty", life::empty));
    checks.add(settings.check("offers every resident once", life::drains));
    checks.add(settings.check("comes to an end when all are refused", life::allRefused));
    checks.add(settings.check("keeps what is set aside until released", life::setAside));
    checks.add(settings.check("offers what it kept from newcomers", life::kept));
    checks.add(settings.check("offers released entries before others", life::released));
    checks.add(settings.check("lets go of removed entries", life::removed));
    checks.add(settings.check("takes over from another instance", life::handedOver));
    checks.add(settings.check("survives any capacity", life::resized));
    checks.add(settings.check("survives any request", life::requests));
    checks.add(settings.check("copes with waiting requests", life::waiting));
    checks.add(settings.check("explains entries in every state", life::explained));
    checks.add(settings.check("keeps no removed entry in memory", memory::letsGo));
    checks.add(settings.check("keeps ghosts of evicted entries only", memory::ghosts));
    checks.add(settings.check("gives the same answers again", model::deterministic));
    checks.add(settings.check("shares nothing with other instances", model::independent));
    for (ModelHost.Kind kind : ModelHost.Kind.values()) {
      for (int i = 0; i < settings.histories(); i++) {
        CheckSettings one = settings.withSeed(settings.seed() + i);
        checks.add(
            one.check(
                "serves a random history of %s, seed %d"
                    .formatted(kind.name().toLowerCase(Locale.ROOT), one.seed()),
                seed -> model.history(kind, seed)));
      }
    }
    return List.copyOf(checks);
  }
}
