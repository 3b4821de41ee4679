package dev.ebb.host.store.key;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is known of a model. Thread-safe. */
public final class Model {

  public enum Source {
    CONFIGURED,
    STATED,
    LEARNED,

    /** Another node of the cluster. */
    PEER,

    /** Nobody: each object is taken to be needed. */
    DEFAULT;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final AtomicInteger firstRank = new AtomicInteger(Integer.MAX_VALUE);
  private final LearnedGroups learning = new LearnedGroups();
  private volatile boolean grouped;
  private final Map<Source, ObjectGroups> known = new EnumMap<>(Source.class);
  private volatile ObjectGroups groups = ObjectGroups.ONE;
  private volatile boolean hybrid;
  private volatile Source source = Source.DEFAULT;
  private volatile @Nullable SizedGroups sized;

  void saw(int rank, int group) {
    firstRank.accumulateAndGet(rank, Math::min);
    if (group > 0) {
      grouped = true;
    }
  }

  boolean isGrouped() {
    return grouped || groups.size() > 1;
  }

  /** Returns the lowest rank seen in its keys. */
  int firstRank() {
    return firstRank.get();
  }

  synchronized void configure(@Nullable ObjectGroups said) {
    set(Source.CONFIGURED, said);
  }

  public synchronized void state(ObjectGroups said) {
    set(Source.STATED, said);
  }

  /** Sets the groups that another node knows; they count as long as nothing else is known. */
  public synchronized void inform(ObjectGroups said) {
    if (!Objects.equals(said, known.get(Source.PEER))) {
      set(Source.PEER, said);
    }
  }

  /** Returns whether its groups are learned from what clients read. */
  public boolean learns() {
    return grouped && source != Source.CONFIGURED && source != Source.STATED;
  }

  /** Learns from the positions of the chunks of a prompt that a client read, by group. */
  public synchronized void learn(List<BitSet> reads) {
    if (learns() && learning.observe(reads)) {
      set(Source.LEARNED, learning.groups());
    }
  }

  private void set(Source by, @Nullable ObjectGroups said) {
    if (said == null) {
      known.remove(by);
    } else {
      known.put(by, said);
    }
    source = known.keySet().stream().findFirst().orElse(Source.DEFAULT);
    groups = known.getOrDefault(source, ObjectGroups.ONE);
    hybrid = !groups.areFull();
  }

  boolean isHybrid() {
    return hybrid;
  }

  public ObjectGroups groups() {
    return groups;
  }

  /**
   * Returns its object groups with the weights of their objects, as far as these are known; 0 for a
   * group that was not seen.
   */
  public SizedGroups sized(ObjectGroups of, int[] weights) {
    SizedGroups before = sized;
    boolean same = before != null && before.groups().equals(of);
    List<Integer> now =
        IntStream.range(0, weights.length)
            .mapToObj(group -> {
              int known = same ? requireNonNull(before).weights().get(group) : 1;
              return weights[group] > 0 ? weights[group] : known;
            })
            .toList();
    if (same && now.equals(requireNonNull(before).weights())) {
      return before;
    }
    SizedGroups after = new SizedGroups(of, now);
    sized = after;
    return after;
  }

  public Source source() {
    return source;
  }

  /** Returns of how many prompts it has learned since what it knew was last wrong. */
  public synchronized int prompts() {
    return learning.prompts();
  }
}
