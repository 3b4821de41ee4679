package dev.ebb.host.scheduler;

import dev.ebb.spi.NodeList;
import dev.ebb.spi.RunningSequence;
import org.jspecify.annotations.Nullable;

/**
 * A request in the scheduler: its progress, and in the end the reason why it ended. Read it on the
 * scheduler's thread.
 */
public final class ScheduledRequest<P> implements RunningSequence {

  /** Its place in a list, of which it can be in two. */
  static final class Link<P> extends NodeList.Node<Link<P>> {
    final ScheduledRequest<P> request;

    Link(ScheduledRequest<P> request) {
      this.request = request;
    }
  }

  private final Submission<P> submission;
  private final long id;
  final long urgency;
  final TenantQueue<P> tenantQueue;
  final Link<P> inTenant = new Link<>(this);
  final Link<P> byAge = new Link<>(this);

  SchedulingState state = SchedulingState.WAITING;
  @Nullable EndReason endReason;
  String endMessage = "";
  long waitingSince;
  final long submitted;
  private final SchedulerMemory<P> memory;
  long waited;
  long admission;
  long lastPlanned;

  /** The time of its newest output token; that of its submission before the first one. */
  long lastToken;

  int matchedTokens;
  int computedTokens;
  int outputTokens;
  int preemptions;

  /** The tokens that it has memory for. */
  int room;

  /** Whether it has the highest rank, because its priority or its prompt was starving. */
  boolean guarded;

  /** Whether the engine computes it now. */
  boolean inBatch;

  boolean cancelled;

  /** Whether the engine ended it before its limit. */
  boolean stopped;

  ScheduledRequest(
      Submission<P> submission,
      long id,
      long urgency,
      TenantQueue<P> tenantQueue,
      SchedulerMemory<P> memory,
      long now) {
    this.memory = memory;
    this.submission = submission;
    this.id = id;
    this.urgency = urgency;
    this.tenantQueue = tenantQueue;
    waitingSince = now;
    submitted = now;
    lastToken = now;
  }

  /** Returns its number: 1 for the scheduler's first request. */
  public long id() {
    return id;
  }

  public P payload() {
    return submission.payload();
  }

  public Submission<P> submission() {
    return submission;
  }

  public SchedulingState state() {
    return state;
  }

  /** Returns the reason of its end, or null before that. */
  public @Nullable EndReason endReason() {
    return endReason;
  }

  /** Returns the explanation of a refusal or failure for the client, or an empty text. */
  public String endMessage() {
    return endMessage;
  }

  /** Returns whether the engine stopped it, and not its limit of output tokens. */
  public boolean stopped() {
    return stopped;
  }

  /** Returns the nanoseconds from its submission to its newest output token; 0 before the first. */
  public long latencyNanos() {
    return lastToken - submitted;
  }

  /** Returns its tokens so far, prompt and output. */
  public int tokens() {
    return submission.promptTokens() + outputTokens;
  }

  /** Returns its priority: larger is more urgent, also with {@code smallerFirst}. */
  @Override
  public int priority() {
    return Math.clamp(urgency, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  @Override
  public @Nullable String tenant() {
    return submission.tenant();
  }

  @Override
  public int promptTokens() {
    return submission.promptTokens();
  }

  @Override
  public int cachedTokens() {
    return matchedTokens;
  }

  @Override
  public int outputTokens() {
    return outputTokens;
  }

  /** Returns how many of its first tokens have K and V in its memory. */
  @Override
  public int computedTokens() {
    return computedTokens;
  }

  /** Returns how many of its first tokens were cached when it was last admitted. */
  public int matchedTokens() {
    return matchedTokens;
  }

  @Override
  public int preemptions() {
    return preemptions;
  }

  /** Returns the number of its last admission: larger is more recent, 0 is none. */
  @Override
  public long admission() {
    return admission;
  }

  @Override
  public int remainingTokens() {
    return submission.maxOutputTokens() - outputTokens;
  }

  /** Returns the nanoseconds before each of its admissions, without a wait that goes on. */
  @Override
  public long waitedNanos() {
    return waited;
  }

  @Override
  public long deadlineNanos() {
    return submission.deadlineNanos();
  }

  @Override
  public long freedTokens() {
    return state == SchedulingState.RUNNING ? memory.held(this) : 0;
  }

  /** Returns the urgency that decides about preemption: a guarded request has the highest. */
  long rank() {
    return guarded ? Long.MAX_VALUE : urgency;
  }

  /** Returns the tokens to compute until the next output token. */
  int remaining() {
    return tokens() - computedTokens;
  }

  @Override
  public String toString() {
    return "request %d (%s)".formatted(id, state);
  }
}
