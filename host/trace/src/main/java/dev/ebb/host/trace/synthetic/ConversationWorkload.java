package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceRequest;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Workload;
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
  private final Pace pace;

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

  /**
   * How long turns and the time between them are.
   *
   * @param input the median length of what a turn adds to the prompt, in tokens
   * @param output that of an answer
   * @param pause the median time from an answer to the next turn, in seconds
   */
  record Pace(
      double input,
      double inputSpread,
      double output,
      double outputSpread,
      double pause,
      double longestPause,
      double pauseSpread) {}

  ConversationWorkload(
      String label, SyntheticOptions options, double promptTokens, double requestsEach, Pace pace) {
    this.label = label;
    this.dice = new Rng(options.seed);
    this.tenants = new Tenants(options.tenants, promptTokens, dice);
    this.blockTokens = options.blockTokens;
    this.startsPerSecond = options.requestsPerSecond / requestsEach;
    this.users = options.users;
    this.pace = pace;
  }

  abstract int turns();

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

  private long pause() {
    return dice.wait(pace.pause, pace.longestPause, pace.pauseSpread);
  }

  private void take(Conversation conversation, TraceRequest request) {
    conversation.turn++;
    conversation.turnsLeft--;
    conversation.prompt.append(dice.bits(), dice.tokens(pace.input, pace.inputSpread));
    conversation.prompt.fill(request);
    long answer = dice.tokens(pace.output, pace.outputSpread);
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

  /**
   * Agents: a long prompt of tools that a tenant's agents share, then many quick steps, each adding
   * a tool's output. Each step but the last ends with a tool call. Sometimes an agent forks a
   * helper that starts with its whole prompt.
   */
  static final class Agent extends ConversationWorkload {

    private static final double BRANCHING = 0.05;
    private static final double HELPER_TURNS = 5;

    private static final double STEPS_PER_TURN = 3;

    private final double steps;

    Agent(SyntheticOptions options) {
      super(
          "agent",
          options,
          3000,
          STEPS_PER_TURN * options.turns * (1 + BRANCHING * HELPER_TURNS),
          new Pace(250, 1.2, 80, 0.7, 0.3, 600, 1.3));
      steps = STEPS_PER_TURN * options.turns;
    }

    @Override
    int turns() {
      return dice.times(steps);
    }

    @Override
    String finishReason(int turnsLeft) {
      return turnsLeft > 0 ? "tool_calls" : "stop";
    }

    @Override
    int branchTurns(Conversation conversation) {
      boolean branches = !conversation.branch && conversation.turn > 0 && dice.chance(BRANCHING);
      return branches ? dice.times(HELPER_TURNS) : 0;
    }
  }

  /**
   * Chat users: two of five ask once; the others return after a think time that is mostly short and
   * sometimes hours.
   */
  static final class Chat extends ConversationWorkload {

    private static final double ONE_SHOT = 0.4;

    private final double turns;

    Chat(SyntheticOptions options) {
      super(
          "chat",
          options,
          600,
          ONE_SHOT + (1 - ONE_SHOT) * options.turns,
          new Pace(60, 1.2, 200, 0.8, 8, 6 * 3600, 1.2));
      turns = options.turns;
    }

    @Override
    int turns() {
      return dice.chance(ONE_SHOT) ? 1 : dice.times(turns);
    }
  }

  /**
   * Agents whose tasks share a long prompt and fork: an attempt begins again at a random depth of a
   * prompt so far, and diverges there, as searches with backtracking and edited conversations do.
   * An attempt may fork too.
   */
  static final class Fork extends ConversationWorkload {

    private static final double FORKING = 0.25;
    private static final double FORK_TURNS = 3;

    /** The requests of a fork, and of the forks of it. */
    private static final double EACH_FORK = FORK_TURNS / (1 - FORKING * FORK_TURNS);

    private final double turns;

    Fork(SyntheticOptions options) {
      super(
          "fork",
          options,
          8000,
          options.turns * (1 + FORKING * EACH_FORK),
          new Pace(400, 1, 150, 0.7, 1, 1800, 1.2));
      turns = options.turns;
    }

    @Override
    int turns() {
      return dice.times(turns);
    }

    @Override
    int branchTurns(Conversation conversation) {
      return conversation.turn > 0 && dice.chance(FORKING) ? dice.times(FORK_TURNS) : 0;
    }

    @Override
    PromptBlocks branch(PromptBlocks trunk) {
      return trunk.fork(dice.uniform());
    }
  }
}
