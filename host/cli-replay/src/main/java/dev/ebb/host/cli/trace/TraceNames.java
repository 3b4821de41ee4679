package dev.ebb.host.cli.trace;

import dev.ebb.host.trace.TraceReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The names of traces in reports: the file's name, with as many folders as make it unique. */
public final class TraceNames {

  private TraceNames() {}

  /**
   * Returns the labels of traces.
   *
   * @return the label of each file, in order, without duplicates
   */
  public static Map<String, String> of(List<String> traces) {
    Map<Path, String> byPath = new LinkedHashMap<>();
    traces.forEach(trace -> byPath.putIfAbsent(path(trace), trace));
    List<Path> open = new ArrayList<>(byPath.keySet());
    Map<Path, String> labels = new LinkedHashMap<>();
    open.forEach(path -> labels.put(path, ""));
    for (int names = 1; !open.isEmpty(); names++) {
      int count = names;
      Map<String, List<Path>> alike =
          open.stream().collect(Collectors.groupingBy(path -> last(path, count)));
      alike.forEach((label, paths) -> paths.forEach(path -> labels.put(path, label)));
      open = open.stream().filter(path -> among(alike, path, count).size() > 1).toList();
    }
    Map<String, String> byTrace = new LinkedHashMap<>();
    byPath.forEach((path, trace) -> byTrace.put(trace, String.valueOf(labels.get(path))));
    return byTrace;
  }

  private static List<Path> among(Map<String, List<Path>> alike, Path path, int names) {
    return alike.getOrDefault(last(path, names), List.of());
  }

  private static Path path(String trace) {
    return trace.equals(TraceReader.STANDARD_INPUT)
        ? Path.of("stdin")
        : TraceReader.path(trace).toAbsolutePath().normalize();
  }

  private static String last(Path path, int names) {
    int all = path.getNameCount();
    return all < names ? path.toString() : path.subpath(all - names, all).toString();
  }
}
