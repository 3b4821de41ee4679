package dev.ebb.testkit;

import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/**
 * A demand for tests.
 *
 * @since 1.0.0
 */
public final class TestDemand implements Demand {

  private long blocks = 1;
  private Reason reason = Reason.ALLOCATION;
  private int priority = 1;
  private @Nullable String tenant;

  private TestDemand() {}

  /**
   * Returns a demand of normal priority and unknown tenant, for {@link Demand.Reason#ALLOCATION}.
   *
   * @param blocks at least 1
   */
  public static TestDemand of(long blocks) {
    return new TestDemand().blocks(blocks);
  }

  /**
   * Sets how much has still to be freed.
   *
   * @param value at least 1
   */
  public TestDemand blocks(long value) {
    blocks = value;
    return this;
  }

  /** Sets why space is needed. */
  public TestDemand reason(Reason value) {
    reason = value;
    return this;
  }

  /**
   * Sets the requester.
   *
   * @param name the tenant, null if unknown
   * @param importance larger is more important
   */
  public TestDemand by(@Nullable String name, int importance) {
    tenant = name;
    priority = importance;
    return this;
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  public Reason reason() {
    return reason;
  }

  @Override
  public int priority() {
    return priority;
  }

  @Override
  public @Nullable String tenant() {
    return tenant;
  }
}
