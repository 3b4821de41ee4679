package dev.ebb.host.cache.policy;

import dev.ebb.host.errors.UntrustedText;

/**
 * Thrown when a policy broke the contract: it threw, or made an invalid offer. It keeps the text of
 * the policy's exception, never the throwable itself, which would keep the plugin's class loader in
 * memory.
 */
public final class PolicyFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final String pluginStack;

  /** The kind of a breach. */
  public enum Kind {
    /** A method threw. */
    THREW,
    /** It did not return within the deadline. */
    OVERRAN,
    /** It did not keep up with the stream of events. */
    FELL_BEHIND,
    /** It kept offering entries that are foreign, removed or set aside. */
    OFFERED_WRONG,
    /** It offered nothing although entries were evictable. */
    OFFERED_NOTHING,
    /** It chose an object of a chunk that is missing or in use, or threw; it stays active. */
    CHOSE_WRONG_PART,
    /** After taking over it did not hold as many entries as are resident. */
    WRONG_SIZE
  }

  public PolicyFault(Kind kind, String message) {
    this(kind, message, "");
  }

  public PolicyFault(Kind kind, String message, String pluginStack) {
    super(message, null, false, true);
    this.kind = kind;
    this.pluginStack = pluginStack;
  }

  /** Creates the fault of a policy that threw, as text: even its message is the plugin's code. */
  public static PolicyFault threw(String policy, Throwable thrown) {
    return new PolicyFault(
        Kind.THREW,
        "policy '" + policy + "' failed: " + UntrustedText.of(thrown),
        UntrustedText.stack(thrown));
  }

  public static PolicyFault offersNothing(String policy, long evictable, long resident) {
    return new PolicyFault(
        Kind.OFFERED_NOTHING,
        "policy '%s' offers nothing, although %d of %d blocks are evictable"
            .formatted(policy, evictable, resident));
  }

  public Kind kind() {
    return kind;
  }

  /**
   * Returns the bounded stack trace of what the policy threw, or of its thread when the host no
   * longer waited for it; empty if there is none.
   */
  public String pluginStack() {
    return pluginStack;
  }
}
