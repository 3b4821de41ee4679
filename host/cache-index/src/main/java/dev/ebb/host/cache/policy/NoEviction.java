package dev.ebb.host.cache.policy;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/** The policy {@code none}: evicts nothing, so that a full cache admits nothing more. */
public final class NoEviction implements BlockPolicy<Entry> {

  /** The name by which users choose it. */
  public static final String NAME = "none";

  private long held;

  public NoEviction() {}

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
