package dev.ebb.host.scheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The work of one step: for each request, the tokens to compute. Decodes come first. The scheduler
 * reuses the object; it is valid until {@link Scheduler#completed}.
 */
public final class Batch<P> {

  private final List<ScheduledRequest<P>> requests = new ArrayList<>();
  private final List<@Nullable String> failures = new ArrayList<>();
  private int[] tokens = new int[16];
  private boolean[] finished = new boolean[16];
  private int total;

  Batch() {}

  public int size() {
    return requests.size();
  }

  public boolean isEmpty() {
    return requests.isEmpty();
  }

  public int totalTokens() {
    return total;
  }

  public ScheduledRequest<P> request(int index) {
    return requests.get(index);
  }

  /** Returns the position of a request's first token to compute. */
  public int firstToken(int index) {
    return request(index).computedTokens();
  }

  /** Returns how many tokens of a request are computed in this step. */
  public int tokens(int index) {
    Objects.checkIndex(index, size());
    return tokens[index];
  }

  /** Returns whether the step generates an output token: not after a part of a prompt. */
  public boolean samples(int index) {
    return tokens(index) == request(index).remaining();
  }

  /** Reports that the output token of this step is a request's last. */
  public void finish(int index) {
    if (!samples(index)) {
      throw new IllegalStateException(
          "%s has '%d' prompt tokens left after this step; only a request that generates a token"
                  .formatted(request(index), request(index).remaining() - tokens(index))
              + " can finish");
    }
    finished[index] = true;
  }

  /** Reports that a request could not be computed. */
  public void fail(int index, String message) {
    failures.set(index, Objects.requireNonNull(message, "message is null"));
  }

  boolean finished(int index) {
    return finished[index];
  }

  @Nullable String failure(int index) {
    return failures.get(index);
  }

  void add(ScheduledRequest<P> request, int count) {
    int index = requests.size();
    if (index == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * index);
      finished = Arrays.copyOf(finished, 2 * index);
    }
    requests.add(request);
    failures.add(null);
    tokens[index] = count;
    finished[index] = false;
    total += count;
  }

  void clear() {
    requests.clear();
    failures.clear();
    total = 0;
  }
}
