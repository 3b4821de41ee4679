package dev.ebb.host.group;

import java.util.Locale;

/**
 * Layers of a model that need the same objects of a prompt.
 *
 * @param kind which chunks of the prompt they need
 * @param window how many chunks before the point of reuse; 0 if all
 */
public record ObjectGroup(Kind kind, int window) {

  /** Which chunks of a prompt are needed to go on from a point of it. */
  public enum Kind {
    /** All chunks before it: full attention. */
    FULL,

    /** The last ones before it: sliding-window attention. */
    WINDOW,

    /** The last one before it: a recurrent state, such as that of Mamba. */
    STATE;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static final ObjectGroup FULL = new ObjectGroup(Kind.FULL, 0);
  public static final ObjectGroup STATE = new ObjectGroup(Kind.STATE, 1);

  public static ObjectGroup window(int chunks) {
    return new ObjectGroup(Kind.WINDOW, chunks);
  }

  /**
   * Returns the form in options and configuration: {@code full}, {@code state}, {@code window=4}.
   */
  @Override
  public String toString() {
    return kind == Kind.WINDOW ? "window=" + window : kind.label();
  }
}
