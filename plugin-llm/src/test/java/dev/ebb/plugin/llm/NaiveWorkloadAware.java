package dev.ebb.plugin.llm;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Request;
import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The workload-aware policy, which keeps what happened to each class and counts it again for every
 * question. Evicted entries are never forgotten.
 */
final class NaiveWorkloadAware extends NaiveListPolicy {

  private static final double MINUTE = 60e9;

  private final Map<String, List<Item>> lists = new HashMap<>();
  private final Map<List<Item>, String> names = new IdentityHashMap<>();
  private final Map<String, List<Event>> events = new HashMap<>();
  private final Map<Long, Evicted> evicted = new HashMap<>();
  private final Map<Long, End> ends = new HashMap<>();
  private final List<Item> running = new ArrayList<>();
  private final List<Double> lives = new ArrayList<>();
  private final boolean remembers;
  private boolean isOpen;
  private int turn;
  private double life = MINUTE;
  private long now;

  /** The uses of a request, or a reuse after a time. */
  private record Event(int uses, double waited) {}

  private record Evicted(String name, long lastUse) {}

  /** The end of a prompt. */
  private record End(int turn, boolean continued) {}

  NaiveWorkloadAware(boolean remembers) {
    this.remembers = remembers;
  }

  private static String name(@Nullable String workload, int turn, int hint, @Nullable String end) {
    return workload + ", turn " + (turn > 8 ? "8" : turn) + ", hint " + hint + ", " + end;
  }

  @Override
  public void began(Request request) {
    isOpen = true;
    turn = request.turn();
    int last = request.blocks() - 1;
    if (turn >= 0 || last == 0) {
      return;
    }
    turn = 1;
    for (int i = last; i >= request.matched() - 1 && i >= 0; i--) {
      End end = ends.get(request.fingerprint(i));
      if (end != null) {
        turn = end.continued ? 1 : end.turn + 1;
        ends.put(request.fingerprint(i), new End(end.turn, true));
        break;
      }
    }
    for (int i = last; i >= last - 1; i--) {
      End end = ends.get(request.fingerprint(i));
      ends.put(request.fingerprint(i), new End(turn, end != null && end.continued));
    }
  }

  @Override
  public void ended(Request request) {
    isOpen = false;
    if (!running.isEmpty()) {
      String name = name(request.workload(), turn, request.hint(), request.finishReason());
      record(name, new Event(running.size(), 0));
      List.copyOf(running).forEach(item -> move(item, list(name)));
    }
  }

  @Override
  protected void admit(Item item) {
    now = Math.max(now, item.entry.lastAccessNanos());
    Evicted before = evicted.remove(item.fingerprint());
    if (before != null) {
      record(before.name, new Event(0, (double) now - before.lastUse));
    }
    use(item);
  }

  @Override
  public void accessed(Item item) {
    now = Math.max(now, item.entry.lastAccessNanos());
    if (item.list != running) {
      double wait = item.entry.lastAccessNanos() - item.lastUse;
      record(String.valueOf(names.get(item.list)), new Event(0, wait));
    }
    use(item);
  }

  private void use(Item item) {
    Entry entry = item.entry;
    item.lastUse = entry.lastAccessNanos();
    if (isOpen) {
      move(item, running);
    } else {
      String name = name(entry.workload(), entry.turn(), entry.hint(), null);
      record(name, new Event(1, 0));
      move(item, list(name));
    }
  }

  private void record(String name, Event event) {
    events.computeIfAbsent(name, any -> new ArrayList<>()).add(event);
  }

  private List<Item> list(String name) {
    List<Item> list = lists.computeIfAbsent(name, any -> new ArrayList<>());
    names.put(list, name);
    return list;
  }

  @Override
  protected void evicted(Item item) {
    lives.add((double) now - item.lastUse);
    life = meanLife();
    if (remembers && item.list != running) {
      String name = String.valueOf(names.get(item.list));
      evicted.put(item.fingerprint(), new Evicted(name, item.lastUse));
    }
  }

  @Override
  protected @Nullable Item choose() {
    Item least = lowest(coldest(lists.values()));
    return least == null ? coldest(running) : least;
  }

  @Override
  public double score(Item item) {
    double requests = 0;
    double uses = 2;
    double reuses = 1;
    double waits = MINUTE;
    for (Event event : events.getOrDefault(String.valueOf(names.get(item.list)), List.of())) {
      uses += event.uses;
      requests += event.uses > 0 ? 1 : 0;
      reuses += event.uses > 0 ? 0 : 1;
      waits += event.waited;
      if (requests == 1_000) {
        requests /= 2;
        uses /= 2;
        reuses /= 2;
        waits /= 2;
      }
    }
    double mean = waits / reuses;
    double ratio = Math.min(1, reuses / uses);
    double idle = (double) now - item.lastUse;
    double left = ratio * Math.exp(-idle / mean);
    return left * -Math.expm1(-life / mean) / (1 - ratio + left);
  }

  /** The mean of up to a thousand lives; older ones count less and less. */
  private double meanLife() {
    double mean = MINUTE;
    int count = 0;
    for (double each : lives) {
      count = Math.min(1000, count + 1);
      mean += (each - mean) / count;
    }
    return mean;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("life-seconds", life / 1e9, "ghosts", (double) evicted.size());
  }
}
