package dev.ebb.host.cluster.directory;

import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Released;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random entries and changes, of few nodes and versions so that they meet. */
final class RandomEntries {

  private static final int NODES = 5;
  private static final int VERSIONS = 4;

  private final Random random;

  RandomEntries(long seed) {
    this.random = new Random(seed);
  }

  DirectoryEntry entry() {
    if (random.nextInt(4) == 0) {
      return DirectoryEntry.tombstone(version(), gone());
    }
    List<Integer> nodes = new ArrayList<>(List.of(0, 1, 2, 3, 4));
    Collections.shuffle(nodes, random);
    List<Holder> holders =
        nodes.subList(0, 1 + random.nextInt(3)).stream()
            .map(node -> new Holder(node, random.nextBoolean()))
            .toList();
    long expiresAt = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(2);
    return new DirectoryEntry(
        version(),
        random.nextInt(2),
        random.nextInt(2),
        expiresAt,
        random.nextBoolean(),
        false,
        holders,
        nodes.subList(holders.size(), holders.size() + random.nextInt(3)));
  }

  Change change(boolean immutable) {
    return switch (random.nextInt(10)) {
      case 0 -> new Deleted(version());
      case 1, 2, 3 -> new Released(node(), random.nextBoolean(), gone());
      default -> {
        long version = version();
        Holder holder = new Holder(node(), random.nextBoolean());
        long expiresAt = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(2);
        Set<Integer> gone = gone();
        gone.remove(holder.node());
        yield new Held(holder, version, version * 10, (int) version, expiresAt, immutable, gone);
      }
    };
  }

  private Set<Integer> gone() {
    Set<Integer> gone = new HashSet<>();
    if (random.nextInt(4) == 0) {
      gone.add(node());
      gone.add(node());
    }
    return gone;
  }

  private int node() {
    return random.nextInt(NODES);
  }

  private long version() {
    return 1L + random.nextInt(VERSIONS);
  }
}
