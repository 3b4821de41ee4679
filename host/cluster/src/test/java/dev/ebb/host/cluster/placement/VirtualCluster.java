package dev.ebb.host.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CopyAction.Announce;
import dev.ebb.host.cluster.placement.CopyAction.DropLocal;
import dev.ebb.host.cluster.placement.CopyAction.Notify;
import dev.ebb.host.cluster.placement.CopyAction.Replicate;
import dev.ebb.host.cluster.placement.CopyAction.SetExpiry;
import dev.ebb.host.cluster.placement.CopyAction.TellDrop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in virtual time that executes {@link CopyDecisions}: nodes with a directory in memory
 * and a network that delays, loses and repeats messages. All is drawn from one seed.
 */
final class VirtualCluster {

  private static final long TIMEOUT = 100;
  private static final long SETTLED = 1_000;

  /** The clients' history of one key. */
  private static final class Truth {
    long stored;
    long deleted;
    long deletedAt = Long.MIN_VALUE / 2;
    long lastLoss = Long.MIN_VALUE / 2;
    boolean replicaEvicted;

    /** The newest version was lost while some nodes were apart, and could not learn that. */
    boolean lostApart;
  }

  private final class Member {
    final String name;
    final int id;
    final String rack;
    final String zone;
    final long capacity;
    NodeState state = NodeState.ACTIVE;
    boolean alive = true;
    int side;
    CopyDecisions decisions;
    ReplicaPlacement placement;

    /** The nodes that offered copies which the directory does not know yet. */
    final Map<Integer, Member> unannounced = new HashMap<>();

    final Map<Integer, LocalCopy> copies = new TreeMap<>();
    final Map<Integer, CheckReason> dirty = new HashMap<>();
    final Set<Integer> checking = new HashSet<>();
    final Set<List<Integer>> offered = new HashSet<>();

    Member(String name, int rack) {
      this.name = name;
      id = Node.idOf(name + "@" + now + "/" + members.size());
      this.rack = "rack" + rack;
      zone = "zone" + rack % 2;
      capacity = random.nextInt(8) == 0 ? 0 : 100 * (1 + random.nextInt(2));
      // Alone until it joins.
      placement = new ReplicaPlacement(Topology.of(List.of(node())));
      decisions = new CopyDecisions(id, placement, settings);
    }

    Node node() {
      return new Node(
          name, id, rack, zone, "", 0, "", "", state, 1_000, 0, capacity, 0, 0, 0, 0, "");
    }

    /** Sees the members of its side. */
    void see() {
      placement = new ReplicaPlacement(topology(side));
      decisions = new CopyDecisions(id, placement, settings);
    }

    void changed(int key, CheckReason reason) {
      if (alive) {
        dirty.merge(key, reason, CheckReason::and);
        check(key);
      }
    }

    void checkAll(CheckReason reason) {
      List.copyOf(copies.keySet()).forEach(key -> changed(key, reason));
    }

    private void check(int key) {
      if (!checking.contains(key) && dirty.containsKey(key)) {
        checking.add(key);
        CheckReason reason = dirty.remove(key);
        if (lost()) {
          retry(key, reason);
        } else {
          later(
              delay(),
              () -> {
                DirectoryEntry entry = directory().get(key);
                later(delay(), () -> act(key, entry, reason, 0));
              });
        }
      }
    }

    private void retry(int key, CheckReason reason) {
      later(
          TIMEOUT,
          () -> {
            checking.remove(key);
            changed(key, reason);
          });
    }

    private void act(int key, @Nullable DirectoryEntry entry, CheckReason reason, int round) {
      LocalCopy copy = copies.get(key);
      List<CopyAction> actions = decisions.decide(ids.get(key), copy, entry, reason);
      actionCount += actions.size();
      trace("%s decides on %d %s, %s, %s: %s", this, key, copy, entry, reason, actions);
      boolean last = true;
      for (CopyAction action : actions) {
        switch (action) {
          case Announce announce -> {
            last = false;
            announce(key, announce, round);
          }
          case DropLocal(long version, Set<Integer> others) -> {
            last = false;
            confirm(key, version, List.copyOf(others), reason);
          }
          case Replicate(int to, boolean _) -> {
            if (awaitsPrimary(key, entry)) {
              later(TIMEOUT, () -> changed(key, CheckReason.RECHECKED));
            } else {
              offer(key, to);
            }
          }
          case TellDrop(int to, long version) ->
              send(to, () -> member(to).drop(key, version, CheckReason.NOTIFIED));
          case Notify(int to) -> send(to, () -> member(to).changed(key, CheckReason.NOTIFIED));
          case SetExpiry(long expiresAt) ->
              copies.computeIfPresent(key, (_, changed) -> expiring(changed, expiresAt));
        }
      }
      if (last) {
        unannounced.remove(key);
        checking.remove(key);
        check(key);
      }
    }

