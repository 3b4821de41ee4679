package dev.ebb.host.config;

/** When sequences are pruned. */
public enum TokensTrigger {
  /** When the policy says: after the prompt, at every step, or under pressure. */
  POLICY,
  /** When memory is short or the sequence too long, whatever the policy says. */
  PRESSURE
}
