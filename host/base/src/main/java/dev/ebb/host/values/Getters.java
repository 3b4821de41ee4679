package dev.ebb.host.values;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of objects by the names of public methods without parameters, such as the components
 * of records. A path has names of which each is one of the value before. The methods of a class are
 * looked up once. A name that a class does not have is an {@link IllegalArgumentException}.
 */
public final class Getters {

  private static final Set<String> OF_ALL_OBJECTS = Set.of("getClass", "hashCode", "toString");

  private static final ClassValue<SortedMap<String, Method>> METHODS =
      new ClassValue<>() {
        @Override
        protected SortedMap<String, Method> computeValue(Class<?> type) {
          SortedMap<String, Method> methods = new TreeMap<>();
          for (Method method : type.getMethods()) {
            if (method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && !method.isBridge()
                && !OF_ALL_OBJECTS.contains(method.getName())
                && method.trySetAccessible()) {
              methods.put(method.getName(), method);
            }
          }
          // Classes of the JDK that are not public have public methods of their interfaces.
          for (Class<?> each : type.getInterfaces()) {
            get(each).forEach(methods::putIfAbsent);
          }
          if (type.getSuperclass() != null) {
            get(type.getSuperclass()).forEach(methods::putIfAbsent);
          }
          return methods;
        }
      };

  private Getters() {}

  /** Checks that objects of a class have a path, as far as the types of its values say. */
  public static void check(Class<?> type, List<String> path) {
    Class<?> at = type;
    for (String name : path) {
      at = method(at, name, path).getReturnType();
    }
  }

  public static boolean has(Object object, String name) {
    return METHODS.get(object.getClass()).containsKey(name);
  }

  /** Returns the value at a path; null behind null. */
  public static @Nullable Object value(Object of, List<String> path) {
    Object at = of;
    for (String name : path) {
      at = at == null ? null : call(at, name, path);
    }
    return at;
  }

  /** Returns the values at a path: those of all elements of a list, and none behind null. */
  public static List<Object> values(Object of, List<String> path) {
    List<Object> values = new ArrayList<>(1);
    add(values, of, 0, path);
    return values;
  }

  private static void add(List<Object> to, @Nullable Object at, int index, List<String> path) {
    if (at instanceof List<?> several) {
      several.forEach(each -> add(to, each, index, path));
    } else if (at != null && index == path.size()) {
      to.add(at);
    } else if (at != null) {
      add(to, call(at, path.get(index), path), index + 1, path);
    }
  }

  private static @Nullable Object call(Object of, String name, List<String> path) {
    Method method = method(of.getClass(), name, path);
    try {
      return method.invoke(of);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException("cannot call " + method, failed);
    }
  }

  private static Method method(Class<?> type, String name, List<String> path) {
    SortedMap<String, Method> methods = METHODS.get(type);
    Method method = methods.get(name);
    if (method == null) {
      throw new IllegalArgumentException(
          "'%s': %s has no '%s'; use one of %s"
              .formatted(
                  String.join(".", path),
                  type.getName(),
                  name,
                  String.join(", ", methods.keySet())));
    }
    return method;
  }
}
