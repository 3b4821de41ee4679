package dev.ebb.host.limits;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The Java heap that clients may make the process hold. For any number of threads. */
public final class MemoryBudget {

  private final long limit;
  private final @Nullable MemoryBudget whole;
  private final AtomicLong used = new AtomicLong();

  private MemoryBudget(long limit, @Nullable MemoryBudget whole) {
    this.limit = limit;
    this.whole = whole;
  }

  /**
   * Returns a budget.
   *
   * @param bytes how much it allows
   */
  public static MemoryBudget of(long bytes) {
    return new MemoryBudget(bytes, null);
  }

  /**
   * Returns a part of this budget. What it uses counts in both.
   *
   * @param bytes how much of it, at most
   */
  public MemoryBudget part(long bytes) {
    return new MemoryBudget(bytes, this);
  }

  /** Returns how much it allows. */
  public long limitBytes() {
    return limit;
  }

  /** Returns how much is in use. */
  public long usedBytes() {
    return used.get();
  }

  /**
   * Uses more, unless that would be above the limit.
   *
   * @param bytes how much, 0 or more
   * @return false, with nothing used, if there is not so much left
   */
  public boolean tryUse(long bytes) {
    long before;
    do {
      before = used.get();
      if (bytes > limit - before) {
        return false;
      }
    } while (!used.compareAndSet(before, before + bytes));
    if (whole == null || whole.tryUse(bytes)) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  /**
   * Uses more, which the caller has to correct if it is above the limit.
   *
   * @param bytes how much more; negative if it is less
   * @return whether the use is within the limit
   */
  public boolean use(long bytes) {
    boolean within = used.addAndGet(bytes) <= limit;
    return (whole == null || whole.use(bytes)) && within;
  }

  /**
   * Uses less.
   *
   * @param bytes how much of what was used before
   */
  public void free(long bytes) {
    use(-bytes);
  }
}
