package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * LRU with a time to live after tool calls, after Li et al., <a
 * href="https://arxiv.org/abs/2511.02230">Continuum: Efficient and Robust Multi-Turn LLM Agent
 * Scheduling with KV Cache Time-to-Live</a> (2025).
 *
 * <p>If a request of a known sequence ends with a tool call, its blocks are pinned for a time. It
 * is the one that maximises the paper's equation 2,
 *
 * <pre>  P(the tool takes no longer) * (queue delay + time to compute the prompt again) - time
 * </pre>
 *
 * <p>over 0 and all observed times from the end of a request to the next one of its sequence. Those
 * of the same {@code hint}, which stands for the tool, are used if there are more than 100, else
 * those of all tools. Before there are 100, times are assumed to be exponential with a mean of a
 * second. Among blocks that are not pinned, or no longer, the one used longest ago is evicted. If
 * all are pinned, the pin of the agent that arrived last ends.
 *
 * <p>The paper weighs the queue delay by how much longer an agent is expected to run, and measures
 * both; here the delay is a setting, 10 s by default: a request waits if the cache is full. The
 * last 1,000 times are remembered for each of 64 tools, and the last 65,536 agents. A use costs
 * O(1), a tool call O(1,000), a victim O(log pins). The score is 2 for a pinned entry and 1 for
 * another.
 *
 * <p><b>Prefix streams.</b> Without sequences and finish reasons nothing is pinned, and the order
 * is that of LRU.
 */
final class TtlLruPolicy extends QueuedBlockPolicy<AgentPin.Node> {

  private static final int ENOUGH = 100;
  private static final double ASSUMED_MEAN_NANOS = 1e9;
  private static final int MOST_TOOLS = 64;
  private static final int MOST_AGENTS = 1 << 16;
  private static final long UNKNOWN_BLOCK_TOKENS = 16;

  private final EntryQueue<AgentPin.Node> unpinned = new EntryQueue<>("unpinned");
  private final Map<Long, Agent> agents = new LinkedHashMap<>();
  private final Map<Integer, Durations> byTool = new HashMap<>();
  private final Durations all = new Durations();

  private final TreeSet<AgentPin> byDeadline =
      new TreeSet<>(
          Comparator.<AgentPin>comparingLong(pin -> pin.deadlineNanos)
              .thenComparingLong(pin -> pin.request));
  private final TreeSet<AgentPin> byArrival =
      new TreeSet<>(
          Comparator.<AgentPin>comparingLong(pin -> pin.arrival)
              .thenComparingLong(pin -> pin.request));

  /** Pins that have ended, the one whose entries were used longest ago first. */
  private final TreeSet<AgentPin> ended =
      new TreeSet<>(Comparator.comparingLong(pin -> pin.request));

  private final PolicyClock clock;
  private final double nanosPerToken;
  private final double queueNanos;
  private long request;
  private long arrivals;

  /** A sequence that waits for its tool. */
  private record Agent(long arrival, long endNanos, int tool, @Nullable AgentPin pin) {}

  TtlLruPolicy(PolicyContext context) {
    this(context.capacityBlocks(), context.clock(), context.settings());
  }

  TtlLruPolicy(long capacityBlocks, PolicyClock clock, Settings settings) {
    super(capacityBlocks, AgentPin.Node::new);
    this.clock = clock;
    nanosPerToken = 1e9 / settings.number("prefill-rate", 8_000, 1, 1e9);
    queueNanos =
        settings
            .duration("queue-delay", Duration.ofSeconds(10), Duration.ZERO, Duration.ofHours(1))
            .toNanos();
  }

  @Override
  public void began(Request next) {
    request++;
    Agent agent = agents.get(next.sequenceId());
    if (agent != null && agent.endNanos >= 0) {
      observe(agent.tool, Math.max(0, clock.nanos() - agent.endNanos));
      agents.put(next.sequenceId(), new Agent(agent.arrival, -1, 0, null));
      if (agent.pin != null) {
        end(agent.pin);
      }
    }
  }

  private void observe(int tool, long nanos) {
    all.add(nanos);
    Durations its = byTool.get(tool);
    if (its == null && byTool.size() < MOST_TOOLS) {
      its = new Durations();
      byTool.put(tool, its);
    }
    if (its != null) {
      its.add(nanos);
    }
  }

