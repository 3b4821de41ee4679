package dev.ebb.host.testing;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/** Counts entries and has no victim; tests override one method. */
public class CountingPolicy implements BlockPolicy<Entry> {

  private long held;

  @Override
  public Entry inserted(Entry entry) {
    held++;
    return entry;
  }

  @Override
  public void accessed(Entry node) {}

  @Override
  public @Nullable Entry victim(Demand demand) {
    return null;
  }

  @Override
  public void removed(Entry node, RemovalCause cause) {
    held--;
  }

  @Override
  public void refused(Entry node) {}

  @Override
  public void released(Entry node) {}

  @Override
  public long size() {
    return held;
  }
}
