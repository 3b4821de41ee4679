package {{package}};

import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;

/** Least recently used, but each doubling of an entry's uses counts as some seconds of youth. */
final class {{class}} extends RankedBlockPolicy {

  private final double bonus;

  {{class}}(double bonus) {
    this.bonus = bonus;
  }

  /** The lowest rank leaves first; of equals, the one used longest ago. */
  @Override
  protected double rank(Entry entry) {
    return entry.lastAccessNanos() / 1e9 + bonus * Math.log(entry.accesses()) / Math.log(2);
  }
}
