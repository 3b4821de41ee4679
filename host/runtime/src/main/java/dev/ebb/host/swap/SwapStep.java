package dev.ebb.host.swap;

import java.util.Locale;

/** What is done to switch a policy, in this order. A swap leaves out what it does not need. */
public enum SwapStep {
  /** The JARs are copied and hashed. */
  STAGE,
  /** Manifests and contents are judged, and whether the strategy is in quarantine. */
  VERIFY,
  /** Classes are loaded, and providers found. */
  LOAD,
  /** An instance is made for each part of the pool. */
  CREATE,
  /** Another instance shows on a small cache that it keeps the contract. */
  SELF_TEST,
  /** The residents are listed, and told to the instances. */
  SNAPSHOT,
  /** The instances hear what happened meanwhile. */
  CATCH_UP,
  /** What they say they hold is compared with what is resident. */
  CHECK,
  /** They are activated, in all parts at one moment. */
  PUBLISH,
  /** From that moment until the new policy answers. */
  ANSWER,
  /** From then until the instances before are closed. */
  CLOSE,
  /** The copy of the JAR that nobody uses any more is unloaded. */
  UNLOAD,
  /** Its class loader is gone from memory. */
  COLLECT;

  /**
   * Returns the step in words.
   *
   * @return such as {@code self-test}
   */
  public String inWords() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
