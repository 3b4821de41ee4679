package {{package}};

import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;

/** Orders by last use, and adds some seconds for each doubling of the uses. */
final class {{class}} extends RankedBlockPolicy {

  private final double bonus;

  {{class}}(double bonus) {
    this.bonus = bonus;
  }

  /** Returns the rank: the lowest is evicted first, of equals the least recently used. */
  @Override
  protected double rank(Entry entry) {
    return entry.lastAccessNanos() / 1e9 + bonus * Math.log(entry.accesses()) / Math.log(2);
  }
}
