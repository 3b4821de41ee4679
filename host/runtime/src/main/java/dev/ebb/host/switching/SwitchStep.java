package dev.ebb.host.switching;

import java.util.Locale;

/** The steps of a policy switch, in order. A switch skips the steps that it does not need. */
public enum SwitchStep {
  /** The JARs are copied and hashed. */
  STAGE,
  /** Manifests, contents and the quarantine are checked. */
  VERIFY,
  /** Classes are loaded, and providers found. */
  LOAD,
  /** An instance is created for each partition of the pool. */
  CREATE,
  /** Another instance is tested on a small cache. */
  SELF_TEST,
  /** The residents are listed and passed to the instances. */
  SNAPSHOT,
  /** The instances receive the events since the snapshot. */
  CATCH_UP,
  /** The entries that the instances track are compared with the residents. */
  CHECK,
  /** The instances become active in all partitions at the same moment. */
  PUBLISH,
  /** The time from publication to the first answer of the new policy. */
  ANSWER,
  /** The time from the first answer until the previous instances are closed. */
  CLOSE,
  /** The unused copy of the JAR is unloaded. */
  UNLOAD,
  /** Its class loader is garbage-collected. */
  COLLECT;

  /** Returns the step in words, such as {@code self-test}. */
  public String inWords() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
