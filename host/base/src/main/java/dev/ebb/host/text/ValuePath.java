package dev.ebb.host.text;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The way to a value: names of methods without parameters, such as components of records. */
record ValuePath<T>(Function<T, @Nullable Object> get) {

  /** Fails with an {@link IllegalArgumentException} if there is no method of a name. */
  static <T> ValuePath<T> of(Class<T> type, String names, List<Computed<T>> computed) {
    for (Computed<T> each : computed) {
      if (each.name().equals(names)) {
        return new ValuePath<>(each.get());
      }
    }
    Class<?> at = type;
    Function<Object, @Nullable Object> way = document -> document;
    for (String name : names.split("\\.", -1)) {
      Method method = method(at, name);
      Function<Object, @Nullable Object> before = way;
      way = document -> next(before.apply(document), method);
      at = method.getReturnType();
    }
    return new ValuePath<>(way::apply);
  }

  private static Method method(Class<?> type, String name) {
    try {
      Method method = type.getMethod(name);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException missing) {
      throw new IllegalArgumentException(type + " has no '" + name + "'", missing);
    }
  }

  private static @Nullable Object next(@Nullable Object at, Method method) {
    try {
      return at == null ? null : method.invoke(at);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Nullable Object of(T document) {
    return get.apply(document);
  }
}
