package dev.ebb.host.replay;

import dev.ebb.host.errors.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A capacity as written by the user: a number of blocks, or a share of the trace's distinct blocks.
 *
 * @param text as the user wrote it
 * @param blocks blocks, 0 if it is a share
 * @param percent the share in percent, 0 if it is a number of blocks
 */
public record Capacity(String text, long blocks, double percent) {

  private static final int CURVE_SIZES = 20;

  /** Parses the list of {@code --capacity}. */
  public static List<Capacity> parseAll(String text) {
    return parseAll(text, "--capacity");
  }

  /**
   * Parses a list separated by commas.
   *
   * @param text for example {@code "1%,5%,10000"}
   * @param option its origin, for messages
   * @return the capacities, in that order
   * @throws UserError if one is wrong
   */
  public static List<Capacity> parseAll(String text, String option) {
    return Arrays.stream(text.split(",", -1)).map(part -> parse(part.strip(), option)).toList();
  }

  /**
   * Returns 20 shares of the distinct blocks from 0.1 % to 100 %, each 1.44 times the one before.
   */
  public static List<Capacity> ofCurve() {
    return IntStream.range(0, CURVE_SIZES)
        .mapToDouble(i -> 0.1 * Math.pow(1000, i / (CURVE_SIZES - 1.0)))
        .mapToObj(percent -> new Capacity("%.3g%%".formatted(percent), 0, Math.min(100, percent)))
        .toList();
  }

  private static Capacity parse(String text, String option) {
    try {
      if (text.endsWith("%")) {
        double percent = Double.parseDouble(text.substring(0, text.length() - 1).strip());
        if (percent > 0 && percent <= 100) {
          return new Capacity(text, 0, percent);
        }
      } else {
        long blocks = Long.parseLong(text.replace("_", ""));
        if (blocks >= 1 && blocks <= 1L << 30) {
          return new Capacity(text, blocks, 0);
        }
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new UserError(
        option
            + ": '"
            + text
            + "' is not a number of blocks from 1 to 1073741824, such as 10000, or a share of the"
            + " distinct blocks above 0% and up to 100%, such as 5%");
  }

  /** Returns whether it is a share of the distinct blocks. */
  public boolean relative() {
    return blocks == 0;
  }

  /**
   * Returns the capacity in blocks.
   *
   * @return at least 1
   */
  public long blocksOf(long distinctBlocks) {
    return relative() ? Math.max(1, Math.round(distinctBlocks * percent / 100)) : blocks;
  }

  /** Returns the same as a number of blocks. */
  Capacity inBlocks(long distinctBlocks) {
    return new Capacity(text, blocksOf(distinctBlocks), 0);
  }
}
