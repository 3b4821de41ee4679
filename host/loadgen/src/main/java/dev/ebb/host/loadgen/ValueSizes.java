package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** The sizes of the values. A key's value always has the same size. */
public final class ValueSizes {

  /** The largest value that servers accept. */
  public static final int LARGEST = 512 << 20;

  private final int[] sizes;
  private final double[] upTo;

  private ValueSizes(int[] sizes, double[] upTo) {
    this.sizes = sizes;
    this.upTo = upTo;
  }

  /**
   * Parses one size, or several with weights.
   *
   * @param text for example {@code 64 KiB} or {@code 4 KiB:3,1 MiB:1}
   * @throws UserError if the text is something else
   */
  public static ValueSizes parse(String text) {
    List<String> parts = List.of(text.split(",", -1));
    int[] sizes = new int[parts.size()];
    double[] upTo = new double[parts.size()];
    double sum = 0;
    for (int i = 0; i < sizes.length; i++) {
      String[] part = parts.get(i).split(":", 2);
      OptionalLong size = ByteSize.parse(part[0]);
      double weight = part.length == 1 ? 1 : weight(part[1]);
      if (size.isEmpty() || size.getAsLong() > LARGEST || !(weight > 0)) {
        throw new UserError(
            "'%s' must be a size up to 512 MiB such as '64 KiB', or several with weights: '4 KiB:3,1 MiB:1'"
                .formatted(text));
      }
      sizes[i] = (int) size.getAsLong();
      sum += weight;
      upTo[i] = sum;
    }
    for (int i = 0; i < upTo.length; i++) {
      upTo[i] /= sum;
    }
    return new ValueSizes(sizes, upTo);
  }

  /** Returns sizes that are so many times as large. */
  public ValueSizes times(int factor) {
    return new ValueSizes(
        IntStream.of(sizes).map(size -> Math.multiplyExact(size, factor)).toArray(), upTo);
  }

  /** Returns the largest size in bytes. */
  public int largest() {
    return IntStream.of(sizes).max().orElseThrow();
  }

  /** Returns the size of the value of a key, whose hash has 64 well-mixed bits. */
  int of(long hash) {
    double at = (hash >>> 11) * 0x1p-53;
    int i = 0;
    while (i < sizes.length - 1 && at >= upTo[i]) {
      i++;
    }
    return sizes[i];
  }

  private static double weight(String text) {
    try {
      double weight = Double.parseDouble(text.strip());
      return Double.isFinite(weight) ? weight : Double.NaN;
    } catch (NumberFormatException notOne) {
      return Double.NaN;
    }
  }
}
