package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceRequest;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Conversations that begin as a Poisson process and return turn after turn. Each prompt is the one
 * before, its answer, and new text.
 */
abstract class ConversationWorkload implements Workload {

  private static final long LONGEST_PROMPT = 128_000;
  private static final long NANOS_PER_ANSWER_TOKEN = 20_000_000;

  final Rng dice;
  private final String label;
  private final Tenants tenants;
  private final int blockTokens;
  private final double startsPerSecond;
  private final int users;

  /** The id breaks ties, so that equal seeds give equal traces. */
  private final PriorityQueue<Conversation> waiting =
      new PriorityQueue<>(
          Comparator.comparingLong((Conversation each) -> each.nextNanos)
              .thenComparingLong(each -> each.id));

  private long nextStartNanos;
  private long lastNanos;
  private long conversations;

  /** A conversation that will take another turn. */
  static final class Conversation {

    final long id;
    final boolean branch;
    final int tenant;
    final PromptBlocks prompt;
    int turnsLeft;
    int turn;
    long nextNanos;

    Conversation(
        long id, boolean branch, int tenant, PromptBlocks prompt, int turns, long nextNanos) {
      this.id = id;
      this.branch = branch;
      this.tenant = tenant;
      this.prompt = prompt;
      this.turnsLeft = turns;
      this.nextNanos = nextNanos;
    }
  }

  ConversationWorkload(
      String label, SyntheticOptions options, double promptTokens, double requestsEach) {
    this.label = label;
    this.dice = new Rng(options.seed);
    this.tenants = new Tenants(options.tenants, promptTokens, dice);
    this.blockTokens = options.blockTokens;
    this.startsPerSecond = options.requestsPerSecond / requestsEach;
    this.users = options.users;
  }

  abstract int turns();

  /** Returns the length of what a turn adds to the prompt. */
  abstract long inputTokens(int turn);

  abstract long outputTokens();

  /** Returns the nanoseconds from an answer to the next turn. */
  abstract long pause();

  /** Returns the turns of a branch that starts before the conversation's next turn; 0: none. */
  int branchTurns(Conversation conversation) {
    return 0;
  }

  /** Returns what a branch has in common with the prompt that it leaves. */
  PromptBlocks branch(PromptBlocks trunk) {
    return trunk.fork();
  }

  /**
   * Returns why an answer ends that leaves so many turns; null if that is not part of the trace.
   */
  @Nullable String finishReason(int turnsLeft) {
    return null;
  }

  @Override
  public final void next(TraceRequest request) {
    Conversation conversation = waiting.peek();
    if (conversation == null
        || (waiting.size() < users && nextStartNanos <= conversation.nextNanos)) {
      conversation = begin();
    } else {
      waiting.remove();
    }
    int branchTurns = branchTurns(conversation);
    if (branchTurns > 0) {
      waiting.add(branch(conversation, branchTurns));
    }
    take(conversation, request);
    if (conversation.turnsLeft > 0 && conversation.prompt.tokens() < LONGEST_PROMPT) {
      waiting.add(conversation);
    }
  }

  private Conversation begin() {
    int tenant = tenants.draw(dice);
    PromptBlocks prompt = new PromptBlocks(blockTokens);
    tenants.open(tenant, prompt);
    // With a limited number of users, the time for the next one may be long past.
    nextStartNanos = Math.max(nextStartNanos, lastNanos);
    Conversation begun =
        new Conversation(conversations++, false, tenant, prompt, turns(), nextStartNanos);
    nextStartNanos += dice.gap(startsPerSecond);
    return begun;
  }

  private Conversation branch(Conversation trunk, int turns) {
    return new Conversation(
        conversations++,
        true,
        trunk.tenant,
        branch(trunk.prompt),
        turns,
        trunk.nextNanos + pause());
  }

  private void take(Conversation conversation, TraceRequest request) {
    conversation.turn++;
    conversation.turnsLeft--;
    conversation.prompt.append(dice.bits(), inputTokens(conversation.turn));
    conversation.prompt.fill(request);
    long answer = outputTokens();
    conversation.prompt.append(dice.bits(), answer);
    lastNanos = conversation.nextNanos;
    request.timestampNanos = lastNanos;
    request.outputTokens = answer;
    request.sequenceId = conversation.id;
    request.turn = conversation.turn;
    request.tenant = tenants.name(conversation.tenant);
    request.workload = label;
    request.finishReason = finishReason(conversation.turnsLeft);
    conversation.nextNanos += answer * NANOS_PER_ANSWER_TOKEN + pause();
  }
}
