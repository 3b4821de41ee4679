package dev.ebb.host.authoring;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.Locale;

/** What a new project offers. */
public enum ProjectKind {
  /** A block policy: who leaves the cache next. */
  POLICY(BlockPolicyProvider.class, "block policy"),
  /** A token policy: which tokens stay inside a sequence. */
  TOKEN_POLICY(TokenPolicyProvider.class, "token policy"),
  /** A lifetime predictor: how long an entry will go on being of use. */
  PREDICTOR(LifetimePredictorProvider.class, "lifetime predictor");

  private final Class<?> service;
  private final String noun;

  ProjectKind(Class<?> service, String noun) {
    this.service = service;
    this.noun = noun;
  }

  Class<?> service() {
    return service;
  }

  String noun() {
    return noun;
  }

  /** The folder of its templates. */
  String folder() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
