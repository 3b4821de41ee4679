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

  public static MemoryBudget of(long bytes) {
    return new MemoryBudget(bytes, null);
  }

  public MemoryBudget part(long bytes) {
    return new MemoryBudget(bytes, this);
  }

  public long limitBytes() {
    return limit;
  }

  public long usedBytes() {
    return used.get();
  }

  /** Uses more; returns false, with nothing used, if there is not so much left. */
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

  /** Uses more, or less; returns false above the limit, which the caller has to correct. */
  public boolean use(long bytes) {
    boolean within = used.addAndGet(bytes) <= limit;
    return (whole == null || whole.use(bytes)) && within;
  }

  public void free(long bytes) {
    use(-bytes);
  }
}
