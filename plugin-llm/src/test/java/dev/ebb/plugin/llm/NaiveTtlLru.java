package dev.ebb.plugin.llm;

import dev.ebb.spi.Request;
import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * TTL-LRU with a list of observed times, from which every time to live is computed anew. A prompt
 * takes a second per token, and blocks have 16. At the end of a request the clock advances.
 */
final class NaiveTtlLru extends NaiveListPolicy {

  private final List<Item> unpinned = new ArrayList<>();
  private final List<Pinned> pins = new ArrayList<>();
  private final List<Observed> observed = new ArrayList<>();
  private final Map<Long, Waiting> waiting = new HashMap<>();
  private final Map<Long, Long> arrivals = new HashMap<>();
  private final List<Item> touched = new ArrayList<>();
  private final Map<Item, Long> lastRequest = new HashMap<>();
  private final Random random;
  private long now;
  private long requests;
  private long lastArrival;

  private record Observed(int tool, long nanos) {}

  private record Waiting(long since, int tool) {}

  private static final class Pinned {
    private final long sequence;
    private final long arrival;
    private final long request;
    private final long deadline;
    private final List<Item> items = new ArrayList<>();
    private boolean over;

    private Pinned(long sequence, long arrival, long request, long deadline) {
      this.sequence = sequence;
      this.arrival = arrival;
      this.request = request;
      this.deadline = deadline;
    }
  }

  NaiveTtlLru(long seed) {
    random = new Random(seed);
  }

  long nanos() {
    return now;
  }

  @Override
  public void began(Request request) {
    requests++;
    touched.clear();
    Waiting tool = waiting.remove(request.sequenceId());
    if (tool != null) {
      observed.add(new Observed(tool.tool, now - tool.since));
      pins.stream()
          .filter(pin -> pin.sequence == request.sequenceId())
          .forEach(pin -> pin.over = true);
    }
  }

  @Override
  public void ended(Request request) {
    long sequence = request.sequenceId();
    if (sequence >= 0 && request.finishReason() == null) {
      arrivals.remove(sequence);
    } else if (sequence >= 0) {
      long arrival = arrivals.computeIfAbsent(sequence, any -> ++lastArrival);
      waiting.put(sequence, new Waiting(now, request.hint()));
      long wait = wait(request.hint(), 16e9 * request.blocks());
      if (wait > 0) {
        Pinned pin = new Pinned(sequence, arrival, requests, now + wait);
        touched.stream().filter(unpinned::contains).forEach(item -> move(item, pin.items));
        pins.add(pin);
      }
    }
    now += random.nextLong(40_000_000_000L);
  }

  private long wait(int tool, double benefit) {
    long[] all = last(observed.stream());
    long[] its = last(observed.stream().filter(each -> each.tool == tool));
    if (all.length <= 100) {
      return benefit > 1e9 ? (long) (1e9 * Math.log(benefit / 1e9)) : 0;
    }
    long[] times = its.length > 100 ? its : all;
    long best = 0;
    double least = cost(0, times, benefit);
    for (long wait : times) {
      double cost = cost(wait, times, benefit);
      if (cost < least || (cost == least && wait < best)) {
        best = wait;
        least = cost;
      }
    }
    return best;
  }

  private static double cost(long wait, long[] times, double benefit) {
    int enough = 0;
    for (long time : times) {
      enough += time <= wait ? 1 : 0;
    }
    return wait - (double) enough / times.length * benefit;
  }

  private static long[] last(Stream<Observed> times) {
    long[] all = times.mapToLong(Observed::nanos).toArray();
    return Arrays.copyOfRange(all, Math.max(0, all.length - 1000), all.length);
  }

  @Override
  public void accessed(Item item) {
    move(item, unpinned);
    lastRequest.put(item, requests);
    touched.add(item);
  }

  @Override
  protected @Nullable Item choose() {
    pins.stream().filter(pin -> pin.deadline < now).forEach(pin -> pin.over = true);
    Item item = oldest();
    while (item == null && pins.stream().anyMatch(pin -> !pin.over)) {
      pins.stream()
              .filter(pin -> !pin.over)
              .max(Comparator.comparingLong(pin -> pin.arrival))
              .orElseThrow()
              .over =
          true;
      item = oldest();
    }
    return item;
  }

  private @Nullable Item oldest() {
    Item item = coldest(unpinned);
    for (Pinned pin : pins) {
      Item other = pin.over ? coldest(pin.items) : null;
      if (other != null) {
        return item == null || pin.request <= lastRequest.getOrDefault(item, 0L) ? other : item;
      }
    }
    return item;
  }

  @Override
  public double score(Item item) {
    return pins.stream().anyMatch(pin -> !pin.over && pin.items == item.list) ? 2 : 1;
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("tool-calls", (double) Math.min(1000, observed.size()));
  }
}
