package acme;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RankedBlockPolicy;

/** Orders by last use, and adds some seconds for each doubling of the uses. */
public final class Warm implements BlockPolicyProvider {

  /** Made by the service loader. */
  public Warm() {}

  @Override
  public String name() {
    return "warm";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    double bonus = context.settings().number("bonus", 60, 0, 1e6);
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.lastAccessNanos() / 1e9 + bonus * Math.log(entry.accesses()) / Math.log(2);
      }
    };
  }
}
