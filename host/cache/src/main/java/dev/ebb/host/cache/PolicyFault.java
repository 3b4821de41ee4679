package dev.ebb.host.cache;

import dev.ebb.host.errors.UntrustedText;

/**
 * A policy broke the contract: it threw, or offered what it may not offer. Keeps the text of what
 * the policy threw, never the throwable itself, which would hold on to the plugin's class loader.
 */
public final class PolicyFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final String pluginStack;

  /** How the contract was broken. */
  public enum Kind {
    /** A method threw. */
    THREW,
    /** It was not back within the deadline. */
    OVERRAN,
    /** It did not keep up with the stream of events. */
    FELL_BEHIND,
    /** It kept offering entries that are foreign, gone or set aside. */
    OFFERED_WRONG,
    /** It offered nothing although entries could be evicted. */
    OFFERED_NOTHING,
    /** After taking over it did not hold as many entries as are resident. */
    WRONG_SIZE
  }

  PolicyFault(Kind kind, String message) {
    this(kind, message, "");
  }

  PolicyFault(Kind kind, String message, String pluginStack) {
    super(message, null, false, true);
    this.kind = kind;
    this.pluginStack = pluginStack;
  }

  /** What a policy threw, as text: even its message is the plugin's code. */
  static PolicyFault threw(String policy, Throwable thrown) {
    return new PolicyFault(
        Kind.THREW,
        "policy '" + policy + "' failed: " + UntrustedText.of(thrown),
        UntrustedText.stack(thrown));
  }

  static PolicyFault offersNothing(String policy, long evictable, long resident) {
    return new PolicyFault(
        Kind.OFFERED_NOTHING,
        "policy '%s' offers nothing, though %d of %d blocks can leave"
            .formatted(policy, evictable, resident));
  }

  /**
   * How the contract was broken.
   *
   * @return the kind of fault
   */
  public Kind kind() {
    return kind;
  }

  /**
   * The stack trace of what the policy threw.
   *
   * @return text of several lines, bounded; empty if the policy threw nothing
   */
  public String pluginStack() {
    return pluginStack;
  }
}
