package dev.ebb.host.replay;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The mean of several records: of their counts and numbers, and of those of records in them. */
final class RecordMean {

  private RecordMean() {}

  /**
   * Returns the mean. What is no {@code long}, {@code double}, list of counts or record is that of
   * the first.
   *
   * @param records at least one
   * @param known components that are combined in another way, by name
   */
  static <R extends Record> R of(Class<R> type, List<R> records, Map<String, ?> known) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    @Nullable Object[] means = new Object[components.length];
    try {
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        String name = components[i].getName();
        List<@Nullable Object> values = new ArrayList<>();
        for (R each : records) {
          values.add(components[i].getAccessor().invoke(each));
        }
        means[i] = known.containsKey(name) ? known.get(name) : mean(values);
      }
      return type.getDeclaredConstructor(types).newInstance(means);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static @Nullable Object mean(List<? extends @Nullable Object> values) {
    return switch (values.getFirst()) {
      case null -> null;
      case Double _ -> values.stream().mapToDouble(each -> (Double) each).average().orElseThrow();
      case Long _ ->
          Math.round(values.stream().mapToDouble(each -> (Long) each).average().orElseThrow());
      case List<?> first when !first.isEmpty() && first.getFirst() instanceof Long ->
          IntStream.range(0, first.size())
              .mapToObj(i -> mean(values.stream().map(each -> ((List<?>) each).get(i)).toList()))
              .toList();
      case Record first -> ofSame(first.getClass(), values);
      case Object first -> first;
    };
  }

  private static <R extends Record> R ofSame(Class<R> type, List<?> values) {
    return of(type, values.stream().map(type::cast).toList(), Map.of());
  }
}
