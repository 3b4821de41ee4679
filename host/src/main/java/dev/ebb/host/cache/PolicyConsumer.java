package dev.ebb.host.cache;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Request;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The policy in force: feeds it the event stream, keeps its nodes by slot, and lets nothing it
 * throws or offers pass unchecked.
 *
 * @param <N> the policy's node type
 */
final class PolicyConsumer<N> implements EventConsumer {

  private static final int PATIENCE = 3;

  private final String name;
  private final BlockPolicy<N> policy;
  private final SlotTable residents;
  private final boolean hearsRequests;
  private final @Nullable PolicyTimer timer;

  /** By slot. Dropping this array drops everything the policy knows of the entries. */
  private @Nullable Object[] nodes = new Object[64];

  PolicyConsumer(
      String name, BlockPolicy<N> policy, SlotTable residents, @Nullable PolicyTimer timer) {
    this.name = name;
    this.policy = policy;
    this.residents = residents;
    this.timer = timer;
    hearsRequests = overrides("began") || overrides("ended");
  }

  String name() {
    return name;
  }

  BlockPolicy<N> policy() {
    return policy;
  }

  @Override
  public boolean hearsRequests() {
    return hearsRequests;
  }

  @Override
  public void accept(EventBatch batch) {
    try {
      if (timer != null && timer.due()) {
        timer.startBatch();
        for (int i = 0; i < batch.size(); i++) {
          timer.before(batch.kind(i) == EventBatch.Kind.ACCESSED);
          apply(batch, i);
        }
        timer.endBatch();
      } else {
        for (int i = 0; i < batch.size(); i++) {
          apply(batch, i);
        }
      }
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  private void apply(EventBatch batch, int index) {
    switch (batch.kind(index)) {
      case ACCESSED -> policy.accessed(node(batch.slot(index)));
      case INSERTED -> insert(batch.entry(index), batch.slot(index));
      case REMOVED -> {
        int slot = batch.slot(index);
        N node = node(slot);
        nodes[slot] = null;
        policy.removed(node, batch.cause(index));
      }
      case RELEASED -> policy.released(node(batch.slot(index)));
      case BEGAN -> policy.began(batch.request(index));
      case ENDED -> policy.ended(batch.request(index));
    }
  }

  void insert(CacheEntry entry, int slot) {
    N node = policy.inserted(entry);
    if (node == null) {
      throw new IllegalStateException("inserted() returned no node");
    }
    if (slot >= nodes.length) {
      nodes = Arrays.copyOf(nodes, Math.max(slot + 1, nodes.length * 2));
    }
    nodes[slot] = node;
  }

  /**
   * Asks for a victim and checks the answer.
   *
   * @return a resident entry that is not set aside, or null if the policy knows none
   * @throws PolicyFault if the policy throws, or keeps offering what it may not
   */
  @Nullable CacheEntry victim(Demand demand) {
    String wrong = "";
    for (int attempt = 0; attempt < PATIENCE; attempt++) {
      Entry offered;
      try {
        offered = policy.victim(demand);
      } catch (Throwable thrown) {
        throw fault(thrown);
      }
      if (offered == null) {
        return null;
      }
      if (!(offered instanceof CacheEntry entry)) {
        wrong = "an entry that is not of this cache";
      } else if (!residents.holds(entry)) {
        wrong = "an entry that is gone";
      } else if (entry.aside) {
        wrong = "an entry that is set aside";
      } else {
        return entry;
      }
    }
    throw new PolicyFault("policy '" + name + "' keeps offering " + wrong, "");
  }

  void refused(CacheEntry entry) {
    try {
      policy.refused(node(entry.slot));
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  PolicyFault fault(Throwable thrown) {
    StringWriter stack = new StringWriter();
    thrown.printStackTrace(new PrintWriter(stack));
    return new PolicyFault("policy '" + name + "' failed: " + thrown, stack.toString());
  }

  // The policy made the node and gets back its own type.
  @SuppressWarnings({"unchecked", "NullAway"})
  private N node(int slot) {
    return (N) nodes[slot];
  }

  private boolean overrides(String method) {
    try {
      return policy.getClass().getMethod(method, Request.class).getDeclaringClass()
          != BlockPolicy.class;
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
