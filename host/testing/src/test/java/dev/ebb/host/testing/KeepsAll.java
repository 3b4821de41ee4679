package dev.ebb.host.testing;

import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;

/** Admits nothing that would evict an entry. */
public final class KeepsAll extends RankedBlockPolicy {

  @Override
  protected double rank(Entry entry) {
    return 0;
  }

  @Override
  public boolean admits(Request request, int index, Ranked victim) {
    return false;
  }
}
