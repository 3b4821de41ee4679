package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts entries and their blocks for each of a few cases.
 *
 * @param <E> the cases
 */
final class Amounts<E extends Enum<E>> {

  private final EnumMap<E, Amount> amounts;
  private final Class<E> cases;

  Amounts(Class<E> cases) {
    this.cases = cases;
    amounts = new EnumMap<>(cases);
    for (E one : cases.getEnumConstants()) {
      amounts.put(one, new Amount());
    }
  }

  private static final class Amount {
    private long entries;
    private long blocks;
  }

  void add(E to, long blocks) {
    Amount amount = of(to);
    amount.entries++;
    amount.blocks += blocks;
  }

  long entries(E in) {
    return of(in).entries;
  }

  Map<E, CacheStats.Amount> read() {
    Map<E, CacheStats.Amount> read = new EnumMap<>(cases);
    amounts.forEach(
        (one, amount) -> read.put(one, new CacheStats.Amount(amount.entries, amount.blocks)));
    return read;
  }

  private Amount of(E one) {
    return requireNonNull(amounts.get(one));
  }
}
