package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;

/** How long the names that a plugin chooses may be: they stand in tables, logs and metrics. */
final class NameLength {

  private static final int MOST = 64;

  private NameLength() {}

  /**
   * What is wrong with a name's length.
   *
   * @param what what is named, for the message
   * @return a message; empty if it fits
   */
  static String problem(String what, String name) {
    return name.length() <= MOST
        ? ""
        : "%s '%s...' has %d characters, and may have at most %d"
            .formatted(what, UntrustedText.line(name.substring(0, MOST)), name.length(), MOST);
  }
}
