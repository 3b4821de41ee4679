package dev.ebb.host.values;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of the objects of a class, by the names of its public methods without parameters, such
 * as the components of a record. The methods of a class are looked up once.
 */
public final class Getters {

  private static final Set<String> OF_ALL_OBJECTS = Set.of("getClass", "hashCode", "toString");
  private static final Object[] NO_ARGUMENTS = {};

  private static final ClassValue<Getters> CLASSES =
      new ClassValue<>() {
        @Override
        protected Getters computeValue(Class<?> type) {
          return new Getters(type);
        }
      };

  private final Class<?> type;
  private final SortedMap<String, Method> methods = new TreeMap<>();

  private Getters(Class<?> type) {
    this.type = type;
    for (Method method : type.getMethods()) {
      if (method.getParameterCount() == 0
          && method.getReturnType() != void.class
          && !OF_ALL_OBJECTS.contains(method.getName())
          && !Modifier.isStatic(method.getModifiers())
          && method.trySetAccessible()) {
        methods.merge(method.getName(), method, Getters::narrower);
      }
    }
  }

  /** Returns the one of two methods of the same name that is not a bridge to the other. */
  private static Method narrower(Method a, Method b) {
    return a.getReturnType().isAssignableFrom(b.getReturnType()) ? b : a;
  }

  /** Returns the getters of an object's class. */
  public static Getters of(Object object) {
    return CLASSES.get(object.getClass());
  }

  public boolean has(String name) {
    return methods.containsKey(name);
  }

  /**
   * Returns a value of an object of this class.
   *
   * @throws IllegalArgumentException if the class has no value of this name
   */
  public @Nullable Object value(Object of, String name) {
    return call(method(name, List.of(name)), of);
  }

  /**
   * Returns a function that reads the value at a path: names, each of the value before, separated
   * by dots. Behind an unknown value it is unknown.
   *
   * @throws IllegalArgumentException if a class on the path has no value of the next name
   */
  public static Function<Object, @Nullable Object> path(Class<?> type, String names) {
    Class<?> at = type;
    Function<Object, @Nullable Object> path = object -> object;
    List<String> all = List.of(names.split("\\.", -1));
    for (String name : all) {
      Method method = CLASSES.get(at).method(name, all);
      Function<Object, @Nullable Object> before = path;
      path =
          object -> {
            Object owner = before.apply(object);
            return owner == null ? null : call(method, owner);
          };
      at = method.getReturnType();
    }
    return path;
  }

  /**
   * Returns the values at a path: those of all elements of a list, and none behind null.
   *
   * @throws IllegalArgumentException if an object on the path has no value of the next name
   */
  public static List<Object> values(Object of, List<String> path) {
    List<Object> values = new ArrayList<>(1);
    add(values, of, path, 0);
    return values;
  }

  private static void add(List<Object> to, @Nullable Object at, List<String> path, int index) {
    if (at instanceof List<?> several) {
      several.forEach(each -> add(to, each, path, index));
    } else if (at != null && index == path.size()) {
      to.add(at);
    } else if (at != null) {
      add(to, call(of(at).method(path.get(index), path), at), path, index + 1);
    }
  }

  private Method method(String name, List<String> path) {
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

  private static @Nullable Object call(Method method, Object of) {
    try {
      return method.invoke(of, NO_ARGUMENTS);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException("cannot call " + method, failed);
    }
  }
}
