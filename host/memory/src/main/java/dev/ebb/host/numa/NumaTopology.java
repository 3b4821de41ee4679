package dev.ebb.host.numa;

import dev.ebb.host.files.SystemFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The NUMA nodes of this machine, as Linux describes them under {@code /sys}. Missing and malformed
 * files count as empty.
 *
 * @param nodes by number; empty if unknown
 * @param gpuNodes the nodes of the NVIDIA GPUs, each once
 */
public record NumaTopology(List<Node> nodes, List<Integer> gpuNodes) {

  private static final String NVIDIA = "0x10de";
  private static final String DISPLAY_CLASS = "0x03";

  /**
   * A NUMA node.
   *
   * @param bytes its memory that this process may use; 0 if it has none or it is forbidden
   * @param ofProcess whether this process may run on one of its processors that are online
   * @param distances to each node, in the order of the nodes; empty if unknown
   */
  public record Node(int id, long bytes, boolean ofProcess, List<Integer> distances) {}

  /** Reads the topology of this machine. */
  public static NumaTopology read() {
    return read(Path.of("/"));
  }

  /** Reads the files of the system below a folder. */
  static NumaTopology read(Path root) {
    NumaTopology found = new NumaTopology(nodes(root), List.of());
    return new NumaTopology(found.nodes, found.nearest(gpuNodes(root)));
  }

  private static List<Node> nodes(Path root) {
    Predicate<Integer> memory = allowed(root, "Mems_allowed_list:");
    Predicate<Integer> processors =
        allowed(root, "Cpus_allowed_list:")
            .and(listed(SystemFiles.lines(root.resolve("sys/devices/system/cpu/online"))));
    List<Node> nodes = new ArrayList<>();
    for (Path folder : folders(root.resolve("sys/devices/system/node"), "node[0-9]*")) {
      String number = folder.getFileName().toString().substring("node".length());
      if (number.matches("\\d{1,3}")) {
        int id = Integer.parseInt(number);
        List<Integer> own = numbers(String.join("", SystemFiles.lines(folder.resolve("cpulist"))));
        nodes.add(
            new Node(
                id,
                memory.test(id) ? memory(folder.resolve("meminfo")) : 0,
                own.stream().anyMatch(processors),
                distances(folder.resolve("distance"))));
      }
    }
    nodes.sort(Comparator.comparingInt(Node::id));
    return List.copyOf(nodes);
  }

  private static List<Path> folders(Path parent, String pattern) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, pattern)) {
      List<Path> found = new ArrayList<>();
      folders.forEach(found::add);
      return found;
    } catch (IOException missing) {
      return List.of();
    }
  }

  /** Returns the numbers that a line of {@code /proc/self/status} allows; all, if there is none. */
  private static Predicate<Integer> allowed(Path root, String name) {
    return listed(
        SystemFiles.lines(root.resolve("proc/self/status")).stream()
            .filter(line -> line.startsWith(name))
            .map(line -> line.substring(name.length()))
            .toList());
  }

  private static Predicate<Integer> listed(List<String> lines) {
    List<Integer> numbers = lines.isEmpty() ? List.of() : numbers(lines.getFirst());
    return numbers.isEmpty() ? any -> true : numbers::contains;
  }

  /** Reads a list of the kernel such as {@code 0-3,8}; malformed parts are left out. */
  static List<Integer> numbers(String list) {
    return List.of(list.strip().split(",", -1)).stream()
        .filter(range -> range.matches("\\d{1,5}(-\\d{1,5})?"))
        .flatMapToInt(range -> {
          String[] ends = range.split("-", -1);
          return IntStream.rangeClosed(
              Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
        })
        .boxed()
        .toList();
  }

  /** Reads a line such as {@code Node 0 MemTotal: 21194524 kB}. */
  private static long memory(Path meminfo) {
    return SystemFiles.lines(meminfo).stream()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(words -> words.length > 3 && words[2].equals("MemTotal:"))
        .filter(words -> words[3].matches("\\d{1,15}"))
        .mapToLong(words -> Long.parseLong(words[3]) << 10)
        .findFirst()
        .orElse(0);
  }

  private static List<Integer> distances(Path file) {
    List<String> lines = SystemFiles.lines(file);
    List<String> words =
        lines.isEmpty() ? List.of() : List.of(lines.getFirst().strip().split("\\s+", -1));
    return words.stream().allMatch(word -> word.matches("\\d{1,5}"))
        ? words.stream().map(Integer::valueOf).toList()
        : List.of();
  }

  private static List<Integer> gpuNodes(Path root) {
    return folders(root.resolve("sys/bus/pci/devices"), "*").stream()
        .filter(device -> word(device, "vendor").equals(NVIDIA))
        .filter(device -> word(device, "class").startsWith(DISPLAY_CLASS))
        .flatMap(device -> node(device).stream())
        .toList();
  }

  private static String word(Path device, String file) {
    return String.join("", SystemFiles.lines(device.resolve(file))).strip();
  }

  /** Returns the node of a PCI device; empty if the firmware does not report it (-1). */
  private static Optional<Integer> node(Path device) {
    String node = word(device, "numa_node");
    return node.matches("\\d{1,5}") ? Optional.of(Integer.valueOf(node)) : Optional.empty();
  }

  /**
   * Returns the node with memory that is nearest to a PCI device.
   *
   * @param address such as {@code 0000:3B:00.0}, in either case
   * @return empty if it is unknown, or the machine has no other node
   */
  public static Optional<Integer> nodeOfPci(String address) {
    return nodeOfPci(Path.of("/"), address);
  }

  static Optional<Integer> nodeOfPci(Path root, String address) {
    if (!address.matches("[0-9a-fA-F]+:[0-9a-fA-F:.]+")) {
      return Optional.empty();
    }
    Path device = root.resolve("sys/bus/pci/devices").resolve(address.toLowerCase(Locale.ROOT));
    NumaTopology topology = read(root);
    return topology.usable().size() < 2
        ? Optional.empty()
        : topology.nearest(node(device).stream().toList()).stream().findFirst();
  }

  /** Returns the nodes with memory that this process may use. */
  List<Integer> usable() {
    return nodes.stream().filter(node -> node.bytes > 0).map(Node::id).toList();
  }

  /** Returns the usable nodes that are nearest to the processors of this process. */
  List<Integer> ofProcess() {
    return nearest(nodes.stream().filter(Node::ofProcess).map(Node::id).toList());
  }

  /**
   * Returns for each of the nodes the nearest one with memory, each once; unknown ones are skipped.
   */
  private List<Integer> nearest(List<Integer> of) {
    List<Integer> usable = usable();
    return nodes.stream()
        .filter(node -> of.contains(node.id))
        .flatMap(node ->
            usable.stream().min(Comparator.comparingInt(other -> distance(node, other))).stream())
        .distinct()
        .sorted()
        .toList();
  }

  private int distance(Node from, int to) {
    if (from.id == to) {
      return 0;
    }
    int column = nodes.stream().map(Node::id).toList().indexOf(to);
    return from.distances.size() == nodes.size() ? from.distances.get(column) : Integer.MAX_VALUE;
  }
}
