package dev.ebb.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A network with racks: each node is in a network namespace of its own, each rack is a bridge, and
 * {@link RackSwitch} carries what goes from rack to rack. Tests reach each node by a link of its
 * own, which no fault affects.
 */
final class RackNetwork implements NodeNetwork {

  private static final Path FOLDER = Path.of("/");
  private static final int CLUSTER_PORT = 7_480;
  private static final int TRANSFER_PORT = 7_481;
  private static final int RESP_PORT = 6_380;
  private static final int ADMIN_PORT = 9_090;

  private final List<String> racks;
  private final RackSwitch between;
  private final Map<String, Integer> numbers = new HashMap<>();

  RackNetwork(List<String> racks) throws IOException {
    this.racks = List.copyOf(racks);
    clean();
    Map<String, TapDevice> devices = new LinkedHashMap<>();
    for (String rack : racks) {
      ip("link add %s type bridge", bridge(rack));
      devices.put(rack, new TapDevice(device(rack)));
      ip("link set %s master %s", device(rack), bridge(rack));
      ip("link set %s up", device(rack));
      ip("link set %s up", bridge(rack));
    }
    between = new RackSwitch(devices);
  }

  /** Returns why this machine cannot have such a network; empty if it can. */
  static Optional<String> missing() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("network namespaces need root");
    }
    if (!Shell.has("ip")) {
      return Optional.of("there is no command 'ip'");
    }
    return Files.isWritable(Path.of("/dev/net/tun"))
        ? Optional.empty()
        : Optional.of("there is no /dev/net/tun");
  }

  @Override
  public NodeAddress connect(String node, String rack) {
    int number = numbers.size() + 1;
    numbers.put(node, number);
    String space = space(number);
    ip("netns add %s", space);
    ip("-n %s link set lo up", space);
    ip("link add ebbtv%d type veth peer name rack0 netns %s", number, space);
    ip("link set ebbtv%d master %s", number, bridge(rack));
    ip("link set ebbtv%d up", number);
    ip("-n %s addr add 10.213.0.%d/24 dev rack0", space, number);
    ip("-n %s link set rack0 up", space);
    ip("link add ebbtm%d type veth peer name test0 netns %s", number, space);
    ip("addr add 10.214.%d.1/30 dev ebbtm%d", number, number);
    ip("link set ebbtm%d up", number);
    ip("-n %s addr add 10.214.%d.2/30 dev test0", space, number);
    ip("-n %s link set test0 up", space);
    return new NodeAddress(
        List.of("ip", "netns", "exec", space),
        "10.213.0." + number,
        CLUSTER_PORT,
        TRANSFER_PORT,
        "10.214.%d.2".formatted(number),
        RESP_PORT,
        ADMIN_PORT);
  }

  RackSwitch between() {
    return between;
  }

  /** Takes a node off its rack's network, or puts it back. */
  void isolate(String node, boolean isolated) {
    ip("link set ebbtv%d %s", numbers.get(node), isolated ? "down" : "up");
  }

  private String bridge(String rack) {
    return "ebbtb" + racks.indexOf(rack);
  }

  private String device(String rack) {
    return "ebbtt" + racks.indexOf(rack);
  }

  private static String space(int number) {
    return "ebbtn" + number;
  }

  private static void ip(String arguments, Object... values) {
    List<String> command = new ArrayList<>(List.of("ip"));
    command.addAll(List.of(arguments.formatted(values).split(" ")));
    Shell.run(FOLDER, command.toArray(String[]::new));
  }

  /** Removes what this test or an earlier one has made. */
  private static void clean() {
    try (var names = Files.list(Path.of("/sys/class/net"))) {
      for (Path each : names.toList()) {
        String name = each.getFileName().toString();
        if (name.matches("ebbt[btvm]\\d+")) {
          ip("link del %s", name);
        }
      }
      Path spaces = Path.of("/run/netns");
      if (Files.isDirectory(spaces)) {
        try (var found = Files.list(spaces)) {
          for (Path each : found.toList()) {
            if (each.getFileName().toString().startsWith("ebbtn")) {
              ip("netns del %s", each.getFileName());
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    clean();
  }
}
