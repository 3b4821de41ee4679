package dev.ebb.host.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs of a test's class path, in a process of their own. */
public final class JavaProcess {

  private JavaProcess() {}

  public static ProcessBuilder of(Class<?> program, String... arguments) {
    return of(List.of(), program, arguments);
  }

  /** Does the same with options of the JVM. */
  public static ProcessBuilder of(List<String> options, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    if (options.stream().noneMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }
}
