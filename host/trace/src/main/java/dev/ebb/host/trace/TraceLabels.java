package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;

/**
 * Interns the strings of tenants and workloads, so that a repeated label costs no garbage. Drops
 * all once there are too many, so that memory stays flat.
 */
final class TraceLabels {

  private static final int MOST = 1 << 16;

  private final Long2ObjectOpenHashMap<String> known = new Long2ObjectOpenHashMap<>();

  String of(char[] text, int from, int length) {
    long hash = Hash64.of(text, from, length);
    String label = known.get(hash);
    if (label == null || !equal(label, text, from, length)) {
      if (known.size() >= MOST) {
        known.clear();
      }
      label = new String(text, from, length);
      known.put(hash, label);
    }
    return label;
  }

  private static boolean equal(String label, char[] text, int from, int length) {
    if (label.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (label.charAt(i) != text[from + i]) {
        return false;
      }
    }
    return true;
  }
}
