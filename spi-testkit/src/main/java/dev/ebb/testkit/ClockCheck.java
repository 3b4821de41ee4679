package dev.ebb.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds calls that read the time of the machine. They are searched for in the code, since a check
 * is too short for them to matter: in the strategy's class, and in the classes of its package and
 * the packages below that it uses.
 */
final class ClockCheck {

  private static final Set<String> READINGS =
      Set.of(
          "java/lang/System.nanoTime",
          "java/lang/System.currentTimeMillis",
          "java/util/Date.<init>",
          "java/time/Clock.systemUTC",
          "java/time/Clock.systemDefaultZone",
          "java/time/Instant.now",
          "java/time/LocalDate.now",
          "java/time/LocalTime.now",
          "java/time/LocalDateTime.now",
          "java/time/OffsetDateTime.now",
          "java/time/ZonedDateTime.now");

  private static final String LAMBDA = "$$Lambda";

  private final ClassLoader loader;
  private final String folder;
  private final Set<String> seen = new HashSet<>();
  private final Deque<String> left = new ArrayDeque<>();

  private ClockCheck(Class<?> strategy) {
    loader = strategy.getClassLoader();
    folder = strategy.getPackageName().replace('.', '/') + "/";
    String name = strategy.getName().replace('.', '/');
    // A lambda's class is hidden, and its code is in the class around it.
    int lambda = strategy.isHidden() ? name.indexOf(LAMBDA) : -1;
    add(lambda < 0 ? name : name.substring(0, lambda));
  }

  /** Throws if the code of a strategy reads another clock than that of its context. */
  static String check(Object strategy) {
    if (strategy.getClass().getClassLoader() == null) {
      return "no code to read";
    }
    return new ClockCheck(strategy.getClass()).search();
  }

  private String search() {
    int read = 0;
    for (String name = left.poll(); name != null; name = left.poll()) {
      byte[] code = code(name);
      if (code != null) {
        search(name, ClassFile.of().parse(code));
        read++;
      }
    }
    return read + " classes";
  }

  private void search(String name, ClassModel code) {
    code.superclass().ifPresent(parent -> add(parent.asInternalName()));
    for (PoolEntry entry : code.constantPool()) {
      if (entry instanceof MemberRefEntry member) {
        String owner = member.owner().asInternalName();
        String called = owner + "." + member.name().stringValue();
        if (READINGS.contains(called) && member.type().stringValue().startsWith("()")) {
          throw new Violation(
              Rule.CLOCK,
              "%s calls %s()".formatted(name.replace('/', '.'), called.replace('/', '.')));
        }
        add(owner);
      }
    }
  }

  private void add(String name) {
    if (name.startsWith(folder) && seen.add(name)) {
      left.add(name);
    }
  }

  private byte @Nullable [] code(String name) {
    try (InputStream in = loader.getResourceAsStream(name + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
