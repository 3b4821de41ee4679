package dev.ebb.testkit;

import org.jspecify.annotations.Nullable;

/** The last calls that a policy received, for the message of a failure. */
final class Trail {

  private static final int KEPT = 8;

  private final String[] calls = new String[KEPT];
  private final @Nullable TestEntry[] entries = new TestEntry[KEPT];
  private long step;

  long step() {
    return step;
  }

  void add(String call, @Nullable TestEntry entry) {
    int slot = (int) (step++ % KEPT);
    calls[slot] = call;
    entries[slot] = entry;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (long i = Math.max(0, step - KEPT); i < step; i++) {
      int slot = (int) (i % KEPT);
      TestEntry entry = entries[slot];
      text.append(i + 1).append(' ').append(calls[slot]);
      text.append(entry == null ? "" : "(" + entry + ")").append(i + 1 < step ? ", " : "");
    }
    return text.toString();
  }
}
