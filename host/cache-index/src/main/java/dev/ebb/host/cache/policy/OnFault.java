package dev.ebb.host.cache.policy;

/** The action of a cache when a policy on its caller's thread breaks its contract. */
public enum OnFault {
  /** Throw the {@link PolicyFault} to the caller. */
  FAIL,
  /** Let {@link BuiltInLru} take over. No entry is lost. */
  FALL_BACK
}
