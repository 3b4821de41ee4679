package dev.ebb.host.http;

import dev.ebb.host.limits.MemoryBudget;

/** What one request makes the process hold: its body and its reply. */
final class RequestMemory implements AutoCloseable {

  private final MemoryBudget budget;
  private long used;

  RequestMemory(MemoryBudget budget) {
    this.budget = budget;
  }

  /** Uses more of the memory for clients; refuses the request if others use all of it. */
  void use(long bytes) {
    if (!budget.tryUse(bytes)) {
      throw new HttpException(
          503,
          "bodies and replies of other requests use all of the '%d' bytes allowed; try again later"
              .formatted(budget.limitBytes()));
    }
    used += bytes;
  }

  void free(long bytes) {
    budget.free(bytes);
    used -= bytes;
  }

  @Override
  public void close() {
    free(used);
  }
}
