package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UntrustedText;

/** The limit on the length of names chosen by plugins: they appear in tables, logs and metrics. */
public final class NameLength {

  private static final int MOST = 64;

  private NameLength() {}

  /** Returns the problem of a name's length; empty if it fits. */
  public static String problem(String what, String name) {
    return name.length() <= MOST
        ? ""
        : "%s '%s...' has %d characters, but %d are allowed; shorten it"
            .formatted(what, UntrustedText.line(name.substring(0, MOST)), name.length(), MOST);
  }
}
