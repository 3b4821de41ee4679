package dev.ebb.plugin.llm;

import dev.ebb.spi.Request;
import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Session references, counted over all sessions each time; a session ends after a minute. */
final class NaiveSessionRefs extends NaiveListPolicy {

  static final long TIMEOUT = 60_000_000_000L;

  private final Map<Long, Map<Integer, Item>> sessions = new TreeMap<>();
  private final Map<Long, Long> lastUse = new HashMap<>();
  private long session = -1;
  private long nanos;

  /** Each request arrives two seconds after the one before, and sometimes much later. */
  long nanos() {
    return nanos;
  }

  @Override
  public void began(Request request) {
    session = request.sequenceId();
    sessions.keySet().removeIf(id -> nanos - lastUse.get(id) > TIMEOUT);
    if (session >= 0) {
      sessions.computeIfAbsent(session, any -> new HashMap<>());
      lastUse.put(session, nanos);
    }
  }

  @Override
  public void ended(Request request) {
    session = -1;
    nanos += request.fingerprint(0) % 64 == 0 ? TIMEOUT / 2 : 2_000_000_000L;
  }

  @Override
  public void accessed(Item item) {
    if (session >= 0) {
      sessions.get(session).put(item.entry.depth(), item);
    }
  }

  @Override
  protected @Nullable Item choose() {
    return lowest(candidates());
  }

  @Override
  public double score(Item item) {
    return sessions.values().stream()
        .mapToLong(nodes -> nodes.values().stream().filter(each -> each == item).count())
        .sum();
  }

  @Override
  public Map<String, Double> gauges() {
    double referenced = residents.stream().filter(item -> score(item) > 0).count();
    return Map.of("sessions", (double) sessions.size(), "referenced", referenced);
  }
}