    /** Whether the node that has offered a copy is about to announce its own. */
    private boolean awaitsPrimary(int key, @Nullable DirectoryEntry entry) {
      Member source = unannounced.get(key);
      return source != null
          && entry != null
          && source.alive
          && source.side == side
          && entry.of(source.id) == null;
    }

    /** Offers a new value before the directory knows it. */
    private void offerDirectly(int key) {
      LocalCopy copy = copies.get(key);
      if (copy != null && !copy.replica()) {
        List<Holder> own = List.of(new Holder(id, false));
        placement
            .choose(ids.get(key), 1, own, settings.replicas(), true)
            .forEach(target -> offer(key, target.id()));
      }
    }

    private void announce(int key, Announce announce, int round) {
      assertThat(round).as("repeated announcements of %d", key).isLessThan(20);
      if (lost()) {
        retry(key, announce.next());
        return;
      }
      later(
          delay(),
          () -> {
            DirectoryEntry changed = update(side, key, announce.change());
            if (lost()) {
              retry(key, announce.next());
            } else {
              later(delay(), () -> act(key, changed, announce.next(), round + 1));
            }
          });
    }

    private void offer(int key, int to) {
      if (!offered.add(List.of(key, to))) {
        return;
      }
      Runnable ended =
          () -> {
            offered.remove(List.of(key, to));
            changed(key, CheckReason.RECHECKED);
          };
      Member target = reachable(to);
      if (target == null || target.side != side || lost()) {
        later(TIMEOUT, ended);
        return;
      }
      for (int copies = repeated(); copies > 0; copies--) {
        target.later(delay(), () -> target.fetch(key, this));
      }
      later(TIMEOUT, ended);
    }

    private void fetch(int key, Member source) {
      LocalCopy copy = source.copies.get(key);
      LocalCopy own = copies.get(key);
      if (copy == null) {
        return;
      }
      boolean wanted =
          capacity > 0 && (own == null || (own.version() < copy.version() && !own.immutable()));
      if (wanted && source.alive && source.side == side) {
        copies.put(
            key,
            new LocalCopy(
                copy.version(), 1, copy.crc32c(), copy.expiresAt(), copy.immutable(), true, false));
        unannounced.put(key, source);
        changed(key, CheckReason.CHANGED);
      }
    }

    /** Repeats a message until the other node has it or is gone. */
    private void send(int to, Runnable message) {
      Member target = reachable(to);
      if (target == null || target.side != side) {
        return;
      }
      if (lost()) {
        later(TIMEOUT, () -> send(to, message));
        return;
      }
      for (int copies = repeated(); copies > 0; copies--) {
        target.later(delay(), message);
      }
    }

    /** Removes a copy after other nodes have confirmed theirs. */
    private void confirm(int key, long version, List<Integer> others, CheckReason reason) {
      if (others.isEmpty()) {
        checking.remove(key);
        drop(key, version, CheckReason.RECHECKED);
        return;
      }
      Member other = member(others.getFirst());
      List<Integer> rest = others.subList(1, others.size());
      if (!other.alive || other.side != side || lost()) {
        retry(key, reason);
        return;
      }
      later(
          delay(),
          () -> {
            LocalCopy copy = other.copies.get(key);
            other.changed(key, CheckReason.NOTIFIED);
            if (copy != null && (copy.immutable() || copy.version() >= version)) {
              later(delay(), () -> confirm(key, version, rest, reason));
            } else {
              retry(key, CheckReason.FULL_CHECK);
            }
          });
    }

