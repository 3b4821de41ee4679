package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Session references, as merged into SGLang in <a
 * href="https://github.com/sgl-project/sglang/pull/29173">pull request 29173</a> (2026).
 *
 * <p>An open session references the blocks of its last prompt. The entry with the fewest references
 * is evicted first, among equals the one used longest ago: first blocks that no open session will
 * need, then those of one session, last what sessions share. SGLang's clients close a session; here
 * it ends when a request demotes its blocks by a KV hint, or after {@code session-timeout} without
 * a request. If a session goes on with another prompt, blocks at the same depths of its earlier one
 * lose its reference; in SGLang they keep it until the session is closed.
 *
 * <p>A use and a victim cost O(log n), a closed session O(blocks log n). A request costs one
 * look-up of its session, of which 65,536 are known. The score is the number of references.
 *
 * <p><b>Prefix streams.</b> Prompts without a session have no references, so where most requests
 * have none, they share what sessions leave.
 */
final class SessionRefsPolicy implements BlockPolicy<SessionRefsPolicy.Node> {

  private static final int MOST_SESSIONS = 1 << 16;
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Map<Long, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
  private final ReferenceHeap order = new ReferenceHeap();
  private final PolicyClock clock;
  private final long timeoutNanos;
  private long held;
  private long referenced;
  private @Nullable Session current;

  SessionRefsPolicy(PolicyContext context) {
    this(context.clock(), context.settings());
  }

  SessionRefsPolicy(PolicyClock clock, Settings settings) {
    this.clock = clock;
    timeoutNanos =
        settings
            .duration("session-timeout", Duration.ofMinutes(1), Duration.ofSeconds(1), LONGEST)
            .toNanos();
  }

  /** The bookkeeping for one entry. */
  static final class Node extends ReferenceHeap.Node {
    private @Nullable Entry entry;

    private Node(Entry entry) {
      this.entry = entry;
    }

    private Entry entry() {
      if (entry == null) {
        throw new IllegalStateException("the entry was removed");
      }
      return entry;
    }
  }

  /** The blocks of a session's last prompt, by depth. A node whose entry was removed may remain. */
  private static final class Session {
    private @Nullable Node[] nodes = new Node[16];
    private long lastNanos;

    private Session() {}
  }

  @Override
  public void began(Request request) {
    long now = clock.nanos();
    closeIdle(now);
    long id = request.sequenceId();
    current = id < 0 ? null : sessions.computeIfAbsent(id, any -> new Session());
    if (current != null) {
      current.lastNanos = now;
    }
  }

  @Override
  public void ended(Request request) {
    current = null;
    int last = request.blocks() - 1;
    if (last >= 0 && request.sequenceId() >= 0 && request.retention(last) < 0) {
      Session closed = sessions.remove(request.sequenceId());
      if (closed != null) {
        close(closed);
      }
    }
  }

  private void closeIdle(long now) {
    Iterator<Session> oldest = sessions.values().iterator();
    while (oldest.hasNext()) {
      Session session = oldest.next();
      if (now - session.lastNanos <= timeoutNanos && sessions.size() <= MOST_SESSIONS) {
        return;
      }
      oldest.remove();
      close(session);
    }
  }

  private void close(Session session) {
    for (Node node : session.nodes) {
      if (node != null) {
        drop(node);
      }
    }
  }

  /** Lets the current session reference the entry. */
  private void refer(Node node) {
    Session session = current;
    if (session == null) {
      return;
    }
    int depth = node.entry().depth();
    if (depth >= session.nodes.length) {
      session.nodes = Arrays.copyOf(session.nodes, Math.max(depth + 1, 2 * depth));
    }
    Node before = session.nodes[depth];
    if (before != node) {
      session.nodes[depth] = node;
      referenced += node.references++ == 0 ? 1 : 0;
      if (before != null) {
        drop(before);
      }
    }
  }

  private void drop(Node node) {
    if (node.entry != null) {
      referenced -= --node.references == 0 ? 1 : 0;
      order.update(node);
    }
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = new Node(entry);
    held++;
    node.tick = entry.lastAccessTick();
    refer(node);
    order.add(node);
    return node;
  }

  @Override
  public void accessed(Node node) {
    node.tick = node.entry().lastAccessTick();
    refer(node);
    order.update(node);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node node = (Node) order.first();
    return node == null ? null : node.entry();
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    held--;
    referenced -= node.references > 0 ? 1 : 0;
    order.remove(node);
    node.entry = null;
  }

  @Override
  public void refused(Node node) {
    order.remove(node);
  }

  @Override
  public void released(Node node) {
    order.add(node);
  }

  @Override
  public long size() {
    return held;
  }

  @Override
  public double score(Node node) {
    return node.references;
  }

  @Override
  public String explain(Node node) {
    return "%sreferenced by %d open sessions"
        .formatted(order.contains(node) ? "" : "set aside, ", node.references);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("sessions", (double) sessions.size(), "referenced", (double) referenced);
  }
}