  @Override
  public void ended(Request last) {
    long sequence = last.sequenceId();
    if (sequence < 0) {
      return;
    }
    Agent agent = agents.remove(sequence);
    if (!isToolCall(last.finishReason())) {
      return;
    }
    long now = clock.nanos();
    long arrival = agent == null ? ++arrivals : agent.arrival;
    long wait = wait(last);
    AgentPin pin = wait == 0 ? null : new AgentPin(arrival, request, now + wait);
    if (pin != null) {
      pin(request, pin);
      byDeadline.add(pin);
      byArrival.add(pin);
    }
    agents.put(sequence, new Agent(arrival, now, last.hint(), pin));
    if (agents.size() > MOST_AGENTS) {
      agents.remove(agents.keySet().iterator().next());
    }
  }

  /** Moves the nodes of a request, which are the hottest, to an empty pin. */
  private void pin(long request, AgentPin pin) {
    AgentPin.Node node = unpinned.order().hot();
    while (node != null && node.request == request) {
      pin.moveToCold(node);
      node = unpinned.order().hot();
    }
  }

  private static boolean isToolCall(@Nullable String reason) {
    String lower = reason == null ? "" : reason.toLowerCase(Locale.ROOT);
    return lower.contains("tool") || lower.contains("function");
  }

  private long wait(Request last) {
    long tokens =
        last.inputTokens() < 0
            ? UNKNOWN_BLOCK_TOKENS * last.blocks()
            : last.inputTokens() + Math.max(0, last.outputTokens());
    double benefit = queueNanos + (double) tokens * nanosPerToken;
    if (all.size() <= ENOUGH) {
      return benefit <= ASSUMED_MEAN_NANOS
          ? 0
          : (long) (ASSUMED_MEAN_NANOS * Math.log(benefit / ASSUMED_MEAN_NANOS));
    }
    Durations its = byTool.get(last.hint());
    return (its == null || its.size() <= ENOUGH ? all : its).bestWait(benefit);
  }

  private void end(AgentPin pin) {
    if (byDeadline.remove(pin)) {
      byArrival.remove(pin);
      ended.add(pin);
    }
  }

  @Override
  protected void insert(AgentPin.Node node) {
    use(node);
  }

  @Override
  public void accessed(AgentPin.Node node) {
    use(node);
  }

  private void use(AgentPin.Node node) {
    node.request = request;
    unpinned.moveToHot(node);
  }

  @Override
  protected AgentPin.@Nullable Node choose(Demand demand) {
    long now = clock.nanos();
    while (!byDeadline.isEmpty() && byDeadline.first().deadlineNanos < now) {
      end(byDeadline.first());
    }
    AgentPin.Node node = oldest();
    while (node == null && !byArrival.isEmpty()) {
      end(byArrival.last());
      node = oldest();
    }
    return node;
  }

  /** Returns the node used longest ago of those that are not pinned. */
  private AgentPin.@Nullable Node oldest() {
    AgentPin.Node node = unpinned.coldest();
    Iterator<AgentPin> each = ended.iterator();
    while (each.hasNext()) {
      AgentPin pin = each.next();
      if (pin.size() == 0) {
        each.remove();
      }
      AgentPin.Node other = pin.coldest();
      if (other != null) {
        return node == null || pin.request <= node.request ? other : node;
      }
    }
    return node;
  }

  /** Returns the pin of an entry; null if it has none, or it has ended. */
  private @Nullable AgentPin pin(AgentPin.Node node) {
    return node.queue() instanceof AgentPin pin && byDeadline.contains(pin) ? pin : null;
  }

  @Override
  public double score(AgentPin.Node node) {
    return pin(node) == null ? 1 : 2;
  }

  @Override
  protected String describe(AgentPin.Node node) {
    AgentPin pin = pin(node);
    return pin == null
        ? "not pinned: evicted in the order of last use"
        : "pinned for %.1f s after a tool call"
            .formatted((double) Math.max(0, pin.deadlineNanos - clock.nanos()) / 1e9);
  }

  @Override
  public Map<String, Double> gauges() {
    long pinned = byDeadline.stream().mapToLong(EntryQueue::size).sum();
    return Map.of(
        "pins", (double) byDeadline.size(),
        "pinned", (double) pinned,
        "tool-calls", (double) all.size());
  }
}