    /** Removes a copy because of a decision. */
    private void drop(int key, long version, CheckReason reason) {
      LocalCopy copy = copies.get(key);
      if (copy != null && copy.version() <= version) {
        copies.remove(key);
        checkNotLast(this, key, copy);
      }
      changed(key, reason);
    }

    private void later(long delay, Runnable run) {
      schedule(
          delay,
          () -> {
            if (alive) {
              run.run();
            }
          });
    }

    private Map<Integer, DirectoryEntry> directory() {
      return directories.get(side);
    }

    @Override
    public String toString() {
      return name + "(" + rack + (state == NodeState.ACTIVE ? ")" : ", draining)");
    }
  }

  /** A change of the state of a value. */
  record Transition(ValueState from, ValueEvent event, ValueState to) {}

  private record Event(long time, long order, Runnable run) {}

  private final Random random;
  private final CopySettings settings;
  private final int keys;
  private final int racks;
  private final List<ValueId> ids = new ArrayList<>();
  private final List<Truth> truths = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final List<Map<Integer, DirectoryEntry>> directories = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::order));
  private final @Nullable List<String> trace;

  /** The states of values, by side and key. */
  private final Map<List<Integer>, ValueState> states = new HashMap<>();

  private final Map<Integer, Topology> topologies = new HashMap<>();
  private final Set<Transition> transitions = new HashSet<>();
  private long now;
  private long order;
  private long clock;
  private double loss;
  private int actionCount;
  private int names;

  /** Whether new values are offered before the directory knows them. */
  private boolean direct;

  private boolean split;
  private boolean merged;
  private long viewed;

  VirtualCluster(long seed, @Nullable List<String> trace) {
    random = new Random(seed);
    this.trace = trace;
    settings = new CopySettings(random.nextInt(4), random.nextInt(3) > 0);
    keys = 1 + random.nextInt(3);
    for (int key = 0; key < keys; key++) {
      ids.add(new ValueId(random.nextLong(), random.nextLong()));
      truths.add(new Truth());
    }
    directories.add(new TreeMap<>());
    directories.add(new TreeMap<>());
    racks = 1 + random.nextInt(5);
    for (int i = 1 + random.nextInt(8); i > 0; i--) {
      join();
    }
  }

  /** Lets nodes offer new values before the directory knows them. */
  VirtualCluster offeringDirectly() {
    direct = true;
    return this;
  }

  /** Runs random events, lets all nodes come to rest, and checks the copies. */
  void run(int steps) {
    loss = random.nextInt(3) == 0 ? 0 : 0.2;
    trace("%s, %d racks, %d nodes", settings, racks, members.size());
    for (int step = 0; step < steps; step++) {
      event();
      runUntil(now + (random.nextInt(3) == 0 ? SETTLED : random.nextInt(60)));
    }
    heal();
    int before = actionCount;
    rest();
    assertThat(actionCount - before).as("actions after the last event").isLessThan(bound());
    boolean all = truths.stream().noneMatch(truth -> truth.replicaEvicted);
    check(all);
    loss = 0;
    readAll();
    members().forEach(member -> member.checkAll(CheckReason.RECHECKED));
    rest();
    merged = false;
    check(true);
    before = actionCount;
    members().forEach(member -> member.checkAll(CheckReason.RECHECKED));
    rest();
    assertThat(actionCount).as("actions of a cluster at rest").isEqualTo(before);
  }

  /** Returns the changes of states that it has seen. */
  Set<Transition> transitions() {
    return transitions;
  }

  /** Each change of a state is one that the state machine has. */
  private void observe(int side, int key, ValueEvent event) {
    ValueState next = ValueState.of(directories.get(side).get(key), topology(side), settings);
    ValueState before = states.put(List.of(side, key), next);
    before = before == null ? ValueState.UNKNOWN : before;
    trace("state of %d on side %d: %s, %s, %s", key, side, before, event, next);
    assertThat(event.after(before)).as("after %s, %s", before, event).contains(next);
    transitions.add(new Transition(before, event, next));
  }

  private Topology topology(int side) {
    return topologies.computeIfAbsent(
        side,
        _ ->
            Topology.of(
                members().stream()
                    .filter(member -> member.side == side)
                    .map(Member::node)
                    .toList()));
  }

  private void observeAll(ValueEvent event) {
    topologies.clear();
    for (int side = 0; side < (split ? 2 : 1); side++) {
      for (int key = 0; key < keys; key++) {
        observe(side, key, event);
      }
    }
  }

  private int bound() {
    return 100 * keys * members().size() * (1 + settings.replicas());
  }

  private void event() {
    List<Member> live = members();
    Member member = live.get(random.nextInt(live.size()));
    int key = random.nextInt(keys);
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> store(member, key);
      case 6, 7, 8 -> evict(member, key);
      case 9, 10 -> delete(member, key);
      case 11 -> expire(member, key);
      case 12, 13 -> kill(member);
      case 14, 15 -> join();
      case 16 -> drain(member);
      case 17, 18 -> partition();
      default -> heal();
    }
  }

  private boolean immutable(int key) {
    return key % 2 == 0;
  }

  private void store(Member member, int key) {
    trace("%s stores %d as %d", member, key, clock + 1);
    long version = ++clock;
    truths.get(key).stored = version;
    member.copies.put(
        key, new LocalCopy(version, 1, (int) version, Long.MAX_VALUE, immutable(key), false, true));
    member.changed(key, CheckReason.CHANGED);
    if (direct && random.nextBoolean()) {
      member.later(delay(), () -> member.offerDirectly(key));
    }
  }

  private void evict(Member member, int key) {
    LocalCopy copy = member.copies.get(key);
    if (copy == null || (copy.replica() && random.nextInt(3) > 0)) {
      return;
    }
    trace("%s evicts %d", member, key);
    member.copies.remove(key);
    lost(truths.get(key));
    truths.get(key).replicaEvicted |= copy.replica();
    member.changed(key, copy.replica() ? CheckReason.REPLICA_EVICTED : CheckReason.CHANGED);
  }

  private void delete(Member member, int key) {
    trace("%s deletes %d at %d", member, key, clock + 1);
    deleteAt(member, key, ++clock);
    LocalCopy copy = member.copies.get(key);
    if (copy != null) {
      member.copies.remove(key);
      lost(truths.get(key));
    }
  }

  private void deleteAt(Member member, int key, long version) {
    member.later(
        delay(),
        () -> {
          if (lost()) {
            deleteAt(member, key, version);
          } else {
            update(member.side, key, new Change.Deleted(version));
            member.changed(key, CheckReason.CHANGED);
          }
        });
  }

  private void expire(Member member, int key) {
    LocalCopy copy = member.copies.get(key);
    if (copy != null && !copy.replica()) {
      trace("%s changes the expiry of %d", member, key);
      member.copies.put(key, expiring(copy, 1 + random.nextInt(100)));
      member.changed(key, CheckReason.CHANGED);
    }
  }

  private void lost(Truth truth) {
    truth.lastLoss = now;
    truth.lostApart |= split || now < viewed + SETTLED;
  }

  private static LocalCopy expiring(LocalCopy copy, long expiresAt) {
    return new LocalCopy(
        copy.version(), 1, copy.crc32c(), expiresAt, copy.immutable(), copy.replica(), false);
  }

  private void kill(Member member) {
    if (members().size() > 1) {
      trace("%s is killed", member);
      member.alive = false;
      observeAll(ValueEvent.NODES_CHANGED);
      truths.forEach(this::lost);
      viewsChange(CheckReason.RECHECKED);
    }
  }

  private void join() {
    if (members().size() < 9) {
      Member member = new Member("n" + names++, random.nextInt(racks));
      member.side = split ? random.nextInt(2) : 0;
      members.add(member);
      observeAll(ValueEvent.NODES_CHANGED);
      member.see();
      trace("%s joins side %d", member, member.side);
      viewsChange(CheckReason.RECHECKED);
    }
  }

  private void drain(Member member) {
    member.state = member.state == NodeState.ACTIVE ? NodeState.DRAINING : NodeState.ACTIVE;
    trace("%s is %s", member, member.state);
    observeAll(ValueEvent.NODES_CHANGED);
    member.see();
    member.checkAll(CheckReason.RECHECKED);
    viewsChange(CheckReason.RECHECKED);
  }

  private void partition() {
    if (!split) {
      split = true;
      directories.get(1).putAll(directories.get(0));
      for (int key = 0; key < keys; key++) {
        DirectoryEntry entry = directories.get(1).get(key);
        states.put(List.of(1, key), ValueState.of(entry, topology(0), settings));
      }
      members().forEach(member -> member.side = random.nextInt(2));
      observeAll(ValueEvent.NODES_CHANGED);
      trace("partition: %s", members().stream().filter(member -> member.side == 1).toList());
      viewsChange(CheckReason.RECHECKED);
    }
  }

  private void heal() {
    if (split) {
      trace("the partition heals");
      split = false;
      merged = true;
      directories
          .get(1)
          .forEach((key, entry) -> directories.get(0).merge(key, entry, DirectoryEntry::merge));
      members().forEach(member -> member.side = 0);
      observeAll(ValueEvent.MERGED);
      viewsChange(CheckReason.FULL_CHECK);
    }
  }

  /** Each node sees the change at another time, and checks once more when all have seen it. */
  private void viewsChange(CheckReason reason) {
    viewed = now;
    for (Member member : members()) {
      for (long delay : List.of((long) random.nextInt(200), SETTLED)) {
        member.later(
            delay,
            () -> {
              member.see();
              member.checkAll(reason);
            });
      }
    }
  }

  private @Nullable DirectoryEntry update(int side, int key, Change change) {
    Map<Integer, DirectoryEntry> directory = directories.get(side);
    DirectoryEntry changed = DirectoryEntry.apply(directory.get(key), change);
    trace("directory %d: %s makes %s", side, change, changed);
    if (changed == null) {
      directory.remove(key);
    } else {
      assertThat(DirectoryEntry.decode(changed.encode())).isEqualTo(changed);
      directory.put(key, changed);
      if (changed.deleted()) {
        truths.get(key).deleted = Math.max(truths.get(key).deleted, changed.version());
        truths.get(key).deletedAt = now;
      }
    }
    observe(
        side,
        key,
        switch (change) {
          case Change.Held _ -> ValueEvent.ANNOUNCED;
          case Change.Released _ -> ValueEvent.RELEASED;
          case Change.Deleted _ -> ValueEvent.REMOVED;
          case Change.Merged _ -> ValueEvent.MERGED;
        });
    return changed;
  }

  private Member member(int id) {
    return members.stream().filter(member -> member.id == id).findFirst().orElseThrow();
  }

  private @Nullable Member reachable(int id) {
    Member member = member(id);
    return member.alive ? member : null;
  }

  private List<Member> members() {
    return members.stream().filter(member -> member.alive).toList();
  }

  private boolean lost() {
    return random.nextDouble() < loss;
  }

  private int repeated() {
    return loss > 0 && random.nextInt(10) == 0 ? 2 : 1;
  }

  private long delay() {
    return 1L + random.nextInt(random.nextInt(10) == 0 ? 90 : 10);
  }

  private void schedule(long delay, Runnable run) {
    events.add(new Event(now + delay, order++, run));
  }

  private void runUntil(long time) {
    while (!events.isEmpty() && events.peek().time() <= time) {
      next();
    }
    now = time;
  }

  private void rest() {
    for (int left = 100_000; !events.isEmpty(); left--) {
      assertThat(left).as("events until the cluster is at rest").isPositive();
      next();
    }
  }

  private void next() {
    Event event = events.remove();
    now = event.time();
    event.run().run();
  }

  private void trace(String format, @Nullable Object... arguments) {
    if (trace != null) {
      String line = now + " " + String.format(format, arguments);
      for (Member member : members) {
        line =
            line.replace("node=" + member.id, member.name)
                .replace("=[" + member.id, "=[" + member.name)
                .replace(", " + member.id, ", " + member.name);
      }
      trace.add(line.replaceAll("bytes=\\d+, |crc32c=\\d+, |expiresAt=9223372036854775807, ", ""));
    }
  }

  /** A decision never removes the last copy of a value that no client overwrote or deleted. */
  private void checkNotLast(Member member, int key, LocalCopy copy) {
    Truth truth = truths.get(key);
    boolean superseded =
        truth.deleted >= copy.version()
            || (!copy.immutable() && truth.stored > copy.version())
            || now - truth.lastLoss < 5 * SETTLED
            // What is stored again while messages of the deletion are on their way can go with it.
            || now - truth.deletedAt < SETTLED;
    boolean held =
        members().stream()
            .map(other -> other.copies.get(key))
            .anyMatch(
                other -> other != null && (other.immutable() || other.version() == copy.version()));
    assertThat(superseded || held).as("%s removes the last copy of %d", member, key).isTrue();
  }

  /** A reader that does not find a copy where the directory lists it asks that node to check. */
  private void readAll() {
    directories
        .getFirst()
        .forEach((key, entry) -> {
          for (Holder holder : entry.holders()) {
            Member member = reachable(holder.node());
            if (member != null && !member.copies.containsKey(key)) {
              member.changed(key, CheckReason.NOTIFIED);
            }
          }
        });
    rest();
  }

  private void check(boolean allCopies) {
    for (int key = 0; key < keys; key++) {
      check(key, allCopies);
    }
  }

  private void check(int key, boolean allCopies) {
    Map<Member, LocalCopy> copies = new HashMap<>();
    for (Member member : members()) {
      LocalCopy copy = member.copies.get(key);
      if (copy != null) {
        copies.put(member, copy);
      }
    }
    DirectoryEntry entry = directories.getFirst().get(key);
    trace("at rest: %d %s, %s", key, entry, copies);
    // After a partition, an entry may list copies that were evicted on the other side. Nodes with
    // a copy find that out; without any, the next reader does.
    if (!merged || !copies.isEmpty()) {
      checkListed(copies, entry);
    }
    if (entry == null || copies.isEmpty()) {
      return;
    }
    // A client that stores immutable content again makes all copies of it valid.
    long newest = immutable(key) ? truths.get(key).stored : entry.version();
    if (!truths.get(key).lostApart) {
      assertThat(newest).as("version of %d", key).isGreaterThan(truths.get(key).deleted);
    }
    if (!immutable(key)) {
      assertThat(copies.values()).allMatch(copy -> copy.version() == entry.version());
      assertThat(copies.values()).allMatch(copy -> copy.expiresAt() == entry.expiresAt());
    }
    checkCount(copies, allCopies);
  }

  /** The directory lists the copies that there are, and no others. */
  private void checkListed(Map<Member, LocalCopy> copies, @Nullable DirectoryEntry entry) {
    Set<Holder> listed = new HashSet<>();
    if (entry != null) {
      listed.addAll(entry.holders());
      listed.removeIf(holder -> reachable(holder.node()) == null);
      // Nodes without a copy do not check the value, so that they may remain listed as stale.
      assertThat(entry.stale()).allMatch(node -> copies.isEmpty() || reachable(node) == null);
    }
    Set<Holder> held = new HashSet<>();
    copies.forEach((member, copy) -> held.add(new Holder(member.id, copy.replica())));
    assertThat(listed).isEqualTo(held);
  }

  private void checkCount(Map<Member, LocalCopy> copies, boolean allCopies) {
    int wanted = settings.replicas() + 1;
    Set<Member> counted = active(copies.keySet());
    Set<Member> possible = active(members());
    possible.removeIf(member -> member.capacity == 0 && !counted.contains(member));
    if (allCopies) {
      assertThat(counted).hasSizeGreaterThanOrEqualTo(Math.min(wanted, possible.size()));
      assertThat(racks(counted)).isGreaterThanOrEqualTo(Math.min(wanted, racks(possible)));
    }
    if (!counted.isEmpty() && allCopies) {
      assertThat(copies.keySet()).as("copies on draining nodes").isEqualTo(counted);
    }
    for (Member member : counted) {
      LocalCopy copy = copies.get(member);
      Set<Member> without = new HashSet<>(counted);
      without.remove(member);
      boolean surplus =
          copy != null
              && copy.replica()
              && without.size() >= wanted
              && Math.min(wanted, racks(without)) == Math.min(wanted, racks(counted));
      assertThat(surplus).as("%s has a surplus replica", member).isFalse();
    }
  }

  private static Set<Member> active(Iterable<Member> members) {
    Set<Member> active = new HashSet<>();
    for (Member member : members) {
      if (member.state == NodeState.ACTIVE) {
        active.add(member);
      }
    }
    return active;
  }

  private static int racks(Set<Member> members) {
    Set<String> racks = new TreeSet<>();
    members.forEach(member -> racks.add(member.zone + member.rack));
    return racks.size();
  }
}
