package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What plugins compile against stays as it was: nothing in the kept list is gone or changed, and
 * what is new asks nothing of those who implement an interface.
 *
 * <p>The list holds what was promised, one line each. After a change that is meant, {@code mvn -pl
 * spi test -Dtest=SignatureTest -Debb.signature=write} writes it anew.
 */
class SignatureTest {

  private static final Path KEPT = Path.of("src/test/resources/signature.txt");

  @Test
  void nothingThatWasPromisedIsGone() throws Exception {
    List<String> now = signature();
    if ("write".equals(System.getProperty("ebb.signature"))) {
      Files.write(KEPT, now);
    }

    assertThat(now).containsAll(Files.readAllLines(KEPT));
  }

  @Test
  void whatIsNewAsksNothingOfWhatExists() throws Exception {
    List<String> kept = Files.readAllLines(KEPT);
    List<String> knownTypes = kept.stream().filter(line -> !line.startsWith("  ")).toList();
    List<String> added = new ArrayList<>();
    String type = "";
    for (String line : signature()) {
      type = line.startsWith("  ") ? type : line;
      if (line.contains(" abstract ") && knownTypes.contains(type) && !kept.contains(line)) {
        added.add(line);
      }
    }

    assertThat(added).as("new methods of known types need a default").isEmpty();
  }

  /** A line for each type, followed by its members, all with their full generic types. */
  private static List<String> signature() throws Exception {
    List<String> lines = new ArrayList<>();
    for (Class<?> type : types()) {
      lines.add(type.toGenericString());
      TreeSet<String> members = new TreeSet<>();
      Arrays.stream(type.getDeclaredConstructors())
          .filter(SignatureTest::isPromised)
          .map(Constructor::toGenericString)
          .forEach(members::add);
      Arrays.stream(type.getDeclaredMethods())
          .filter(method -> isPromised(method) && !method.isSynthetic())
          .map(Method::toGenericString)
          .forEach(members::add);
      Arrays.stream(type.getDeclaredFields())
          .filter(field -> Modifier.isPublic(field.getModifiers()))
          .map(Field::toGenericString)
          .forEach(members::add);
      members.forEach(member -> lines.add("  " + member));
    }
    return lines;
  }

  private static boolean isPromised(Executable member) {
    return (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
  }

  private static List<Class<?>> types() throws IOException, ClassNotFoundException {
    Path classes = Path.of("target/classes");
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).sorted().toList()) {
        String name = classes.relativize(file).toString().replaceAll("\\.class$", "");
        Class<?> type = Class.forName(name.replace('/', '.'));
        if (Modifier.isPublic(type.getModifiers())) {
          types.add(type);
        }
      }
    }
    return types;
  }
}
