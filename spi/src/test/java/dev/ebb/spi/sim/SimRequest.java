package dev.ebb.spi.sim;

import dev.ebb.spi.Request;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request over dense numbers. Reused, as the host's is. */
final class SimRequest implements Request {

  private int[] ids = {};
  private int matched;

  SimRequest of(int[] ids, int matched) {
    this.ids = ids;
    this.matched = matched;
    return this;
  }

  @Override
  public int blocks() {
    return ids.length;
  }

  @Override
  public int matched() {
    return matched;
  }

  @Override
  public long fingerprint(int index) {
    return SimEntry.fingerprint(ids[Objects.checkIndex(index, ids.length)]);
  }

  @Override
  public long inputTokens() {
    return -1;
  }

  @Override
  public long outputTokens() {
    return -1;
  }

  @Override
  public long sequenceId() {
    return -1;
  }

  @Override
  public int turn() {
    return -1;
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public @Nullable String tenant() {
    return null;
  }

  @Override
  public @Nullable String workload() {
    return null;
  }
}
