package dev.ebb.host.store;

/** Which keys are taken for chunks whose chains are learned. */
public enum ChainMode {
  /** None: each value is on its own. */
  OFF,
  /** Keys in the format of a known engine. */
  AUTO,
  /** All keys. */
  ALL;

  /** Returns whether a key is taken for that of a chunk. */
  boolean covers(byte[] key) {
    return this == ALL || (this == AUTO && LabelledKey.parse(key) != null);
  }
}
