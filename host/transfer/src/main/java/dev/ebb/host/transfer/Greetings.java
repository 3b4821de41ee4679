package dev.ebb.host.transfer;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The connections that have not proved the secret yet. Of too many, the address that has most of
 * them loses its oldest one, so that no address keeps others out.
 */
final class Greetings {

  private final int most;
  private final Set<FrameChannel> open = new LinkedHashSet<>();

  Greetings(int most) {
    this.most = most;
  }

  /** Adds a connection. Returns the one to close for it; null if there is none. */
  synchronized @Nullable FrameChannel begin(FrameChannel channel) {
    FrameChannel over = open.size() < most ? null : oldestOfMost();
    if (over != null) {
      open.remove(over);
    }
    open.add(channel);
    return over;
  }

  synchronized void end(FrameChannel channel) {
    open.remove(channel);
  }

  private FrameChannel oldestOfMost() {
    Map<String, Long> counts =
        open.stream().collect(Collectors.groupingBy(Greetings::address, Collectors.counting()));
    long highest = counts.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    return open.stream()
        .filter(channel -> counts.getOrDefault(address(channel), 0L) == highest)
        .findFirst()
        .orElseThrow();
  }

  private static String address(FrameChannel channel) {
    String peer = channel.peer();
    return peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
  }
}
