package dev.ebb.testkit;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches what a policy holds for fingerprints: in fields, arrays and collections. Counters by
 * hash, as in a frequency sketch, contain none.
 */
final class FingerprintSearch {

  private final Set<Long> wanted;
  private final Set<Long> found = new HashSet<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> left = new ArrayDeque<>();

  private FingerprintSearch(Set<Long> wanted) {
    this.wanted = wanted;
  }

  /** Returns the fingerprints among the wanted ones that an object leads to. */
  static Set<Long> in(Object policy, Set<Long> wanted) {
    FingerprintSearch search = new FingerprintSearch(wanted);
    search.add(policy);
    for (Object next = search.left.poll(); next != null; next = search.left.poll()) {
      search.visit(next);
    }
    return search.found;
  }

  private void visit(Object object) {
    switch (object) {
      case long[] numbers -> {
        for (long number : numbers) {
          number(number);
        }
      }
      case Object[] elements -> {
        for (Object element : elements) {
          add(element);
        }
      }
      case Long number -> number(number);
      case Map<?, ?> map -> {
        add(map.keySet().toArray());
        add(map.values().toArray());
      }
      case Collection<?> collection -> add(collection.toArray());
      default -> fields(object);
    }
  }

  private void fields(Object object) {
    for (Class<?> type = object.getClass();
        type != null && !isOfPlatform(type);
        type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && field.trySetAccessible()) {
          field(field, object);
        }
      }
    }
  }

  private void field(Field field, Object object) {
    try {
      if (field.getType() == long.class) {
        number(field.getLong(object));
      } else if (!field.getType().isPrimitive()) {
        add(field.get(object));
      }
    } catch (IllegalAccessException closed) {
      // What cannot be read is not searched.
    }
  }

  private void number(long number) {
    if (wanted.contains(number)) {
      found.add(number);
    }
  }

  private void add(@Nullable Object object) {
    if (object != null && !isOfKit(object) && seen.add(object)) {
      left.add(object);
    }
  }

  /** Returns whether an object is lent by the kit, such as an entry. */
  private static boolean isOfKit(Object object) {
    return object instanceof TestEntry
        || object instanceof TestContext
        || object instanceof TestClock;
  }

  private static boolean isOfPlatform(Class<?> type) {
    return type.getClassLoader() == null
        || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
  }
}
