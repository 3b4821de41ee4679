package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.pool.KvLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * K and V that follow from the tokens before them, so that any row that is not what it should be is
 * found wherever it came from.
 */
public final class KvBytes {

  private KvBytes() {}

  /** Writes the rows of tokens from one on. */
  public static void write(
      KvLayout layout, Sequence sequence, String salt, List<Integer> tokens, int from) {
    try (KvAccess access = sequence.access()) {
      for (int i = from; i < tokens.size(); i++) {
        long prefix = prefix(salt, tokens, i);
        for (int lane = 0; lane < layout.layers() * layout.kvHeads(); lane++) {
          write(layout, access.keys(lane, i / layout.blockTokens()), i, prefix, lane, 0);
          write(layout, access.values(lane, i / layout.blockTokens()), i, prefix, lane, 1);
        }
      }
    }
  }

  private static void write(
      KvLayout layout, MemorySegment rows, int token, long prefix, int lane, int value) {
    for (int dim = 0; dim < layout.headDim(); dim++) {
      rows.setAtIndex(
          ValueLayout.JAVA_INT, at(layout, token, dim), element(prefix, lane, value, dim));
    }
  }

  /** Checks every byte of the first tokens. */
  public static void check(KvLayout layout, Sequence sequence, String salt, List<Integer> tokens) {
    try (KvAccess access = sequence.access()) {
      for (int i = 0; i < tokens.size(); i++) {
        long prefix = prefix(salt, tokens, i);
        for (int lane = 0; lane < layout.layers() * layout.kvHeads(); lane++) {
          check(layout, access.keys(lane, i / layout.blockTokens()), i, prefix, lane, 0);
          check(layout, access.values(lane, i / layout.blockTokens()), i, prefix, lane, 1);
        }
      }
    }
  }

  private static void check(
      KvLayout layout, MemorySegment rows, int token, long prefix, int lane, int value) {
    for (int dim = 0; dim < layout.headDim(); dim++) {
      int found = rows.getAtIndex(ValueLayout.JAVA_INT, at(layout, token, dim));
      if (found != element(prefix, lane, value, dim)) {
        assertThat(found)
            .as("token %d lane %d %s[%d]", token, lane, value == 0 ? "K" : "V", dim)
            .isEqualTo(element(prefix, lane, value, dim));
      }
    }
  }

  private static long at(KvLayout layout, int token, int dim) {
    return (long) token % layout.blockTokens() * layout.headDim() + dim;
  }

  private static long prefix(String salt, List<Integer> tokens, int last) {
    return 31L * salt.hashCode() + tokens.subList(0, last + 1).hashCode();
  }

  private static int element(long prefix, int lane, int value, int dim) {
    long mixed = (prefix * 1_000 + lane * 100L + value * 10L + dim) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32);
  }
}
