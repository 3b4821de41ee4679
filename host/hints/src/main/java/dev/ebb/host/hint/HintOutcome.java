package dev.ebb.host.hint;

import java.util.Locale;

/** What became of an action. */
public enum HintOutcome {
  /** It acts on its request. */
  APPLIED,

  /** Ebb does not know its type or version, or has nothing to do for it. */
  IGNORED,

  /** It is wrong, or exceeds a limit. */
  REFUSED,

  /** A later request needed what it retained, or continued its session, in time. */
  RIGHT,

  /** It ended, and no request had needed what it retained, or continued its session. */
  UNUSED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
