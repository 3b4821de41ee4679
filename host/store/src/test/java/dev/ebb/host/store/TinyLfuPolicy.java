package dev.ebb.host.store;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import org.jspecify.annotations.Nullable;

/** A segmented LRU that admits a block only if it was used more often than the victim. */
final class TinyLfuPolicy implements BlockPolicy<TinyLfuPolicy.Node> {

  private static final int ROWS = 4;
  private static final int MOST = 15;

  private final byte[] counts = new byte[1 << 16];
  private final long sample;
  private final long mostProtected;
  private final NodeList<Node> probation = new NodeList<>();
  private final NodeList<Node> guarded = new NodeList<>();
  private long counted;
  private long size;
  private long guardedSize;
  private boolean inRequest;

  TinyLfuPolicy(long capacity) {
    sample = 10 * capacity;
    mostProtected = capacity * 8 / 10;
  }

  static final class Node extends NodeList.Node<Node> {
    private final Entry entry;
    private boolean guarded;

    Node(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public void began(Request request) {
    inRequest = true;
    for (int i = request.reported(); i < request.blocks(); i++) {
      count(request.fingerprint(i));
    }
  }

  @Override
  public void ended(Request request) {
    inRequest = false;
  }

  @Override
  public void lookupMissed(long fingerprint) {
    count(fingerprint);
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = new Node(entry);
    size++;
    probation.addHot(node);
    return node;
  }

  @Override
  public void accessed(Node node) {
    if (!inRequest) {
      count(node.entry.fingerprint());
    }
    if (node.list() == null) {
      return;
    }
    leave(node);
    node.guarded = true;
    enter(node);
    while (guardedSize > mostProtected) {
      Node cold = guarded.cold();
      leave(cold);
      cold.guarded = false;
      enter(cold);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node cold = probation.cold() == null ? guarded.cold() : probation.cold();
    return cold == null ? null : cold.entry;
  }

  @Override
  public boolean admits(Request request, int index, Node victim) {
    return uses(request.fingerprint(index)) > uses(victim.entry.fingerprint());
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    size--;
    if (node.list() != null) {
      leave(node);
    }
  }

  @Override
  public void refused(Node node) {
    leave(node);
    node.guarded = false;
  }

  @Override
  public void released(Node node) {
    probation.addCold(node);
  }

  @Override
  public long size() {
    return size;
  }

  private void enter(Node node) {
    (node.guarded ? guarded : probation).addHot(node);
    guardedSize += node.guarded ? 1 : 0;
  }

  private void leave(Node node) {
    (node.guarded ? guarded : probation).remove(node);
    guardedSize -= node.guarded ? 1 : 0;
  }

  private void count(long fingerprint) {
    for (int row = 0; row < ROWS; row++) {
      int at = at(fingerprint, row);
      counts[at] += (byte) (counts[at] < MOST ? 1 : 0);
    }
    if (++counted == sample) {
      counted /= 2;
      for (int i = 0; i < counts.length; i++) {
        counts[i] /= 2;
      }
    }
  }

  private int uses(long fingerprint) {
    int least = MOST;
    for (int row = 0; row < ROWS; row++) {
      least = Math.min(least, counts[at(fingerprint, row)]);
    }
    return least;
  }

  private int at(long fingerprint, int row) {
    long hash = (fingerprint + row * 0x9E3779B97F4A7C15L) * 0xC2B2AE3D27D4EB4FL;
    return (int) (hash >>> 48) & (counts.length - 1);
  }
}
