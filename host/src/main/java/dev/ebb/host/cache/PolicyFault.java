package dev.ebb.host.cache;

/**
 * A policy broke the contract: it threw, or offered what it may not offer. Keeps the text of what
 * the policy threw, never the throwable itself, which would hold on to the plugin's class loader.
 */
public final class PolicyFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String pluginStack;

  PolicyFault(String message, String pluginStack) {
    super(message, null, false, true);
    this.pluginStack = pluginStack;
  }

  /**
   * The stack trace of what the policy threw.
   *
   * @return text of several lines, empty if the policy threw nothing
   */
  public String pluginStack() {
    return pluginStack;
  }
}
