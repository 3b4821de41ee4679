package dev.ebb.host.config.engine;

/** The time at which sequences are pruned. */
public enum TokensTrigger {
  /** As the policy declares: after the prompt, at every step, or under pressure. */
  POLICY,
  /** When memory is short or the sequence too long, whatever the policy declares. */
  PRESSURE
}
