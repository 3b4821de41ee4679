package dev.ebb.host.authoring;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.Locale;

/** What a new project offers. */
public enum ProjectKind {
  /** A block policy: who leaves the cache next. */
  POLICY(BlockPolicyProvider.class, "block policy", "ebb.eviction.policies"),
  /** A token policy: which tokens stay inside a sequence. */
  TOKEN_POLICY(TokenPolicyProvider.class, "token policy", "ebb.tokens.policies"),
  /** A lifetime predictor: how long an entry will go on being of use. */
  PREDICTOR(LifetimePredictorProvider.class, "lifetime predictor", "ebb.eviction.predictors");

  private final Class<?> service;
  private final String noun;
  private final String settingsPath;

  ProjectKind(Class<?> service, String noun, String settingsPath) {
    this.service = service;
    this.noun = noun;
    this.settingsPath = settingsPath;
  }

  Class<?> service() {
    return service;
  }

  String noun() {
    return noun;
  }

  String settingsPath() {
    return settingsPath;
  }

  /** The folder of its templates. */
  String folder() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
